"""The sentences at the head of a summary that a model words: each cites current facts and says no more than they do."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from echo_notes.files.layout import Layout
from echo_notes.lifecycle.llm.consult import Consultant, texts_of
from echo_notes.lifecycle.llm.grounding import Names, is_grounded
from echo_notes.lifecycle.llm.memo import Memo, digest, memo_path
from echo_notes.lifecycle.region import overview_of
from echo_notes.model.entity import Entity, EntityRef
from echo_notes.model.fact import Fact
from echo_notes.model.passage import FACT, Passage

Sentence = tuple[str, tuple[str, ...]]
"""A sentence, and the ids of the facts that it rests on."""

_ASKED = "overview"
_LEAST = 3
_MOST_FACTS = 60
_MOST = 4


@dataclass(slots=True)
class Overviews:
    """The sentences of every entity: what the model wrote in this run, else what stands and still holds."""

    layout: Layout
    entities: Sequence[Entity]
    consultant: Consultant | None = None
    _names: dict[str, tuple[Entity, ...]] = field(default_factory=dict)
    _memo: Memo | None = None
    _written: dict[EntityRef, tuple[str, tuple[Sentence, ...]]] = field(default_factory=dict)

    def ask(self, entity: Entity, shown: Sequence[Fact]) -> None:
        """Ask for an entity's sentences, if there is enough to tell and these facts were not put to it before."""
        model = self.consultant
        if model is None or not model.is_at_work or len(shown) < _LEAST:
            return
        facts = [fact for fact in shown if model.may_send(fact.text)][:_MOST_FACTS]
        state = _state(shown)
        answer = None if model.was_asked(_ASKED, state) else model.ask(_ASKED, [_passage(fact) for fact in facts])
        if answer is None:
            return
        rows = [(text, tuple(dict.fromkeys(row["facts"]))) for text, row in texts_of(answer["sentences"])]
        kept = tuple(borne_out(rows, facts, self.names()))[:_MOST]
        self._written[entity.ref] = (state, kept)
        model.memo.note(model.memo.asked, _ASKED, state)
        for text, _ in kept:
            model.memo.note(model.memo.said, text)

    def current(self, entity: Entity, shown: Sequence[Fact], region: str) -> tuple[Sentence, ...]:
        """Return the sentences for exactly these facts; of those in the standing region, what they still bear out."""
        state, sentences = self._written.get(entity.ref, ("", ()))
        if sentences and state == _state(shown):
            return sentences
        standing = overview_of(region)
        return tuple(borne_out(standing, shown, self.names())) if standing else ()

    def has_said(self, sentence: str) -> bool:
        """Return whether a model worded this sentence here, in this run or an earlier one."""
        if self._memo is None:
            self._memo = self.consultant.memo if self.consultant else Memo.load(memo_path(self.layout))
        return digest(sentence) in self._memo.said

    def names(self) -> Names:
        """Return the entities by each of their folded names."""
        if not self._names:
            for entity in self.entities:
                for name in entity.folded_names():
                    self._names[name] = (*self._names.get(name, ()), entity)
        return self._names


def borne_out(rows: Iterable[Sentence], shown: Sequence[Fact], names: Names) -> Iterator[Sentence]:
    """Yield the sentences that cite only facts which are shown (so active and visible) and that those bear out."""
    texts: Mapping[str, str] = {fact.id: fact.text for fact in shown}
    for text, ids in rows:
        if not ids or any(fact_id not in texts for fact_id in ids) or text in texts.values():
            continue
        if is_grounded(text, "\n".join(texts[fact_id] for fact_id in ids), names):
            yield text, ids


def _passage(fact: Fact) -> Passage:
    return Passage(
        id=fact.id, layer=FACT, path="", line=1, text=fact.text, provenance=fact.provenance,
        on=fact.valid_from or fact.timestamp,
    )  # fmt: skip


def _state(shown: Sequence[Fact]) -> str:
    return digest(*sorted(f"{fact.id} {fact.text}" for fact in shown))

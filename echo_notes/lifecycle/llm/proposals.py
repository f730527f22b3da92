"""Facts that a model proposes: each must quote a whole sentence of its source, and ranks by who chose the words."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from echo_notes.guard.categories import match_category
from echo_notes.guard.durable import Statement, is_blocked
from echo_notes.guard.keys import category_of, derive_key
from echo_notes.guard.mentions import find_mentions, is_about_owner, subject_of
from echo_notes.guard.sentences import iter_lines, iter_sentences
from echo_notes.guard.values import plain_statement
from echo_notes.lifecycle.llm.grounding import Names, is_faithful, is_grounded
from echo_notes.model.entity import Entity
from echo_notes.model.fact import ENVIRONMENT, USER
from echo_notes.model.passage import NOTE, Passage

OWNER = "owner"
_SHORTEST = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposed:
    """A fact as a model proposes it. `source` numbers the message or line; `entity` None is the owner.

    `worded`: the text is the model's own, so that it is model_inferred whoever said the sentence.
    """

    source: int
    quote: str
    text: str
    category: str
    worded: bool
    entity: Entity | None = None

    def statement(self, names: Names, *, line: int = 1) -> Statement:
        """Return the proposal as the statement that a pass takes; its key is derived by rule."""
        subject = self.entity.names() if self.entity else ("I",)
        found = derive_key(self.text, subject)
        others = [mention.found for mention in find_mentions(self.text, names)]
        return Statement(
            text=plain_statement(self.text), source=self.quote, start=0, line=line, subject="",
            category=category_of(found, self.category), owner=self.entity is None,
            type=USER if self.entity is None else ENVIRONMENT, key=found.key if found else "",
            value=found.value if found else "", found=(self.entity,) if self.entity else None,
            others=tuple(found for found in dict.fromkeys(others) if found and found != (self.entity,)),
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Source:
    """A text that facts may be proposed from. `owner`: whether its `I` is the vault's owner."""

    number: int
    text: str
    owner: bool = True


def read_proposals(
    rows: Iterable[Mapping[str, Any]],
    sources: Mapping[int, Source],
    names: Names,
    *,
    offered: Mapping[str, Entity],
    categories: Sequence[str],
) -> tuple[Proposed, ...]:
    """Return the proposals of an answer that hold against their sources; all others are dropped.

    The quotation must be a whole sentence of its source, and no question, hedge or plan. `offered` are the entities
    that the model was told of, by `kind/slug`; any other id is dropped.
    """
    found: dict[tuple[int, str, str], Proposed] = {}
    for row in rows:
        source = sources.get(row["source"])
        entity = offered.get(row["entity"])
        if source is None or (entity is None and row["entity"] != OWNER):
            continue
        quote = _whole_sentence(row["quote"], source.text)
        if not quote or is_idle(quote) or (entity is None and not source.owner):
            continue
        category = row["category"] if row["category"] in categories else match_category(quote) or ""
        plain = Proposed(
            source=source.number, quote=quote, text=quote, category=category, worded=False, entity=entity
        )  # fmt: skip
        proposed = _worded(plain, row["text"], names)
        if proposed:
            found.setdefault((proposed.source, quote, row["entity"]), proposed)
    return tuple(found.values())


def is_idle(sentence: str) -> bool:
    """Return whether a sentence is none that a fact may rest on: a question, a hedge, a plan, or next to nothing."""
    plain = plain_statement(sentence)
    return len(plain) < _SHORTEST or "?" in sentence or "？" in sentence or is_blocked(plain)


def sentences_of(text: str) -> list[str]:
    """Return the sentences of a text that are prose of the writer's own."""
    return [sentence.strip() for line in iter_lines(text) for _, sentence in iter_sentences(line.text)]


def entities_passage(entities: Iterable[Entity]) -> tuple[Passage, dict[str, Entity]]:
    """Return the list of entities that a model may name, as one quotation, and the same by their names there."""
    offered = {str(entity.ref): entity for entity in entities}
    lines = [f"{name}: {' · '.join(_one_line(one) for one in entity.names())}" for name, entity in offered.items()]
    text = "\n".join(lines) or "(none but the owner)"
    return Passage(id="entities", layer=NOTE, path="", line=1, text=text), offered


def _worded(plain: Proposed, wording: str, names: Names) -> Proposed | None:
    """Return a proposal in its final words, None for one that is not about its subject or that its sentence denies."""
    text = " ".join(wording.split())
    quote, entity = plain.quote, plain.entity
    own = entity.names() if entity else ("I", "me")
    if not text or _bare(text) == _bare(quote):
        return plain if _is_about(quote, entity, names, as_subject=True) else None
    granted = [entity] if entity else []
    if _begins_with_another(quote, entity, names):
        return None  # `Bob says that Ada …`, `I doubt that Ada …`: what is said is said by, and about, somebody else
    if not (is_grounded(text, quote, names, granted=granted) and is_faithful(text, quote, own)):
        return None
    return replace(plain, text=text, worded=True) if _is_about(text, entity, names, as_subject=False) else None


def _begins_with_another(quote: str, entity: Entity | None, names: Names) -> bool:
    first = next(iter(subject_of(quote, names)), None)
    if first is None or (first.start and not first.owner):
        return False
    if entity is None or first.owner:
        return (entity is None) != first.owner
    return first.found != (entity,)


def _is_about(text: str, entity: Entity | None, names: Names, *, as_subject: bool) -> bool:
    if entity is None:
        return is_about_owner(text)
    mentions = subject_of(text, names)
    wanted = mentions[:1] if as_subject else mentions
    return any(mention.found == (entity,) for mention in wanted)


def _whole_sentence(quote: str, text: str) -> str:
    """Return the sentence of a text that a quotation is, "" if it is none: half a sentence can say the opposite."""
    wanted = quote.strip()
    return next((one for one in sentences_of(text) if one == wanted or one.rstrip(".。!！") == wanted), "")


def _bare(text: str) -> str:
    return plain_statement(text).rstrip(".。!！ ").casefold()


def _one_line(text: str) -> str:
    return " ".join(text.split())

"""Pairs of facts that the rules cannot decide, put to a model: it may suspect a conflict, the ranks decide of it."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from echo_notes.guard.conflict import CONTRADICTION, LIKELY, UPDATE, Verdict
from echo_notes.lifecycle.llm.consult import Consultant
from echo_notes.lifecycle.llm.memo import digest
from echo_notes.model.fact import Fact
from echo_notes.model.passage import FACT, Passage

_MOST = 20
_ASKED = "pairs"
_WHY = "the language model holds that both cannot be true"


@dataclass(slots=True)
class Verifier:
    """Collects undecided pairs while facts are judged, asks about them, and answers when they are judged again.

    A pair is asked about once, then remembered; only its texts count, so that an answer never passes to other words.
    """

    consultant: Consultant
    _waiting: dict[str, tuple[Fact, Fact]] = field(default_factory=dict)
    _verdicts: dict[str, Verdict] = field(default_factory=dict)
    _seen: list[str] = field(default_factory=list)

    def __call__(self, one: Fact, other: Fact) -> Verdict | None:
        """Return the model's verdict on a pair, None where it has none or sees no conflict."""
        key = _key(one, other)
        if key in self._verdicts:
            return self._verdicts[key]
        if not self.consultant.was_asked(_ASKED, key):
            self._waiting[key] = (one, other)
        return None

    def ask(self) -> bool:
        """Ask about the pairs that were collected, and return whether any of them is seen as a conflict."""
        waiting = [(key, pair) for key, pair in self._waiting.items() if self._may_send(pair)][:_MOST]
        self._waiting = {}
        if not waiting or not self.consultant.is_at_work:
            return False
        passages = [
            Passage(
                id=f"pair {number} {side}",
                layer=FACT,
                path="",
                line=1,
                text=fact.text,
                on=fact.valid_from or fact.timestamp,
            )
            for number, (_, pair) in enumerate(waiting, 1)
            for side, fact in zip("ab", pair, strict=True)
        ]
        answer = self.consultant.ask(_ASKED, passages)
        if answer is None:
            return False
        rows = {row["pair"]: row for row in answer["pairs"]}
        found = False
        for number, (key, _) in enumerate(waiting, 1):
            row = rows.get(number)
            if row is None:
                continue
            self._seen.append(key)
            if row["verdict"] in {CONTRADICTION, UPDATE} and row["confidence"] >= LIKELY:
                self._verdicts[key] = Verdict(row["verdict"], min(float(row["confidence"]), LIKELY), _WHY)
                found = True
        return found

    def conclude(self, *, held: bool) -> None:
        """End the asking about one entity; of one that was held for a person the same is asked again next time."""
        for key in () if held else self._seen:
            self.consultant.memo.note(self.consultant.memo.asked, _ASKED, key)
        self._seen = []

    def _may_send(self, pair: Sequence[Fact]) -> bool:
        return all(self.consultant.may_send(fact.text) for fact in pair)


def _key(one: Fact, other: Fact) -> str:
    return digest(*sorted([f"{one.id} {one.text}", f"{other.id} {other.text}"]))

"""What a person's word on an entry of review.json does to facts and decisions; planned here, written by `review`."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from echo_notes.files.change import Change
from echo_notes.files.items import REMOVE
from echo_notes.files.review import HELD, ReviewEntry, held_write
from echo_notes.guard.rejected import REINSTATED, WRONG, Claim, find_rejection
from echo_notes.guard.values import normalise_statement
from echo_notes.lifecycle.facts import Located, claim_of, get_fact, judge, plan_edit
from echo_notes.lifecycle.held import APPROVED, REJECTED, carry_out, turn_down
from echo_notes.lifecycle.opened import OpenVault
from echo_notes.lifecycle.supersede import plan_successor, retire
from echo_notes.model.entity import Entity
from echo_notes.model.errors import ConflictError, NotFoundError, UsageError
from echo_notes.model.fact import ACTIVE, ARCHIVED, CONTRADICTION, SUPERSEDED

BOTH_STAND = "both stand"


@dataclass(frozen=True, slots=True)
class Ruling:
    """What becomes of an entry: its new fields, and the facts kept, made (`new`) and retired, with decisions made.

    `known`: it was so already, so there is nothing to write.
    """

    words: str
    changes: Mapping[str, Any] = field(default_factory=dict)
    kept: str = ""
    new: str = ""
    retired: tuple[str, ...] = ()
    decisions: int = 0
    known: bool = False


@dataclass(slots=True)
class Verdicts:
    """Plans what the person decides; what is gone or was superseded meanwhile counts as done."""

    change: Change
    opened: OpenVault
    entities: tuple[Entity, ...]

    def approve(self, entry: ReviewEntry, keep: str) -> Ruling:
        """Plan a held write as proposed, or one side of a contradiction as the one that holds."""
        if entry.kind == HELD:
            return self._carry_out(entry, held_write(entry).text)
        if keep not in entry.pair:
            raise UsageError(
                f"{entry.id} has two sides, {entry.entry_a} and {entry.entry_b}",
                fix=f"Say which one holds: echo-notes review approve {entry.id} --keep {entry.entry_a}",
            )
        words = f"kept {keep}"
        if not entry.is_open:
            return _decided_before(entry, words)
        kept = self._get(keep, entry)
        loser_id = next((one for one in (entry.entry_a, entry.entry_b) if one != keep), "")
        loser = self._find(loser_id)
        if loser and kept.fact.superseded_by == loser.fact.id:
            raise ConflictError(
                f"{keep} was superseded by {loser.fact.id} since", where=entry.id,
                fix=f'If it holds after all: echo-notes supersede {loser.fact.id} "…"',
            )  # fmt: skip
        decisions = self._reinstate(kept)
        if kept.fact.status == ARCHIVED:
            plan_edit(self.change, kept, "restore", {"status": ACTIVE, "lastAccessed": self.opened.now})
        decisions += self._judge_wrong(loser, claim_of(kept.entity, kept.fact.text, kept.fact.key))
        retired = self._retire(loser, keep)
        return Ruling(words, self._resolved(words), keep, "", retired, decisions)

    def edit(self, entry: ReviewEntry, text: str) -> Ruling:
        """Plan the person's own words in the place of a held write, or of both sides of a contradiction."""
        if entry.kind == HELD:
            return self._carry_out(entry, text)
        if not entry.is_open:
            raise _already(entry)
        sides = [side for side in map(self._find, (entry.entry_a, entry.entry_b)) if side]
        if not sides:
            raise NotFoundError(f"neither {entry.entry_a} nor {entry.entry_b} is there any more", fix=_settle(entry))
        for side in sides:
            names = side.entity.names()
            if normalise_statement(side.fact.text, names) == normalise_statement(text, names):
                return self.approve(entry, side.fact.id if side.fact.id in entry.pair else entry.entry_a)
        new = plan_successor(self.change, self.opened, sides[0], text, self.entities, op="supersede")
        claim = claim_of(sides[0].entity, text, new.key)
        decisions = sum(self._judge_wrong(side, claim) for side in sides)
        retired = tuple(one for side in sides for one in self._retire(side, new.id))
        words = f"edited {new.id}"
        return Ruling(words, self._resolved(words), "", new.id, retired, decisions)

    def reject(self, entry: ReviewEntry) -> Ruling:
        """Plan that a held write is not to come back, or that both sides of a contradiction stand."""
        words = REJECTED if entry.kind == HELD else BOTH_STAND
        if not entry.is_open:
            return _decided_before(entry, words)
        decisions = 0
        if entry.kind == HELD:
            decisions = turn_down(self.change, self.opened, self.entities, held_write(entry))
        return Ruling(words, self._resolved(words), decisions=decisions)

    def defer(self, entry: ReviewEntry) -> Ruling:
        """Plan that an entry stands behind the others."""
        if not entry.is_open:
            raise _already(entry)
        words = "deferred"
        return Ruling(words, {"deferredAt": self.change.stamp()}, known=bool(entry.deferred_at))

    def _carry_out(self, entry: ReviewEntry, text: str) -> Ruling:
        if not entry.is_open:
            if entry.resolution == REJECTED:
                raise _already(entry)
            return Ruling(str(entry.resolution), known=True)
        done = carry_out(self.change, self.opened, self.entities, held_write(entry), text)
        words = f"{APPROVED} {done.new}".strip()
        return Ruling(words, self._resolved(words), done.new if done.known else "", "" if done.known else done.new,
                      done.retired)  # fmt: skip

    def _resolved(self, words: str) -> dict[str, Any]:
        return {"resolution": words, "resolvedAt": self.change.stamp(), "deferredAt": REMOVE}

    def _judge_wrong(self, side: Located | None, right: Claim) -> int:
        """Plan the decision that what a side says was wrong, and return how many were made.

        Where the value is the one that holds, only the wording was wrong.
        """
        if side is None or side.fact.erased_at:
            return 0
        claim = claim_of(side.entity, side.fact.text, side.fact.key)
        if claim.statement == right.statement or find_rejection(claim, self.change.decisions()):
            return 0
        decision = judge(self.change, side.entity, side.fact, WRONG)
        same_value = (claim.key, claim.value) == (right.key, right.value)
        self.change.decide(replace(decision, value="") if same_value else decision)
        return 1

    def _reinstate(self, kept: Located) -> int:
        claim = claim_of(kept.entity, kept.fact.text, kept.fact.key)
        if find_rejection(claim, self.change.decisions()) is None:
            return 0
        self.change.decide(judge(self.change, kept.entity, kept.fact, REINSTATED))
        return 1

    def _retire(self, side: Located | None, successor: str) -> tuple[str, ...]:
        if side is None or side.fact.status == SUPERSEDED or side.fact.erased_at or side.fact.id == successor:
            return ()
        retire(self.change, side, successor, CONTRADICTION)
        return (side.fact.id,)

    def _get(self, fact_id: str, entry: ReviewEntry) -> Located:
        found = self._find(fact_id)
        if found is None or found.fact.erased_at:
            raise NotFoundError(f"{fact_id} is not there any more", where=entry.id, fix=_settle(entry))
        return found

    def _find(self, fact_id: str) -> Located | None:
        try:
            return get_fact(self.opened, fact_id, self.entities)
        except NotFoundError:
            return None


def _decided_before(entry: ReviewEntry, words: str) -> Ruling:
    """Return that nothing is left to do; ConflictError if it was decided otherwise."""
    if entry.resolution != words:
        raise _already(entry)
    return Ruling(words, known=True)


def _already(entry: ReviewEntry) -> ConflictError:
    return ConflictError(
        f"{entry.id} was decided on {str(entry.resolved_at)[:10]}: {entry.resolution}",
        fix="To change it now: echo-notes supersede, correct or undo.",
    )


def _settle(entry: ReviewEntry) -> str:
    return f"Close it with echo-notes review reject {entry.id}, or keep the other side."

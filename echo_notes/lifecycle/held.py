"""Held writes: what a program proposes and only a person may decide, kept in review.json until they do."""

from dataclasses import dataclass
from hashlib import sha256

from echo_notes.files.change import Change, ChangeResult
from echo_notes.files.layout import MEMORY, REVIEW
from echo_notes.files.review import HeldWrite, Review, held_record
from echo_notes.guard.eligibility import Traits
from echo_notes.guard.gate import Proposal, added_texts
from echo_notes.guard.rejected import WRONG, Claim
from echo_notes.guard.values import normalise_statement
from echo_notes.lifecycle.entities import get_entity
from echo_notes.lifecycle.facts import Located, claim_of, get_fact, judge, load_facts, traits_of
from echo_notes.lifecycle.notes import plan_line
from echo_notes.lifecycle.opened import OpenVault
from echo_notes.lifecycle.remember import Batch, Statement, plan_statement
from echo_notes.lifecycle.supersede import guard, plan_successor, retire
from echo_notes.model.entity import Entity
from echo_notes.model.errors import NotFoundError, RefusedError
from echo_notes.model.fact import CHANGED, CORRECTED, SCOPE_OWNER, SUPERSEDED, Fact

SUPERSEDE, CORRECT, REMEMBER, LEARN = "supersede", "correct", "remember", "learn"
APPROVED, REJECTED = "approved", "rejected"

_ID_CHARS = 8


@dataclass(frozen=True, slots=True)
class Carried:
    """What a held write did once a person said yes: the fact that says it now ("" for a note), and those it retired."""

    new: str
    retired: tuple[str, ...] = ()
    known: bool = False


@dataclass(frozen=True, slots=True)
class Holding:
    """A write that was held: the id of its entry, and the change (empty if it waited already)."""

    id: str
    change: ChangeResult


def plan_held(change: Change, write: HeldWrite, entity: Entity | None, traits: Traits | None = None) -> str:
    """Plan an entry of review.json for a write, and return its id; one that waits already is not added again.

    RefusedError where the scan or the scope says no, where its value was judged wrong, or where a person rejected it.
    """
    review = Review.parse(change.read(REVIEW))
    target = write.target or write.entity or MEMORY
    change.check(
        Proposal(
            op="hold", target=target, traits=traits or _traits(write), claim=_claim(write, entity),
            texts=added_texts([("text", write.text), ("section", write.section), ("entity", write.entity)]),
        )
    )  # fmt: skip
    entry_id = held_id(write)
    number = 1
    while known := review.find(entry_id):
        if known.is_open:
            return entry_id
        if known.resolution == REJECTED:
            raise RefusedError(
                f"refused to hold {target}: the person rejected that on {str(known.resolved_at)[:10]} ({entry_id})",
                reason="rejected_value", op="hold", target=target, text=write.text,
                fix="Only the person may bring it up again.",
            )  # fmt: skip
        number += 1
        entry_id = f"{held_id(write)}-{number}"
    record = held_record(write, entry_id=entry_id, created_at=change.stamp())
    change.put(REVIEW, review.add(record).dump(), Proposal(op="hold", target=target), kind="review")
    return entry_id


def hold(opened: OpenVault, refused: RefusedError, op: str, fact_id: str, text: str) -> Holding:
    """Hold what a program was refused for its rank, in a change of its own."""
    located = get_fact(opened, fact_id)
    with opened.change(op) as change:
        write = HeldWrite(
            op=op, target=located.fact.id, entity=str(located.entity.ref), text=text.strip(), reason=refused.reason,
            path=change.actor.path, provenance=change.actor.label, scope=opened.writer.scope or "",
        )  # fmt: skip
        entry_id = plan_held(change, write, located.entity, traits_of(located.fact))
        change.subject = f"hold: {op} {located.fact.id}"
        change.body = [entry_id]
    return Holding(entry_id, change.result)


def held_id(write: HeldWrite) -> str:
    """Return the id that follows from what a write says, so that the same proposal is the same entry everywhere."""
    said = "\0".join([write.op, write.target or write.entity, normalise_statement(write.text)])
    return f"held-{sha256(said.encode('utf-8', 'surrogatepass')).hexdigest()[:_ID_CHARS]}"


def carry_out(change: Change, opened: OpenVault, entities: tuple[Entity, ...], write: HeldWrite, text: str) -> Carried:
    """Plan a held write, in these words, as the person's own; what it was about may have moved on or gone since."""
    if write.op == LEARN:
        plan_line(change, opened, text, section=write.section)
        return Carried("")
    located = _current(opened, write.target, entities) if write.target else None
    if located is None:
        batch = Batch(list(entities))
        done = plan_statement(change, opened, Statement(text=text, about=write.entity), batch, "remember")
        return Carried(done.id, known=done.known)
    names = located.entity.names()
    if normalise_statement(located.fact.text, names) == normalise_statement(text, names):
        return Carried(located.fact.id, known=True)
    wrong = write.op == CORRECT and located.fact.id == write.target
    op, reason = (CORRECT, CORRECTED) if wrong else (SUPERSEDE, CHANGED)
    guard(change, located, op, text)
    if wrong:
        change.decide(judge(change, located.entity, located.fact, WRONG))
    new = plan_successor(change, opened, located, text, entities, op=op)
    retire(change, located, new.id, reason)
    return Carried(new.id, (located.fact.id,))


def turn_down(change: Change, opened: OpenVault, entities: tuple[Entity, ...], write: HeldWrite) -> int:
    """Plan the decision that keeps what a held write says from coming back, and return how many were made.

    None where it is about no entity, or where an active fact says the same: then it was only said in the wrong place.
    """
    entity = _entity(opened, write, entities)
    if entity is None:
        return 0
    claim = claim_of(entity, write.text)
    for fact in load_facts(opened, entity):
        held = claim_of(entity, fact.text, fact.key)
        same_value = bool(claim.value) and (held.key, held.value) == (claim.key, claim.value)
        if fact.is_active and (held.statement == claim.statement or same_value):
            return 0
    said = Fact(id=write.target or str(entity.ref), text=write.text, entity=entity.ref)
    change.decide(judge(change, entity, said, WRONG))
    return 1


def _current(opened: OpenVault, fact_id: str, entities: tuple[Entity, ...]) -> Located | None:
    """Return the fact that now stands where a fact stood: itself, or the newest that replaced it, if any."""
    seen: set[str] = set()
    while fact_id and fact_id not in seen:
        seen.add(fact_id)
        try:
            located = get_fact(opened, fact_id, entities)
        except NotFoundError:
            return None
        if located.fact.status != SUPERSEDED:
            return None if located.fact.erased_at else located
        fact_id = located.fact.superseded_by or ""
    return None


def _entity(opened: OpenVault, write: HeldWrite, entities: tuple[Entity, ...]) -> Entity | None:
    try:
        if write.target:
            return get_fact(opened, write.target, entities).entity
    except NotFoundError:
        pass
    try:
        return get_entity(opened, write.entity, entities) if write.entity else None
    except NotFoundError:
        return None


def _claim(write: HeldWrite, entity: Entity | None) -> Claim | None:
    return claim_of(entity, write.text) if entity else None


def _traits(write: HeldWrite) -> Traits:
    return Traits(scope=write.scope or SCOPE_OWNER)

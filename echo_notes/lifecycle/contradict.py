"""Which of an entity's facts cannot both hold, and which of two gives way: higher provenance, then the newer day."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import combinations

from echo_notes.files.change import Change
from echo_notes.files.layout import REVIEW
from echo_notes.files.review import Review, contradiction_record
from echo_notes.guard.gate import Proposal
from echo_notes.guard.keys import derive_key, is_single_valued, key_group
from echo_notes.guard.provenance import LABELS, Standing
from echo_notes.guard.rejected import WRONG
from echo_notes.guard.values import normalise_value
from echo_notes.lifecycle.facts import Located, judge, traits_of
from echo_notes.lifecycle.opened import OpenVault
from echo_notes.lifecycle.region import happened_on
from echo_notes.lifecycle.supersede import retire
from echo_notes.model.entity import Entity
from echo_notes.model.fact import CHANGED, CONTRADICTION, SCOPE_GLOBAL, SCOPE_OWNER, Fact


@dataclass(frozen=True, slots=True)
class Retirement:
    """A fact that gives way to another. `reason` is CHANGED or CONTRADICTION, `label` the winner's claim."""

    loser: Fact
    winner: Fact
    reason: str
    label: str


@dataclass(frozen=True, slots=True)
class Undecided:
    """Two facts of which neither may give way by rule: a person decides."""

    one: Fact
    other: Fact
    why: str
    confidence: float


@dataclass(frozen=True, slots=True)
class Judgement:
    """What becomes of an entity's contradictions; `candidates` is how many active facts it was found among."""

    retirements: tuple[Retirement, ...] = ()
    undecided: tuple[Undecided, ...] = ()
    candidates: int = 0

    def exceeds(self, share: float) -> bool:
        """Return whether this would retire more than a share of the entity; one fact is within any share above 0."""
        allowed = max(1, int(share * self.candidates + 1e-9)) if share > 0 else 0
        return len(self.retirements) > allowed


def judge_facts(
    entity: Entity, facts: Sequence[Fact], standing_of: Callable[[Fact], Standing], review: Review, today: date
) -> Judgement:
    """Return what becomes of the contradictions among an entity's facts. Pure: nothing is planned yet.

    Superseded and archived facts, those already before a person, flagged ones, passing task state, and what does not
    hold today take no part. A pair that a person has decided is not raised again.
    """
    pairs = {entry.pair for entry in review.entries if entry.entry_a and entry.entry_b}
    waiting = {fact_id for entry in review.entries if entry.is_open for fact_id in entry.pair}
    active = [fact for fact in facts if fact.is_active]
    candidates = [fact for fact in active if fact.id not in waiting and _takes_part(fact, today)]
    rivals: dict[str, list[Fact]] = {}
    whys: dict[frozenset[str], tuple[str, float]] = {}
    for one, other, why, confidence in _conflicts(entity, candidates):
        pair = frozenset([one.id, other.id])
        if pair in pairs:
            continue
        whys[pair] = (why, confidence)
        rivals.setdefault(one.id, []).append(other)
        rivals.setdefault(other.id, []).append(one)
    held = {fact.id: standing_of(fact) for fact in candidates if fact.id in rivals}
    retirements = _retirements([fact for fact in candidates if fact.id in rivals], rivals, held)
    gone = {retirement.loser.id for retirement in retirements}
    undecided = [
        Undecided(one, other, *whys[frozenset([one.id, other.id])])
        for one, other in combinations([fact for fact in candidates if fact.id in rivals and fact.id not in gone], 2)
        if frozenset([one.id, other.id]) in whys
    ]
    return Judgement(retirements, tuple(undecided), len(active))


def plan_retirement(change: Change, opened: OpenVault, entity: Entity, one: Retirement) -> None:
    """Plan a fact as superseded, with the rank of the claim that wins; by rank it is a decision as well.

    A pass adds nothing of its own to either side, so it speaks with the winner's rank and no higher.
    """
    change.actor = opened.pass_actor("synthesize", one.label)
    retire(change, Located(one.loser, entity, one.loser.path), one.winner.id, one.reason, op="supersede")
    if one.reason == CONTRADICTION:
        change.decide(judge(change, entity, one.loser, WRONG))


def plan_undecided(change: Change, undecided: Iterable[Undecided]) -> None:
    """Plan an entry of review.json for each of these pairs."""
    for one in undecided:
        review = Review.parse(change.read(REVIEW))
        ids = sorted([one.one.id, one.other.id])
        record = contradiction_record(
            *ids, description=one.why, confidence=one.confidence, created_at=change.stamp()
        )  # fmt: skip
        proposal = Proposal(op="contradict", target=" or ".join(ids), texts={"description": one.why})
        change.put(REVIEW, review.add(record).dump(), proposal, kind="review")


def _takes_part(fact: Fact, today: date) -> bool:
    begins = fact.valid_from is None or fact.valid_from <= today
    ended = fact.valid_until is not None and fact.valid_until <= today
    return begins and not ended and not fact.flagged and not fact.erased_at and not traits_of(fact).transient


def _conflicts(entity: Entity, facts: Sequence[Fact]) -> Iterable[tuple[Fact, Fact, str, float]]:
    """Yield the pairs that cannot both hold, with why and how sure."""
    names = entity.names()
    groups: dict[tuple[str, str], list[tuple[Fact, str]]] = {}
    for fact in facts:
        derived = derive_key(fact.text, names)
        key = fact.key or (derived.key if derived else "")
        if key and is_single_valued(key):
            value = normalise_value(derived.value if derived else fact.text)
            groups.setdefault((_domain(fact), key_group(key)), []).append((fact, value))
    for (_, key), members in groups.items():
        for (one, value), (other, second) in combinations(members, 2):
            if value != second:
                yield one, other, f"two values of {key}", 1.0


def _retirements(
    facts: Sequence[Fact], rivals: dict[str, list[Fact]], held: dict[str, Standing]
) -> tuple[Retirement, ...]:
    found = []
    for fact in facts:
        mine = held[fact.id]
        stronger = [
            other
            for other in rivals[fact.id]
            if _beats(other, held[other.id], fact, mine) and held[other.id].claims >= mine.protects
        ]
        if stronger:
            # The nearest above it, so that a run of three values becomes a chain and not a fan.
            winner = min(stronger, key=lambda other: (held[other.id].claims, happened_on(other) or date.min, other.id))
            reason = CHANGED if held[winner.id].claims == mine.claims else CONTRADICTION
            found.append(Retirement(fact, winner, reason, LABELS[held[winner.id].claims]))
    return tuple(found)


def _beats(one: Fact, standing: Standing, other: Fact, its: Standing) -> bool:
    if standing.claims != its.claims:
        return standing.claims > its.claims
    mine, theirs = happened_on(one), happened_on(other)
    return mine is not None and theirs is not None and mine > theirs


def _domain(fact: Fact) -> str:
    """Return where a fact holds: what one session heard says nothing against another session's word."""
    return SCOPE_OWNER if fact.scope in {"", SCOPE_OWNER, SCOPE_GLOBAL} else fact.scope

"""Which of an entity's facts cannot both hold, and which of two gives way: higher provenance, then the newer day."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import date
from itertools import combinations

from echo_notes.files.change import Change
from echo_notes.files.layout import REVIEW
from echo_notes.files.review import Review, contradiction_record
from echo_notes.guard.conflict import DUPLICATE, LIKELY, UPDATE, Verdict, compare
from echo_notes.guard.gate import Proposal
from echo_notes.guard.keys import derive_key, key_group
from echo_notes.guard.provenance import LABELS, Standing, rank
from echo_notes.guard.rejected import WRONG
from echo_notes.guard.values import normalise_statement
from echo_notes.index.stopwords import CHINESE, ENGLISH
from echo_notes.lifecycle.facts import Located, judge, traits_of
from echo_notes.lifecycle.opened import OpenVault
from echo_notes.lifecycle.region import happened_on
from echo_notes.lifecycle.supersede import retire
from echo_notes.model.entity import Entity
from echo_notes.model.fact import CHANGED, CONTRADICTION, MODEL_INFERRED, Fact

_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
Verify = Callable[[Fact, Fact], Verdict | None]
"""A second look at a pair that the rules cannot decide: a verdict where it sees a conflict, else None."""

_MARRIAGE = {"spouse": "marriage", "marital-status": "marriage"}


@dataclass(frozen=True, slots=True)
class Retirement:
    """A fact that gives way to another. `reason` is CHANGED or CONTRADICTION, `label` the winner's claim."""

    loser: Fact
    winner: Fact
    reason: str
    label: str


@dataclass(frozen=True, slots=True)
class Undecided:
    """Two facts of which neither may give way by rule: a person decides.

    `suspected`: only a language model sees a conflict, so that both go on being served until then.
    """

    one: Fact
    other: Fact
    verdict: Verdict
    suspected: bool = False


# The share of an entity's facts that one run may lay before a person on a model's word alone.
_MOST_SUSPECTED = 0.3


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
    entity: Entity,
    facts: Sequence[Fact],
    standing_of: Callable[[Fact], Standing],
    review: Review,
    *,
    today: date,
    fresh: Callable[[Fact], bool],
    verify: Verify | None = None,
) -> Judgement:
    """Return what becomes of the contradictions between fresh facts of an entity and the others. It plans nothing.

    Superseded and archived facts, those already before a person, flagged ones, passing task state, and what does not
    hold today take no part. A pair that a person has decided is not raised again. `verify` is asked about the pairs
    that the rules cannot decide; what it answers ranks as inferred by a program.
    """
    pairs = {entry.pair for entry in review.entries if entry.entry_a and entry.entry_b}
    waiting = {fact_id for entry in review.entries if entry.is_open and not entry.suspected for fact_id in entry.pair}
    active = [fact for fact in facts if fact.is_active]
    candidates = [fact for fact in active if fact.id not in waiting and _takes_part(fact, today)]
    rivals: dict[str, list[Fact]] = {}
    verdicts: dict[frozenset[str], Verdict] = {}
    inferred: set[frozenset[str]] = set()
    for one, other, verdict in _conflicts(entity, candidates, fresh):
        pair = frozenset([one.id, other.id])
        if pair in pairs:
            continue
        if not (verdict.is_conflict and verdict.confidence >= LIKELY):
            seen = verify(one, other) if verify and _is_open(verdict) else None
            if seen is None:
                continue
            verdict = seen  # noqa: PLW2901 - the model's takes the place of the rules' that decided nothing
            inferred.add(pair)
        verdicts[pair] = verdict
        rivals.setdefault(one.id, []).append(other)
        rivals.setdefault(other.id, []).append(one)
    held = {fact.id: standing_of(fact) for fact in candidates if fact.id in rivals}
    retirements = _retirements([fact for fact in candidates if fact.id in rivals], rivals, held, verdicts, inferred)
    gone = {retirement.loser.id for retirement in retirements}
    undecided = [
        Undecided(one, other, verdicts[pair], suspected=pair in inferred)
        for one, other in combinations([fact for fact in candidates if fact.id in rivals and fact.id not in gone], 2)
        if (pair := frozenset([one.id, other.id])) in verdicts
    ]
    suspected = [one for one in undecided if one.suspected]
    allowed = max(1, int(_MOST_SUSPECTED * len(active)))
    sure = [one for one in undecided if not one.suspected]
    return Judgement(retirements, (*sure, *suspected[:allowed]), len(active))


def plan_retirement(
    change: Change, opened: OpenVault, entity: Entity, one: Retirement, *, by: str = "synthesize"
) -> None:
    """Plan a fact as superseded, with the rank of the claim that wins; by rank it is a decision as well.

    A pass (`by`) adds nothing of its own to either side, so it speaks with the winner's rank and no higher.
    """
    change.actor = opened.pass_actor(by, one.label)
    retire(change, Located(one.loser, entity, one.loser.path), one.winner.id, one.reason)
    if one.reason == CONTRADICTION:
        change.decide(judge(change, entity, one.loser, WRONG))


def plan_undecided(change: Change, undecided: Iterable[Undecided]) -> None:
    """Plan an entry of review.json for each of these pairs."""
    for one in undecided:
        review = Review.parse(change.read(REVIEW))
        ids = sorted([one.one.id, one.other.id])
        record = contradiction_record(
            *ids, description=one.verdict.why, confidence=one.verdict.confidence, created_at=change.stamp(),
            suspected=one.suspected,
        )  # fmt: skip
        proposal = Proposal(op="contradict", target=" or ".join(ids), texts={"description": one.verdict.why})
        change.put(REVIEW, review.add(record).dump(), proposal, kind="review")


def _takes_part(fact: Fact, today: date) -> bool:
    begins = fact.valid_from is None or fact.valid_from <= today
    ended = fact.valid_until is not None and fact.valid_until <= today
    return begins and not ended and not fact.flagged and not fact.erased_at and not traits_of(fact).transient


def _conflicts(
    entity: Entity, facts: Sequence[Fact], fresh: Callable[[Fact], bool]
) -> Iterator[tuple[Fact, Fact, Verdict]]:
    """Yield the pairs that may conflict; what is not fresh has been compared with each other before.

    Whose scope a fact is in is no matter: the owner reads all of them, and of two that conflict one is true; what a
    session may retire is for its rank to say. Comparing two statements costs a millisecond, so only those that share
    their key, or words, are.
    """
    names = entity.names()
    new = {fact.id for fact in facts if fresh(fact)}
    if not new:
        return
    profiles = {fact.id: _profile(fact, names) for fact in facts}
    for one, other in combinations(sorted(facts, key=_age), 2):
        if (one.id in new or other.id in new) and _may_conflict(profiles[one.id], profiles[other.id]):
            yield one, other, compare(one, other, names)


def _is_open(verdict: Verdict) -> bool:
    """Return whether the rules leave a pair open: a suspicion, or no rule that knows anything of it."""
    return verdict.confidence < LIKELY and verdict.kind != DUPLICATE


def _profile(fact: Fact, names: Sequence[str]) -> tuple[str, frozenset[str]]:
    """Return what a fact is pre-filtered by: the group of its key, and its words of content (Chinese: characters)."""
    key = fact.key
    if not key:
        derived = derive_key(fact.text, names)
        key = derived.key if derived else ""
    group = key_group(key) if key else ""
    statement = normalise_statement(fact.text, names)
    words = frozenset(_HAN.findall(statement) or statement.split())
    content = words - ENGLISH - CHINESE
    return _MARRIAGE.get(group, group), content or words


def _may_conflict(one: tuple[str, frozenset[str]], other: tuple[str, frozenset[str]]) -> bool:
    if one[0] and other[0]:
        return one[0] == other[0]
    return 2 * len(one[1] & other[1]) >= min(len(one[1]), len(other[1]))


def _retirements(
    facts: Sequence[Fact],
    rivals: dict[str, list[Fact]],
    held: dict[str, Standing],
    verdicts: dict[frozenset[str], Verdict],
    inferred: AbstractSet[frozenset[str]],
) -> tuple[Retirement, ...]:
    found = []
    for fact in facts:
        mine = held[fact.id]

        def authority(other: Fact, fact: Fact = fact, mine: Standing = mine) -> int:
            """Return the rank with which another fact may retire this one, -1 for none.

            It is no higher than what saw the conflict; on a model's word only what a program inferred may go, and what
            nobody labelled may be the person's.
            """
            claims = held[other.id].claims
            if frozenset([fact.id, other.id]) not in inferred:
                return claims
            return min(claims, mine.protects) if mine.protects == rank(MODEL_INFERRED) else -1

        stronger = [
            other
            for other in rivals[fact.id]
            if _beats(other, held[other.id], fact, mine) and authority(other) >= mine.protects
        ]
        if stronger:
            # The nearest above it, so that a run of three values becomes a chain and not a fan.
            winner = min(stronger, key=lambda other: (held[other.id].claims, *_age(other)))
            claims = authority(winner)
            by_model = frozenset([fact.id, winner.id]) in inferred
            moved_on = _is_newer(winner, fact) and verdicts[frozenset([fact.id, winner.id])].kind == UPDATE
            # Where the day alone says the same, nobody was wrong: the old value may be true again one day.
            reason = CHANGED if moved_on or by_model or claims == mine.claims else CONTRADICTION
            found.append(Retirement(fact, winner, reason, LABELS[claims]))
    return tuple(found)


def _is_newer(one: Fact, other: Fact) -> bool:
    mine, theirs = happened_on(one), happened_on(other)
    return mine is not None and theirs is not None and mine > theirs


def _beats(one: Fact, standing: Standing, other: Fact, its: Standing) -> bool:
    if standing.claims != its.claims:
        return standing.claims > its.claims
    return _is_newer(one, other)


def _age(fact: Fact) -> tuple[date, str]:
    return happened_on(fact) or date.min, fact.id

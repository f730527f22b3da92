"""Rejected values: recognising a value that was judged wrong, however it comes back."""

from collections.abc import Iterable
from dataclasses import dataclass

WRONG = "wrong"
REINSTATED = "reinstated"
WITHDRAWN = "withdrawn"


@dataclass(frozen=True, slots=True)
class Decision:
    """One judgement on a value. `by` is the provenance label of whoever judged; `fact` the fact it was about.

    `value` and `statement` are normalised; `value` is empty where the statement has no key.
    """

    at: str
    entity: str
    key: str
    value: str
    statement: str
    verdict: str
    by: str
    fact: str


@dataclass(frozen=True, slots=True)
class Claim:
    """What a write says: about which entity, under which key, with which normalised value and statement."""

    entity: str
    key: str
    value: str
    statement: str


def find_rejection(claim: Claim, decisions: Iterable[Decision]) -> Decision | None:
    """Return the decision by which this claim stands rejected, None if it does not.

    Statements match under any key; values under the same key, by any of its names. For each the latest decision counts.
    """
    from echo_notes.guard.keys import key_group

    latest: dict[tuple[str, ...], Decision] = {}
    for decision in decisions:
        if decision.entity != claim.entity:
            continue
        if decision.statement and decision.statement == claim.statement:
            latest["statement",] = decision
        same = decision.value == claim.value != ""
        if same and (decision.key == claim.key or key_group(decision.key) == key_group(claim.key)):
            latest["value",] = decision
    wrong = [decision for decision in latest.values() if decision.verdict == WRONG]
    return max(wrong, key=lambda decision: decision.at) if wrong else None

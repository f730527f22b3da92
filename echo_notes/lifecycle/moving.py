"""Facts that move between an entity's items.json and its archive.json: the same record, under the same id."""

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime, timedelta

from echo_notes.files.change import Change, FactLine
from echo_notes.files.layout import ARCHIVE
from echo_notes.guard.gate import Proposal
from echo_notes.lifecycle.entities import items_path
from echo_notes.lifecycle.facts import traits_of
from echo_notes.lifecycle.lineage import draw
from echo_notes.model.entity import Entity
from echo_notes.model.fact import SUPERSEDED, Fact
from echo_notes.model.forgetting import day_number

KEPT_VERSIONS = 3
"""Superseded versions of a lineage that stay in items.json, the newest ones."""
KEPT_FOR = timedelta(days=90)
"""A version superseded since then stays in items.json as well."""


def archive_path(entity: Entity) -> str:
    """Return the path of an entity's archive.json."""
    return f"{entity.folder}/{ARCHIVE}"


def plan_move(change: Change, entity: Entity, ids: Collection[str], op: str, *, back: bool = False) -> tuple[Fact, ...]:
    """Plan facts of items.json in archive.json, or `back`; returns them as they stand there.

    The caller has asked the gate. A fact whose id the other file has too stays where it is: `check` names such a pair.
    """
    here, there = items_path(entity), archive_path(entity)
    if back:
        here, there = there, here
    source, target = change.items(here, entity.ref), change.items(there, entity.ref)
    taken = {fact.id for fact in target.facts}
    moved: dict[str, str] = {}
    for fact in source.facts:
        if fact.id not in ids or fact.id in taken or fact.id in moved or "id" not in fact.record:
            continue
        moved[fact.id] = change.keep_label(fact)
        target = target.add(fact.record)
        source = source.remove(fact.id)
    if not moved:
        return ()
    placed = {fact.id: fact for fact in target.facts}
    change.put_facts(here, source.dump(), op, ())
    change.put_facts(there, target.dump(), op, [FactLine(placed[one], label) for one, label in moved.items()])
    return tuple(placed[one] for one in moved)


def old_versions(facts: Iterable[Fact], now: datetime) -> tuple[Fact, ...]:
    """Return the superseded facts that are neither among the newest of their lineage nor young, in file order."""
    every = tuple(facts)
    by_id = {fact.id: fact for fact in every}
    spare: set[str] = set()
    for lineage in draw(every, {}):
        past = [version.fact for version in lineage.versions if version.fact.status == SUPERSEDED]
        past.sort(key=lambda fact: _retired_on(fact, by_id), reverse=True)
        limit = day_number(now - KEPT_FOR)
        spare |= {fact.id for fact in past[KEPT_VERSIONS:] if _retired_on(fact, by_id) <= limit}
    return tuple(fact for fact in every if fact.id in spare)


def plan_pruning(change: Change, entity: Entity, versions: Sequence[Fact], op: str) -> tuple[Fact, ...]:
    """Plan old versions of an entity's lineages in its archive.json.

    Nothing about them changes but the file they stand in, so that any writer whose scope they are in may do it.
    """
    for fact in versions:
        change.check(Proposal(op=op, target=fact.id, traits=traits_of(fact)))
    return plan_move(change, entity, frozenset(fact.id for fact in versions), op)


def _retired_on(fact: Fact, by_id: dict[str, Fact]) -> float:
    """Return the day number on which a version was replaced; without its stamp, the successor's day, else its own."""
    if fact.superseded_at:
        return day_number(fact.superseded_at)
    successor = by_id.get(fact.superseded_by or "")
    for one in (successor, fact):
        if one and one.created_at:
            return day_number(one.created_at)
        if one and one.timestamp:
            return float(one.timestamp.toordinal())
    return 0.0

"""`gc`: what is forgotten leaves items.json for archive.json; by the person's explicit word, the vault."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from echo_notes.files.change import Change, ChangeResult, FactLine
from echo_notes.files.ticks import pending_uses
from echo_notes.guard.gate import Proposal
from echo_notes.guard.provenance import provenance_guard
from echo_notes.lifecycle.contested import contested_ids
from echo_notes.lifecycle.entities import items_path, load_entities
from echo_notes.lifecycle.facts import load_items, traits_of
from echo_notes.lifecycle.fading import Faded, Fading
from echo_notes.lifecycle.moving import archive_path, plan_move
from echo_notes.lifecycle.opened import OpenVault
from echo_notes.lifecycle.runs import note_run, require_owner
from echo_notes.model.entity import Entity
from echo_notes.model.errors import EchoError, RefusedError
from echo_notes.model.fact import ACTIVE, ARCHIVED, Fact

NAME = "gc"


@dataclass(frozen=True, slots=True, kw_only=True)
class Collected:
    """What was moved, or removed for good (`purged`), and what this writer may not touch."""

    facts: tuple[Faded, ...] = ()
    kept: tuple[Fact, ...] = ()
    purged: bool = False
    problems: tuple[EchoError, ...] = ()
    change: ChangeResult = field(default_factory=ChangeResult)


def collect(opened: OpenVault) -> Collected:
    """Move every forgettable fact of items.json to its entity's archive.json, ids and all, in one change."""
    require_owner(opened, NAME, "the facts of the vault")
    problems: list[EchoError] = []
    fading = _fading(opened)
    entities = [entity for entity, _ in _forgettable(opened, fading, problems, archive=False)]
    moved: list[Faded] = []
    kept: list[Fact] = []
    with opened.change(NAME) as change:
        for entity in entities:
            items = change.items(items_path(entity), entity.ref)
            allowed: list[Fact] = []
            for fact in items.facts:
                if fading.is_forgettable(fact):
                    (allowed if _may(change, fact) else kept).append(fact)
            done = plan_move(change, entity, frozenset(fact.id for fact in allowed), NAME)
            moved += [Faded(fact, fading.effective(fact)) for fact in done]
        change.subject = f"gc: {_count(moved)} to archive.json"
        change.body = [one.fact.id for one in moved]
    note_run(opened, NAME)
    return Collected(facts=tuple(moved), kept=tuple(kept), problems=tuple(problems), change=change.result)


def purge(opened: OpenVault, confirm: Callable[[tuple[Faded, ...]], bool]) -> Collected:
    """Remove every forgettable archived fact from the vault, if the person says yes to the list of them.

    Never what the owner is or prefers, what is pinned, or what another fact was superseded by. Ids are not given again,
    and decisions stay. RefusedError for a program, or without a yes.
    """
    if opened.writer.agent:
        raise RefusedError(
            "refused to gc --purge: only the person may remove facts", reason="provenance", op=NAME,
            target="forgotten facts", fix="Run it from your own shell, or without --purge.",
        )  # fmt: skip
    problems: list[EchoError] = []
    fading = _fading(opened)
    found = dict(_forgettable(opened, fading, problems, archive=True))
    listed = tuple(Faded(fact, fading.effective(fact)) for facts in found.values() for fact in facts)
    if listed and not opened.writer.dry_run and not confirm(listed):
        raise RefusedError(
            f"refused to gc --purge: {_count(listed)} would be removed for good, and nobody said yes", reason="invalid",
            op=NAME, target="forgotten facts", fix="Look at them: echo-notes gc --purge --dry-run; then add --yes.",
        )  # fmt: skip
    agreed = {one.fact.id for one in listed}
    removed: list[Faded] = []
    with opened.change(NAME) as change:
        for entity in found:
            removed += _remove(change, entity, fading, agreed)
        change.subject = f"gc: {_count(removed)} removed"
        change.body = [one.fact.id for one in removed]
    note_run(opened, NAME)
    return Collected(facts=tuple(removed), purged=True, problems=tuple(problems), change=change.result)


def _fading(opened: OpenVault) -> Fading:
    return Fading.of(opened, pending_uses(opened.layout), contested_ids(opened))


def _forgettable(
    opened: OpenVault, fading: Fading, problems: list[EchoError], *, archive: bool
) -> Iterator[tuple[Entity, list[Fact]]]:
    """Yield the entities that have forgettable facts, with those facts; with `archive` also those in archive.json."""
    for entity in load_entities(opened):
        try:
            facts = list(load_items(opened, items_path(entity), entity.ref).facts)
            kept = load_items(opened, archive_path(entity), entity.ref).facts
        except EchoError as error:
            problems.append(error)
            continue
        if archive:
            successors = {fact.superseded_by for fact in (*facts, *kept)}
            facts = [fact for fact in (*facts, *map(_as_archived, kept)) if fact.id not in successors]
        facts = [fact for fact in facts if fading.is_forgettable(fact)]
        if facts:
            yield entity, facts


def _remove(change: Change, entity: Entity, fading: Fading, agreed: set[str]) -> Iterator[Faded]:
    for path, as_it_counts in ((items_path(entity), _as_it_is), (archive_path(entity), _as_archived)):
        items = change.items(path, entity.ref)
        gone = []
        for fact in items.facts:
            if fact.id not in agreed or not fading.is_forgettable(as_it_counts(fact)):
                continue
            standing = change.standing_of(fact)
            change.check(Proposal(op=NAME, target=fact.id, standing=standing, traits=traits_of(fact)))
            items = items.remove(fact.id)
            gone.append(FactLine(fact, change.actor.label, gone=True))
        if gone:
            yield from (Faded(line.fact, fading.effective(line.fact)) for line in gone)
            change.put_facts(path, items.dump(), NAME, gone)


def _as_archived(fact: Fact) -> Fact:
    """Return a fact of archive.json as it counts: archived, whatever its record says unless it was superseded."""
    return replace(fact, status=ARCHIVED) if fact.status == ACTIVE else fact


def _as_it_is(fact: Fact) -> Fact:
    return fact


def _may(change: Change, fact: Fact) -> bool:
    return provenance_guard(change.actor.rank, change.standing_of(fact).protects)


def _count(facts: "list[Faded] | tuple[Faded, ...]") -> str:
    return f"{len(facts)} fact{'' if len(facts) == 1 else 's'}"

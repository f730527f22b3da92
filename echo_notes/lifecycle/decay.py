"""`decay`: recalls folded in, what has faded archived, and old versions moved aside, in one change; nothing deleted."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from echo_notes.files.change import Change, ChangeResult, FactLine
from echo_notes.files.jobs import claim
from echo_notes.files.ticks import Batch, pending_uses
from echo_notes.guard.gate import Proposal
from echo_notes.guard.provenance import BY_HAND
from echo_notes.lifecycle.contested import contested_ids
from echo_notes.lifecycle.entities import items_path, load_entities
from echo_notes.lifecycle.facts import iter_facts, load_items, traits_of
from echo_notes.lifecycle.fading import Faded, Fading
from echo_notes.lifecycle.moving import old_versions, plan_pruning
from echo_notes.lifecycle.opened import OpenVault
from echo_notes.lifecycle.rehearsal import Folded, batch_to_fold, finish_fold, plan_fold
from echo_notes.lifecycle.runs import note_run, require_owner
from echo_notes.model.entity import Entity
from echo_notes.model.errors import EchoError
from echo_notes.model.fact import ARCHIVED, CONSOLIDATED, USER_STATED, Fact

NAME = "decay"


@dataclass(frozen=True, slots=True, kw_only=True)
class Decay:
    """What one pass did: facts archived, versions moved to archive.json, facts whose recalls were counted.

    `forgettable`: what `gc` would move out of items.json now. `busy`: nothing was done, as another one is at work.
    """

    archived: tuple[Faded, ...] = ()
    moved: tuple[Fact, ...] = ()
    rehearsed: int = 0
    forgettable: tuple[Faded, ...] = ()
    problems: tuple[EchoError, ...] = ()
    busy: bool = False
    change: ChangeResult = field(default_factory=ChangeResult)


def decay(opened: OpenVault) -> Decay:
    """Run the pass once over the whole vault; a second run finds nothing to do, and one at a time runs.

    RefusedError for a program that is bound to another scope than the owner's.
    """
    require_owner(opened, NAME, "the facts of the vault")
    with claim(opened.layout, opened.layout.state_dir / "decay.lock") as mine:
        if not mine:
            return Decay(busy=True)
        done = _decay(opened)
        note_run(opened, NAME)
        return done


@dataclass(slots=True)
class _Work:
    """What a look at the vault before it was locked found: where to archive, where to prune, whose recalls to count."""

    fading: list[Entity] = field(default_factory=list)
    pruning: list[Entity] = field(default_factory=list)
    rehearsed: list[Entity] = field(default_factory=list)
    problems: list[EchoError] = field(default_factory=list)

    @property
    def is_empty(self) -> bool:
        return not (self.fading or self.pruning or self.rehearsed)


def _decay(opened: OpenVault) -> Decay:
    batch = batch_to_fold(opened)
    fading = Fading.of(opened, pending_uses(opened.layout), contested_ids(opened))
    entities = load_entities(opened)
    outside = _change(opened)
    work = _survey(opened, outside, fading, batch, entities)
    archived: list[Faded] = []
    moved: list[Fact] = []
    folded = Folded(batch, 0) if batch else None
    result = ChangeResult()
    if not work.is_empty:
        with _change(opened) as change:
            fading = replace(fading, contested=contested_ids(opened))
            if batch:
                folded = plan_fold(change, opened, work.rehearsed, batch)
            for entity in work.fading:
                archived += _archive(change, entity, fading)
            for entity in work.pruning:
                facts = change.items(items_path(entity), entity.ref).facts
                moved += plan_pruning(change, entity, old_versions(facts, opened.now), NAME)
            change.subject = _subject(archived, moved, folded)
            change.body = [*(f"archived {one.fact.id} ({one.effective:.3f})" for one in archived),
                           *(f"moved {fact.id} to {fact.path}" for fact in moved)]  # fmt: skip
        result = change.result
    if folded:
        finish_fold(opened, folded)
    return Decay(
        archived=tuple(archived), moved=tuple(moved), rehearsed=folded.facts if folded else 0,
        forgettable=_forgettable(opened, fading, entities), problems=tuple(work.problems), change=result,
    )  # fmt: skip


def _change(opened: OpenVault) -> Change:
    label = USER_STATED if opened.settings.archive_user_stated else CONSOLIDATED
    return opened.change(NAME, actor=opened.pass_actor(NAME, label))


def _survey(
    opened: OpenVault, outside: Change, fading: Fading, batch: Batch | None, entities: Iterable[Entity]
) -> _Work:
    """Look for work without the lock, so that a large vault is not closed to writers while it is read."""
    work = _Work()
    for entity in entities:
        located = tuple(iter_facts(opened, [entity], work.problems))
        here = [one.fact for one in located if one.path == items_path(entity)]
        if any(_is_to_archive(outside, fact, entity, fading) for fact in here):
            work.fading.append(entity)
        if old_versions(here, opened.now):
            work.pruning.append(entity)
        if batch and any(one.fact.id in batch.uses for one in located):
            work.rehearsed.append(entity)
    return work


def _is_to_archive(change: Change, fact: Fact, entity: Entity, fading: Fading) -> bool:
    return (
        fading.may_claim(fact.provenance)
        and fading.is_faded(fact, entity)
        and fading.outranks(change.standing_of(fact))
    )


def _archive(change: Change, entity: Entity, fading: Fading) -> list[Faded]:
    """Plan what has faded of an entity as archived, and return it."""
    path = items_path(entity)
    items = before = change.items(path, entity.ref)
    labels: dict[str, str] = {}
    faded = []
    for number, fact in enumerate(before.facts):
        if not (fading.may_claim(fact.provenance) and fading.is_faded(fact, entity)):
            continue
        held = change.standing_of(fact)
        if not fading.outranks(held):
            continue
        change.check(Proposal(op=NAME, target=fact.id, standing=held, traits=traits_of(fact)))
        labels[fact.id] = BY_HAND if held.by_hand else fact.provenance
        items = items.set(number, {"status": ARCHIVED})
        faded.append(Faded(fact, fading.effective(fact)))
    if items is not before:
        lines = [FactLine(fact, labels[fact.id]) for fact in items.facts if fact.id in labels]
        change.put_facts(path, items.dump(), NAME, lines)
    return faded


def _forgettable(opened: OpenVault, fading: Fading, entities: Iterable[Entity]) -> tuple[Faded, ...]:
    """Return the archived facts that are still in items.json and have sunk below the second threshold."""
    found = []
    for entity in entities:
        try:
            facts: Sequence[Fact] = load_items(opened, items_path(entity), entity.ref).facts
        except EchoError:
            continue
        found += [Faded(fact, fading.effective(fact)) for fact in facts if fading.is_forgettable(fact)]
    return tuple(found)


def _subject(archived: Sequence[Faded], moved: Sequence[Fact], folded: Folded | None) -> str:
    parts = []
    if archived:
        parts.append(f"archived {_count(len(archived), 'fact')}")
    if moved:
        parts.append(f"moved {_count(len(moved), 'old version')} to archive.json")
    if folded and folded.facts:
        parts.append(f"recalls of {_count(folded.facts, 'fact')} counted")
    return f"decay: {', '.join(parts)}"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"

"""Recalls become `lastAccessed` and `accessCount` in items.json: at most weekly, each once, none lost in a crash."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta

from echo_notes.files.audit import AuditTrail
from echo_notes.files.change import Change
from echo_notes.files.layout import ARCHIVE, ITEMS
from echo_notes.files.ticks import Batch, drop_batch, find_batch, peek_batch, take_batch
from echo_notes.guard.gate import Proposal
from echo_notes.lifecycle.fading import with_uses
from echo_notes.lifecycle.opened import OpenVault
from echo_notes.lifecycle.runs import last_run, note_run
from echo_notes.model.entity import Entity

FOLD = "fold"
OP = "rehearse"
_EVERY = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class Folded:
    """A batch whose uses a change holds, or an earlier one did, and how many facts it touched."""

    batch: Batch
    facts: int


def is_due(opened: OpenVault) -> bool:
    """Return whether recalls may be folded again: never before, a week ago, or the clock was set back."""
    last = last_run(opened.layout, FOLD)
    return last is None or not timedelta() <= opened.now - last < _EVERY


def batch_to_fold(opened: OpenVault) -> Batch | None:
    """Return the recalls to fold now, put aside: those an interrupted pass left, else those so far if it is time.

    One process at a time may ask. A dry run puts nothing aside.
    """
    if left := find_batch(opened.layout):
        return left
    if not is_due(opened):
        return None
    return peek_batch(opened.layout) if opened.writer.dry_run else take_batch(opened.layout)


def plan_fold(change: Change, opened: OpenVault, entities: Iterable[Entity], batch: Batch) -> Folded:
    """Plan the uses of a batch in the facts of these entities that have its ids."""
    if _was_folded(opened, batch):
        return Folded(batch, 0)
    facts = 0
    for entity in entities:
        for name in (ITEMS, ARCHIVE):
            path = f"{entity.folder}/{name}"
            if change.read(path) is None:
                continue
            items = before = change.items(path, entity.ref)
            for number, fact in enumerate(before.facts):
                if uses := batch.uses.get(fact.id):
                    used = with_uses(fact, uses)
                    items = items.set(number, {"lastAccessed": used.last_accessed, "accessCount": used.access_count})
                    facts += 1
            if items is not before:
                change.put(path, items.dump(), Proposal(op=OP, target=path), kind="ticks", digest=batch.digest)
    return Folded(batch, facts)


def finish_fold(opened: OpenVault, folded: Folded) -> None:
    """Remove a batch once its change stands on disk, and note the week's folding."""
    if not opened.writer.dry_run:
        drop_batch(opened.layout, folded.batch)
        note_run(opened, FOLD)


def _was_folded(opened: OpenVault, batch: Batch) -> bool:
    return any(
        line["ok"] and line["op"] == OP and line["digest"] == batch.digest
        for line in AuditTrail(opened.root).iter_lines()
    )

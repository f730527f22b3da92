"""Undo inside a fact file: fact by fact and field by field, so that what was changed since, elsewhere, stays."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from echo_notes.files.change import Change, FactLine
from echo_notes.files.items import REMOVE, ItemsFile
from echo_notes.files.records import standard_record
from echo_notes.guard.gate import Proposal
from echo_notes.lifecycle.facts import traits_of
from echo_notes.model.entity import EntityRef
from echo_notes.model.errors import ConflictError, EchoError
from echo_notes.model.fact import Fact

_MISSING: Any = object()


@dataclass(frozen=True, slots=True)
class Versions:
    """A file before a change, after it, and now; None where it is not there."""

    path: str
    earlier: bytes | None
    undone: bytes | None
    now: bytes | None


def restore_facts(change: Change, versions: Versions, writes: Mapping[str, int], *, op: str) -> tuple[str, ...]:
    """Plan a fact file without what a change did to it; every fact that differs is gated and gets its audit line.

    Returns the ids of facts that are erased no more. `writes`: how many times the change wrote each fact, by the audit.
    ConflictError names the fact that was changed since, or the file where it is not readable as facts.
    """
    now = _parse(versions, versions.now)
    if versions.now == versions.undone:
        data, after = versions.earlier, _parse(versions, versions.earlier)
    else:
        after = _merge(versions, now)
        data = None if versions.earlier is None and not after.facts else after.dump()
    lines = list(_lines(change, now, after, writes, op))
    change.put_facts(versions.path, data, op, lines)
    erased = {fact.id for fact in now.facts if fact.erased_at}
    return tuple(fact.id for fact in after.facts if fact.id in erased and not fact.erased_at)


def _lines(change: Change, now: ItemsFile, after: ItemsFile, writes: Mapping[str, int], op: str) -> Iterator[FactLine]:
    old = {fact.id: fact for fact in now.facts}
    new = {fact.id: fact for fact in after.facts}
    for fact_id in dict.fromkeys([*old, *new]):
        before, restored = old.get(fact_id), new.get(fact_id)
        if before and restored and before.record == restored.record:
            continue
        if before:
            standing = change.standing_of(before)
            change.check(Proposal(op=op, target=fact_id, standing=standing, traits=traits_of(before)))
        if restored:
            change.check(Proposal(op=op, target=fact_id, traits=traits_of(restored)))
            yield FactLine(restored, change.label_before(restored, writes.get(fact_id, 0)))
        elif before:
            yield FactLine(before, change.actor.label, gone=True)


def _merge(versions: Versions, now: ItemsFile) -> ItemsFile:
    earlier = {fact.id: fact for fact in _parse(versions, versions.earlier).facts}
    undone = {fact.id: fact for fact in _parse(versions, versions.undone).facts}
    present = {fact.id: fact for fact in now.facts}
    merged = now
    for fact_id in dict.fromkeys([*undone, *earlier]):
        before, after, current = earlier.get(fact_id), undone.get(fact_id), present.get(fact_id)
        if before and after and before.record == after.record:
            continue
        if before is None:
            merged = _without(merged, versions, after, current)
        elif after is None:
            merged = _put_back(merged, versions, before, current)
        else:
            merged = _set_back(merged, versions, (before, after, current))
    return merged


def _without(merged: ItemsFile, versions: Versions, after: Fact | None, current: Fact | None) -> ItemsFile:
    if current is None or after is None:
        return merged
    if standard_record(current.record) != standard_record(after.record):
        raise _changed(versions, current)
    return merged.remove(current.id)


def _put_back(merged: ItemsFile, versions: Versions, before: Fact, current: Fact | None) -> ItemsFile:
    if current is None:
        return merged.add(standard_record(before.record))
    if standard_record(current.record) != standard_record(before.record):
        raise _changed(versions, current)
    return merged


def _set_back(merged: ItemsFile, versions: Versions, facts: tuple[Fact, Fact, Fact | None]) -> ItemsFile:
    before, after, current = facts
    if current is None:
        raise ConflictError(f"{before.id} was removed since that change", where=versions.path, fix=_FIX)
    old, new, held = (standard_record(fact.record) for fact in (before, after, current))
    changes: dict[str, Any] = {}
    for name in dict.fromkeys([*new, *old]):
        wanted, left, there = _value(old, name), _value(new, name), _value(held, name)
        if wanted in (left, there):
            continue
        if there != left:
            raise _changed(versions, current)
        changes[name] = REMOVE if wanted is _MISSING else wanted
    return merged.set(current.id, changes)


_FIX = "Take it back by hand; see: git log -p -- FILE"


def _value(record: Mapping[str, Any], name: str) -> Any:
    if name == "supersededBy":
        return record.get(name)
    return record.get(name, _MISSING)


def _changed(versions: Versions, fact: Fact) -> ConflictError:
    return ConflictError(
        f"{fact.id} was changed since that change", where=f"{versions.path}:{fact.line}", fix=_FIX
    )  # fmt: skip


def _parse(versions: Versions, raw: bytes | None) -> ItemsFile:
    parts = ("", "", *versions.path.split("/"))
    ref = EntityRef(parts[-3], parts[-2])
    try:
        return ItemsFile.parse(b"[]\n" if raw is None else raw, entity=ref, path=versions.path)
    except EchoError as error:
        raise ConflictError(f"cannot be read fact by fact: {error.what}", where=versions.path, fix=_FIX) from None

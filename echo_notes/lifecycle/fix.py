"""`check --fix`: puts right, in one commit, what has one plain reading; old values go into the commit's body."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from echo_notes.files.change import Change, FactLine
from echo_notes.files.records import find_field, record_id, standard_record
from echo_notes.guard.gate import Proposal
from echo_notes.lifecycle.check_facts import (
    Claims,
    FactFile,
    find_claims,
    leads_to_end,
    replacement_of,
)
from echo_notes.lifecycle.facts import next_id, traits_of
from echo_notes.lifecycle.repairs import repairs_of
from echo_notes.model.entity import Entity, EntityRef
from echo_notes.model.errors import EchoError, RefusedError
from echo_notes.model.fact import ACTIVE, SUPERSEDED, Fact

OP = "check.fix"


@dataclass(slots=True)
class _Edits:
    """What is to happen to the facts of one file, by their number in it."""

    changes: dict[int, dict[str, Any]] = field(default_factory=dict)
    drop: set[int] = field(default_factory=set)

    def add(self, number: int, changes: Mapping[str, Any]) -> None:
        self.changes.setdefault(number, {}).update(changes)


def plan_fixes(change: Change, files: Sequence[FactFile], entities: Sequence[Entity]) -> tuple[str, ...]:
    """Plan every repair in the fact files, and return a line for each; what this writer may not touch stays."""
    claims = find_claims(files)
    ids = _Ids(change, entities)
    said: list[str] = []
    duplicates = {(file.path, number) for file, number, _ in claims.further}
    for file in files:
        edits = _Edits()
        for number, fact in enumerate(file.items.facts):
            if (file.path, number) in duplicates and _part(edits, number, file, claims, ids):
                continue
            _repair(edits, number, fact, claims)
            if not record_id(fact.record) and "id" not in edits.changes.get(number, {}):
                _give_id(edits, number, file, ids)
        said += _plan_file(change, file, edits)
    return tuple(said)


class _Ids:
    """Gives out ids, each once, from the numbers that nothing in the vault ever used."""

    def __init__(self, change: Change, entities: Iterable[Entity]) -> None:
        self._change, self._entities = change, tuple(entities)
        self._numbers: dict[str, int] = {}

    def give(self, ref: EntityRef) -> str | None:
        """Return the next id of a slug, None where a file that may hold more of them cannot be read."""
        if ref.slug not in self._numbers:
            try:
                first = next_id(self._change, ref, self._entities)
            except EchoError:
                return None
            self._numbers[ref.slug] = int(first.rpartition("-")[2])
        number = self._numbers[ref.slug]
        self._numbers[ref.slug] = number + 1
        return f"{ref.slug}-{number:03d}"


def _repair(edits: _Edits, number: int, fact: Fact, claims: Claims) -> None:
    changes = repairs_of(fact.record)
    link = fact.superseded_by
    status = changes.get("status", fact.status)
    if link and fact.id not in claims.circles:
        if now := replacement_of(link, claims):
            changes["supersededBy"] = now
        elif link not in claims.first and status == ACTIVE:
            changes["supersededBy"] = None
        elif status == ACTIVE and leads_to_end(fact, claims):
            changes["status"] = SUPERSEDED
    if changes:
        edits.add(number, changes)


def _give_id(edits: _Edits, number: int, file: FactFile, ids: _Ids) -> None:
    fresh = ids.give(file.entity.ref)
    if fresh:
        edits.add(number, {"id": fresh})


def _part(edits: _Edits, number: int, file: FactFile, claims: Claims, ids: _Ids) -> bool:
    """Give a fact whose id is another's too an id of its own; True for an entity's record said twice, which goes."""
    fact = file.items.facts[number]
    holder = claims.first[fact.id]
    if holder.entity == fact.entity and standard_record(fact.record) == standard_record(holder.record):
        edits.drop.add(number)
        return True
    fresh = ids.give(file.entity.ref)
    if fresh:
        edits.add(number, {"id": fresh, "was": [*fact.was, fact.id]})
    return False


def _plan_file(change: Change, file: FactFile, edits: _Edits) -> list[str]:
    """Plan one file with its edits and return what was done, old values included."""
    raw = change.read(file.path)
    if raw is None or raw != file.items.dump():
        return []
    facts = file.items.facts
    standard = file.items.standardised(unwrap=file.unwraps)
    renamed = {n for n, (old, new) in enumerate(zip(facts, standard.facts, strict=True)) if old.record != new.record}
    allowed = {number for number in renamed | edits.drop | edits.changes.keys() if _may(change, facts[number])}
    said: list[str] = []
    items, touched = file.items, allowed & edits.changes.keys()
    if standard is not items and renamed <= allowed:
        said += _naming(file)
        items, touched = standard, touched | renamed
    labels = {number: change.keep_label(facts[number]) for number in touched}
    for number in sorted(allowed & edits.changes.keys()):
        said += _told(facts[number], edits.changes[number])
        items = items.set(number, edits.changes[number])
    lines = [FactLine(items.facts[number], labels[number]) for number in sorted(touched - edits.drop)]
    for number in sorted(edits.drop & allowed, reverse=True):
        record = json.dumps(dict(facts[number].record), ensure_ascii=False)
        said.append(f"{facts[number].id}: the same record stood twice; {record}")
        items = items.remove(number)
    data = items.dump()
    if not data.removeprefix(b"\xef\xbb\xbf").strip():
        data = b"[]\n"
        said.append(f"{file.path}: was empty")
    if data != raw:
        change.put_facts(file.path, data, OP, lines)
    return said if data != raw else []


def _may(change: Change, fact: Fact) -> bool:
    try:
        change.check(Proposal(op=OP, target=fact.id, standing=change.standing_of(fact), traits=traits_of(fact)))
    except RefusedError:
        return False
    return True


def _naming(file: FactFile) -> list[str]:
    said = [f"{file.path}: the facts stood inside an object"] if file.unwraps else []
    names = {problem.message.partition(" says ")[2] for problem in file.items.problems if " says `" in problem.message}
    return [*said, *(f"{file.path}: facts said {name}" for name in sorted(names))]


def _told(fact: Fact, changes: Mapping[str, Any]) -> list[str]:
    told = []
    for name, new in changes.items():
        key = find_field(fact.record, name)
        old = json.dumps(fact.record[key], ensure_ascii=False) if key else "nothing"
        told.append(f"{fact.id}: {name}: {old} -> {json.dumps(new, ensure_ascii=False)}")
    return told

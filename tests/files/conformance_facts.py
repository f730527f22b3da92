"""The rules of VAULT-FORMAT.md about items.json and archive.json, checked with json alone."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from datetime import date, datetime
from pathlib import Path
from typing import Any

CORE = ["id", "fact", "category", "timestamp", "source", "status", "supersededBy"]
DEFAULTS = {"type": "environment", "importance": 0.5, "pinned": False, "tags": [], "relatedEntities": [], "key": ""}
DEFAULTS |= {"accessCount": 0, "version": 1, "flagged": [], "was": [], "scope": "", "provenance": ""}
TYPES: dict[str, type | tuple[type, ...]] = {"key": str, "provenance": str, "pinned": bool, "tags": list, "scope": str}
TYPES |= {"relatedEntities": list, "accessCount": int, "version": int, "flagged": list, "was": list}
TYPES |= {"sourceSession": str, "episodeId": str, "importance": (int, float)}
INSTANTS = ["createdAt", "updatedAt", "lastAccessed", "supersededAt", "erasedAt"]
DAYS = ["validFrom", "validUntil"]
Found = Iterator[tuple[str, str, str]]  # rule, path, message


def facts_of(root: Path) -> list[tuple[Path, dict[str, Any]]]:
    """Return every record of every entity with its file; a file that is no JSON has none."""
    found = []
    for path in fact_files(root):
        found += [(path, record) for record in _records(path) or [] if isinstance(record, dict)]
    return found


def fact_files(root: Path) -> list[Path]:
    """Return every items.json and archive.json of an entity."""
    return sorted([*root.glob("life/areas/*/*/items.json"), *root.glob("life/areas/*/*/archive.json")])


def problems_of_facts(root: Path, settings: dict[str, Any]) -> Found:
    """Yield every violation of the rules F1 to F14."""
    categories = settings.get("categories", ["relationship", "milestone", "status", "preference"])
    everything = facts_of(root)
    by_id = {record.get("id"): record for _, record in everything}
    for path in fact_files(root):
        shown = path.relative_to(root).as_posix()
        yield from ((rule, shown, message) for rule, message in _file(path))
        for record in _records(path) or []:
            if isinstance(record, dict):
                name = record.get("id", "a fact")
                checks = [*_core(record, path, categories), *_optional(record)]
                checks += [*_lineage(record, by_id), *_references(record, root)]
                yield from ((rule, shown, f"{name}: {message}") for rule, message in checks)
    for fact_id, count in Counter(record.get("id") for _, record in everything).items():
        if count > 1:
            yield "F3", "life/areas", f"{fact_id} is the id of {count} facts"


def _records(path: Path) -> list[Any] | None:
    try:
        loaded = json.loads(path.read_bytes().decode("utf-8-sig"))
    except ValueError:
        return None
    if isinstance(loaded, dict):
        loaded = next((loaded[key] for key in ("facts", "items") if isinstance(loaded.get(key), list)), None)
    return loaded if isinstance(loaded, list) else None


def _file(path: Path) -> Iterator[tuple[str, str]]:
    text = path.read_bytes().decode("utf-8-sig", errors="replace")
    odd: list[str] = []

    def pairs(members: list[tuple[str, Any]]) -> dict[str, Any]:
        if len({key for key, _ in members}) != len(members):
            odd.append("a key twice")
        return dict(members)

    try:
        loaded = json.loads(text, object_pairs_hook=pairs, parse_constant=odd.append)
    except ValueError as error:
        yield "F1", str(error)
        return
    records = _records(path)
    if odd or records is None or not all(isinstance(record, dict) for record in records):
        yield "F1", "is not strict JSON, a list of objects"
    if not isinstance(loaded, list):
        yield "F2", "the facts stand inside an object"
    if path.name == "archive.json" and not records:
        yield "F14", "an archive without facts"
    lines = text.split("\n")
    inside = [line for line in lines if line.lstrip().startswith('"')]
    flat = isinstance(loaded, list) and any(not line.startswith("    ") or line.startswith("\t") for line in inside)
    if not text.endswith("\n") or text.endswith("\n\n") or "\r" in text or flat:
        yield "F13", "is not laid out with two blanks, LF and one newline at the end"


def _core(record: dict[str, Any], path: Path, categories: list[str]) -> Iterator[tuple[str, str]]:
    keys = list(record)
    if keys[:7] != CORE and (keys[:6] != CORE[:6] or "supersededBy" in keys):
        yield "F2", "the core fields are not the first, by their names"
    fact, stamp = _first(record, "fact", "content", "text"), _first(record, "timestamp", "created", "date", "ts")
    if not isinstance(record.get("id"), str) or not isinstance(fact, str) or not fact.strip():
        yield "F3", "has no id or no text"
    elif not re.fullmatch(rf"{re.escape(path.parent.name)}-\d{{3,}}", record["id"]):
        yield "F4", "the id is not <slug>-NNN"
    if record.get("category") not in categories:
        yield "F5", f"category {record.get('category')!r}"
    if not _is_moment(stamp):
        yield "F6", f"timestamp {stamp!r}"
    if record.get("status") not in {"active", "superseded", "archived"}:
        yield "F7", f"status {record.get('status')!r}"
    if (fact == "[erased]") != ("erasedAt" in record):
        yield "F12", "an erased fact has its text gone and erasedAt, any other neither"


def _optional(record: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for key, kind in TYPES.items():
        value = record.get(key)
        if key in record and (not isinstance(value, kind) or (kind is not bool and isinstance(value, bool))):
            yield "F9", f"`{key}` is of the wrong type"
    if record.get("type", "user") not in {"user", "environment"} or not 0 <= _number(record.get("importance", 0)) <= 1:
        yield "F9", "type or importance is out of bounds"
    if any(key in record and not _is_moment(record[key]) for key in [*INSTANTS, *DAYS]):
        yield "F9", "a time is not ISO"
    for key, default in DEFAULTS.items():
        if key in record and record[key] == default and type(record[key]) is type(default):
            yield "F10", f"`{key}` says what is so without it"


def _first(record: dict[str, Any], *names: str) -> Any:
    return next((record[name] for name in names if name in record), None)


def _lineage(record: dict[str, Any], by_id: dict[Any, dict[str, Any]]) -> Iterator[tuple[str, str]]:
    newer_id = record.get("supersededBy")
    if (record.get("status") == "superseded") != (newer_id is not None):
        yield "F8", "superseded without a successor, or a successor without being superseded"
    if newer_id is None:
        return
    newer = by_id.get(newer_id)
    if newer is None:
        yield "F8", f"{newer_id} does not exist"
        return
    if newer.get("version", 1) != record.get("version", 1) + 1:
        yield "F8", f"{newer_id} is not the next version"
    seen = {record.get("id")}
    while newer_id is not None:
        if newer_id in seen:
            yield "F8", "the chain of successors is a ring"
            return
        seen.add(newer_id)
        newer_id = by_id.get(newer_id, {}).get("supersededBy")


def _references(record: dict[str, Any], root: Path) -> Iterator[tuple[str, str]]:
    related = record.get("relatedEntities", [])
    for ref in related if isinstance(related, list) else []:
        is_ref = isinstance(ref, str) and re.fullmatch(r"[^/]+/[^/]+", ref)
        if not is_ref or not (root / "life/areas" / ref).is_dir():
            yield "F11", f"relatedEntities names {ref!r}, which is no entity"


def _is_moment(value: Any) -> bool:
    if not isinstance(value, str):
        return False
    try:
        return bool(date.fromisoformat(value) if len(value) == 10 else datetime.fromisoformat(value))
    except ValueError:
        return False


def _number(value: Any) -> float:
    return value if isinstance(value, (int, float)) else 0.0

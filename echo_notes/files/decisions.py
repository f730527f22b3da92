"""decisions.jsonl: which values were judged wrong, and re-judged; append-only, never pruned."""

import json
from collections.abc import Iterator
from pathlib import Path

from echo_notes.files.layout import DECISIONS
from echo_notes.guard.rejected import Decision


def load_decisions(root: Path) -> tuple[Decision, ...]:
    """Return every decision in the order it was made; a line that is no decision is passed over (`check` names it)."""
    try:
        data = (root / DECISIONS).read_bytes()
    except FileNotFoundError:
        return ()
    return parse_decisions(data)


def parse_decisions(data: bytes) -> tuple[Decision, ...]:
    """Return the decisions in the bytes of a decisions.jsonl, as `load_decisions`."""
    return tuple(decision for _, decision in _iter_parsed(data) if decision)


def unreadable_lines(root: Path) -> tuple[int, ...]:
    """Return the numbers of the lines of decisions.jsonl that cannot be read."""
    try:
        data = (root / DECISIONS).read_bytes()
    except FileNotFoundError:
        return ()
    return tuple(number for number, decision in _iter_parsed(data) if decision is None)


def dump_decision(decision: Decision) -> bytes:
    """Return a decision as one JSON line."""
    record = {
        "at": decision.at, "entity": decision.entity, "key": decision.key, "value": decision.value,
        "statement": decision.statement, "verdict": decision.verdict, "by": decision.by, "fact": decision.fact,
    }  # fmt: skip
    return json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def _iter_parsed(data: bytes) -> Iterator[tuple[int, Decision | None]]:
    for number, raw in enumerate(data.splitlines(), 1):
        if not raw.strip():
            continue
        try:
            record = json.loads(raw)
            yield number, Decision(**{name: str(record.get(name) or "") for name in Decision.__slots__})
        except (ValueError, AttributeError, TypeError):
            yield number, None

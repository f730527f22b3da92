"""Recall ticks: which facts were recalled when, kept in `.echo/state` until a pass folds them into items.json.

`recalls.ndjson` grows by a line a recall. A batch that is being folded lies aside in `recalls-folding.ndjson`, and is
removed last: a crash loses none, and the batch's digest in the audit trail tells whether it was folded.
"""

import contextlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

from echo_notes.files.layout import Layout
from echo_notes.model.dates import parse_instant

_OPEN = "recalls.ndjson"
_ASIDE = "recalls-folding.ndjson"


@dataclass(frozen=True, slots=True)
class Uses:
    """How often a fact was recalled, and when last (aware UTC)."""

    count: int
    last_at: datetime


@dataclass(frozen=True, slots=True)
class Batch:
    """The ticks that lie aside: uses by fact id, and the digest and size of what was read."""

    uses: Mapping[str, Uses]
    digest: str
    size: int


def pending_uses(layout: Layout) -> dict[str, Uses]:
    """Return what no pass has folded yet, by fact id; a line that cannot be read counts for nothing."""
    return parse_ticks(b"".join(_read(layout.state_dir / name) for name in (_ASIDE, _OPEN)))


def parse_ticks(raw: bytes) -> dict[str, Uses]:
    """Return the uses that lines of `{"at": …, "ids": […]}` tell; a torn or foreign line tells none."""
    uses: dict[str, Uses] = {}
    for line in raw.splitlines():
        at, ids = _parse(line)
        if at is None:
            continue
        for fact_id in ids:
            before = uses.get(fact_id)
            uses[fact_id] = Uses(before.count + 1, max(before.last_at, at)) if before else Uses(1, at)
    return uses


def find_batch(layout: Layout) -> Batch | None:
    """Return the batch that lies aside, None if there is none."""
    return _batch(layout.state_dir / _ASIDE)


def peek_batch(layout: Layout) -> Batch | None:
    """Return the ticks so far where they are, None if there are none."""
    return _batch(layout.state_dir / _OPEN)


def take_batch(layout: Layout) -> Batch | None:
    """Put the ticks so far aside and return them, None if there are none; with none aside, and by one process only."""
    with contextlib.suppress(FileNotFoundError):
        (layout.state_dir / _OPEN).rename(layout.state_dir / _ASIDE)
    return find_batch(layout)


def drop_batch(layout: Layout, batch: Batch) -> None:
    """Remove a folded batch. What a recall appended to it after it was read goes back to the open ticks."""
    path = layout.state_dir / _ASIDE
    late = _read(path)[batch.size :]
    if late:
        with (layout.state_dir / _OPEN).open("ab") as handle:
            handle.write(late)
    path.unlink(missing_ok=True)


def _batch(path: Path) -> Batch | None:
    if not path.exists():
        return None
    raw = _read(path)
    return Batch(parse_ticks(raw), sha256(raw).hexdigest(), len(raw))


def _parse(line: bytes) -> tuple[datetime | None, list[str]]:
    try:
        record: Any = json.loads(line)
        return parse_instant(record["at"]), [str(fact_id) for fact_id in record["ids"]]
    except (ValueError, KeyError, TypeError, OverflowError):
        return None, []


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return b""

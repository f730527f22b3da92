"""`heartbeat`: the pass that cron calls: queued and idle sessions are consolidated, the latest notes extracted."""

import json
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any

from echo_notes.files.jobs import claim, find_job, iter_jobs, jobs_set_aside, queue_job
from echo_notes.files.layout import iter_daily
from echo_notes.files.sessions import iter_sessions
from echo_notes.lifecycle.opened import OpenVault
from echo_notes.lifecycle.runs import note_run
from echo_notes.model.dates import Span, format_instant, parse_day
from echo_notes.model.errors import EchoError

if TYPE_CHECKING:
    # Nothing to do is the usual case, and must cost no more than finding that out.
    from echo_notes.lifecycle.consolidate import Consolidation
    from echo_notes.lifecycle.extract import Extraction
    from echo_notes.lifecycle.llm.consult import Consultant

_MOST_DAYS = 14
"""How far back a heartbeat looks for notes that changed while the machine slept."""


@dataclass(frozen=True, slots=True)
class Beat:
    """What one heartbeat did; None where there was nothing to do. `busy`: nothing, as another one is at work.

    `problem`: why notes could not be extracted this time; what was consolidated before stands.
    """

    busy: bool = False
    idle: tuple[str, ...] = ()
    consolidation: "Consolidation | None" = None
    extraction: "Extraction | None" = None
    problem: EchoError | None = None


@dataclass(frozen=True, slots=True)
class _Seen:
    """What the last heartbeat extracted from: its day, and the digest of each note by path."""

    on: date | None = None
    digests: dict[str, str] = field(default_factory=dict)


def heartbeat(opened: OpenVault, consultant: "Consultant | None" = None) -> Beat:
    """Queue the sessions that are idle, work off the queue, and extract from notes that changed since the last time.

    One at a time: where another heartbeat is at work, this one ends at once.
    """
    with claim(opened.layout, opened.layout.state_dir / "heartbeat.lock") as mine:
        if not mine:
            return Beat(busy=True)
        idle = _queue_idle(opened)
        consolidation = None
        if iter_jobs(opened.layout):
            from echo_notes.lifecycle.consolidate import consolidate

            consolidation = consolidate(opened, consultant)
        try:
            beat = Beat(idle=idle, consolidation=consolidation, extraction=_extract(opened, consultant))
        except EchoError as error:
            return Beat(idle=idle, consolidation=consolidation, problem=error)
        note_run(opened, "heartbeat")
        return beat


def _queue_idle(opened: OpenVault) -> tuple[str, ...]:
    """Leave a job for each session in which nothing was said for longer than the settings allow."""
    limit = timedelta(minutes=opened.settings.idle_minutes)
    # A job that failed too often is tried again only by the person's own `session end`.
    aside = {job.key for job in jobs_set_aside(opened.layout)}
    idle = []
    for session in iter_sessions(opened.layout):
        last = session.last_at
        if not session.messages or last is None or opened.now - last < limit:
            continue
        if session.key in aside or find_job(opened.layout, session.key) or opened.writer.dry_run:
            continue
        queue_job(opened.layout, session.key, format_instant(opened.now))
        idle.append(session.key)
    return tuple(idle)


def _extract(opened: OpenVault, consultant: "Consultant | None") -> "Extraction | None":
    """Extract from the notes since the last heartbeat's day that are not as they were then."""
    seen = _load_seen(opened)
    yesterday = opened.today - timedelta(days=1)
    first = max(min(seen.on or yesterday, yesterday), opened.today - timedelta(days=_MOST_DAYS))
    digests = {}
    days = set()
    for day, path in iter_daily(opened.root):
        if first <= day <= opened.today:
            digest = _digest(opened, path)
            digests[path] = digest
            if digest and seen.digests.get(path) != digest:
                days.add(day)
    extraction = None
    if days:
        from echo_notes.lifecycle.extract import extract

        extraction = extract(opened, [Span(day, day + timedelta(days=1)) for day in sorted(days)], consultant)
        if extraction.problems:
            return extraction
    if not opened.writer.dry_run and (seen.on != opened.today or seen.digests != digests):
        _save_seen(opened, _Seen(opened.today, digests))
    return extraction


def _digest(opened: OpenVault, path: str) -> str:
    from hashlib import sha256

    try:
        return sha256((opened.root / path).read_bytes()).hexdigest()
    except OSError:
        return ""


def _load_seen(opened: OpenVault) -> _Seen:
    try:
        record: Any = json.loads((opened.layout.state_dir / "extracted.json").read_bytes())
        return _Seen(parse_day(record["on"]), {str(path): str(digest) for path, digest in record["notes"].items()})
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return _Seen()  # what is lost here is only looked at once more


def _save_seen(opened: OpenVault, seen: _Seen) -> None:
    from echo_notes.files.textfile import write_atomic

    record = {"on": seen.on.isoformat() if seen.on else None, "notes": seen.digests}
    write_atomic(opened.layout.state_dir / "extracted.json", json.dumps(record, ensure_ascii=False).encode() + b"\n")

"""When each pass last ran, kept in `.echo/state/runs`, and whether one is overdue."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from echo_notes.files.layout import Layout
from echo_notes.files.lock import prepare_echo_dir
from echo_notes.lifecycle.opened import OpenVault
from echo_notes.model.dates import format_instant, parse_instant
from echo_notes.model.errors import RefusedError
from echo_notes.model.fact import SCOPE_OWNER

LOG = "schedule.log"
"""What scheduled passes print, in the state directory."""
_MOST_LOG = 1_000_000
_FOLDER = "runs"
_INSTALLED = "scheduled"

PERIODS = {
    "heartbeat": timedelta(minutes=30),
    "decay": timedelta(days=1),
    "synthesize": timedelta(days=7),
}
"""How often the schedule runs a pass; `synthesize` with `--weekly`."""
_GRACE = {"heartbeat": timedelta(hours=2), "decay": timedelta(days=1), "synthesize": timedelta(days=1)}
PASSES = (*PERIODS, "consolidate", "extract", "reflect", "gc")


@dataclass(frozen=True, slots=True)
class LastRun:
    """A pass, when it last ran to its end (None: never here), and whether it is later than the schedule allows."""

    name: str
    at: datetime | None
    overdue: bool = False


def require_owner(opened: OpenVault, name: str, what: str) -> None:
    """RefusedError where a program that is bound to another scope than the owner's starts a pass over all of `what`."""
    if opened.writer.agent and opened.writer.scope not in {None, SCOPE_OWNER}:
        raise RefusedError(
            f"refused to {name}: {what} are outside the scope {opened.writer.scope!r}", reason="scope", op=name,
            target=what, fix="Run it without --scope.",
        )  # fmt: skip


def note_run(opened: OpenVault, name: str) -> None:
    """Note that a pass has just run to its end; a dry run does not count. Never fails the pass."""
    if opened.writer.dry_run:
        return
    try:
        prepare_echo_dir(opened.layout)
        _write(opened.layout, name, opened.now)
        _rotate_log(opened.layout)
    except OSError:
        return


def note_schedule(layout: Layout, now: datetime | None) -> None:
    """Note since when a schedule is installed for this vault; None: it is not any more."""
    if now is None:
        (layout.state_dir / _FOLDER / _INSTALLED).unlink(missing_ok=True)
        return
    prepare_echo_dir(layout)
    if last_run(layout, _INSTALLED) is None:
        _write(layout, _INSTALLED, now)


def last_run(layout: Layout, name: str) -> datetime | None:
    """Return when a pass last ran, None if it never did here."""
    try:
        return parse_instant((layout.state_dir / _FOLDER / name).read_text(encoding="ascii"))
    except (OSError, ValueError):
        return None


def last_runs(opened: OpenVault) -> tuple[LastRun, ...]:
    """Return every pass with its last run.

    Overdue is what ran here before, or is scheduled, and has missed its time by more than a grace. A clock that was set
    back makes nothing overdue.
    """
    installed = last_run(opened.layout, _INSTALLED)
    runs = []
    for name in PASSES:
        at = last_run(opened.layout, name)
        since = at or installed
        late = name in PERIODS and since is not None and opened.now - since > PERIODS[name] + _GRACE[name]
        runs.append(LastRun(name, at, late))
    return tuple(runs)


def _write(layout: Layout, name: str, now: datetime) -> None:
    folder = layout.state_dir / _FOLDER
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(format_instant(now), encoding="ascii")


def _rotate_log(layout: Layout) -> None:
    """Put a log that has grown large aside; a running pass goes on writing to the file it has open."""
    log = layout.state_dir / LOG
    if log.exists() and log.stat().st_size > _MOST_LOG:
        log.replace(log.with_name("schedule.old.log"))

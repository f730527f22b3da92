"""`session`: messages into a session's buffer, its working view, and the list of sessions."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, tzinfo

from echo_notes.files.jobs import Job, iter_jobs, jobs_set_aside
from echo_notes.files.layout import Layout
from echo_notes.files.session_key import check_key
from echo_notes.files.sessions import (
    Message,
    Session,
    add_messages,
    held_path,
    iter_sessions,
    load_session,
    start_session,
)
from echo_notes.lifecycle.session_end import enter
from echo_notes.model.errors import NotFoundError, UsageError

RING = 20
"""Entries of the working view; older ones wait in the buffer for consolidation."""
VIEW_CHARS = 4000
USUAL_IMPORTANCE = 0.5


@dataclass(frozen=True, slots=True)
class View:
    """The working view of a session: Markdown, and how many of its messages that shows and leaves out."""

    key: str
    text: str
    shown: int
    left_out: int


@dataclass(frozen=True, slots=True)
class Listed:
    """A session as `session list` shows it: open, queued or set aside (and why), and its file of refused messages."""

    session: Session
    state: str
    reason: str = ""
    held: str = ""


def start(layout: Layout, key: str, *, scope: str, now: datetime) -> Session:
    """Open a session, or go on with it. Its facts get its key as their scope, or the one named (owner, global)."""
    clean = check_key(key)
    if scope and scope not in {clean, "owner", "global"}:
        raise UsageError(
            f"a session's facts cannot have the scope {scope!r}", fix="Choose owner or global, or leave --scope out."
        )
    return start_session(layout, clean, scope=scope, now=now)


def add(
    layout: Layout, key: str, messages: Sequence[Message], *, now: datetime, scope: str | None, agent: bool
) -> Session:
    """Append messages; on disk when this returns. A session that was not started is started.

    `agent`: a program records them, so that nothing in them ranks as the person's own word.
    """
    clean = enter(key, scope)
    fit = [replace(message, text=_whole(message.text), at=message.at or now, agent=agent) for message in messages]
    if not fit or any(not message.text for message in fit):
        raise UsageError("the message is empty", fix='For example: echo-notes session add monday "I moved to Lisbon"')
    if odd := [one.importance for one in fit if one.importance is not None and not 0 <= one.importance <= 1]:
        raise UsageError(f"importance {odd[0]} is not in 0 to 1", fix="Give 0 for least, 1 for most.")
    return add_messages(layout, clean, fit, now=now)


def show(layout: Layout, key: str, *, budget: int, scope: str | None, zone: tzinfo | None) -> View:
    """Return the working view of a session; NotFoundError if it has no buffer."""
    clean = enter(key, scope)
    session = load_session(layout, clean)
    if session is None:
        raise NotFoundError(f"no session is called {clean!r}", fix="List them: echo-notes session list")
    return working_view(session, budget, zone)


def list_sessions(layout: Layout, *, scope: str | None) -> tuple[Listed, ...]:
    """Return the sessions that have a buffer or refused messages; a scope that is a session's sees its own only."""
    queued = {job.key for job in iter_jobs(layout)}
    aside = {job.key: job for job in jobs_set_aside(layout)}
    return tuple(
        _listed(layout, session, queued, aside.get(session.key))
        for session in iter_sessions(layout)
        if scope in {None, "owner", session.key}
    )


def working_view(session: Session, budget: int, zone: tzinfo | None) -> View:
    """Return at most 20 of the newest messages as Markdown of at most `budget` characters, in the order they came.

    Where they do not fit, the least important go first, of equals the older; the newest stays, cut if it must be.
    """
    ring = session.messages[-RING:]
    lines = {message.number: _line(message, zone) for message in ring}
    size = sum(len(line) + 1 for line in lines.values())
    for message in sorted(ring[:-1], key=lambda one: (_weight(one), one.number)):
        if size <= budget:
            break
        size -= len(lines.pop(message.number)) + 1
    text = "\n".join(lines.values())
    if len(text) > budget:
        text = text[: max(0, budget - 1)].rstrip() + "…"
    return View(session.key, text, len(lines), len(session.messages) - len(lines))


def _line(message: Message, zone: tzinfo | None) -> str:
    time = f"{message.at.astimezone(zone):%H:%M} " if message.at else ""
    body = message.text.strip().replace("\r\n", "\n").replace("\n", "\n  ")
    return f"- {time}**{message.role}**: {body}"


def _weight(message: Message) -> float:
    return USUAL_IMPORTANCE if message.importance is None else message.importance


def _listed(layout: Layout, session: Session, queued: set[str], aside: Job | None) -> Listed:
    held = held_path(layout, session.key)
    where = layout.relative(held) if held else ""
    if session.key in queued:
        return Listed(session, "queued", held=where)
    if aside:
        return Listed(session, "set aside", aside.reason, where)
    return Listed(session, "open", held=where)


def _whole(text: str) -> str:
    """Return a message as text that can be written: bytes that were no UTF-8 are marked as such."""
    return text.strip().encode("utf-8", "surrogatepass").decode("utf-8", "replace")

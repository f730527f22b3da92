"""Session buffers: the messages of each session in `.echo/state/sessions`, append-only until they are consolidated."""

import json
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import date, datetime
from pathlib import Path
from typing import Any

from echo_notes.files.layout import EPISODES_DIR, Layout
from echo_notes.files.lock import WAIT_SECONDS, prepare_echo_dir
from echo_notes.files.session_key import SUFFIX, buffer_path, session_name, sessions_dir
from echo_notes.model.dates import format_instant, parse_instant
from echo_notes.model.errors import ConflictError

USER = "user"
ASSISTANT = "assistant"
ROLES = (USER, ASSISTANT, "system", "tool")

_HELD = ".held"


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One message of a session. `number` counts from 1 over the whole life of the session key, 0 before it is stored.

    `importance` is 0 to 1, None where nobody said; `agent`: a program recorded it, whatever its role says.
    """

    text: str
    role: str = USER
    at: datetime | None = None
    importance: float | None = None
    agent: bool = False
    number: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """A session that has a buffer: its messages not yet consolidated, and the scope that its facts will have.

    `first` is the number that its first message has, or would have.
    """

    key: str
    scope: str
    started_at: datetime | None
    first: int = 1
    messages: tuple[Message, ...] = ()

    @property
    def last_at(self) -> datetime | None:
        """When it last moved: its newest message, else its start."""
        return next((message.at for message in reversed(self.messages) if message.at), self.started_at)


def load_session(layout: Layout, key: str) -> Session | None:
    """Return a session's buffer, None if it has none. Lines that a crash cut short are passed over."""
    return _load(buffer_path(layout, key))


def iter_sessions(layout: Layout) -> Iterator[Session]:
    """Yield every session that has a buffer, in the order of their file names."""
    for path in sorted(sessions_dir(layout).glob(f"*{SUFFIX}")):
        session = None if path.name.endswith(_HELD + SUFFIX) else _load(path)
        if session:
            yield session


def start_session(layout: Layout, key: str, *, scope: str, now: datetime) -> Session:
    """Return a session, its buffer made if there is none; a scope that is named replaces the one it had."""
    with hold_sessions(layout):
        known = load_session(layout, key)
        if known and scope in {"", known.scope}:
            return known
        session = replace(known, scope=scope) if known else _new_session(layout, key, scope, now)
        _append(buffer_path(layout, key), [_header(session)])
        return session


def add_messages(layout: Layout, key: str, messages: Sequence[Message], *, scope: str = "", now: datetime) -> Session:
    """Append messages to a session's buffer, durable when this returns, and return the session with them."""
    with hold_sessions(layout):
        known = load_session(layout, key)
        session = known or _new_session(layout, key, scope, now)
        number = session.messages[-1].number + 1 if session.messages else session.first
        numbered = [replace(message, number=number + at) for at, message in enumerate(messages)]
        _append(buffer_path(layout, key), [*([] if known else [_header(session)]), *map(_record, numbered)])
        return replace(session, messages=(*session.messages, *numbered))


def trim_session(layout: Layout, key: str, *, through: int) -> int:
    """Take the messages up to a number out of a buffer, and return how many came in since; without any it is gone."""
    with hold_sessions(layout):
        session = load_session(layout, key)
        path = buffer_path(layout, key)
        rest = [message for message in session.messages if message.number > through] if session else []
        if not rest or session is None:
            path.unlink(missing_ok=True)
            return 0
        from echo_notes.files.textfile import write_atomic

        kept = [_header(replace(session, first=rest[0].number)), *map(_record, rest)]
        write_atomic(path, b"".join(map(_dump, kept)))
        return len(rest)


def hold_messages(layout: Layout, key: str, refused: Iterable[tuple[Message, str]]) -> None:
    """Keep messages that the scan refused, with its reason, where only the person looks: nothing said is lost."""
    path = sessions_dir(layout) / f"{session_name(key)}{_HELD}{SUFFIX}"
    known = {(record.get("n"), record.get("at")) for record in _records(path)}
    fresh = [{**_record(message), "session": key, "refused": reason} for message, reason in refused]
    fresh = [record for record in fresh if (record["n"], record["at"]) not in known]
    if fresh:
        _append(path, fresh)


def held_path(layout: Layout, key: str) -> Path | None:
    """Return the file with a session's refused messages, None if there is none."""
    path = sessions_dir(layout) / f"{session_name(key)}{_HELD}{SUFFIX}"
    return path if path.exists() else None


def consolidated_through(root: Path, session: Session) -> int:
    """Return the number of the last message of a buffer that an episode covers already, 0 if none does.

    An episode is told by its key, the number and the time of its last message: one that another machine wrote for a
    session of the same name is not this session's.
    """
    ends = {(episode.range_end, episode.created_at) for episode in _episodes(root, session.key)}
    done = (m.number for m in session.messages if m.at and (m.number, parse_instant(format_instant(m.at))) in ends)
    return max(done, default=0)


@contextmanager
def hold_sessions(layout: Layout) -> Iterator[None]:
    """Hold the lock under which buffers are written; each hold lasts for one append."""
    from filelock import FileLock, Timeout

    prepare_echo_dir(layout)
    folder = sessions_dir(layout)
    folder.mkdir(parents=True, exist_ok=True)
    lock = FileLock(folder / "lock")
    try:
        lock.acquire(timeout=WAIT_SECONDS, poll_interval=0.01)
    except Timeout:
        raise ConflictError(
            f"another program has held the session buffers for {WAIT_SECONDS:g} s",
            where=str(folder), fix="Try again; the lock frees itself when that program ends.",
        ) from None  # fmt: skip
    try:
        yield
    finally:
        lock.release()


def _new_session(layout: Layout, key: str, scope: str, now: datetime) -> Session:
    first = max((episode.range_end for episode in _episodes(layout.root, key)), default=0) + 1
    return Session(key=key, scope=scope or key, started_at=now, first=first)


def _episodes(root: Path, key: str) -> list[Any]:
    """Return the episodes of a session key; only files that the naming rule would give it are read."""
    from echo_notes.files.episodes import episode_name, parse_episode

    folder = root / EPISODES_DIR
    tail = episode_name(date.min, key)[len("0001-01-01") : -len(".md")]
    named = re.compile(rf"\d{{4}}-\d\d-\d\d{re.escape(tail)}(-\d+)?\.md")
    paths = [path for path in sorted(folder.glob("*.md")) if named.fullmatch(path.name)] if folder.is_dir() else []
    found = (parse_episode(path.read_text(encoding="utf-8", errors="replace"), path.name) for path in paths)
    return [episode for episode in found if episode.session_key == key]


def _header(session: Session) -> dict[str, Any]:
    started = session.started_at
    return {
        "session": session.key, "scope": session.scope, "first": session.first,
        "startedAt": format_instant(started) if started else "",
    }  # fmt: skip


def _record(message: Message) -> dict[str, Any]:
    record: dict[str, Any] = {
        "n": message.number, "at": format_instant(message.at) if message.at else "", "role": message.role,
    }  # fmt: skip
    if message.importance is not None:
        record["importance"] = message.importance
    if message.agent:
        record["by"] = "agent"
    return {**record, "text": message.text}


def _dump(record: dict[str, Any]) -> bytes:
    return json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass") + b"\n"


def _append(path: Path, records: Iterable[dict[str, Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab+") as handle:
        # A writer that died in the middle of a line left no line end; the next line must not be joined to it.
        if handle.seek(0, os.SEEK_END):
            handle.seek(-1, os.SEEK_END)
            torn = handle.read(1) != b"\n"
        else:
            torn = False
        handle.write(b"\n" * torn + b"".join(map(_dump, records)))
        handle.flush()
        os.fsync(handle.fileno())


def _records(path: Path) -> Iterator[dict[str, Any]]:
    try:
        raw = path.read_bytes()
    except FileNotFoundError:
        return
    for line in raw.split(b"\n"):
        try:
            record = json.loads(line) if line.strip() else None
        except ValueError:
            continue
        if isinstance(record, dict):
            yield record


def _load(path: Path) -> Session | None:
    session: Session | None = None
    messages: list[Message] = []
    for record in _records(path):
        if "text" in record:
            messages.append(_message(record, len(messages)))
        elif record.get("session"):
            session = Session(
                key=str(record["session"]), scope=str(record.get("scope") or record["session"]),
                started_at=parse_instant(record.get("startedAt")), first=_number(record.get("first"), 1),
            )  # fmt: skip
    return replace(session, messages=tuple(messages)) if session else None


def _message(record: dict[str, Any], before: int) -> Message:
    importance = record.get("importance")
    return Message(
        text=str(record["text"]), role=str(record.get("role", "")), at=parse_instant(record.get("at")),
        importance=float(importance) if isinstance(importance, int | float) else None,
        agent=record.get("by") == "agent", number=_number(record.get("n"), before + 1),
    )  # fmt: skip


def _number(value: Any, default: int) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else default

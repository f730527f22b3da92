"""The consolidation queue: one durable job for each ended session, in `.echo/state/jobs`."""

import contextlib
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from zlib import crc32

from echo_notes.files.layout import Layout
from echo_notes.files.lock import prepare_echo_dir
from echo_notes.files.session_key import session_name

MAX_TRIES = 3

_SUFFIX = ".json"
_ASIDE = "aside"
_LOCKS = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A session to consolidate: when it was queued (ISO), how often that was tried, and what went wrong last."""

    key: str
    queued_at: str
    tries: int = 0
    reason: str = ""


def queue_job(layout: Layout, key: str, queued_at: str) -> Job:
    """Leave a job for a session, durable when this returns: twice is one job, and one set aside is taken up again."""
    path = _path(layout, key)
    known = _load(path)
    job = replace(known, queued_at=queued_at) if known else Job(key=key, queued_at=queued_at)
    if not path.parent.is_dir():
        prepare_echo_dir(layout)
        path.parent.mkdir(parents=True, exist_ok=True)
    _write(path, job)
    with contextlib.suppress(FileNotFoundError):
        (path.parent / _ASIDE / path.name).unlink()
    return job


def iter_jobs(layout: Layout) -> tuple[Job, ...]:
    """Return the jobs that wait, the longest waiting first."""
    return _jobs_in(_dir(layout))


def jobs_set_aside(layout: Layout) -> tuple[Job, ...]:
    """Return the jobs that failed too often, with the reason of the last failure."""
    return _jobs_in(_dir(layout) / _ASIDE)


def find_job(layout: Layout, key: str) -> Job | None:
    """Return the job of a session as it is now, None if it is done or set aside."""
    return _load(_path(layout, key))


def save_job(layout: Layout, job: Job) -> Job:
    """Write what is now known of a job that is being worked on."""
    _write(_path(layout, job.key), job)
    return job


def finish_job(layout: Layout, job: Job, *, more: bool) -> None:
    """Take a job out of the queue; where it was queued again meanwhile and messages came in (`more`), it stays."""
    now = find_job(layout, job.key)
    if more and now and now.queued_at != job.queued_at:
        _write(_path(layout, job.key), replace(now, tries=0, reason=""))
        return
    _path(layout, job.key).unlink(missing_ok=True)


def set_aside(layout: Layout, job: Job) -> None:
    """Take a job out of the way of the others, its reason kept."""
    path = _path(layout, job.key)
    aside = path.parent / _ASIDE / path.name
    aside.parent.mkdir(exist_ok=True)
    _write(path, job)
    path.replace(aside)


@contextmanager
def claim_job(layout: Layout, key: str) -> Iterator[bool]:
    """Hold a job for this process while it is worked on; False where another process holds it. The system frees it.

    Sessions share a fixed number of lock files, so that none is left behind for each.
    """
    slot = crc32(session_name(key).encode()) % _LOCKS
    with claim(layout, _dir(layout) / "locks" / f"{slot:02d}") as mine:
        yield mine


@contextmanager
def claim(layout: Layout, path: Path) -> Iterator[bool]:
    """Hold a lock file if it is free at once; False where it is not."""
    from filelock import FileLock, Timeout

    prepare_echo_dir(layout)
    path.parent.mkdir(parents=True, exist_ok=True)
    lock = FileLock(path)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        yield False
        return
    try:
        yield True
    finally:
        lock.release()


def _dir(layout: Layout) -> Path:
    return layout.state_dir / "jobs"


def _path(layout: Layout, key: str) -> Path:
    return _dir(layout) / f"{session_name(key)}{_SUFFIX}"


def _jobs_in(folder: Path) -> tuple[Job, ...]:
    try:
        paths = [path for path in folder.iterdir() if path.suffix == _SUFFIX]
    except OSError:
        return ()
    jobs = [job for path in paths if (job := _load(path))]
    return tuple(sorted(jobs, key=lambda job: (job.queued_at, job.key)))


def _load(path: Path) -> Job | None:
    try:
        record: Any = json.loads(path.read_bytes())
        return Job(
            key=str(record["session"]), queued_at=str(record["queuedAt"]), tries=int(record.get("tries", 0)),
            reason=str(record.get("reason", "")),
        )  # fmt: skip
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _write(path: Path, job: Job) -> None:
    record = {"session": job.key, "queuedAt": job.queued_at, "tries": job.tries, "reason": job.reason}
    temporary = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    with temporary.open("wb") as handle:
        handle.write(json.dumps(record, ensure_ascii=False).encode() + b"\n")
        handle.flush()
        os.fsync(handle.fileno())
    temporary.replace(path)

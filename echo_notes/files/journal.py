"""The journal: a planned change on disk before it is made, so that a crash leaves all of it or none."""

import contextlib
import json
import os
import shutil
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path

from echo_notes.files.layout import Layout

_PLAN = "plan.json"


@dataclass(frozen=True, slots=True)
class Step:
    """One file of a change: whole new bytes (`after`), bytes to append at `offset`, or a removal (`after` is "").

    `before` is the digest of the bytes that were read, "" if there was no file.
    """

    path: str
    before: str
    after: str
    blob: str = ""
    offset: int = -1


@dataclass(frozen=True, slots=True)
class Plan:
    """What a change will do and how its commit reads."""

    subject: str
    body: str
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Recovery:
    """What became of an interrupted change: whether it was finished or rolled back, and which files were left alone."""

    plan: Plan
    finished: bool
    left_alone: tuple[str, ...] = ()


class Journal:
    """The journal folder of one vault; used only under the write lock."""

    def __init__(self, layout: Layout, step: Callable[[str], None]) -> None:
        self._layout = layout
        self._dir = layout.state_dir / "journal"
        self._step = step

    def exists(self) -> bool:
        """Return whether a change was interrupted."""
        return (self._dir / _PLAN).exists()

    def write(self, subject: str, body: str, writes: Iterable[tuple[str, bytes | None, bytes | None]],
              appends: Iterable[tuple[str, bytes]]) -> Plan:  # fmt: skip
        """Put the plan on disk, durable, and return it. `writes` are (path, bytes before, bytes after)."""
        self.clear()
        self._dir.mkdir(parents=True)
        steps = []
        for number, (path, before, after) in enumerate(writes):
            blob = f"{number}.new"
            if before is not None:
                _write_durable(self._dir / f"{number}.old", before)
            if after is not None:
                _write_durable(self._dir / blob, after)
            self._step(f"blob {path}")
            steps.append(Step(path, _digest(before), _digest(after), blob))
        for number, (path, data) in enumerate(appends, len(steps)):
            target = self._layout.path(path)
            offset = target.stat().st_size if target.exists() else 0
            _write_durable(self._dir / f"{number}.new", data)
            self._step(f"blob {path}")
            steps.append(Step(path, "", _digest(data), f"{number}.new", offset))
        plan = Plan(subject, body, tuple(steps))
        _write_durable(self._dir / "plan.tmp", json.dumps(asdict(plan)).encode())
        (self._dir / "plan.tmp").replace(self._dir / _PLAN)
        _sync_dir(self._dir)
        self._step("plan")
        return plan

    def apply(self, plan: Plan) -> None:
        """Make every step of the plan that is not made yet."""
        for step in plan.steps:
            try:
                if step.offset >= 0:
                    self._append(step)
                elif _digest(_read(self._layout.path(step.path))) != step.after:
                    self._replace(step, step.blob if step.after else "")
            except OSError as error:  # by the name of the file that could not be written, not that of a temp file
                raise OSError(error.errno, error.strerror, step.path) from error
            self._step(f"write {step.path}")

    def conflicts(self, plan: Plan) -> tuple[str, ...]:
        """Return the files that are now neither as they were read nor as planned."""
        whole = (step for step in plan.steps if step.offset < 0)
        return tuple(s.path for s in whole if _digest(_read(self._layout.path(s.path))) not in {s.before, s.after})

    def recover(self) -> Recovery | None:
        """Finish an interrupted change, or roll it back where a file was changed since; None if there was none."""
        if not self.exists():
            self.clear()
            return None
        plan = self._load()
        if plan is None:
            return None
        moved = self.conflicts(plan)
        if not moved:
            self.apply(plan)
            return Recovery(plan, finished=True)
        self._roll_back(plan)
        return Recovery(plan, finished=False, left_alone=moved)

    def abandon(self, plan: Plan | None) -> None:
        """Put back what a change wrote before the disk refused it; where it refuses this too, the journal stays."""
        with contextlib.suppress(OSError):
            if plan is not None:
                self._roll_back(plan)
            self.clear()

    def _roll_back(self, plan: Plan) -> None:
        """Undo the steps that were made; a file that is not as planned was not written, or was edited since."""
        for step in plan.steps:
            target = self._layout.path(step.path)
            if step.offset >= 0:
                self._take_back(step)
            elif step.before != step.after and _digest(_read(target)) == step.after:
                self._replace(step, step.blob.replace(".new", ".old") if step.before else "")
            if not target.exists():
                self._remove_empty(target.parent)

    def _load(self) -> Plan | None:
        """Return the plan on disk; one that is not ours is set aside, since it can be neither finished nor undone."""
        try:
            raw = json.loads((self._dir / _PLAN).read_bytes())
            return Plan(raw["subject"], raw["body"], tuple(Step(**step) for step in raw["steps"]))
        except (ValueError, KeyError, TypeError):
            aside = self._dir.with_name("journal.unreadable")
            shutil.rmtree(aside, ignore_errors=True)
            self._dir.replace(aside)
            return None

    def clear(self) -> None:
        """Forget the plan: the change is whole, or never began."""
        with contextlib.suppress(FileNotFoundError):
            (self._dir / _PLAN).unlink()
        shutil.rmtree(self._dir, ignore_errors=True)

    def _replace(self, step: Step, blob: str) -> None:
        target = self._layout.path(step.path)
        if not blob:
            target.unlink(missing_ok=True)
            self._remove_empty(target.parent)
            return
        source = self._dir / blob
        if not source.exists():
            return
        target.parent.mkdir(parents=True, exist_ok=True)
        if target.exists():
            shutil.copymode(target, source)
        try:
            source.replace(target)
        except OSError:
            # Another file system (a mounted folder): no rename across it, so write beside the target first.
            from echo_notes.files.textfile import write_atomic

            write_atomic(target, source.read_bytes())
        _sync_dir(target.parent)

    def _remove_empty(self, folder: Path) -> None:
        """Remove a folder that holds nothing any more, and those around it; git keeps no empty ones."""
        while folder != self._layout.root:
            try:
                folder.rmdir()
            except OSError:
                return
            folder = folder.parent

    def _take_back(self, step: Step) -> None:
        """Cut off the lines of a change that did not come to be, unless something stands after them."""
        target = self._layout.path(step.path)
        data = (self._dir / step.blob).read_bytes()
        now = _read(target)
        if now is not None and len(now) >= step.offset and data.startswith(now[step.offset :]):
            if step.offset:
                os.truncate(target, step.offset)
            else:
                target.unlink()

    def _append(self, step: Step) -> None:
        target = self._layout.path(step.path)
        target.parent.mkdir(parents=True, exist_ok=True)
        data = (self._dir / step.blob).read_bytes()
        flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0)
        with os.fdopen(os.open(target, flags, 0o644), "r+b") as handle:
            handle.seek(step.offset)
            tail = handle.read()
            if data.startswith(tail):
                handle.seek(step.offset)
                handle.write(data)
            elif data not in tail:
                handle.write(data)
            handle.flush()
            os.fsync(handle.fileno())


def _digest(data: bytes | None) -> str:
    return "" if data is None else sha256(data).hexdigest()


def _read(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None


def _write_durable(path: Path, data: bytes) -> None:
    with path.open("wb") as handle:
        handle.write(data)
        handle.flush()
        os.fsync(handle.fileno())


def _sync_dir(path: Path) -> None:
    if os.name == "nt":
        return
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)

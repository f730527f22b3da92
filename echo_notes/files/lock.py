"""The vault's write lock: one writer at a time, across processes and platforms."""

from collections.abc import Iterator
from contextlib import contextmanager

from echo_notes.files.layout import Layout
from echo_notes.model.errors import ConflictError

WAIT_SECONDS = 10.0


@contextmanager
def hold_lock(layout: Layout, *, wait: float = WAIT_SECONDS) -> Iterator[None]:
    """Hold the write lock; ConflictError if another writer keeps it longer than `wait` seconds."""
    from filelock import FileLock, Timeout

    prepare_echo_dir(layout)
    lock = FileLock(layout.state_dir / "lock")
    try:
        lock.acquire(timeout=wait, poll_interval=0.02)
    except Timeout:
        raise ConflictError(
            f"another writer has held the vault for {wait:g} s",
            where=str(layout.root),
            fix="Wait for it to end and try again; the lock frees itself when that process ends.",
        ) from None
    try:
        yield
    finally:
        lock.release()


def prepare_echo_dir(layout: Layout) -> None:
    """Make `.echo/` with the ignore file that keeps it out of git."""
    ignore = layout.root / ".echo" / ".gitignore"
    if not ignore.exists():
        layout.state_dir.mkdir(parents=True, exist_ok=True)
        ignore.write_text("*\n", encoding="utf-8")
    elif not layout.state_dir.exists():
        layout.state_dir.mkdir(parents=True, exist_ok=True)

"""The index's own lock: one process refreshes, the others answer from what is there.

Made of the operating system's file lock alone: `filelock`, which guards the vault's writes, takes 50 ms to import, more
than a whole recall may cost here. The system frees the lock when its holder ends, however it ends.
"""

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from echo_notes.index.manifest import ensure_index_dir

_POLL_SECONDS = 0.02


@contextmanager
def hold_index(folder: Path, *, wait_seconds: float) -> Iterator[bool]:
    """Hold the lock of an index folder; the value is whether it was to be had within the time. OSError passes."""
    ensure_index_dir(folder)
    handle = os.open(folder / "lock", os.O_RDWR | os.O_CREAT, 0o666)
    try:
        deadline = time.monotonic() + wait_seconds
        held = _try_lock(handle)
        while not held and time.monotonic() < deadline:
            time.sleep(_POLL_SECONDS)
            held = _try_lock(handle)
        yield held
    finally:
        os.close(handle)


def _try_lock(handle: int) -> bool:
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True

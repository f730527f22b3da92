"""The backlog: what is written but not committed, because git would not."""

import contextlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from hashlib import sha256

from echo_notes.files.layout import Layout


@dataclass(frozen=True, slots=True)
class PendingCommit:
    """A change that waits for its commit: its words, and the digest of each file as it was written ("" = removed)."""

    subject: str
    body: str
    digests: Mapping[str, str]


def load_pending(layout: Layout) -> tuple[PendingCommit, ...]:
    """Return what waits for a commit, oldest first."""
    try:
        raw = json.loads((layout.state_dir / "pending.json").read_bytes())
        return tuple(PendingCommit(**entry) for entry in raw)
    except (OSError, ValueError, TypeError):
        return ()


def dump_pending(layout: Layout, entries: tuple[PendingCommit, ...]) -> None:
    """Replace the backlog."""
    path = layout.state_dir / "pending.json"
    if not entries:
        with contextlib.suppress(FileNotFoundError):
            path.unlink()
        return
    from echo_notes.files.textfile import write_atomic

    write_atomic(path, json.dumps([asdict(entry) for entry in entries], ensure_ascii=False, indent=1).encode())


def digest_now(layout: Layout, relative: str) -> str:
    """Return the digest of a file as it is now, "" if it is not there."""
    try:
        return sha256((layout.root / relative).read_bytes()).hexdigest()
    except OSError:
        return ""


def untouched(layout: Layout, entry: PendingCommit) -> tuple[str, ...]:
    """Return the files of an entry that are still as it wrote them; the others count as hand edits."""
    return tuple(path for path, digest in entry.digests.items() if digest_now(layout, path) == digest)

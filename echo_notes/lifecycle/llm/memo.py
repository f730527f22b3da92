"""What a model was asked and what it worded, as digests in the state folder: nothing is asked twice."""

import json
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

from echo_notes.files.layout import Layout

_FILE = "llm.json"
_MOST = 20_000
"""Digests of each sort that are kept, the newest; what is lost is only asked again."""


@dataclass(slots=True)
class Memo:
    """Digests of questions answered (`asked`) and of sentences that a model worded (`said`), oldest first."""

    path: Path
    asked: dict[str, None] = field(default_factory=dict)
    said: dict[str, None] = field(default_factory=dict)
    _changed: bool = False

    @classmethod
    def load(cls, path: Path) -> "Memo":
        """Return what the file holds; a missing or torn one holds nothing."""
        try:
            record: Any = json.loads(path.read_bytes())
            asked, said = (dict.fromkeys(map(str, record[name])) for name in ("asked", "said"))
            return cls(path, asked, said)
        except (OSError, ValueError, KeyError, TypeError):
            return cls(path)

    def note(self, where: dict[str, None], *parts: str) -> None:
        """Remember one thing in `asked` or `said`."""
        where[digest(*parts)] = None
        self._changed = True

    def save(self) -> None:
        """Write the file, if there is anything new."""
        if not self._changed:
            return
        from echo_notes.files.textfile import write_atomic

        record = {"asked": list(self.asked)[-_MOST:], "said": list(self.said)[-_MOST:]}
        write_atomic(self.path, json.dumps(record).encode() + b"\n")
        self._changed = False


def memo_path(layout: Layout) -> Path:
    """Return where a vault's memo is kept."""
    return layout.state_dir / _FILE


def digest(*parts: str) -> str:
    """Return a short digest of some texts."""
    return sha256("\x1f".join(parts).encode("utf-8", "replace")).hexdigest()[:20]

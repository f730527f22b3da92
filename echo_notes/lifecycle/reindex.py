"""`reindex`: the index, vectors included, made again from nothing but the files."""

from dataclasses import dataclass
from pathlib import Path

from echo_notes.index.store import Index
from echo_notes.lifecycle.opened import OpenVault


@dataclass(frozen=True, slots=True)
class Reindexed:
    """What was indexed, how long it took, and what could not be read or done."""

    files: int
    took_ms: float
    problems: tuple[str, ...]
    degraded: tuple[str, ...]


def reindex(opened: OpenVault, *, models_dir: Path | None = None, embedder_key: str = "") -> Reindexed:
    """Make the index again, however long it takes; the files are only read."""
    rules = tuple(Path(path) for path in opened.settings.scan_rules)
    index = Index(opened.root, opened.settings, models_dir=models_dir, embedder_key=embedder_key, own_rules=rules)
    report = index.rebuild()
    return Reindexed(
        len(report.changed), report.took_ms, tuple(f"{path}: {what}" for path, what in report.problems), report.degraded
    )

"""Where everything lives in a vault, and how a vault is found."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from echo_notes.model.errors import RefusedError

if TYPE_CHECKING:
    from echo_notes.model.entity import EntityRef

MARKER = "echo.yaml"
AREAS = "life/areas"
ITEMS = "items.json"
ARCHIVE = "archive.json"
SUMMARY = "summary.md"
MEMORY = "MEMORY.md"
REVIEW = "review.json"
DECISIONS = "decisions.jsonl"
DAILY_DIR = "memory"
WEEKLY_DIR = "memory/weekly"
TOPICS_DIR = "memory/topics"
EPISODES_DIR = "memory/episodes"
AUDIT_DIR = "audit"
ECHO_DIR = ".echo"
JOURNAL_PLAN = ".echo/state/journal/plan.json"


@dataclass(frozen=True, slots=True)
class Layout:
    """The paths of one vault. Relative paths are text with `/`, as git and JSON show them."""

    root: Path

    @property
    def index_dir(self) -> Path:
        """The derived index; deleting it loses nothing."""
        return self.root / ECHO_DIR / "index"

    @property
    def state_dir(self) -> Path:
        """What is in flight: lock, journal, pending commits, sessions, recall ticks."""
        return self.root / ECHO_DIR / "state"

    def path(self, relative: str) -> Path:
        """Return the absolute path of a file of the vault; RefusedError where a link would lead outside it."""
        path = self.root / relative
        home = os.path.realpath(self.root)
        real = os.path.realpath(path)
        if real != home and not real.startswith(home + os.sep):
            raise RefusedError(
                "leads outside the vault",
                reason="scope",
                op="write",
                target=relative,
                where=relative,
                fix="Echo Notes does not follow links out of the vault; replace the link by a folder.",
            )
        return path

    def relative(self, path: Path) -> str:
        """Return a path inside the vault as `/`-separated text relative to its root."""
        return path.relative_to(self.root).as_posix()

    def find_folder(self, ref: "EntityRef") -> str | None:
        """Return the folder of an entity as it is on disk, None if there is none."""
        for parent in (AREAS, "life"):
            folder = f"{parent}/{ref.kind}/{ref.slug}"
            if (self.root / folder).is_dir():
                return folder
        return None

    def folder(self, ref: "EntityRef") -> str:
        """Return the folder that an entity has, or would get."""
        return self.find_folder(ref) or f"{AREAS}/{ref.kind}/{ref.slug}"

    def kinds_on_disk(self) -> tuple[str, ...]:
        """Return the folders under life/areas, sorted; each is a kind."""
        try:
            with os.scandir(self.root / AREAS) as entries:
                return tuple(sorted(e.name for e in entries if e.is_dir(follow_symlinks=False) and e.name[0] != "."))
        except OSError:
            return ()


def daily_path(day: date) -> str:
    """Return the path of a day's note."""
    return f"{DAILY_DIR}/{day.isoformat()}.md"


def weekly_path(day: date) -> str:
    """Return the path of the weekly file of the ISO week that holds the day."""
    from echo_notes.model.dates import week_name

    return f"{WEEKLY_DIR}/{week_name(day)}.md"


def find_vault(start: Path) -> Path | None:
    """Return the nearest folder at or above `start` that holds an echo.yaml."""
    for folder in (start, *start.parents):
        if (folder / MARKER).is_file():
            return folder
    return None


def iter_daily(root: Path) -> Iterator[tuple[date, str]]:
    """Yield (day, relative path) of every daily note, oldest first; slug-named ones too."""
    found = []
    try:
        with os.scandir(root / DAILY_DIR) as entries:
            for entry in entries:
                stem, dot, end = entry.name.rpartition(".")
                if dot and end == "md" and (len(stem) == 10 or stem[10:11] == "-"):  # noqa: PLR2004 - len of an ISO day
                    try:
                        day = date.fromisoformat(stem[:10])
                    except ValueError:
                        continue
                    found.append((day, f"{DAILY_DIR}/{entry.name}"))
    except OSError:
        return
    yield from sorted(found)

"""Which files the index has seen, in which state, and which of them have to be read again."""

import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from echo_notes.files.layout import ARCHIVE, AREAS, DAILY_DIR, ITEMS, MARKER, WEEKLY_DIR

_RACY_NS = 2_000_000_000
"""Files touched less than this before the manifest was written are compared by digest (FAT keeps 2 s steps)."""
_ROOT_SKIPPED = frozenset(["claude.md", "agents.md"])
_VANISHED_FILES = 3
_CACHE_TAG = "CACHEDIR.TAG"
_CACHE_TEXT = (
    "Signature: 8a477f597d28d172789f06886806bc55\n# Derived by Echo Notes from the vault; deleting it loses nothing.\n"
)


class Stat(NamedTuple):  # tens of thousands are made in one refresh: a tuple is made and compared at C speed
    """What a look at a file costs nothing to know: times in ns, size in bytes, inode."""

    modified_ns: int
    changed_ns: int
    size: int
    inode: int


@dataclass(frozen=True, slots=True)
class Walk:
    """The files of a vault that can hold passages, `/`-separated and relative.

    `unreadable`: what could not be read, and why. `links`: symbolic links, which are not followed.
    """

    files: dict[str, Stat]
    unreadable: dict[str, str]
    links: tuple[str, ...] = ()


def walk_vault(root: Path) -> Walk:
    """Return the notes and fact files of a vault.

    Dot-folders, sync conflicts, nested vaults, weekly reports and symbolic links are left out.
    """
    files: dict[str, Stat] = {}
    unreadable: dict[str, str] = {}
    links: list[str] = []
    pending = [""]
    base = os.fspath(root)
    while pending:
        folder = pending.pop()
        try:
            entries = list(os.scandir(f"{base}/{folder}"))
        except OSError as error:
            unreadable[folder] = error.strerror or "cannot be read"
            continue
        if folder == WEEKLY_DIR or (folder and any(entry.name == MARKER for entry in entries)):
            continue
        for entry in entries:
            if entry.name[0] == "." or ".sync-conflict" in entry.name:
                continue
            path = f"{folder}/{entry.name}" if folder else entry.name
            try:
                if entry.is_dir(follow_symlinks=False):
                    pending.append(path)
                elif _is_indexed(entry.name, folder) and entry.is_file(follow_symlinks=False):
                    files[path] = _stat_of(entry)
                elif entry.is_symlink():
                    links.append(path)
            except OSError as error:
                unreadable[path] = error.strerror or "cannot be read"
    return Walk(files, unreadable, tuple(links))


def _stat_of(entry: "os.DirEntry[str]") -> Stat:
    found = entry.stat(follow_symlinks=False)
    return Stat(found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino)


def is_fact_file(path: str) -> bool:
    """Return whether a path holds facts (items.json, archive.json) rather than Markdown."""
    return path.rpartition("/")[2] in {ITEMS, ARCHIVE}


def _is_indexed(name: str, folder: str) -> bool:
    if is_fact_file(name):
        return True
    return name[-3:].lower() == ".md" and (bool(folder) or name.lower() not in _ROOT_SKIPPED)


class Entry(NamedTuple):
    """What the index holds of a file: its state when read, its run of `rows` rows, and what was wrong with it.

    `depends`: what the passages took from elsewhere (the entity's names). `model`: whose vectors all of them have.
    """

    stat: Stat
    digest: str
    first_row: int
    rows: int
    depends: str = ""
    problem: str = ""
    model: str = ""


@dataclass(slots=True)
class Manifest:
    """The table of contents of an index.

    `key`: which analysis and schema wrote it. `lexical`: the files of the lexical index then, with their sizes. `dead`:
    runs (first, count) of rows that still have vectors but no passage. `tokens`: every kind of visibility there is.
    """

    key: str
    files: dict[str, Entry] = field(default_factory=dict)
    next_row: int = 0
    lexical: dict[str, int] = field(default_factory=dict)
    dead: list[list[int]] = field(default_factory=list)
    tokens: set[str] = field(default_factory=set)
    segments: list[dict[str, Any]] = field(default_factory=list)
    written_ns: int = 0

    @classmethod
    def load(cls, path: Path, key: str) -> "Manifest | None":
        """Return the manifest on disk, None if there is none, it is torn, or another version wrote it."""
        try:
            with path.open("rb") as file:
                written_ns = os.fstat(file.fileno()).st_mtime_ns
                data = json.loads(file.read())
            if data["key"] != key:
                return None
            files = {name: Entry(Stat(*row[0]), *row[1:]) for name, row in data["files"].items()}
            return cls(
                key,
                files,
                data["next_row"],
                data["lexical"],
                data["dead"],
                set(data["tokens"]),
                data["segments"],
                written_ns,
            )
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def dump(self) -> bytes:
        """Return the manifest as JSON bytes."""
        rows = {
            name: [
                [e.stat.modified_ns, e.stat.changed_ns, e.stat.size, e.stat.inode],
                *e[1:],
            ]
            for name, e in self.files.items()
        }
        data = {
            "key": self.key,
            "next_row": self.next_row,
            "lexical": self.lexical,
            "dead": self.dead,
            "tokens": sorted(self.tokens),
            "segments": self.segments,
            "files": rows,
        }
        return json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")

    def dead_rows(self) -> set[int]:
        """Return the rows that have vectors but no passage any more."""
        return {row for first, count in self.dead for row in range(first, first + count)}

    def is_clean(self, path: str, stat: Stat) -> bool:
        """Return whether a file is certainly as it was read, by its stat alone.

        As git's index does, a file touched at about the time of the manifest's own write is not trusted.
        """
        entry = self.files.get(path)
        return entry is not None and entry.stat == stat and is_settled(stat, self.written_ns)

    def vanished(self, walk: Walk) -> Iterator[tuple[str, str]]:
        """Yield (folder, why) for each folder whose files must be kept though they are not to be seen.

        Unreadable folders; and the vault's own upper folders (`memory`, `life/areas/<kind>`) that are missing or empty
        though they held several files: a disk that is not mounted looks like that, and it is not a deletion.
        """
        yield from walk.unreadable.items()
        if self.files.keys() <= walk.files.keys():
            return
        held: dict[str, int] = {}
        for path in self.files:
            for folder in _upper_folders(path):
                held[folder] = held.get(folder, 0) + 1
        seen = {folder for path in walk.files for folder in _upper_folders(path)}
        for folder, count in held.items():
            if count > _VANISHED_FILES and folder not in seen and folder not in walk.unreadable:
                yield folder, "is missing or empty"


def is_settled(stat: Stat, written_ns: int) -> bool:
    """Return whether a file was last touched clearly before a table that describes it was written."""
    return max(stat.modified_ns, stat.changed_ns) < written_ns - _RACY_NS


def replace_file(path: Path, data: bytes) -> None:
    """Put a derived file in place in one step, its folder made and marked as derived; OSError passes.

    Nothing here has to survive a power cut, so there is no fsync.
    """
    ensure_index_dir(path.parent)
    temp_path = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    try:
        temp_path.write_bytes(data)
        temp_path.replace(path)
    except BaseException:
        temp_path.unlink(missing_ok=True)
        raise


def ensure_index_dir(folder: Path) -> None:
    """Make the index's folder, tagged for backup programs, in a `.echo` that git ignores."""
    if (folder / _CACHE_TAG).exists():
        return
    folder.mkdir(parents=True, exist_ok=True)
    (folder / _CACHE_TAG).write_text(_CACHE_TEXT)
    ignore = folder.parent / ".gitignore"
    if not ignore.exists():
        ignore.write_text("*\n")


def _upper_folders(path: str) -> Iterable[str]:
    parts = path.split("/")
    if parts[0] == DAILY_DIR and len(parts) > 1:
        return (DAILY_DIR,)
    if path.startswith(f"{AREAS}/") and len(parts) > len(AREAS.split("/")) + 1:
        return ("life", AREAS, "/".join(parts[:3]))
    return ("life",) if parts[0] == "life" and len(parts) > 1 else ()

"""Who and what the vault is about: every entity with its names, remembered between commands and checked by stat."""

import json
import os
import unicodedata
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from echo_notes.files.layout import AREAS, ECHO_DIR, SUMMARY
from echo_notes.index.manifest import Stat, Walk, is_fact_file, is_settled, replace_file, walk_vault
from echo_notes.model.entity import Entity, EntityRef
from echo_notes.model.errors import UnreadableError

_VERSION = 2


class Catalogue:
    """The entities of a vault, as its folders and the front matter of their summaries name them.

    An entity is a folder under `life/areas/<kind>/`, or any other folder with an items.json. Call `refresh` first.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._path = root / ECHO_DIR / "index" / "catalogue.json"
        self.entities: tuple[Entity, ...] = ()
        self.problems: tuple[tuple[str, str], ...] = ()
        self._by_folder: dict[str, Entity] = {}

    def refresh(self, walk: Walk | None = None) -> tuple[Entity, ...]:
        """Return the entities as they are now; reads only the summaries that changed. `walk`: one just made."""
        walk = walk or walk_vault(self._root)
        known, written_ns = self._load()
        rows: dict[str, list[Any]] = {}
        entities: list[Entity] = []
        problems: list[tuple[str, str]] = []
        changed = doubtful = False
        for folder, summary in sorted(_entity_folders(walk.files)):
            stat = walk.files[summary] if summary else None
            row = known.get(folder)
            settled = stat is None or is_settled(stat, written_ns)
            if row is None or row[0] != (list(stat) if stat else None) or not settled:
                doubtful = doubtful or not settled
                fresh = self._read(folder, summary, stat)
                changed = changed or fresh != row
                row = fresh
            rows[folder] = row
            *fields, problem = row[1:]
            entities.append(_entity(folder, *fields))
            if problem:
                problems.append((summary, problem))
        for folder in sorted(known.keys() - rows.keys()) if walk.unreadable else ():
            if any(folder == away or folder.startswith(f"{away}/") for away in walk.unreadable):
                rows[folder] = known[folder]  # a folder that may not be looked into has not lost what is in it
                entities.append(_entity(folder, *rows[folder][1:-1]))
        self.entities = tuple(entities)
        self.problems = tuple(problems)
        self._by_folder = {entity.folder: entity for entity in entities}
        with suppress(OSError):  # a vault that cannot be written to is still read
            if changed or len(rows) != len(known):
                self._save(rows)
            elif doubtful:
                os.utime(self._path)  # looked at again and found as it was: from now on its stat is proof enough
        return self.entities

    def find_by_path(self, path: str) -> Entity | None:
        """Return the entity in whose folder a file lies, None if it lies in none."""
        return self._by_folder.get(path.rpartition("/")[0])

    def by_name(self) -> dict[str, EntityRef]:
        """Return every folded name with the entity it stands for; a name of several stands for the first."""
        names: dict[str, EntityRef] = {}
        for entity in self.entities:
            for name in entity.folded_names():
                names.setdefault(name, entity.ref)
        return names

    def _read(self, folder: str, summary: str, stat: Stat | None) -> list[Any]:
        """Return a row: stat, name, aliases, tags, names as they are compared, problem."""
        name, aliases, tags, problem = folder.rpartition("/")[2], [], [], ""
        if summary and stat:
            from echo_notes.files.summary import parse_summary
            from echo_notes.files.textfile import load_text

            try:
                parsed = parse_summary(load_text(self._root / summary, shown=summary).text)
                name, aliases, tags = parsed.name or name, list(parsed.aliases), list(parsed.tags)
            except UnreadableError as error:
                problem = error.what
            except OSError as error:
                problem = error.strerror or "cannot be read"
        folded = sorted(_entity(folder, name, aliases, tags, []).folded_names())
        return [list(stat) if stat else None, name, aliases, tags, folded, problem]

    def _load(self) -> tuple[dict[str, list[Any]], int]:
        try:
            with self._path.open("rb") as file:
                data = json.loads(file.read())
                written_ns = self._path.stat().st_mtime_ns
            if data["version"] == _VERSION and isinstance(data["folders"], dict):
                return data["folders"], written_ns
        except (OSError, ValueError, KeyError, TypeError):
            pass  # it is derived: what cannot be read is made again
        return {}, 0

    def _save(self, rows: dict[str, list[Any]]) -> None:
        data = {"version": _VERSION, "folders": rows}
        text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
        replace_file(self._path, text.encode("utf-8", "surrogatepass"))


def _entity_folders(paths: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield (folder, path of its summary or "") for every entity folder among the files of a vault."""
    found: dict[str, str] = {}
    depth = AREAS.count("/") + 3
    for path in paths:
        folder, _, name = path.rpartition("/")
        in_areas = path.startswith(f"{AREAS}/") and folder.count("/") == depth - 1
        if name == SUMMARY and (in_areas or folder in found):
            found[folder] = path
        elif is_fact_file(path) and folder.count("/") >= 1:
            sibling = f"{folder}/{SUMMARY}"
            found.setdefault(folder, sibling if sibling in paths else "")
        elif in_areas:
            found.setdefault(folder, "")
    yield from found.items()


def _entity(folder: str, name: str, aliases: list[str], tags: list[str], folded: list[str]) -> Entity:
    parent, _, slug = unicodedata.normalize("NFC", folder).rpartition("/")
    ref = EntityRef(parent.rpartition("/")[2], slug)
    return Entity(ref, name, folder, tuple(aliases), tuple(tags), frozenset(folded))

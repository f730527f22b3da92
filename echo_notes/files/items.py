"""items.json and archive.json as text: facts are read with their lines, and one is edited without touching the rest."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from json import JSONDecodeError
from typing import Any, Final

from echo_notes.files import record_text
from echo_notes.files.item_problems import Problem, find_problems
from echo_notes.files.jsontext import iter_members, read_elements, read_value, require_end, skip_space
from echo_notes.files.records import (
    ALIASES,
    digest_record,
    fact_from_record,
    find_field,
    new_record,
    plain_value,
    record_id,
)
from echo_notes.files.textfile import decode_text, dump_text, find_merge_marker, line_column, merge_markers_error
from echo_notes.model.entity import EntityRef
from echo_notes.model.errors import ConflictError, NotFoundError, UnreadableError
from echo_notes.model.fact import Fact

__all__ = ["REMOVE", "ItemsFile", "Problem", "digest_record", "fact_from_record", "new_record"]

REMOVE: Final[Any] = record_text.REMOVE
WRAPPERS: Final = ("facts", "items")
_EMPTY = "[]\n"


@dataclass(frozen=True, slots=True)
class _Part:
    """An array element as text, with what stands between it and the element before (or the opening bracket)."""

    lead: str
    text: str
    value: Any


@dataclass(frozen=True, slots=True)
class _Home:
    """What every version of a file has in common."""

    entity: EntityRef
    path: str
    bom: bool
    newline: str
    wrapper: str
    categories: tuple[str, ...]


class ItemsFile:
    """The facts of one file, immutable: an edit returns another ItemsFile, and `dump` gives its bytes."""

    __slots__ = ("_facts", "_head", "_home", "_parts", "_raw", "_tail")

    def __init__(self, home: _Home, head: str, parts: Sequence[_Part], tail: str, *, raw: bytes | None = None) -> None:
        """Build from pieces; `parse` is the way to get one. `raw`: the bytes, as long as nothing was changed."""
        self._home = home
        self._head = head
        self._parts = tuple(parts)
        self._tail = tail
        self._raw = raw
        self._facts: tuple[Fact, ...] | None = None

    @property
    def entity(self) -> EntityRef:
        """The entity whose folder holds the file."""
        return self._home.entity

    @property
    def path(self) -> str:
        """The file, relative to the vault."""
        return self._home.path

    @classmethod
    def parse(cls, raw: bytes, *, entity: EntityRef, path: str, categories: Iterable[str] = ()) -> "ItemsFile":
        """Return the file that the bytes hold; UnreadableError names `path:line:column` (merge markers too).

        An empty file holds no facts. `categories`, if any, are those that `problems` lets pass.
        """
        source = decode_text(raw, path)
        text = source.text if source.text.strip() else _EMPTY
        try:
            start, wrapper = _find_array(text)
            elements, end = read_elements(text, start)
            if not wrapper:
                require_end(text, end)
        except JSONDecodeError as error:
            raise _unreadable(error, text, path) from None
        parts = []
        at = start + 1
        for element in elements:
            parts.append(_Part(text[at : element.start], text[element.start : element.end], element.value))
            at = element.end
        home = _Home(entity, path, source.bom, source.newline, wrapper, tuple(categories))
        return cls(home, text[: start + 1], parts, text[at:], raw=raw)

    @property
    def facts(self) -> tuple[Fact, ...]:
        """The facts in file order; an element that is not an object is none (`problems` names it)."""
        if self._facts is None:
            self._facts = tuple(
                fact_from_record(
                    part.value,
                    entity=self.entity,
                    path=self.path,
                    line=line,
                    fallback_id=self._fallback_id(number),
                )
                for number, (line, part) in enumerate(self._lines(), 1)
            )
        return self._facts

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What `check --fix` would change here, in file order."""
        line = self._head.count("\n") + 1
        rows = []
        for part in self._parts:
            line += part.lead.count("\n")
            rows.append((line, part.text, part.value))
            line += part.text.count("\n")
        empty = self._raw is not None and not self._raw.removeprefix(b"\xef\xbb\xbf").strip()
        return find_problems(
            rows, self.entity.slug, wrapper=self._home.wrapper, categories=self._home.categories, empty_file=empty
        )

    def dump(self) -> bytes:
        """Return the file's bytes: those that were parsed as long as nothing was changed."""
        if self._raw is not None:
            return self._raw
        body = "".join([piece for part in self._parts for piece in (part.lead, part.text)])
        return dump_text(self._head + body + self._tail, bom=self._home.bom)

    def add(self, record: Mapping[str, Any]) -> "ItemsFile":
        """Return the file with a record (standard names) appended in the style of the facts that are there."""
        nullable = self._keeps_null()
        plain = {
            self._name_of(key): plain_value(value)
            for key, value in record.items()
            if not (key == "supersededBy" and value is None and not nullable)
        }
        style = self._style()
        text = record_text.dump_record(plain, style, escape=self._escapes(plain))
        lead, tail = self._room(style)
        return self._with([*self._parts, _Part(lead, text, read_value(text, 0)[0])], tail)

    def set(self, fact: str | int, changes: Mapping[str, Any]) -> "ItemsFile":
        """Return the file with fields of one fact (its id, or index in `facts`) changed, and no other line touched.

        Names are the standard ones; a field that the record calls otherwise keeps its name. REMOVE deletes a field.
        NotFoundError for an unknown id, ConflictError for one that two facts claim.
        """
        index = self._locate(fact)
        part = self._parts[index]
        style = record_text.find_style(part.text) or self._style()
        plain = {name: plain_value(value) for name, value in changes.items()}
        escape = self._escapes(plain)
        text, value = part.text, part.value
        for name, new in plain.items():
            key = find_field(value, name) or self._name_of(name)
            if name == "supersededBy" and new is None and not self._keeps_null(but=index):
                new = REMOVE  # noqa: PLW2901 - the same value, as this file writes it
            text = record_text.set_member(text, key, new, style, escape=escape, is_field=name)
            value = read_value(text, 0)[0]
        if text == part.text:
            return self
        parts = [*self._parts[:index], _Part(part.lead, text, value), *self._parts[index + 1 :]]
        return self._with(parts, self._tail)

    def standardised(self, *, unwrap: bool) -> "ItemsFile":
        """Return the file with every field under its standard name; values stay.

        `unwrap`: take the list of facts out of the object around it; only where that holds nothing else.
        """
        parts = []
        for part in self._parts:
            text = part.text
            for name in ALIASES if isinstance(part.value, dict) else ():
                if (key := find_field(part.value, name)) and key != name:
                    text = record_text.rename_member(text, key, name)
            parts.append(part if text == part.text else _Part(part.lead, text, read_value(text, 0)[0]))
        if not (self._home.wrapper and unwrap):
            return self if parts == list(self._parts) else self._with(parts, self._tail)
        tail = self._tail[: self._tail.index("]") + 1] + self._home.newline
        return ItemsFile(replace(self._home, wrapper=""), "[", parts, tail)

    def remove(self, fact: str | int) -> "ItemsFile":
        """Return the file without one fact (moved elsewhere by the caller); errors as `set`."""
        index = self._locate(fact)
        parts, tail = list(self._parts), self._tail
        gone = parts.pop(index)
        if not parts:
            tail = tail.lstrip(" \t\r\n")
        elif index == 0:
            parts[0] = _Part(gone.lead, parts[0].text, parts[0].value)
        return self._with(parts, tail)

    def get(self, fact_id: str) -> Fact:
        """Return the fact with an id; errors as `set`."""
        index = self._locate(fact_id)
        return self.facts[sum(isinstance(part.value, dict) for part in self._parts[:index])]

    def _with(self, parts: Sequence[_Part], tail: str) -> "ItemsFile":
        return ItemsFile(self._home, self._head, parts, tail)

    def _lines(self) -> Iterable[tuple[int, _Part]]:
        line = self._head.count("\n") + 1
        for part in self._parts:
            line += part.lead.count("\n")
            if isinstance(part.value, dict):
                yield line, part
            line += part.text.count("\n")

    def _records(self) -> list[tuple[int, dict[str, Any]]]:
        return [(index, part.value) for index, part in enumerate(self._parts) if isinstance(part.value, dict)]

    def _fallback_id(self, number: int) -> str:
        # Never of the form that is given out, and different in the two files of an entity.
        letter = "y" if self.path.endswith("archive.json") else "x"
        return f"{self.entity.slug}-{letter}{number:03d}"

    def _locate(self, fact: str | int) -> int:
        records = self._records()
        if isinstance(fact, int):
            return records[fact][0]
        found = [
            index
            for number, (index, record) in enumerate(records, 1)
            if (record_id(record) or self._fallback_id(number)) == fact
        ]
        if not found:
            raise NotFoundError(f"no fact {fact}", where=self.path, fix=f"See them: echo-notes show {self.entity}")
        if len(found) > 1:
            raise ConflictError(
                f"{len(found)} facts have the id {fact}",
                where=self.path,
                fix="Give them their own: echo-notes check --fix",
            )
        return found[0]

    def _name_of(self, name: str) -> str:
        """Return what most records of this file call a standard field."""
        if name not in ALIASES:
            return name
        used = [key for _, record in self._records() if (key := find_field(record, name))]
        return max(dict.fromkeys(used), key=used.count) if used else name

    def _keeps_null(self, but: int = -1) -> bool:
        """Whether a fact without successor says `"supersededBy": null` here, rather than nothing."""
        others = [record for index, record in self._records() if index != but]
        return any(record.get("supersededBy", "") is None for record in others) or all(
            "supersededBy" in record for record in others
        )

    def _escapes(self, values: Mapping[str, Any]) -> bool:
        """Whether new values are written in ASCII alone: the file is ASCII, and escapes what is not."""
        if record_text.is_ascii(values):
            return False
        pieces = [self._head, *(part.text for part in self._parts), self._tail]
        return all(piece.isascii() for piece in pieces) and any("\\u" in piece for piece in pieces)

    def _style(self) -> record_text.Style:
        for part in reversed(self._parts):
            if isinstance(part.value, dict) and (style := record_text.find_style(part.text)):
                return style
        return record_text.default_style(self._home.newline, self._base() + "  ")

    def _base(self) -> str:
        line = self._head[self._head.rfind("\n") + 1 :]
        return line[: len(line) - len(line.lstrip(" \t"))]

    def _room(self, style: record_text.Style) -> tuple[str, str]:
        """Return what stands before an appended record, and the file's tail after it."""
        if len(self._parts) > 1:
            return self._parts[-1].lead, self._tail
        if self._parts:
            lead = self._parts[0].lead
            return "," + lead if lead else ", " if "\n" in style.separator else style.separator, self._tail
        end = self._home.newline + self._base()
        return end + "  ", end + self._tail[skip_space(self._tail, 0) :]


def _find_array(text: str) -> tuple[int, str]:
    """Return the offset of the bracket that opens the facts, and the key that wraps them; JSONDecodeError for none."""
    start = skip_space(text, 0)
    mark = text[start : start + 1]
    if mark == "[":
        return start, ""
    if mark != "{":
        raise JSONDecodeError("a list of facts is expected, in [ ]", text, start)
    members = list(iter_members(text, start))
    end = skip_space(text, members[-1].end if members else start + 1)
    require_end(text, end + 1)
    for wrapper in WRAPPERS:
        for member in reversed(members):
            if member.key == wrapper and text[member.start] == "[":
                return member.start, wrapper
    raise JSONDecodeError('an object without a list under "facts" or "items"', text, start)


def _unreadable(error: JSONDecodeError, text: str, path: str) -> UnreadableError:
    marker = find_merge_marker(text)
    if marker:
        return merge_markers_error(path, marker)
    line, column = line_column(text, error.pos)
    what = error.msg[:1].lower() + error.msg[1:]
    fix = "Mend it in an editor; git diff shows what changed since the last commit."
    return UnreadableError(f"not readable as JSON: {what}", path=path, line=line, column=column, fix=fix)

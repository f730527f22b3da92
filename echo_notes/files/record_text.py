"""One JSON object as text: a member set, added or removed in the object's own style."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from echo_notes.files.jsontext import Member, iter_members, read_value
from echo_notes.files.records import ALIASES, FIELDS

REMOVE: Final[Any] = type("Remove", (), {"__repr__": lambda _self: "REMOVE"})()

_EXPLODED = re.compile(r"\[[ \t]*\r?\n")
_ORDER = {name: number for number, name in enumerate(FIELDS)} | {
    alias: list(FIELDS).index(name) for name, aliases in ALIASES.items() for alias in aliases
}


@dataclass(frozen=True, slots=True)
class Style:
    """How an object is laid out: what follows `{`, stands between members, between key and value, and before `}`.

    `exploded`: whether lists inside it take one line an element.
    """

    opening: str
    separator: str
    colon: str
    closing: str
    exploded: bool = False

    @property
    def indent(self) -> str:
        """The newline and blanks before a member, `""` for an object on one line."""
        return self.separator[self.separator.index(",") + 1 :] if "\n" in self.separator else ""


def default_style(newline: str, indent: str) -> Style:
    """Return the format's own layout for an object that starts after `indent`: members two blanks further in."""
    inner = f"{newline}{indent}  "
    return Style(inner, f",{inner}", ": ", newline + indent)


def find_style(text: str) -> Style | None:
    """Return the layout of an object, None for an empty one."""
    members = list(iter_members(text, 0))
    if not members:
        return None
    first = members[0]
    opening = text[1 : first.key_start]
    separator = text[first.end : members[1].key_start] if len(members) > 1 else f",{opening}"
    exploded = bool(_EXPLODED.search(text))
    return Style(opening, separator, text[first.key_end : first.start], text[members[-1].end : -1], exploded)


def dump_record(record: Mapping[str, Any], style: Style, *, escape: bool) -> str:
    """Return a record as text in a style; `escape` leaves only ASCII in it."""
    members = [
        f"{_dump_scalar(key, escape=escape)}{style.colon}{_dump_value(value, style, escape=escape)}"
        for key, value in record.items()
    ]
    return "{" + style.opening + style.separator.join(members) + style.closing + "}"


def set_member(text: str, key: str, value: Any, style: Style, *, escape: bool, is_field: str = "") -> str:
    """Return an object's text with one member set to a value, or removed (REMOVE); the same text if it is so already.

    Of a key that stands twice the last one, which is the one that is read, is set; REMOVE takes both. A new member goes
    where the standard field `is_field` belongs in the order of the format, an unknown one to the end.
    """
    members = list(iter_members(text, 0))
    holders = [number for number, member in enumerate(members) if member.key == key]
    if value is REMOVE:
        for number in reversed(holders):
            text = _without(text, list(iter_members(text, 0)), number)
        return text
    dumped = _dump_value(value, style, escape=escape)
    if holders:
        member = members[holders[-1]]
        if json.dumps(read_value(text, member.start)[0]) == json.dumps(value):
            return text
        return text[: member.start] + dumped + text[member.end :]
    new = f"{_dump_scalar(key, escape=escape)}{style.colon}{dumped}"
    return _with(text, members, new, style, is_field or key)


def is_ascii(values: Mapping[str, Any]) -> bool:
    """Whether every key and value is written with ASCII characters alone."""
    return json.dumps({k: v for k, v in values.items() if v is not REMOVE}, ensure_ascii=False).isascii()


def rename_member(text: str, old: str, new: str) -> str:
    """Return an object's text with a key called otherwise (in ASCII), its value and place as they are."""
    for member in reversed(list(iter_members(text, 0))):
        if member.key == old:
            text = text[: member.key_start] + json.dumps(new) + text[member.key_end :]
    return text


def _with(text: str, members: list[Member], new: str, style: Style, name: str) -> str:
    if not members:
        return "{" + style.opening + new + style.closing + "}"
    if name not in _ORDER:
        place = len(members) - 1
    else:
        before = [number for number, member in enumerate(members) if _ORDER.get(member.key, 999) < _ORDER[name]]
        place = before[-1] if before else -1
    if place < 0:
        at = members[0].key_start
        return text[:at] + new + style.separator + text[at:]
    at = members[place].end
    return text[:at] + style.separator + new + text[at:]


def _without(text: str, members: list[Member], number: int) -> str:
    if number + 1 < len(members):
        return text[: members[number].key_start] + text[members[number + 1].key_start :]
    if number:
        return text[: members[number - 1].end] + text[members[number].end :]
    return text[: members[0].key_start] + text[members[0].end :]


def _dump_value(value: Any, style: Style, *, escape: bool) -> str:
    if not isinstance(value, (list, dict)) or not value:
        return _dump_scalar(value, escape=escape)
    space = " " if style.colon.endswith(" ") or "\n" in style.separator else ""
    if style.exploded and style.indent:
        newline, _, blanks = style.indent.rpartition("\n")
        outer = style.closing.rpartition("\n")[2]
        unit = blanks.removeprefix(outer) or "  "
        dumped = json.dumps(value, indent=unit, ensure_ascii=escape, allow_nan=False)
        return dumped.replace("\n", f"{newline}\n{blanks}")
    separators = (f",{space}", f":{space}")
    return json.dumps(value, ensure_ascii=escape or _has_surrogate(value), allow_nan=False, separators=separators)


def _dump_scalar(value: Any, *, escape: bool) -> str:
    return json.dumps(value, ensure_ascii=escape or _has_surrogate(value), allow_nan=False)


def _has_surrogate(value: Any) -> bool:
    return re.search("[\ud800-\udfff]", json.dumps(value, ensure_ascii=False)) is not None

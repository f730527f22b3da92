"""JSON as text: where each element, key and value of a document stands, so that one can be replaced alone."""

import json
import re
from collections.abc import Iterator
from json import JSONDecodeError
from typing import Any, NamedTuple

_space = re.compile(r"[ \t\n\r]*").match
_LONGEST_INT = 4000  # digits; Python refuses to convert more than 4300


class Element(NamedTuple):
    """An array element: its offsets into the document and its value."""

    start: int
    end: int
    value: Any


class Member(NamedTuple):
    """A key and its value inside an object, with their offsets; a key may come twice, the last one counts."""

    key: str
    key_start: int
    key_end: int
    start: int
    end: int


def skip_space(text: str, position: int) -> int:
    """Return the offset of the next character that is not JSON white space (the length at the end)."""
    match = _space(text, position)
    return match.end() if match else position


def read_value(text: str, position: int) -> tuple[Any, int]:
    """Return the value that starts at an offset, and where it ends; JSONDecodeError for no value or too deep a one."""
    try:
        return _DECODER.raw_decode(text, position)
    except RecursionError:
        raise JSONDecodeError("nested too deeply", text, position) from None


def read_elements(text: str, position: int) -> tuple[list[Element], int]:
    """Return the elements of the array whose bracket is at an offset, and the offset after its closing one."""
    elements: list[Element] = []
    position = skip_space(text, position + 1)
    if text[position : position + 1] == "]":
        return elements, position + 1
    while True:
        value, end = read_value(text, position)
        elements.append(Element(position, end, value))
        position = skip_space(text, end)
        mark = text[position : position + 1]
        if mark == "]":
            return elements, position + 1
        position = _next_part(text, position, mark, "]")


def iter_members(text: str, position: int) -> Iterator[Member]:
    """Yield the members of the object whose brace is at an offset; the last one's end leads to the closing brace."""
    position = skip_space(text, position + 1)
    if text[position : position + 1] == "}":
        return
    while True:
        if text[position : position + 1] != '"':
            raise JSONDecodeError("a key in double quotes is expected", text, position)
        key, key_end = read_value(text, position)
        colon = skip_space(text, key_end)
        if text[colon : colon + 1] != ":":
            raise JSONDecodeError("a colon is expected", text, colon)
        start = skip_space(text, colon + 1)
        end = read_value(text, start)[1]
        yield Member(key, position, key_end, start, end)
        position = skip_space(text, end)
        mark = text[position : position + 1]
        if mark == "}":
            return
        position = _next_part(text, position, mark, "}")


def require_end(text: str, position: int) -> None:
    """Raise JSONDecodeError if anything but white space follows."""
    position = skip_space(text, position)
    if position != len(text):
        raise JSONDecodeError("something follows the end of the JSON", text, position)


def _next_part(text: str, position: int, mark: str, closing: str) -> int:
    if mark != ",":
        missing = "the file ends too early" if not mark else f"a comma or {closing} is expected"
        raise JSONDecodeError(missing, text, position)
    after = skip_space(text, position + 1)
    if text[after : after + 1] == closing:
        raise JSONDecodeError(f"a comma with nothing between it and {closing}", text, position)
    return after


def _read_int(digits: str) -> int | str:
    return int(digits) if len(digits) < _LONGEST_INT else digits


_DECODER = json.JSONDecoder(parse_int=_read_int)

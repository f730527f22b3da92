"""What people type, as values: dates, and statements from arguments or standard input."""

import json
import re
import sys
from dataclasses import fields, replace
from datetime import date
from typing import TYPE_CHECKING, Any

from echo_notes.cli.surroundings import now
from echo_notes.model.dates import Span, parse_date, parse_span
from echo_notes.model.errors import UsageError

if TYPE_CHECKING:
    from echo_notes.lifecycle.remember import Statement

STDIN = "-"
_LINE = re.compile(r"\r\n|\n|\r")  # and no other: JSON may hold U+2028 and U+0085 as they are
_DAYS = frozenset(["on", "valid_from", "valid_until"])


class Day:
    """Reads dates against one today."""

    def __init__(self) -> None:
        self.today = now().date()

    def optional(self, text: str) -> date | None:
        """Return the day that the text names, None for no text."""
        return parse_date(text, self.today) if text else None

    def span(self, text: str) -> Span | None:
        """Return the days that the text names, None for no text."""
        return parse_span(text, self.today) if text else None


def read_text(words: list[str]) -> str:
    """Return the words of the command line as one text; `-` alone reads standard input whole."""
    return read_stdin().strip() if words == [STDIN] else " ".join(words)


def read_lines(words: list[str]) -> tuple[str, ...]:
    """Return the texts of the command: its words as one text, or with `-` the non-empty lines of standard input."""
    if words != [STDIN]:
        return (" ".join(words),)
    return tuple(line.strip() for line in _LINE.split(read_stdin()) if line.strip())


def read_stdin() -> str:
    """Return standard input as text; UsageError names the line that is not UTF-8."""
    data = sys.stdin.buffer.read()
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise UsageError(
            "is not UTF-8", where=f"standard input, line {line}", fix="Nothing was written. Convert it."
        ) from None


def read_statements(words: list[str], common: "Statement") -> "list[Statement]":
    """Return the statements of the command: its words, or with `-` one a line (plain, or JSON objects)."""
    statements = []
    for number, line in enumerate(read_lines(words), 1):
        if words == [STDIN] and line.startswith("{"):
            statements.append(_from_json(line, number, common))
        else:
            statements.append(replace(common, text=line))
    return statements


def _from_json(line: str, number: int, common: "Statement") -> "Statement":
    where = f"standard input, line {number}"
    try:
        record = json.loads(line)
    except ValueError:
        raise UsageError("is not JSON", where=where, fix="Write plain text, or one JSON object a line.") from None
    names = {"fact": "text", "content": "text", "date": "on", "timestamp": "on", "validFrom": "valid_from",
             "validUntil": "valid_until", "pin": "pinned", "entity": "about"}  # fmt: skip
    known = {item.name for item in fields(common)}
    values: dict[str, Any] = {}
    for name, value in record.items():
        field = names.get(name, name)
        if field not in known:
            raise UsageError(f"has an unknown field {name!r}", where=where, fix=f"Known: {', '.join(sorted(known))}.")
        if value is not None:
            values[field] = _value(field, value, f"{where}, {name}")
    if not isinstance(values.get("text"), str):
        raise UsageError(
            "has no text", where=where, fix='For example: {"text": "Ada prefers tea", "about": "people/ada"}'
        )
    return replace(common, **values)


def _value(field: str, value: Any, where: str) -> Any:
    """Return what one field of a JSON statement says; UsageError where it is of another type."""
    if field == "tags":
        tags = value if isinstance(value, list) else [value]
        if all(isinstance(tag, str) for tag in tags):
            return tuple(tags)
        wanted = "a text, or a list of texts"
    elif field == "importance":
        if isinstance(value, int | float) and not isinstance(value, bool):
            return float(value)
        wanted = "a number from 0 to 1"
    elif field == "pinned":
        if isinstance(value, bool):
            return value
        wanted = "true or false"
    else:
        if isinstance(value, str):
            return Day().optional(value) if field in _DAYS else value
        wanted = "a text"
    raise UsageError(f"is {json.dumps(value, ensure_ascii=False)[:40]}", where=where, fix=f"It takes {wanted}.")

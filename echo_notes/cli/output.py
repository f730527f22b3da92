"""What a person or program sees: answers on standard output, all else on standard error, always safe to print."""

import json
import os
import re
import sys
from collections.abc import Iterable, Mapping
from typing import Any

SCHEMA = 1
# Control and escape bytes, C1 controls, and what could reorder or hide text on a terminal.
_UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2028\u2029\u2066-\u2069\ufeff\U000e0000-\U000e007f]"
)
_JOINERS = re.compile("(?<=[^\x00-\x7f])[\u200c\u200d](?=[^\x00-\x7f])")

DIM, BOLD, RED, GREEN, YELLOW, CYAN = "2", "1", "31", "32", "33", "36"


def use_utf8() -> None:
    """Make the streams UTF-8 whatever the locale says; what cannot be written is escaped, never an error."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    if hasattr(sys.stdin, "reconfigure"):
        sys.stdin.reconfigure(encoding="utf-8", errors="strict")


def clean(text: str) -> str:
    """Return vault text as it may be sent to a terminal: no control, escape, direction or invisible characters."""
    if not _UNSAFE.search(text):
        return text
    marks = {match.start() for match in _JOINERS.finditer(text)}
    return "".join(char for at, char in enumerate(text) if at in marks or not _UNSAFE.match(char))


def one_line(text: str) -> str:
    """Return vault text cleaned and on one line."""
    return " ".join(clean(text).split())


def say(text: str = "", *, hang: int | None = None) -> None:
    """Print a line of the answer; a terminal gets long ones broken between words, with a hanging indent."""
    if hang is not None and sys.stdout.isatty():
        from shutil import get_terminal_size

        from echo_notes.cli.wrap import wrap

        text = wrap(text, get_terminal_size().columns, hang)
    sys.stdout.write(text + "\n")


def say_json(record: Mapping[str, Any]) -> None:
    """Print one JSON object, `"schema": 1` first."""
    sys.stdout.write(json.dumps({"schema": SCHEMA, **record}, ensure_ascii=False, indent=2, default=str) + "\n")


def say_ndjson(records: Iterable[Mapping[str, Any]]) -> None:
    """Print one JSON record a line."""
    for record in records:
        sys.stdout.write(json.dumps(record, ensure_ascii=False, separators=(",", ":"), default=str) + "\n")


def tell(message: str) -> None:
    """Say something that is not the answer."""
    sys.stderr.write(f"echo-notes: {clean(message)}\n")


def tell_error(what: str, *, where: str = "", fix: str = "") -> None:
    """Say what failed, where, and what mends it."""
    head = f"{where}: {what}" if where else what
    sys.stdout.flush()
    sys.stderr.write(f"{paint('error:', RED, BOLD, stream=sys.stderr)} {clean(head)}\n")
    if fix:
        sys.stderr.write("".join(f"  {line}\n" for line in clean(fix).splitlines()))


def colour_on(stream: Any = None) -> bool:
    """Return whether colour may be used: a terminal, and neither NO_COLOR nor TERM=dumb."""
    out = sys.stdout if stream is None else stream
    return bool(out.isatty()) and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def paint(text: str, *codes: str, stream: Any = None) -> str:
    """Return text in colour where colour may be used."""
    return f"\x1b[{';'.join(codes)}m{text}\x1b[0m" if codes and colour_on(stream) else text


def say_diff(diff: str, subject: str) -> None:
    """Print what a dry run would change, and the subject of the commit it would make."""
    for line in diff.splitlines():
        code = {"+": GREEN, "-": RED, "@": CYAN}.get(line[:1], "")
        say(paint(clean(line), code) if code else clean(line))
    say(f"commit: {one_line(subject)}")

"""Lines and sentences of notes and messages: what in them is prose of the writer's own, and where it stands."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from echo_notes.guard.lexicon import load_lexicon
from echo_notes.model.names import fold

_ABBREVIATIONS = (
    "mr",
    "mrs",
    "ms",
    "dr",
    "prof",
    "st",
    "vs",
    "e.g",
    "i.e",
    "etc",
    "no",
    "inc",
    "ltd",
    "co",
    "jr",
    "sr",
    "approx",
)
_FENCES = ("```", "~~~")
_TASK = r"(?:[-*+]|\d+[.)])\s+\[.?\](?:\s|$)"
_CAPTION = r"\[?\d{1,2}:\d{2}(?::\d{2})?(?:[.,]\d+)?\s*(?:-->|-|–|\])\s*\d{1,2}:\d{2}"


@dataclass(frozen=True, slots=True)
class Line:
    """One line of prose: its text without bullet and time, where that starts in the note, its 1-based number, its tags.

    `quoted`: it begins in quotation marks. `speaker`: it begins with a speaker's name and a colon, so that `I` is not
    the writer.
    """

    text: str
    start: int
    number: int
    tags: tuple[str, ...] = ()
    quoted: bool = False
    speaker: bool = False


@cache
def _pattern(source: str) -> re.Pattern[str]:
    return re.compile(source)


def iter_lines(text: str) -> Iterator[Line]:
    """Yield the lines that can hold statements.

    Left out: front matter, headings, code, quotes, tables, tasks, comments, generated regions, and the envelopes of
    pasted mail and transcripts.
    """
    offset = 0
    fence = ""
    comment = front = forwarded = False
    for number, raw in enumerate(text.splitlines(keepends=True), 1):
        line = raw.rstrip("\r\n")
        start, offset = offset, offset + len(raw)
        stripped = line.strip()
        if number == 1 and stripped == "---":
            front = True
            continue
        if front:
            front = stripped not in {"---", "..."}
            continue
        if fence or stripped.startswith(_FENCES):
            fence = _fence_after(fence, stripped)
            continue
        if comment or stripped.startswith("<!--"):
            comment = "-->" not in stripped and "echo:end" not in stripped and not stripped.endswith("-->")
            comment = comment or "echo:begin" in stripped
            continue
        forwarded = (forwarded or _starts_forward(stripped)) and bool(stripped)
        if not stripped or forwarded or _is_furniture(line, stripped):
            continue
        yield _line(line, start, number)


def _fence_after(fence: str, stripped: str) -> str:
    if not fence:
        return stripped[:3]
    return "" if stripped.startswith(fence) and not stripped.strip(fence[0]) else fence


def _starts_forward(stripped: str) -> bool:
    return fold(stripped).startswith(("-----original", "---------- forwarded", "begin forwarded"))


def _is_furniture(line: str, stripped: str) -> bool:
    """Return whether a line is a heading, quote, table, task, rule, code, time stamp or envelope."""
    if stripped.startswith(("#", ">", "|", "$$", "![", "<", "%%")):
        return not _pattern(r"#[^\s#]").match(stripped)
    if (stripped.startswith("`") and stripped.endswith("`")) or set(stripped) <= set("-*_=| :"):
        return True
    if line.startswith(("    ", "\t")) and not _pattern(r"\s+(?:[-*+]|\d+[.)])\s").match(line):
        return True
    return bool(_pattern(_TASK).match(stripped) or _pattern(_CAPTION).match(stripped)) or _is_envelope(stripped)


def _is_envelope(stripped: str) -> bool:
    body = fold(_pattern(r"^(?:[-*+•]\s+|\d{1,2}:\d{2}\s+)+").sub("", stripped))
    if body.startswith(tuple(load_lexicon("durable")["envelopes"])):
        return True
    return bool(_pattern(r"(?:on\b.*\bwrote:|.*(?:写道|wrote)[:：]|在.*写道.*)$").match(body))


def _line(line: str, start: int, number: int) -> Line:
    head = _pattern(
        r"\s*(?:(?:[-*+•]|\d{1,3}[.)])\s+)?(?:\*{0,2}\d{1,2}:\d{2}(?::\d{2})?\*{0,2}\s+(?:[-–]\s+)?)?"
    ).match(line)
    cut = head.end() if head else 0
    text = line[cut:]
    tags = tuple(_pattern(r"(?:^|(?<=\s))#([^\s#.,;!?，。；！？]*[^\W\d][^\s#.,;!?，。；！？]*)").findall(text))
    speaker = _pattern(r"(?:\[\d[^\]]*\]\s*)?[^\s:：\[\]@][^:：\[\]]{0,24}[:：](?![:/])\s*(?=\S)").match(text)
    return Line(
        text=text,
        start=start + cut,
        number=number,
        tags=tags,
        quoted=text.startswith(('"', "“", "「", "『", "'")),
        speaker=bool(speaker),
    )


def iter_sentences(text: str) -> Iterator[tuple[int, str]]:
    """Yield each sentence of a line with its offset in the line, punctuation included."""
    start = 0
    for match in _pattern(r"[.!?]+[\"”')\]]*(?=\s+\S|$)|[。！？；]+[”」』）]*").finditer(text):
        if text[match.start()] == "." and _is_abbreviation(text[start : match.start()]):
            continue
        yield start, text[start : match.end()]
        start = match.end()
    if text[start:].strip():
        yield start, text[start:]


def _is_abbreviation(before: str) -> bool:
    word = fold(before.rpartition(" ")[2].strip("(\"'"))
    return (
        word in _ABBREVIATIONS or (len(word) == 1 and word.isalpha()) or (word.isdigit() and before.strip().isdigit())
    )

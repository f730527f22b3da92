"""Markdown as notes use it: blocks with their exact lines and headings, in linear time, whatever the text."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from echo_notes.files.inline import inline_fields, links, mask_code, mentions, tags

__all__ = ["Block", "inline_fields", "iter_blocks", "links", "mask_code", "mentions", "tags"]

HEADING: Final = "heading"
ENTRY: Final = "entry"
PARAGRAPH: Final = "paragraph"
TABLE: Final = "table"
CODE: Final = "code"
QUOTE: Final = "quote"
COMMENT: Final = "comment"

_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*))?")
_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})(.*)")
_BULLET = re.compile(r"([ \t]*)(?:[-*+]|\d{1,9}[.)])(?:[ \t]+|$)")
_CHECK_BOX = re.compile(r"\[.\][ \t]+")
_TIME = re.compile(r"(?:\*\*|__)?([01]?\d|2[0-3]):([0-5]\d)(?::[0-5]\d)?(?:\*\*|__)?(?:[ \t]*[-–—:][ \t]+|[ \t]+|$)")
_DELIMITER_ROW = re.compile(r"[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*")
_WIDEST_TABLE: Final = 4000  # characters of a delimiter row; the pattern is not linear
_UNDERLINE = re.compile(r" {0,3}(=+|-+)[ \t]*")
_COMMENTS: Final = {"<!--": "-->", "%%": "%%"}


@dataclass(frozen=True, slots=True)
class Block:
    """A piece of a note: heading, entry, paragraph, table, code, quote or comment.

    `text` is without the marks that make the block what it is (`#`, `- 14:32`, the fences), and has a line for each of
    the file's lines from 1-based `line` on; `end` is the last line that belongs to the block, marks included.
    `headings`: those above it, outermost first. `time`: `HH:MM` of an entry. `level`: 1 to 6 of a heading, else 0.
    """

    kind: str
    text: str
    line: int
    headings: tuple[str, ...] = ()
    time: str | None = None
    level: int = 0
    end: int = 0


class _Lines(list[str]):
    """A note's lines, and the comment marks known to be closed nowhere further on (searched for once only)."""

    def __init__(self, lines: Iterable[str]) -> None:
        super().__init__(lines)
        self.unclosed: set[str] = set()


def iter_blocks(text: str, first_line: int = 1) -> Iterator[Block]:
    """Yield the blocks of a note's body, whose first line is line `first_line` of its file. Never raises.

    A bullet's continuation lines and all that is nested below it belong to its entry. Blank lines and rules yield none.
    """
    lines = _Lines(line.removesuffix("\r") for line in text.split("\n"))
    path: list[tuple[int, str]] = []
    at = 0
    while at < len(lines):
        if not lines[at].strip():
            at += 1
            continue
        kind, end = _extent(lines, at)
        headings = tuple(title for _, title in path)
        if kind == HEADING:
            level, title = _heading_of(lines, at, end)
            while path and path[-1][0] >= level:
                path.pop()
            headings = tuple(title for _, title in path)
            path.append((level, title))
            yield Block(HEADING, title, first_line + at, headings, level=level, end=first_line + end - 1)
        elif kind:
            yield from _block(kind, lines[at:end], first_line + at, headings)
        at = end


def _extent(lines: _Lines, at: int) -> tuple[str, int]:
    """Return the kind of the block that starts at a line, `""` for a rule, and the line after its last one."""
    start = lines[at].lstrip(" \t")[:1]
    find = _FINDERS.get("0" if start.isdecimal() else start)
    return (find(lines, at) if find else None) or _find_plain(lines, at)


_Found = tuple[str, int] | None


def _find_heading(lines: _Lines, at: int) -> _Found:
    return (HEADING, at + 1) if _HEADING.fullmatch(lines[at]) else None


def _find_fence(lines: _Lines, at: int) -> _Found:
    end = _fence_end(lines, at)
    return (CODE, end) if end else None


def _find_entry(lines: _Lines, at: int) -> _Found:
    if _is_rule(lines[at]):
        return "", at + 1
    bullet = _BULLET.match(lines[at])
    return (ENTRY, _entry_end(lines, at, _width(bullet[1]))) if bullet else None


def _find_comment(lines: _Lines, at: int) -> _Found:
    line = lines[at].lstrip(" \t")
    for opening, closing in _COMMENTS.items():
        if line.startswith(opening):
            end = _comment_end(lines, at, line[len(opening) :], closing)
            return (COMMENT, end) if end else None
    return None


def _find_quote(lines: _Lines, at: int) -> _Found:
    return QUOTE, _run_end(lines, at, QUOTE)


def _find_table(lines: _Lines, at: int) -> _Found:
    return TABLE, _run_end(lines, at, TABLE)


_FINDERS: Final[dict[str, Callable[[_Lines, int], _Found]]] = {
    "#": _find_heading,
    **dict.fromkeys("`~", _find_fence),
    **dict.fromkeys("-*+_0", _find_entry),
    **dict.fromkeys("<%", _find_comment),
    ">": _find_quote,
    "|": _find_table,
}


def _find_plain(lines: _Lines, at: int) -> tuple[str, int]:
    line = lines[at]
    if "|" in line and at + 1 < len(lines) and _is_delimiter(lines[at + 1]):
        return TABLE, _run_end(lines, at, TABLE)
    if line.startswith(("    ", "\t")):
        return CODE, _run_end(lines, at, CODE)
    end = _run_end(lines, at, PARAGRAPH)
    if end == at + 1 and end < len(lines) and _UNDERLINE.fullmatch(lines[end]):
        return HEADING, end + 1
    return PARAGRAPH, end


def _heading_of(lines: _Lines, at: int, end: int) -> tuple[int, str]:
    if end - at > 1:
        return (1 if "=" in lines[at + 1] else 2), lines[at].strip()
    match = _HEADING.fullmatch(lines[at])
    title = ((match[2] or "") if match else "").strip()
    bare = title.rstrip("#")
    return len(match[1]) if match else 1, bare.strip() if bare == "" or bare[-1] in " \t" else title


def _block(kind: str, lines: list[str], line: int, headings: tuple[str, ...]) -> Iterator[Block]:
    time = None
    end = line + len(lines) - 1
    if kind == CODE and lines[0].lstrip(" \t")[:3] in {"```", "~~~"}:
        closed = len(lines) > 1 and lines[-1].strip(" \t").startswith(lines[0].lstrip(" \t")[:3])
        lines, line = lines[1 : -1 if closed else None], line + 1
    elif kind == ENTRY:
        first = lines[0]
        bullet = _BULLET.match(first)
        first = first[bullet.end() :] if bullet else first
        box = _CHECK_BOX.match(first)
        words = first[box.end() :] if box else first
        if stamp := _TIME.match(words):
            time = f"{int(stamp[1]):02d}:{stamp[2]}"
            first = (box[0] if box else "") + words[stamp.end() :]
        lines = [first, *lines[1:]]
    elif kind == QUOTE:
        lines = [row.lstrip(" \t").removeprefix(">").removeprefix(" ") for row in lines]
    text = "\n".join(lines)
    if text.strip():
        yield Block(kind, text.rstrip(), line, headings, time, end=end)


def _fence_end(lines: _Lines, at: int) -> int:
    """Return the line after a fenced block (the note's end if it is never closed), 0 if the line opens none."""
    opening = _FENCE.fullmatch(lines[at])
    if not opening or (opening[1][0] == "`" and "`" in opening[2]):
        return 0
    for number in range(at + 1, len(lines)):
        if lines[number].lstrip(" \t").startswith(opening[1]):
            closing = _FENCE.fullmatch(lines[number])
            if closing and closing[1][0] == opening[1][0] and not closing[2].strip():
                return number + 1
    return len(lines)


def _comment_end(lines: _Lines, at: int, rest: str, closing: str) -> int:
    """Return the line after a comment, 0 if it closes before the end of its first line; `rest`: after its mark.

    A comment that is never closed ends with its paragraph, lest a stray mark hide the rest of the note.
    """
    if closing in rest:
        return 0 if rest.partition(closing)[2].strip() else at + 1
    if closing not in lines.unclosed:
        for number in range(at + 1, len(lines)):
            if closing in lines[number]:
                return number + 1
        lines.unclosed.add(closing)
    return 0


def _entry_end(lines: _Lines, at: int, indent: int) -> int:
    number = at + 1
    blank = False
    end = number
    while number < len(lines):
        line = lines[number]
        if not line.strip():
            blank = True
            number += 1
            continue
        depth = _width(line[: len(line) - len(line.lstrip(" \t"))])
        if depth <= indent and (blank or _starts_block(line)):
            break
        if depth > indent and line.lstrip(" \t")[:3] in {"```", "~~~"} and (fence := _fence_end(lines, number)):
            number = fence
        else:
            number += 1
        end, blank = number, False
    return end


def _run_end(lines: _Lines, at: int, kind: str) -> int:
    number = at + 1
    while number < len(lines) and lines[number].strip():
        line = lines[number]
        if kind == QUOTE and not line.lstrip(" \t").startswith(">"):
            break
        if kind == TABLE and "|" not in line:
            break
        if kind == CODE and not line.startswith(("    ", "\t")):
            break
        if kind == PARAGRAPH and (_starts_block(line) or (number == at + 1 and _UNDERLINE.fullmatch(line))):
            break
        number += 1
    return number


def _starts_block(line: str) -> bool:
    start = line.lstrip(" \t")[:4]
    return bool(
        start[:1] in {">", "|"}
        or start[:3] in {"```", "~~~"}
        or start == "<!--"
        or (start[:1] == "#" and _HEADING.fullmatch(line))
        or _BULLET.match(line)
        or _is_rule(line)
    )


def _is_rule(line: str) -> bool:
    if line.lstrip(" \t")[:1] not in {"-", "*", "_"}:
        return False
    marks = line.replace(" ", "").replace("\t", "")
    return len(marks) > 2 and marks == marks[0] * len(marks)  # noqa: PLR2004 - a rule is three marks or more


def _is_delimiter(line: str) -> bool:
    return "|" in line and len(line) < _WIDEST_TABLE and bool(_DELIMITER_ROW.fullmatch(line))


def _width(blanks: str) -> int:
    return len(blanks.expandtabs(4))

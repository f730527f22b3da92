"""Daily notes: their names, and entries appended to them."""

import re
from datetime import date

from echo_notes.files.frontmatter import split
from echo_notes.files.markdown import ENTRY, HEADING, Block, iter_blocks
from echo_notes.files.textfile import LF, find_newline
from echo_notes.model.names import fold_name

_DAY_NAME = re.compile(r"(\d{4}-\d{2}-\d{2})(?:-[^/\\]+)?\.md")


def parse_day_name(filename: str) -> date | None:
    """Return the day that a file name stands for (`2026-11-30.md`, `2026-11-30-some-slug.md`), else None."""
    match = _DAY_NAME.fullmatch(filename)
    if not match:
        return None
    try:
        return date.fromisoformat(match[1])
    except ValueError:
        return None


def day_name(day: date) -> str:
    """Return the file name of a day's note."""
    return f"{day.isoformat()}.md"


def append_entry(text: str | None, day: date, time: str, entry: str, *, heading: str = "") -> str:
    """Return a daily note with an entry `- 14:32 text` added at its end, or at the end of a heading's section.

    Without a time (`""`: of another day than today) it is `- text`.
    No byte that was there changes. None stands for a note that is not there yet. Further lines of the entry are
    indented below its first; a heading that the note lacks is added at the end.
    """
    if text is None or not text.strip():
        text = f"{text or ''}# {day.isoformat()}{LF}{LF}"
    newline = find_newline(text)
    item = _format_entry(time, entry, newline)
    front = split(text)
    blocks = list(iter_blocks(front.body, front.body_line))
    title = heading.strip().lstrip("#").strip()
    if not title:
        return text + _gap(text, blocks[-1] if blocks else None, newline) + item
    number = next((n for n, block in enumerate(blocks) if block.kind == HEADING and _same(block.text, title)), None)
    if number is None:
        return f"{text}{_blank_line(text, newline)}## {title}{newline}{newline}{item}"
    last = _section_end(blocks, number)
    lines = text.split(LF)
    at = sum(len(line) + 1 for line in lines[: last.end])
    head, tail = text[:at], text[at:]
    apart = newline if tail.strip() and not tail.startswith(("\n", "\r\n")) else ""
    return f"{head}{_gap(head, last, newline)}{item}{apart}{tail}"


def _format_entry(time: str, entry: str, newline: str) -> str:
    first, *more = entry.strip().replace("\r\n", LF).split(LF)
    lines = [
        f"- {time} {first.rstrip()}" if time else f"- {first.rstrip()}",
        *(f"  {line.rstrip()}" if line.strip() else "" for line in more),
    ]
    return newline.join(lines) + newline


def _gap(text: str, last: Block | None, newline: str) -> str:
    """Return what must come between a text and an entry after it: nothing after another entry."""
    if last is not None and last.kind == ENTRY:
        return "" if text.endswith(LF) else newline
    return _blank_line(text, newline)


def _blank_line(text: str, newline: str) -> str:
    if not text or text.replace("\r\n", LF).endswith(LF * 2):
        return ""
    return newline if text.endswith(LF) else newline * 2


def _section_end(blocks: list[Block], number: int) -> Block:
    """Return the last block of a heading's section; deeper headings belong to it."""
    last = blocks[number]
    for block in blocks[number + 1 :]:
        if block.kind == HEADING and block.level <= blocks[number].level:
            break
        last = block
    return last


def _same(title: str, wanted: str) -> bool:
    return fold_name(title) == fold_name(wanted)

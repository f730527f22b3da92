"""summary.md: the person's text around one generated region, which is the only part ever rewritten."""

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from echo_notes.files.frontmatter import FrontMatter, find_block, split
from echo_notes.files.textfile import LF, find_newline
from echo_notes.files.yamltext import dump_scalar
from echo_notes.model.errors import ConflictError

MOVED_HEADING: Final = "## Kept from the summary, where it was edited by hand"

_MARKER = re.compile(r"^[ \t]*<!--[ \t]*echo:(begin|end)[ \t]+summary\b([^\r\n]*?)-->[ \t]*\r?$", re.MULTILINE)
_DIGEST = re.compile(r"sha256:([0-9a-f]{8,64})\s*")
_PLACEHOLDER = re.compile(r"\{(name|kind|aliases|tags)\}")


@dataclass(frozen=True, slots=True)
class Part:
    """A run of the person's own text and the 1-based line on which it starts."""

    line: int
    text: str


@dataclass(frozen=True, slots=True)
class Summary:
    """What a summary.md says. `region`: the generated text (None without markers); `parts`: the text around it.

    `region_digest_ok` is False where somebody edited the region. `conflict` is `line: what` if the markers do not make
    one region; all between the front matter and the end is the person's then.
    """

    name: str
    kind: str
    aliases: tuple[str, ...]
    tags: tuple[str, ...]
    region: str | None
    region_line: int
    region_digest_ok: bool
    parts: tuple[Part, ...]
    front: FrontMatter
    conflict: str = ""


@dataclass(frozen=True, slots=True)
class _Region:
    """Offsets into the body: the begin marker, the text between, the end marker's end; and the digest it states."""

    start: int
    body_start: int
    body_end: int
    end: int
    digest: str


def parse_summary(text: str) -> Summary:
    """Return what a summary.md says. Never raises: front matter is read leniently, bad markers end in `conflict`."""
    front = split(text)
    body = front.body
    region, conflict = _find_region(body, front.body_line)
    parts = [Part(front.body_line, body)]
    inside = None
    line = 0
    if region:
        inside = body[region.body_start : region.body_end]
        line = front.body_line + body.count(LF, 0, region.body_start)
        after = _skip_newline(body, region.end)
        below = Part(front.body_line + body.count(LF, 0, after), body[after:])
        parts = [Part(front.body_line, body[: region.start]), below]
    return Summary(
        name=front.text("name"),
        kind=front.text("kind"),
        aliases=front.words("aliases"),
        tags=front.words("tags"),
        region=inside,
        region_line=line,
        region_digest_ok=region is None or _is_untouched(body, region),
        parts=tuple(part for part in parts if part.text.strip()),
        front=front,
        conflict=conflict,
    )


def replace_region(text: str, new_region_body: str, *, path: str = "summary.md") -> tuple[str, bool]:
    """Return the note with its generated region rewritten and every byte outside it kept; True if a hand edit moved.

    Of a region that was edited by hand, the lines that the new text does not have go below it, under a heading. A note
    without a region gets one at its end. ConflictError names `path:line` where the markers do not make one region.
    """
    newline = find_newline(text)
    body_start = len(text) - len(split(text).body)
    head, body = text[:body_start], text[body_start:]
    region, conflict = _find_region(body, head.count(LF) + 1)
    if conflict:
        line, what = conflict.split(": ", 1)
        raise ConflictError(what, where=f"{path}:{line}", fix="Leave one pair of echo:begin and echo:end lines.")
    lines = [_disarmed(line) for line in new_region_body.strip("\r\n").replace("\r\n", LF).split(LF)]
    new_body = "".join(line + newline for line in lines) if any(lines) else ""
    block = format_region(new_body, newline)
    if region is None:
        gap = "" if not body or body.endswith(newline * 2) else newline if body.endswith(LF) else newline * 2
        return f"{head}{body}{gap}{block}{newline}", False
    old_body = body[region.body_start : region.body_end]
    moved = ""
    if not _is_untouched(body, region):
        moved = _lines_missing(old_body, lines, newline)
    elif _normalised(old_body) == _normalised(new_body):
        return text, False
    after = body[region.end :]
    if moved:
        after = f"{newline}{newline}{MOVED_HEADING}{newline}{newline}{moved}{after or newline}"
    return f"{head}{body[: region.start]}{block}{after}", bool(moved)


def format_region(body: str, newline: str = LF) -> str:
    """Return a generated region with its markers and digest, without a newline at its end."""
    inside = body if not body or body.endswith(LF) else f"{body}{newline}"
    return f"<!-- echo:begin summary sha256:{digest_region(inside)} -->{newline}{inside}<!-- echo:end summary -->"


def digest_region(body: str) -> str:
    """Return the SHA-256 (hex) of what stands between the marker lines, taken with LF newlines.

    A checkout that turns LF into CRLF (`core.autocrlf`) is no edit.
    """
    return hashlib.sha256(_normalised(body).encode()).hexdigest()


def new_summary(name: str, kind: str, template: str, *, aliases: Sequence[str] = (), tags: Sequence[str] = ()) -> str:
    """Return the summary.md of a new entity: a template with `{name}`, `{kind}`, `{aliases}` and `{tags}` filled in.

    In the front matter they are written as YAML, elsewhere as plain words.
    """
    values = {"name": name, "kind": kind, "aliases": list(aliases), "tags": list(tags)}
    span = find_block(template)
    body_start = span[2] if span else 0
    front = _PLACEHOLDER.sub(lambda match: dump_scalar(values[match[1]]), template[:body_start])
    words = {
        key: " ".join((value if isinstance(value, str) else ", ".join(value)).split()) for key, value in values.items()
    }
    return front + _PLACEHOLDER.sub(lambda match: words[match[1]], template[body_start:])


def _find_region(body: str, first_line: int) -> tuple[_Region | None, str]:
    """Return the one region of a body, or `line: what` where its markers do not make one."""
    markers: list[re.Match[str]] = []
    for marker in _MARKER.finditer(body):
        opened = len(markers) % 2 == 1
        wrong = ""
        if (marker[1] == "begin") == opened:
            wrong = "a second echo:begin before echo:end" if opened else "echo:end without echo:begin"
        elif len(markers) == 2:  # noqa: PLR2004 - a pair
            wrong = "a second generated region"
        if wrong:
            return None, f"{first_line + body.count(LF, 0, marker.start())}: {wrong}"
        markers.append(marker)
    if not markers:
        return None, ""
    if len(markers) == 1:
        return None, f"{first_line + body.count(LF, 0, markers[0].start())}: echo:begin without echo:end"
    begin, end = markers
    digest = _DIGEST.fullmatch(begin[2].strip())
    end_at = end.end() - end[0].endswith("\r")
    start = _skip_newline(body, begin.end())
    return _Region(begin.start(), start, end.start(), end_at, digest[1] if digest else ""), ""


def _is_untouched(body: str, region: _Region) -> bool:
    inside = body[region.body_start : region.body_end]
    if not region.digest:
        return not inside.strip()
    return digest_region(inside).startswith(region.digest)


def _normalised(body: str) -> str:
    return body.replace("\r\n", LF)


def _lines_missing(old: str, new_lines: Sequence[str], newline: str) -> str:
    """Return the old lines that the new text lacks, paragraphs kept apart."""
    known = {line.strip() for line in new_lines}
    kept: list[str] = []
    for line in _normalised(old).split(LF):
        if line.strip() and line.strip() not in known:
            kept.append(line)
        elif kept and kept[-1]:
            kept.append("")
    return newline.join(kept).rstrip()


def _skip_newline(text: str, position: int) -> int:
    if text.startswith("\r\n", position):
        return position + 2
    return position + text.startswith(LF, position)


def _disarmed(line: str) -> str:
    """Return a generated line that cannot be taken for one of our markers."""
    return line.replace("<!--", "&lt;!--") if _MARKER.match(line) else line

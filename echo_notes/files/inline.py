"""What a line of a note says besides its words: wikilinks, tags, mentions and inline fields; code is never read."""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

_LINK = re.compile(r"\[\[([^\[\]\n]{1,1000})\]\]")
# Every character but white space, the ASCII punctuation that a tag cannot hold, and typographic and CJK punctuation.
_TAG = re.compile(
    r"(?<![^\s(（【「『，。、；：！？“‘])"
    r"#([^\s!-,.:-@\[-^`{-~\u2000-\u200b\u200e-\u206f\u3000-\u303f\uff01-\uff0f\uff1a-\uff20\uff3b-\uff65]+)"
)
_MENTION = re.compile(r"(?<![\w.@/])@(\w[\w-]*(?:\.\w[\w-]*)*)")
_KEY = r"[^\W\d_][\w-]{0,60}"
_BRACKETED = re.compile(
    rf"[\[(]({_KEY}(?: [\w-]{{1,60}}){{0,5}})::[ \t]*((?:\[\[[^\[\]\n]{{1,1000}}\]\]|[^\[\]()\n])*)[\])]"
)
_FIELD = re.compile(rf"(?<![^\s*_])[*_]{{0,3}}({_KEY})[*_]{{0,3}}::(?=[ \t]|$)", re.MULTILINE)
_WORD = re.compile(r"\S+")
_URL = re.compile(r"\b[A-Za-z][A-Za-z0-9+.-]{0,20}://[^\s<>]+")
_DESTINATION = re.compile(r"\]\([^()\s]*\)")
_TABLE_ROW = re.compile(r"^[ \t]{0,3}\|[^\n]*", re.MULTILINE)
_FENCE = re.compile(r"^[ \t]*(?:[-*+][ \t]+|>[ \t]?)*(`{3,}|~{3,})([^\n]*)", re.MULTILINE)
_TICKS = re.compile(r"`+")
_NO_WORD: Final = frozenset("-_/")


def links(text: str) -> list[str]:
    """Return what the wikilinks in a text point to, each once, in order: `[[t|alias]]` and `[[t#heading]]` give `t`."""
    if "[[" not in text:
        return []
    found = (
        match[1].partition("|")[0].partition("#")[0].rstrip("\\").strip() for match in _LINK.finditer(mask_code(text))
    )
    return list(dict.fromkeys(target for target in found if target))


def tags(text: str) -> list[str]:
    """Return the tags in a text without `#`, each once, in order; `a/b` is one tag, a mere number is none.

    Headings, code, addresses, link targets, comments and table rows hold no tags.
    """
    if "#" not in text:
        return []
    masked = mask_code(text)
    spans = [match.span() for pattern in (_LINK, _URL, _DESTINATION, _TABLE_ROW) for match in pattern.finditer(masked)]
    masked = _blank(masked, [*spans, *_comments(masked)])
    found = (match[1].rstrip("-/") for match in _TAG.finditer(masked))
    return list(dict.fromkeys(tag for tag in found if any(not c.isdigit() and c not in _NO_WORD for c in tag)))


def mentions(text: str) -> list[str]:
    """Return the names after `@` in a text, each once, in order; mail addresses hold none."""
    if "@" not in text:
        return []
    masked = mask_code(text)
    masked = _blank(masked, [match.span() for pattern in (_URL, _DESTINATION) for match in pattern.finditer(masked)])
    return list(dict.fromkeys(match[1] for match in _MENTION.finditer(masked)))


def inline_fields(text: str) -> list[tuple[str, str]]:
    """Return the inline fields of a text in order: `[key:: value]`, `(key:: value)`, and `key:: value` up to line end.

    The key of the last form is one word. Tags at the end of a value are not part of it. Code and table rows hold none.
    """
    if "::" not in text:
        return []
    masked = mask_code(text)
    masked = _blank(masked, [match.span() for match in _TABLE_ROW.finditer(masked)])
    found = [(match.start(), match[1], match[2]) for match in _BRACKETED.finditer(masked)]
    open_text = _blank(masked, [match.span() for match in _BRACKETED.finditer(masked)])
    for match, following in pairwise([*_FIELD.finditer(open_text), None]):
        if match is None:
            break
        limit = following.start() if following else len(open_text)
        line_end = open_text.find("\n", match.end(), limit)
        limit = limit if line_end < 0 else line_end
        found.append((match.start(), match[1], _without_tags(open_text[match.end() : limit])))
    return [(key, value.strip()) for _, key, value in sorted(found) if value.strip()]


def _without_tags(value: str) -> str:
    """Return a field's value without the tags after it."""
    end = len(value)
    for word in reversed(list(_WORD.finditer(value))):
        if not word[0].startswith("#"):
            break
        end = word.start()
    return value[:end]


def mask_code(text: str) -> str:
    """Return the text with fenced code and code spans blanked, every other character at its place."""
    if "`" not in text and "~~~" not in text:
        return text
    fenced = _blank(text, _fences(text))
    return _blank(fenced, _code_spans(fenced))


def _fences(text: str) -> Iterator[tuple[int, int]]:
    opened: re.Match[str] | None = None
    for match in _FENCE.finditer(text):
        if opened is None:
            if match[1][0] == "~" or "`" not in match[2]:
                opened = match
        elif match[1][0] == opened[1][0] and len(match[1]) >= len(opened[1]) and not match[2].strip():
            yield opened.start(), match.end()
            opened = None
    if opened is not None:
        yield opened.start(), len(text)


def _code_spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield the spans between runs of back ticks of the same length within a paragraph, in linear time."""
    runs = [match.span() for match in _TICKS.finditer(text)]
    waiting: dict[int, list[int]] = {}
    for number in reversed(range(len(runs))):
        waiting.setdefault(runs[number][1] - runs[number][0], []).append(number)
    number = 0
    while number < len(runs):
        start, end = runs[number]
        same = waiting[end - start]
        while same and same[-1] <= number:
            same.pop()
        if same and text.find("\n\n", end, runs[same[-1]][0]) < 0:
            yield start, runs[same[-1]][1]
            number = same[-1]
        number += 1


def _comments(text: str) -> Iterator[tuple[int, int]]:
    start = text.find("<!--")
    while start >= 0:
        end = text.find("-->", start + 4)
        if end < 0:
            return
        yield start, end + 3
        start = text.find("<!--", end + 3)


def _blank(text: str, spans: "Iterator[tuple[int, int]] | list[tuple[int, int]]") -> str:
    pieces = []
    at = 0
    for start, end in sorted(spans):
        if end > at:
            inside = text[max(start, at) : end]
            pieces += [text[at:start], "\n".join(" " * len(line) for line in inside.split("\n"))]
            at = end
    return "".join([*pieces, text[at:]])

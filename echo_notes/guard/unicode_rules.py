"""Invisible characters: which code points cannot be seen, and the few places where Unicode gives them work to do.

Every rule asks for the neighbours that make a character legitimate: a joiner wants emoji or a joining script, a
variation selector a base that takes it, a directional mark text of that direction. What has no such neighbour is
refused, because nobody can read it and a model can.
"""

import re
from typing import NamedTuple
from unicodedata import category, name

UNICODE = "unicode"
STRICT = "strict"

_ZWSP, _ZWNJ, _ZWJ, _BOM, _SHY, _WJ, _CGJ = "\u200b", "\u200c", "\u200d", "\ufeff", "\xad", "\u2060", "\u034f"
_TAG_END, _BLACK_FLAG = "\U000e007f", "\U0001f3f4"
_SUBDIVISIONS = frozenset(  # the three flags that Unicode recommends for interchange, in tag characters
    "".join(chr(0xE0000 + ord(letter)) for letter in region) for region in ("gbeng", "gbsct", "gbwls")
)
_MARKS_OF_DIRECTION = frozenset("\u200e\u200f\u061c")
_MAX_IDEOGRAPH_SELECTORS = 3  # different ones in a text; variants of a name need one or two, a hidden message many

_CONCEAL = r"(?:\x1b\[|\x9b)(?:\d{1,3};){0,8}8(?:;\d{1,3}){0,8}m"  # a terminal's "hide what follows"
# First and last code points of ranges. Plain comparisons: compiling these as character classes costs milliseconds.
_INVISIBLE = (
    (0xAD, 0xAD), (0x34F, 0x34F), (0x61C, 0x61C), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F),
    (0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F), (0x2800, 0x2800), (0x3164, 0x3164), (0xFE00, 0xFE0F),
    (0xFEFF, 0xFEFF), (0xFFA0, 0xFFA0), (0xFFF9, 0xFFFB), (0x13439, 0x1343F), (0x1BCA0, 0x1BCA3),
    (0x1D173, 0x1D17A), (0xE0000, 0xE0FFF),
)  # fmt: skip
# Joining behaviour matters in these scripts (Unicode 16, chapters 9 and 12 to 16): Arabic to N'Ko and Arabic Extended,
# Indic blocks, Tibetan, Myanmar, Khmer, Mongolian, the Brahmic blocks of the islands, and their supplements.
_JOINING = (
    (0x620, 0x7FF), (0x840, 0x8FF), (0x900, 0xDFF), (0xF00, 0x109F), (0x1780, 0x18AA), (0x1900, 0x1CFF),
    (0xA840, 0xA8FF), (0xA930, 0xAADF), (0xABC0, 0xABFF), (0xFB50, 0xFDFF), (0xFE70, 0xFEFC), (0x10D00, 0x10D3F),
    (0x11000, 0x11FFF), (0x1E900, 0x1E95F),
)  # fmt: skip
_RIGHT_TO_LEFT = ((0x590, 0x8FF), (0xFB1D, 0xFDFF), (0xFE70, 0xFEFC), (0x10800, 0x10FFF), (0x1E800, 0x1EFFF))
_NO_SPACES = (
    (0xE00, 0xEFF), (0x1000, 0x109F), (0x1780, 0x17FF), (0x1980, 0x19DF), (0x1A20, 0x1AAF), (0xA9E0, 0xA9FF),
    (0xAA60, 0xAADF),
)  # fmt: skip
_PICTOGRAPH = (
    (0xA9, 0xA9), (0xAE, 0xAE), (0x203C, 0x203C), (0x2049, 0x2049), (0x2122, 0x2122), (0x2139, 0x2139),
    (0x2190, 0x21FF), (0x2300, 0x23FF), (0x24C2, 0x24C2), (0x25A0, 0x27BF), (0x2934, 0x2935), (0x2B00, 0x2BFF),
    (0x3030, 0x3030), (0x303D, 0x303D), (0x3297, 0x3297), (0x3299, 0x3299), (0x1F000, 0x1F1E5), (0x1F200, 0x1F3FA),
    (0x1F400, 0x1FAFF),
)  # fmt: skip
_IDEOGRAPH = ((0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x323AF))
_MATH = ((0x30, 0x30), (0x2205, 0x22FF), (0x2A00, 0x2AFF), (0x3001, 0x3002), (0xFF01, 0xFF01), (0xFF0C, 0xFF1F))
_SKIN_TONES = frozenset("\U0001f3fb\U0001f3fc\U0001f3fd\U0001f3fe\U0001f3ff")
_URL_BREAK = frozenset("/.-_?&=#%:~+,")
_STRIP_ROUNDS = 4
_LONG_WORD = 10  # letters; typesetters divide long words, nobody hides a soft hyphen's worth of anything in one


class Invisible(NamedTuple):
    """A character nobody can see where it stands: `start` to `end` in the text, and its code point in words."""

    start: int
    end: int
    what: str


def find_invisible(text: str, joiners: str = UNICODE) -> list[Invisible]:
    """Return the refused invisible characters of a text in order; runs of the same character are one.

    `joiners`: `unicode` accepts them where Unicode gives them work; `strict` accepts no joiner, soft hyphen, zero-width
    space, word joiner or directional mark at all. A leading byte order mark is accepted by both.
    """
    if text.isascii():
        return _conceals(text)
    found: list[Invisible] = []
    flag_end = 0
    selectors = {char for char in text if "\U000e0100" <= char <= "\U000e01ef"}
    hidden = {char for char in set(text) if char > "\x7f" and _in(char, _INVISIBLE)}
    if not hidden:
        return _conceals(text)
    for at, char in enumerate(text):
        if char not in hidden or at < flag_end:
            continue
        flag_end = _subdivision_flag_end(text, at)
        if flag_end > at or (char == _BOM and at == 0) or _is_allowed(text, at, char, joiners, len(selectors)):
            continue
        if found and found[-1].end == at and text[found[-1].start] == char:
            found[-1] = Invisible(found[-1].start, at + 1, found[-1].what)
        else:
            found.append(Invisible(at, at + 1, f"U+{ord(char):04X} {name(char, 'unassigned code point').lower()}"))
    return sorted([*found, *_conceals(text)], key=lambda one: one.start)


def _in(char: str, ranges: tuple[tuple[int, int], ...]) -> bool:
    """Whether a character (or none) is in one of the ranges."""
    code = ord(char) if char else -1
    return any(first <= code <= last for first, last in ranges)


def _conceals(text: str) -> list[Invisible]:
    if "\x1b" not in text and "\x9b" not in text:
        return []
    return [Invisible(m.start(), m.end(), "terminal code that conceals text") for m in re.finditer(_CONCEAL, text)]


def _subdivision_flag_end(text: str, at: int) -> int:
    """Return where a valid subdivision flag's tags end, if they start here; else 0."""
    if at == 0 or text[at - 1] != _BLACK_FLAG or not "\U000e0020" <= text[at] <= "\U000e007e":
        return 0
    end = text.find(_TAG_END, at, at + 8)
    return end + 1 if end > 0 and text[at:end] in _SUBDIVISIONS else 0


def _is_allowed(text: str, at: int, char: str, joiners: str, selectors: int) -> bool:
    before = text[at - 1] if at else ""
    after = text[at + 1] if at + 1 < len(text) else ""
    if "\ufe00" <= char <= "\ufe0f":
        allowed = _takes_selector(before, char)
    elif "\U000e0100" <= char <= "\U000e01ef":
        allowed = _in(before, _IDEOGRAPH) and selectors <= _MAX_IDEOGRAPH_SELECTORS
    elif char == "\u2800":  # braille blank: a space between cells
        allowed = any("\u2801" <= near <= "\u28ff" for near in (before, after))
    elif "\u180b" <= char <= "\u180f":
        allowed = _is_mongolian(before) and (char != "\u180e" or _is_mongolian(after))
    elif joiners == STRICT:
        allowed = False
    elif char in {_ZWJ, _ZWNJ}:
        allowed = _joins(text, at, char, before, after)
    elif char in _MARKS_OF_DIRECTION:
        allowed = _turns(text, at)
    else:
        allowed = _divides(text, at, char, before, after)
    return allowed


def _takes_selector(before: str, char: str) -> bool:
    if char in "\ufe0e\ufe0f":
        return _in(before, _PICTOGRAPH) or before in set("0123456789#*")
    if char > "\ufe02":
        return False
    shaped = _in(before, _MATH) or _in(before, _IDEOGRAPH)
    return bool(shaped) or "\u1000" <= before <= "\u109f" or "\ua840" <= before <= "\ua877"


def _is_mongolian(char: str) -> bool:
    return "\u1800" <= char <= "\u18aa" and not "\u180b" <= char <= "\u180f"


def _joins(text: str, at: int, char: str, before: str, after: str) -> bool:
    if char == _ZWJ and _in(after, _PICTOGRAPH):
        return _in(_emoji_base(text, at), _PICTOGRAPH)
    if before in {_ZWJ, _ZWNJ} or after in {_ZWJ, _ZWNJ}:
        return False  # two in a row shape nothing; they spell bits
    if _in(before, _JOINING):
        return True
    return _in(after, _JOINING) and category(before or " ")[0] in "LNZP"


def _emoji_base(text: str, at: int) -> str:
    """Return the character that a joiner continues, past a variation selector and a skin tone."""
    back = at - 1
    if back > 0 and text[back] == "\ufe0f":
        back -= 1
    if back > 0 and text[back] in _SKIN_TONES:
        back -= 1
    return text[back] if back >= 0 else ""


def _turns(text: str, at: int) -> bool:
    """Whether right-to-left text is near enough for a directional mark to matter; a run of marks never is."""
    near = text[max(0, at - 24) : at] + text[at + 1 : at + 25]
    doubled = text[at - 1 : at] in _MARKS_OF_DIRECTION or text[at + 1 : at + 2] in _MARKS_OF_DIRECTION
    return not (doubled and text[at - 1 : at + 2].strip()) and any(_in(one, _RIGHT_TO_LEFT) for one in near)


def _divides(text: str, at: int, char: str, before: str, after: str) -> bool:
    """Whether a character that only says where a line may break stands where one may."""
    if char == _SHY:
        head, tail = _letters_before(text, at), _letters_after(text, at)
        return min(head, tail) > 2 and head + tail >= _LONG_WORD  # noqa: PLR2004 - at least three letters a side
    if char == _ZWSP:
        if _in(before, _NO_SPACES) and _in(after, _NO_SPACES):
            return True
        return before in _URL_BREAK and after.isalnum() and _in_url(text, at)
    if char == _WJ:
        return bool(before) and bool(after) and _is_figure(before) and _is_figure(after)
    if char == _CGJ:
        return all(near and "\u0591" <= near <= "\u05c7" for near in (before, after))
    return False


def _is_figure(char: str) -> bool:
    return char.isdigit() or char in "%‰°€$£¥–—/"


def _in_url(text: str, at: int) -> bool:
    start = text.rfind("://", max(0, at - 300), at)
    return start > 0 and not any(char.isspace() for char in text[start:at])


def _letters_before(text: str, at: int) -> int:
    count = 0
    while count < _LONG_WORD and at - count - 1 >= 0 and text[at - count - 1].isalpha():
        count += 1
    return count


def _letters_after(text: str, at: int) -> int:
    count = 0
    while count < _LONG_WORD and at + count + 1 < len(text) and text[at + count + 1].isalpha():
        count += 1
    return count


def strip_invisible(text: str, *, joiners: str = UNICODE) -> str:
    """Return the text without its refused invisible characters; the accepted ones, and a leading mark, stay.

    Taking characters out can take a neighbour's reason away, so it looks again, a few times at most; what is still
    refused then loses every invisible character.
    """
    for _ in range(_STRIP_ROUNDS):
        found = find_invisible(text, joiners)
        if not found:
            return text
        parts, at = [], 0
        for one in found:
            parts.append(text[at : one.start])
            at = one.end
        text = "".join([*parts, text[at:]])
    if not find_invisible(text, joiners):
        return text
    return "".join(char for char in text if not _in(char, _INVISIBLE))

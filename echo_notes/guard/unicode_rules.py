"""Invisible characters: which code points cannot be seen, and the few places where Unicode gives them work to do.

Every rule asks for the neighbours that make a character legitimate: a joiner wants emoji or a joining script, a
variation selector a base that takes it, a directional mark text of that direction. What has no such neighbour is
refused, because nobody can read it and a model can.
"""

import re
from dataclasses import dataclass
from unicodedata import category, name

UNICODE = "unicode"
STRICT = "strict"

_ZWSP, _ZWNJ, _ZWJ, _BOM, _SHY, _WJ, _CGJ = "\u200b", "\u200c", "\u200d", "\ufeff", "\xad", "\u2060", "\u034f"
_TAG_END, _BLACK_FLAG = "\U000e007f", "\U0001f3f4"
_SUBDIVISIONS = frozenset(["gbeng", "gbsct", "gbwls"])  # the three flags that Unicode recommends for interchange
_MARKS_OF_DIRECTION = frozenset("\u200e\u200f\u061c")
_MAX_IDEOGRAPH_SELECTORS = 3  # different ones in a text; variants of a name need one or two, a hidden message many

_INVISIBLE = re.compile(
    "[\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U00013439-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
_CONCEAL = re.compile(r"(?:\x1b\[|\x9b)(?:\d{1,3};){0,8}8(?:;\d{1,3}){0,8}m")  # a terminal's "hide what follows"
# Joining behaviour matters in these scripts (Unicode 16, chapters 9, 12 to 16): Arabic to N'Ko and Arabic Extended,
# Indic blocks, Tibetan, Myanmar, Khmer, Mongolian, the Brahmic blocks of the islands, and their supplements.
_JOINING = re.compile(
    "[\u0620-\u07ff\u0840-\u08ff\u0900-\u0dff\u0f00-\u109f\u1780-\u18aa\u1900-\u1cff\ua840-\ua8ff\ua930-\uaadf\uabc0-\uabff"
    "\ufb50-\ufdff\ufe70-\ufefc\U00010d00-\U00010d3f\U00011000-\U00011fff\U0001e900-\U0001e95f]"
)
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]")
_NO_SPACES = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u1980-\u19df\u1a20-\u1aaf\ua9e0-\ua9ff\uaa60-\uaadf]")
_PICTOGRAPH = re.compile(
    "[\xa9\xae\u203c\u2049\u2122\u2139\u2190-\u21ff\u2300-\u23ff\u24c2\u25a0-\u27bf\u2934\u2935\u2b00-\u2bff\u3030\u303d\u3297\u3299"
    "\U0001f000-\U0001f1e5\U0001f200-\U0001f3fa\U0001f400-\U0001faff]"
)
_IDEOGRAPH = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af]")
_MATH = re.compile("[0\u2205-\u22ff\u2a00-\u2aff\u3001\u3002\uff01\uff0c\uff0e\uff1a\uff1b\uff1f]")
_SKIN_TONES = frozenset("\U0001f3fb\U0001f3fc\U0001f3fd\U0001f3fe\U0001f3ff")
_URL_BREAK = frozenset("/.-_?&=#%:~+,")
_LONG_WORD = 10  # letters; typesetters divide long words, nobody hides a soft hyphen's worth of anything in one


@dataclass(frozen=True, slots=True)
class Invisible:
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
    for match in _INVISIBLE.finditer(text):
        at, char = match.start(), match[0]
        if at < flag_end:
            continue
        flag_end = _subdivision_flag_end(text, at)
        if flag_end > at or (char == _BOM and at == 0) or _is_allowed(text, at, char, joiners, len(selectors)):
            continue
        if found and found[-1].end == at and text[found[-1].start] == char:
            found[-1] = Invisible(found[-1].start, at + 1, found[-1].what)
        else:
            found.append(Invisible(at, at + 1, f"U+{ord(char):04X} {name(char, 'unassigned code point').lower()}"))
    return sorted([*found, *_conceals(text)], key=lambda one: one.start)


def _conceals(text: str) -> list[Invisible]:
    if "\x1b" not in text and "\x9b" not in text:
        return []
    return [Invisible(m.start(), m.end(), "terminal code that conceals text") for m in _CONCEAL.finditer(text)]


def _subdivision_flag_end(text: str, at: int) -> int:
    """Return where a valid subdivision flag's tags end, if they start here; else 0."""
    if at == 0 or text[at - 1] != _BLACK_FLAG or not "\U000e0020" <= text[at] <= "\U000e007e":
        return 0
    end = text.find(_TAG_END, at, at + 8)
    region = "".join(chr(ord(tag) - 0xE0000) for tag in text[at:end] if ord(tag) > 0xE0000) if end > 0 else ""
    return end + 1 if region in _SUBDIVISIONS and len(region) == end - at else 0


def _is_allowed(text: str, at: int, char: str, joiners: str, selectors: int) -> bool:
    before = text[at - 1] if at else ""
    after = text[at + 1] if at + 1 < len(text) else ""
    if "\ufe00" <= char <= "\ufe0f":
        return _takes_selector(before, char)
    if "\U000e0100" <= char <= "\U000e01ef":
        return bool(_IDEOGRAPH.match(before)) and selectors <= _MAX_IDEOGRAPH_SELECTORS
    if char == "\u2800":  # braille blank: a space between cells
        return any("\u2801" <= near <= "\u28ff" for near in (before, after))
    if "\u180b" <= char <= "\u180f":
        return _is_mongolian(before) and (char != "\u180e" or _is_mongolian(after))
    if joiners == STRICT:
        return False
    if char in {_ZWJ, _ZWNJ}:
        return _joins(text, at, char, before, after)
    if char in _MARKS_OF_DIRECTION:
        return _turns(text, at)
    return _divides(text, at, char, before, after)


def _takes_selector(before: str, char: str) -> bool:
    if char in "\ufe0e\ufe0f":
        return bool(_PICTOGRAPH.match(before)) or before in set("0123456789#*")
    if char > "\ufe02":
        return False
    shaped = _MATH.match(before) or _IDEOGRAPH.match(before)
    return bool(shaped) or "\u1000" <= before <= "\u109f" or "\ua840" <= before <= "\ua877"


def _is_mongolian(char: str) -> bool:
    return "\u1800" <= char <= "\u18aa" and not "\u180b" <= char <= "\u180f"


def _joins(text: str, at: int, char: str, before: str, after: str) -> bool:
    if char == _ZWJ and _PICTOGRAPH.match(after):
        return bool(_PICTOGRAPH.match(_emoji_base(text, at)))
    if before in {_ZWJ, _ZWNJ} or after in {_ZWJ, _ZWNJ}:
        return False  # two in a row shape nothing; they spell bits
    if _JOINING.match(before):
        return True
    return bool(_JOINING.match(after)) and category(before or " ")[0] in "LNZP"


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
    return not (doubled and text[at - 1 : at + 2].strip()) and _RIGHT_TO_LEFT.search(near) is not None


def _divides(text: str, at: int, char: str, before: str, after: str) -> bool:
    """Whether a character that only says where a line may break stands where one may."""
    if char == _SHY:
        head, tail = _letters_before(text, at), _letters_after(text, at)
        return min(head, tail) > 2 and head + tail >= _LONG_WORD  # noqa: PLR2004 - at least three letters a side
    if char == _ZWSP:
        if _NO_SPACES.match(before) and _NO_SPACES.match(after):
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

    Taking characters out can take a neighbour's reason away, so it repeats until nothing is refused.
    """
    while found := find_invisible(text, joiners):
        parts, at = [], 0
        for one in found:
            parts.append(text[at : one.start])
            at = one.end
        text = "".join([*parts, text[at:]])
    return text

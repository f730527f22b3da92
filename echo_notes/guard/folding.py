"""Text as rules read it: look-alikes, width, case and accents folded away, every position traceable to the original."""

from collections.abc import Mapping
from typing import NamedTuple
from unicodedata import category, normalize

_IGNORED = frozenset(["Cf", "Mn", "Me", "Cc"])
_SPACES = frozenset("\t\n\v\f\r\x85")
# Letters in boxes and circles that NFKC leaves alone, and the letters that flags are made of.
_LETTER_BLOCKS = (0x1F150, 0x1F170, 0x1F1E6)


class Folded(NamedTuple):
    """A folded text; `origin[i]` is the place in the original of folded character i, None where they are the same."""

    text: str
    origin: list[int] | None

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the original half-open span that a folded one came from."""
        if self.origin is None or start >= end:
            return start, end
        return self.origin[start], self.origin[end - 1] + 1


def fold_text(text: str, table: Mapping[str, str]) -> Folded:
    """Return the text folded for matching; `table` maps confusable and traditional characters to plain ones.

    Linear in the text. What cannot be seen is dropped, so that nothing hides inside a word.
    """
    if text.isascii():
        return Folded(text.lower(), None)
    folded: list[str] = []
    origin: list[int] = []
    known: dict[str, str] = {}
    for at, char in enumerate(text):
        if char.isascii():
            folded.append(char.lower())
            origin.append(at)
            continue
        plain = known.get(char)
        if plain is None:
            plain = known[char] = fold_char(char, table)
        if plain:
            folded.append(plain)
            origin.extend([at] * len(plain))
    return Folded("".join(folded), origin)


def fold_char(char: str, table: Mapping[str, str]) -> str:
    """Return what one character is read as: letters without accents, "" for what is invisible or only a mark."""
    if plain := table.get(char):
        return plain
    code = ord(char)
    for block in _LETTER_BLOCKS:
        if block <= code < block + 26:
            return chr(code - block + ord("a"))
    if "\uac00" <= char <= "\ud7a3":
        return char
    parts = normalize("NFKD", char).casefold()
    return "".join(table.get(part, part) for part in parts if part in _SPACES or category(part) not in _IGNORED)

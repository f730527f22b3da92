"""Names of things in the world: folding for comparison, and slugs for folders."""

import re
import unicodedata

_LATIN_LETTERS = str.maketrans(
    {"ø": "o", "œ": "oe", "æ": "ae", "đ": "d", "ð": "d", "ł": "l", "ı": "i", "þ": "th", "ħ": "h", "ŋ": "n"}
)
_ACCENTS = re.compile("[\u0300-\u0305\u0307-\u036f]|(?<![иу])\u0306")  # й and ў are letters, not accented ones
_HYPHENS = re.compile("-+")
_MAX_SLUG = 80
_RESERVED = frozenset(
    ["con", "prn", "aux", "nul", "clock$", *(f"com{i}" for i in range(10)), *(f"lpt{i}" for i in range(10))]
)


def fold(text: str) -> str:
    """Return the text as it is compared: NFKC, case folded, Latin, Greek and Cyrillic accents dropped.

    Marks that carry meaning of their own (Thai, Indic, Hebrew, Arabic, kana voicing) are kept.
    """
    if text.isascii():
        return text.lower()
    folded = unicodedata.normalize("NFKC", text).casefold()
    folded = _ACCENTS.sub("", unicodedata.normalize("NFD", folded))
    return unicodedata.normalize("NFC", folded).translate(_LATIN_LETTERS)


def fold_name(name: str) -> str:
    """Return a name as entities are looked up: folded, with white space, hyphens and underscores as one space."""
    return re.sub(r"[\s_\-]+", " ", fold(name)).strip()


def slugify(name: str) -> str:
    """Return the lower-case kebab folder name of a name in any script; "" if no letter or digit is left.

    `爱丽丝` stays readable, `Zoë` becomes `zoe`, `C++` becomes `c`; names that Windows reserves get a trailing hyphen
    word. At most 80 characters and 200 UTF-8 bytes, cut at a word where possible.
    """
    kept = (char if _is_of_a_word(char) else "-" for char in fold(name))
    slug = _HYPHENS.sub("-", "".join(kept)).strip("-\u200c\u200d")
    if slug in _RESERVED:
        slug = f"{slug}-entity"
    if len(slug) > _MAX_SLUG or len(slug.encode()) > 2 * _MAX_SLUG + 40:
        slug = _cut(slug)
    return slug


def _is_of_a_word(char: str) -> bool:
    """Say whether a character belongs in a folder's name: letters, digits, and vowel signs, which are no `isalnum`."""
    if char.isalnum() or char in "\u200c\u200d":
        return True
    return unicodedata.category(char) in {"Mn", "Mc"} and "VARIATION SELECTOR" not in unicodedata.name(char, "")


def _cut(slug: str) -> str:
    cut = slug[:_MAX_SLUG]
    while len(cut.encode()) > 2 * _MAX_SLUG + 40:
        cut = cut[:-1]
    head, _, tail = cut.rpartition("-")
    if head and len(tail) < _MAX_SLUG // 2:
        cut = head
    while cut and unicodedata.category(cut[-1]) in {"Mn", "Mc", "Cf"} and slug[len(cut) :][:1]:
        cut = cut[:-1]
    return cut.strip("-")

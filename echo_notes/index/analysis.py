"""What counts as a term: one definition for the index and for queries, in every script."""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum
from functools import cache, lru_cache
from itertools import groupby

from echo_notes.index.stopwords import CHINESE, ENGLISH
from echo_notes.model.names import fold

MAX_TERM = 256
"""Characters of a term that are indexed; a longer run of letters (a pasted key, a megabyte of digits) is cut here."""

MAX_CAMEL = 64
"""Characters of a word that is taken apart at its capitals; a longer one is data (base64), not a name."""

# Where the classes of characters begin and end, for what is not ASCII. Tables, not patterns: compiling classes of this
# size takes longer than a recall may.
_UNSPACED = (  # scripts without spaces between words, and Hangul, whose particles cling to the word
    "\u0e01\u0e4e\u0e81\u0ece\u1000\u109d\u1780\u17d3\u2e80\u2fdf\u3005\u3007\u3040\u30ff\u3100\u318f\u31a0\u31bf"
    "\u31f0\u31ff\u3400\u4dbf\u4e00\u9fff\ua960\ua97c\uac00\ud7fb\uf900\ufaff\U0001b000\U0001b16f\U00020000\U0003ffff"
)
_EXTENDING = (  # marks of those scripts: they belong to the character before them
    "\u0e31\u0e31\u0e34\u0e3a\u0e47\u0e4e\u0eb1\u0eb1\u0eb4\u0ebc\u0ec8\u0ece\u102b\u103e\u17b4\u17d3\u3099\u309a"
)
_EMOJI = "\u203c\u2dff\u3200\u33ff\U0001f000\U0001faff"
# Combining marks that `\w` leaves out though they are letters to their readers.
_MARKS = (
    "\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670"
    "\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed\u0711\u0730-\u074a\u0900-\u0963\u0966-\u0d7f\u0d80-\u0df3\u0f18-\u0fbc"
)
_ASCII_WORD = re.compile(r"[A-Za-z0-9]+(?:'[A-Za-z0-9]+)*")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_IGNORED = dict.fromkeys([0xAD, *range(0x200B, 0x2010), *range(0x2060, 0x2065), *range(0xFE00, 0xFE10), 0xFEFF])
_IGNORED |= {0x2019: "'", 0x2018: "'", 0x02BC: "'"}
_TRIM_LEFT = "'\"`*_~|<>{}()[]«»“”‘’„…,;:!?&=+-/\\^%—–·。，、；：！？（）【】《》「」『』"
_TRIM_RIGHT = "'\"`*_~|<>{}()[]«»“”‘’„…,;:!?&=-/\\^—–·。，、；：！？（）【】《》「」『』.@"


class _Script(Enum):
    """How a character takes part in terms."""

    SPACED = 0
    UNSPACED = 1
    EMOJI = 2


class Kind(Enum):
    """What a term is: a word, a whole identifier, one cluster of an unspaced script, two of them, a symbol."""

    WORD = 1
    WHOLE = 2
    SINGLE = 3
    PAIR = 4
    EMOJI = 5


@dataclass(frozen=True, slots=True)
class Term:
    """A term in two forms: `stem`, folded and stemmed, and `exact`, as written apart from case; either may be ""."""

    kind: Kind
    stem: str
    exact: str


def iter_terms(text: str) -> Iterator[Term]:
    """Yield the terms of a text in reading order."""
    for piece in _pieces(text):
        yield from _terms_of(piece)


def _pieces(text: str) -> list[str]:
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text.translate(_IGNORED))
    return text.split()


def index_terms(text: str) -> tuple[str, str]:
    """Return the stems of a text and its exact forms, each joined by spaces, as the index takes them."""
    stems: list[str] = []
    exact: list[str] = []
    for piece in _pieces(text):
        forms = _forms_of(piece) if len(piece) <= MAX_TERM else _forms_of.__wrapped__(piece)
        stems += forms[0]
        exact += forms[1]
    return " ".join(stems), " ".join(exact)


def query_terms(text: str) -> list[Term]:
    """Return the distinct terms a query asks for: without stop words, unless it is made of nothing else."""
    terms = list(dict.fromkeys(iter_terms(text)))
    wanted = [term for term in terms if not is_stop(term)]
    return wanted if any(term.kind is not Kind.SINGLE for term in wanted) else wanted or terms


def is_unspaced(text: str) -> bool:
    """Return whether most letters of a text are of scripts without spaces; such texts share no words with others."""
    if text.isascii():
        return False
    unspaced = sum(_SCRIPTS[char] is _Script.UNSPACED for char in text)
    return 2 * unspaced > sum(char.isalpha() for char in text)


def is_stop(term: Term) -> bool:
    """Return whether the term says nothing about a subject, in either language."""
    if term.kind is Kind.WORD:
        return term.exact in ENGLISH
    return term.kind in {Kind.SINGLE, Kind.PAIR} and term.stem in CHINESE


@lru_cache(maxsize=1 << 16)
def _forms_of(piece: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the stems and the exact forms of a piece; cached, because a language has few words and uses them often."""
    terms = _terms_of(piece)
    return tuple(term.stem for term in terms if term.stem), tuple(term.exact for term in terms if term.exact)


def _terms_of(piece: str) -> tuple[Term, ...]:
    if piece.isascii():
        return tuple(_spaced(piece))
    terms: list[Term] = []
    for script, chars in groupby(piece, key=_SCRIPTS.__getitem__):
        run = "".join(chars)
        if script is _Script.UNSPACED:
            terms += _unspaced(run)
        elif script is _Script.EMOJI:
            terms += (Term(Kind.EMOJI, char, "") for char in run)
        else:
            terms += _spaced(run)
    return tuple(terms)


class _ScriptTable(dict[str, _Script]):
    """The script class of each character met so far."""

    def __missing__(self, char: str) -> _Script:
        found = _Script.SPACED
        if _is_in(_UNSPACED, char) or _is_in(_EXTENDING, char):
            found = _Script.UNSPACED
        elif _is_in(_EMOJI, char):
            found = _Script.EMOJI
        self[char] = found
        return found


_SCRIPTS = _ScriptTable()


def _is_in(bounds: str, char: str) -> bool:
    """Return whether a character lies in one of the ranges that `bounds` gives by first and last."""
    at = bisect_right(bounds, char)
    return at % 2 == 1 or bounds[at - 1 : at] == char


def _clusters(run: str) -> list[str]:
    clusters: list[str] = []
    for char in run:
        if clusters and _is_in(_EXTENDING, char):
            clusters[-1] += char
        else:
            clusters.append(char)
    return clusters


def _spaced(piece: str) -> Iterator[Term]:
    """Yield the terms of a piece between spaces: an identifier whole where it has a symbol inside, then its words."""
    whole = piece.lstrip(_TRIM_LEFT).rstrip(_TRIM_RIGHT)
    lowered = whole.casefold()
    if whole.isalpha():
        yield _word(lowered)
        if whole.islower() or whole.isupper() or len(whole) > MAX_CAMEL or not _CAMEL.search(whole):
            return
        yield from (_word(part.casefold()) for part in _CAMEL.split(whole))
        return
    words = (_ASCII_WORD if whole.isascii() else _word_pattern()).findall(whole)
    if len(lowered) <= MAX_TERM and words and words[0] != whole:
        yield Term(Kind.WHOLE, "", lowered)
    for word in words:
        parts = _CAMEL.split(word) if len(word) <= MAX_CAMEL else []
        yield _word(word.casefold())
        if len(parts) > 1:
            yield from (_word(part.casefold()) for part in parts)
    if len(words) > 1 and "-" in whole and lowered.replace("-", "").isalpha():
        yield Term(Kind.WORD, _stem(fold(lowered.replace("-", ""))), "")


@cache
def _word_pattern() -> re.Pattern[str]:
    return re.compile(rf"(?:[^\W_]|[{_MARKS}])+(?:'(?:[^\W_]|[{_MARKS}])+)*")


def _word(word: str) -> Term:
    word = word[:MAX_TERM]
    return Term(Kind.WORD, _stem(word if word.isascii() else fold(word)), word)


def _unspaced(run: str) -> Iterator[Term]:
    """Yield single clusters and overlapping pairs; traditional Han also meets simplified in the folded form."""
    clusters = _clusters(run)
    folded = _clusters(_simplified(fold(run)))
    if len(folded) != len(clusters):
        folded = clusters
    before = before_folded = ""
    for cluster, plain in zip(clusters, folded, strict=True):
        yield Term(Kind.SINGLE, plain, "" if cluster == plain else cluster)
        if before:
            pair = before + cluster
            plain_pair = before_folded + plain
            yield Term(Kind.PAIR, plain_pair, "" if pair == plain_pair else pair)
        before, before_folded = cluster, plain


def _simplified(text: str) -> str:
    return text.translate(simplified_table())


@cache
def simplified_table() -> dict[int, int]:
    """Return the table from traditional to simplified characters that the builtin model folds by."""
    from echo_notes.index.builtin.model import load_simplified

    return load_simplified()


def _stem(word: str) -> str:
    return _stemmer()(word) if word.isascii() and len(word) > 2 and not word.isdigit() else word  # noqa: PLR2004 (no English word of two letters has a suffix)


@cache
def _stemmer() -> Callable[[str], str]:
    from py_rust_stemmers import SnowballStemmer

    stem: Callable[[str], str] = SnowballStemmer("english").stem_word
    return stem

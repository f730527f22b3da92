"""Phrase rules: the small pattern language of the rule files, and matching a sentence against it without regexes.

A pattern is words with `{v}` where the value stands; `a|b` are alternatives, `word?` may be missing. A pattern with
Chinese characters is matched by characters, any other by words.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from echo_notes.model.names import fold

_EDGE = ".,;:!?\"'()[]“”‘’。，；：！？（）「」"


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a sentence: folded and bare of punctuation, as written, and where it stands."""

    bare: str
    raw: str
    start: int
    end: int


def split_words(text: str) -> list[Word]:
    """Return the words of a text between white space."""
    words = []
    position = 0
    for raw in text.split():
        start = text.index(raw, position)
        position = start + len(raw)
        words.append(Word(fold(raw).replace("’", "'").strip(_EDGE), raw, start, position))
    return words


@dataclass(frozen=True, slots=True)
class Pattern:
    """A compiled pattern: what stands before the value and after it.

    Of words each element is (alternatives, may be missing); of characters each side is a tuple of alternative strings,
    longest first.
    """

    unspaced: bool
    before: tuple[tuple[frozenset[str], bool], ...] = ()
    after: tuple[tuple[frozenset[str], bool], ...] = ()
    head: tuple[str, ...] = ()
    tail: tuple[str, ...] = ()


def is_unspaced(text: str) -> bool:
    """Return whether the text has Chinese characters."""
    return any("\u3400" <= char <= "\u9fff" for char in text)


def parse_pattern(source: str) -> Pattern:
    """Return the compiled form of a pattern; ValueError if it has no `{v}`."""
    before, value, after = source.partition("{v}")
    if not value:
        raise ValueError(source)
    if is_unspaced(source):
        return Pattern(unspaced=True, head=_alternatives(before), tail=_alternatives(after))
    return Pattern(unspaced=False, before=_elements(before), after=_elements(after))


def _alternatives(side: str) -> tuple[str, ...]:
    return tuple(sorted((fold(part) for part in side.split("|")), key=len, reverse=True)) if side else ("",)


def _elements(side: str) -> tuple[tuple[frozenset[str], bool], ...]:
    return tuple((frozenset(part.rstrip("?").split("|")), part.endswith("?")) for part in side.split())


def match_words(pattern: Pattern, words: list[Word], start: int = 0) -> tuple[int, int] | None:
    """Return the half-open range of words that is the value, None if the words from `start` do not fit the pattern."""
    first = _follow(pattern.before, words, start)
    if first is None or first >= len(words):
        return None
    if not pattern.after:
        return first, len(words)
    for last in range(first + 1, min(len(words), first + 7)):
        if _follow(pattern.after, words, last) is not None:
            return first, last
    return None


def _follow(elements: tuple[tuple[frozenset[str], bool], ...], words: list[Word], at: int) -> int | None:
    for alternatives, optional in elements:
        if at < len(words) and words[at].bare in alternatives:
            at += 1
        elif not optional:
            return None
    return at


def iter_unspaced(pattern: Pattern, text: str, folded: str) -> Iterator[str]:
    """Yield the values that the pattern can read from a Chinese text, longest head first. `folded` is `fold(text)`."""
    for head in pattern.head:
        if not folded.startswith(head):
            continue
        if pattern.tail == ("",):
            yield text[len(head) :]
            continue
        for tail in pattern.tail:
            end = folded.find(tail, len(head) + 1)
            if end > 0 and _ends_there(text[len(head) : end], text[end + len(tail) :]):
                yield text[len(head) : end]
                break


def _ends_there(value: str, rest: str) -> bool:
    """Return whether a Chinese phrase ends where its last words were found: no clause between, nothing on after."""
    return not any(char in "，。；！？,;!?" for char in value) and (
        not rest or rest[0] in "了啦呢啊呀哦着，。；！？、,;!?.（( "
    )

"""Whether a sentence that a model worded says no more than the text it cites: a rule that no answer can argue with."""

import re
import unicodedata
from collections.abc import Iterable, Mapping

from echo_notes.guard.conflict import Said, compare
from echo_notes.guard.durable import is_blocked
from echo_notes.guard.mentions import find_mentions
from echo_notes.guard.polarity import read_han, read_words
from echo_notes.guard.values import normalise_statement, plain_statement
from echo_notes.index.analysis import Kind, is_stop, is_unspaced, iter_terms
from echo_notes.model.entity import Entity

Names = Mapping[str, tuple[Entity, ...]]

_NEARLY = 0.6
_SHARED = 0.5
_SHARED_UNSPACED = 0.6
_MARKUP = re.compile(r"[<>`{}|\\]|\[\[|\]\(|://|\bwww\.", re.IGNORECASE)
_FIGURES = re.compile(r"\d+")
_CAPITALISED = re.compile(r"(?<=[^\W_] )[A-Z][\w'’-]*|(?<=, )[A-Z][\w'’-]*")


def is_grounded(text: str, source: str, names: Names, *, granted: Iterable[Entity] = ()) -> bool:
    """Return whether a sentence rests on a source text.

    Every figure, capitalised word and known entity in it must stand there too, most of its words of content must, and
    it may hold no markup or address. `granted`: entities that it may name all the same (a pronoun's).
    """
    if not text.strip() or _MARKUP.search(text):
        return False
    plain, base = _plain(text), _plain(source)
    if not set(_FIGURES.findall(plain)) <= set(_FIGURES.findall(base)):
        return False
    allowed = list(granted)
    known = {entity for mention in find_mentions(base, names) for entity in mention.found or ()} | set(allowed)
    named = find_mentions(plain, names)
    if any(not known.intersection(mention.found or ()) for mention in named):
        return False
    given = " ".join([base, *(name for entity in allowed for name in entity.names())])
    lower = given.casefold()
    if any(word.casefold().removesuffix("'s") not in lower for word in _CAPITALISED.findall(plain)):
        return False
    rest = plain
    for mention in reversed(named):
        rest = f"{rest[: mention.start]} {rest[mention.end :]}"
    said = _terms(rest)
    if not said:
        return bool(named)
    least = _SHARED_UNSPACED if is_unspaced(rest) else _SHARED
    return len(said & _terms(base)) >= least * len(said)


def is_nearly(one: str, other: str) -> bool:
    """Return whether two statements have nearly the same words of content."""
    first, second = _terms(_plain(one)), _terms(_plain(other))
    return bool(first) and len(first & second) >= _NEARLY * len(first | second)


def is_faithful(text: str, quote: str, names: Iterable[str]) -> bool:
    """Return whether a worded statement denies exactly as much as the sentence that it rests on, and is no hedge."""
    if "?" in text or "？" in text or is_blocked(plain_statement(text)):
        return False
    if _denies(text) != _denies(quote):
        return False
    return not compare(Said(quote), Said(text), tuple(names)).is_conflict


def _denies(text: str) -> bool:
    said = normalise_statement(text)
    return (read_han(said) if is_unspaced(said) else read_words(said)).negated


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", plain_statement(text))


def _terms(text: str) -> frozenset[str]:
    terms = (term for term in iter_terms(text) if not is_stop(term) and term.kind is not Kind.SINGLE)
    return frozenset(term.stem or term.exact for term in terms)

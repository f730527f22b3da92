"""The discriminative gate and the floor: which candidates say something about the question, and which only look so."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from math import log
from typing import NamedTuple

from echo_notes.index.analysis import Kind, Term, iter_terms
from echo_notes.index.lexical import Lexical

EVERYWHERE = 0.5
"""A term found in more than this share of the passages tells none of them apart."""
FEW = 20
"""Below this many passages a share means nothing."""
MAX_TERMS = 64
"""Terms of a long text that are looked for in each candidate, the most telling ones first."""
COSINE_FLOOR = 0.19  # MODEL_CARD.md, "Floors": keeps 95 % of the best gold texts

# The floors of an answer, calibrated on the development data by tests.evals.abstain: coverage of the query's weight by
# one passage, cosine, and their sum.
ANSWER = 0.44
ANSWER_UNSPACED = 0.52  # pairs of Han meet by chance more often than words do
UNKNOWN_NAME = 0.66  # the query names somebody of whom the vault has never heard
STRONG_COVERAGE = 0.5
STRONG_COSINE = 0.5
LEXICAL_ANSWER = 0.27
ACROSS_SCRIPTS = 0.21
LONGEST_QUESTION = 14.0
KEYWORDS = 2
"""Up to so many telling words a query is keywords."""
PAIR_SHARE = 0.5
SMALL_SHARE = 0.7
KNOWING = 300
"""Passages from which on a word that none of them holds counts in full against an answer; a small vault knows few."""


class Weighed(NamedTuple):
    """A query term, how many passages hold it, and how much it tells (inverse document frequency)."""

    term: Term
    frequency: int
    weight: float


class Evidence(NamedTuple):
    """What speaks for a candidate: the share of the query's weight it holds (0..1), and which of its words."""

    coverage: float
    matched: tuple[str, ...]


def weigh(terms: Iterable[Term], lexical: Lexical) -> list[Weighed]:
    """Return the query's terms with their weights, the most telling ones first."""
    count = max(1, lexical.count)
    weighed = []
    for term in terms:
        frequency = lexical.frequency(term)
        share = 0.5 if term.kind is Kind.SINGLE else 1.0
        if not frequency:
            share *= min(1.0, count / KNOWING)
        weighed.append(Weighed(term, frequency, share * log(1 + (count - frequency + 0.5) / (frequency + 0.5))))
    return sorted(weighed, key=lambda item: -item.weight)


def discriminative(weighed: Iterable[Weighed], count: int) -> list[Weighed]:
    """Return the terms that tell passages apart: neither a lone Han character nor found nearly everywhere.

    A query that has no other terms is taken at its word.
    """
    terms = list(weighed)
    some = [item for item in terms if item.term.kind is not Kind.SINGLE] or terms
    rare = [item for item in some if count < FEW or item.frequency <= EVERYWHERE * count]
    return rare or some


def gather(telling: Iterable[Weighed], rows: Iterable[int], lexical: Lexical) -> Mapping[int, Evidence]:
    """Return the evidence for each of the rows that holds at least one of the terms.

    A question may be answered by the line after the one that has its words; a keyword has to be in the passage itself.
    """
    telling = list(telling)[:MAX_TERMS]
    around = len(telling) > KEYWORDS
    total = sum(item.weight for item in telling) or 1.0
    rows = list(rows)
    held: dict[int, list[Weighed]] = {}
    for item in telling:
        if item.frequency:
            for row in lexical.holding(item.term, rows, around=around):
                held.setdefault(row, []).append(item)
    return {
        row: Evidence(
            sum(item.weight for item in items) / total,
            tuple(dict.fromkeys(item.term.exact or item.term.stem for item in items)),
        )
        for row, items in held.items()
    }


def passes(evidence: Evidence | None, cosine: float | None) -> bool:
    """Return whether a candidate clears the gate: a telling word of the query, or a cosine above the floor."""
    return evidence is not None or (cosine is not None and cosine >= COSINE_FLOOR)


def is_question(telling: Iterable[Weighed]) -> bool:
    """Return whether a query is short enough for the share of its words that is found to mean something.

    A pasted text or the dialogue so far is not: no passage ever holds a good part of it.
    """
    words = sum(PAIR_SHARE if item.term.kind is Kind.PAIR else 1.0 for item in telling)
    return words <= LONGEST_QUESTION


def names_unknown(query: str, telling: Iterable[Weighed]) -> bool:
    """Return whether a query writes a word as a name (a capital inside a sentence) that no passage holds.

    Of all signs that a vault has no answer, this one is the surest.
    """
    words = [word for word in query.split() if word[:1].isalpha()]
    inside = [word for before, word in pairwise(words) if word[0].isupper() and before[-1] not in ".?!:"]
    if len(inside) == len(words) - 1:
        return False  # a title, or somebody shouting
    names = {term.exact.removesuffix("'s") for word in inside for term in iter_terms(word)}
    return any(not item.frequency and item.term.exact.removesuffix("'s") in names for item in telling)


def bar_of(query: str, telling: Sequence[Weighed], count: int, *, unspaced: bool) -> float:
    """Return what coverage and cosine of an answer to this query have to add up to, among `count` passages.

    A small vault knows few words, so a query that misses most of them is held to less.
    """
    if not unspaced and names_unknown(query, telling):
        return UNKNOWN_NAME
    bar = ANSWER_UNSPACED if unspaced else ANSWER
    return bar * (SMALL_SHARE + (1 - SMALL_SHARE) * min(1.0, count / KNOWING))


def answers(coverage: float, cosine: float | None, bar: float, *, same_script: bool) -> bool:
    """Return whether a candidate is an answer, not merely the nearest thing there is.

    Words and meaning add up; where only one of the arms speaks, it has to be surer. Across scripts words cannot meet.
    """
    if cosine is None:
        return coverage >= LEXICAL_ANSWER
    if not same_script:
        return cosine >= ACROSS_SCRIPTS
    strong = bar < UNKNOWN_NAME and (coverage >= STRONG_COVERAGE or cosine >= STRONG_COSINE)
    return strong or coverage + cosine >= bar

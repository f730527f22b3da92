"""Phrase matching: rules as sequences of word classes with bounded gaps, matched in linear time whatever the rule."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from echo_notes.guard.tokens import Tokens

Entries = list[tuple[list[str], list[int]]]  # what may follow a first word, and the classes of the whole term
Spans = list[tuple[int, int]]
WHOLE_SENTENCE = 10**6


class Phrase(NamedTuple):
    """One way to say what a rule is about: classes in order, each with the most words that may lie before it.

    `vetoes` are classes that make the match harmless when they end at most so many words before it, in its clause;
    `afters` the same for what follows it. `opens`: the match must start a sentence or a line. `mask` has the bit of
    every class in `steps`.
    """

    rule: int
    steps: Sequence[tuple[int, int]]
    vetoes: Sequence[tuple[int, int]] = ()
    afters: Sequence[tuple[int, int]] = ()
    opens: bool = False
    mask: int = 0


class Terms:
    """The terms of all classes by their first word, as text until that word is met: most never are."""

    __slots__ = ("_read", "_written")

    def __init__(self, written: Mapping[str, str]) -> None:
        self._written = written
        self._read: dict[str, Entries] = {}

    def get(self, word: str) -> Entries | None:
        """Return what may follow a word and the classes that the whole is in, None if no term begins with it."""
        written = self._written.get(word)
        if written is None:
            return None
        entries = self._read.get(word)
        if entries is None:
            entries = self._read[word] = parse_entries(written)
        return entries


def format_entries(entries: Mapping[str, Sequence[int]]) -> str:
    """Return the terms of one first word as text: `rest|class,class;rest|class`."""
    return ";".join(f"{rest}|{','.join(map(str, sorted(numbers)))}" for rest, numbers in sorted(entries.items()))


def parse_entries(written: str) -> Entries:
    """Return the terms that `format_entries` wrote."""
    parts = (entry.partition("|") for entry in written.split(";"))
    return [(rest.split(), [int(number) for number in numbers.split(",")]) for rest, _, numbers in parts]


def find_terms(tokens: Tokens, terms: Terms) -> tuple[dict[int, Spans], int]:
    """Return where each class occurs, as half-open word spans in order of their ends, and the mask of those classes."""
    words, sentences = tokens.words, tokens.sentences
    found: dict[int, Spans] = {}
    mask = 0
    for at, word in enumerate(words):
        for rest, classes in terms.get(word) or ():
            end = at + 1 + len(rest)
            if rest and (words[at + 1 : end] != rest or sentences[at] != sentences[end - 1]):
                continue
            for one in classes:
                if one in found:
                    found[one].append((at, end))
                else:
                    found[one] = [(at, end)]
                    mask |= 1 << one
    for spans in found.values():
        spans.sort(key=_end)
    return found, mask


def _end(span: tuple[int, int]) -> int:
    return span[1]


def _start(span: tuple[int, int]) -> int:
    return span[0]


def iter_matches(phrase: Phrase, tokens: Tokens, found: Mapping[int, Spans]) -> Iterator[tuple[int, int]]:
    """Yield the word spans that a phrase matches and nothing vetoes. Linear in the occurrences of its classes."""
    (first, _), *others = phrase.steps
    spans = [(end, start) for start, end in found[first] if not phrase.opens or start in tokens.openers]
    for one, gap in others:
        spans = _extend(spans, found[one], gap, tokens.sentences)
        if not spans:
            return
    for end, start in spans:
        if any(_ends_before(start, found.get(one, []), gap, tokens.clauses) for one, gap in phrase.vetoes):
            continue
        if any(_starts_after(end, found.get(one, []), gap, tokens.clauses) for one, gap in phrase.afters):
            continue
        yield start, end


def _extend(spans: Spans, nexts: Spans, gap: int, sentences: Sequence[int]) -> Spans:
    """Return the spans (end, start) made longer by a following class: for each occurrence the nearest one before it."""
    longer: Spans = []
    last: tuple[int, int] | None = None
    at = 0
    for start, end in sorted(nexts):
        while at < len(spans) and spans[at][0] <= start:
            last = spans[at]
            at += 1
        if last and start - last[0] <= gap and sentences[last[1]] == sentences[start]:
            longer.append((end, last[1]))
    longer.sort()
    return longer


def _ends_before(start: int, vetoes: Spans, gap: int, clauses: Sequence[int]) -> bool:
    """Whether a veto ends at most `gap` words before `start`, in the same clause."""
    at = bisect_right(vetoes, start, key=_end) - 1
    return at >= 0 and start - vetoes[at][1] <= gap and clauses[vetoes[at][0]] == clauses[start]


def _starts_after(end: int, vetoes: Spans, gap: int, clauses: Sequence[int]) -> bool:
    """Whether a veto starts at most `gap` words after `end`, in the same clause."""
    at = bisect_left(vetoes, end, key=_start)
    return at < len(vetoes) and vetoes[at][0] - end <= gap and clauses[vetoes[at][0]] == clauses[end - 1]

"""Words of a folded text: Latin words whole, Han, kana and hangul one by one, with sentence and line starts.

Letters apart (`I g n o r e`), figures for letters (`1gn0r3`) and shuffled middles (`ignroe`) are undone where the
result is a word that some rule knows.
"""

import re
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from typing import NamedTuple

# Kept free of character ranges: compiling one wide range costs a cold process more than a whole scan.
_TOKEN = re.compile("[^\\W_]+|[:!?]|。|[.](?=[\\s\"')\\]]|$)|\n\\s*")
_ENDS = frozenset("。!?.")
_BULLETS = ("-", "*", "+", "•", "|", "#")
_FIGURES = str.maketrans("013456789", "oieasgtbg")
_ELS = str.maketrans("013456789", "oleasgtbg")
_SHORTEST_RUN = 4  # single letters in a row that may be one word taken apart
_SHORTEST_SHUFFLE = 6
_SHORTEST_GLUED = 12
_LONGEST_WORD = 24


class Tokens:
    """The words, where each lies in the folded text, the sentence and clause each is in, and which start a line.

    A clause ends with its sentence or at a colon: what stands before a colon does not soften what follows it.
    """

    __slots__ = ("clauses", "ends", "openers", "sentences", "starts", "words")

    def __init__(self) -> None:
        self.words: list[str] = []
        self.starts: list[int] = []
        self.ends: list[int] = []
        self.sentences: list[int] = []
        self.clauses: list[int] = []
        self.openers: set[int] = set()

    def add(self, word: str, start: int, end: int, sentence: int) -> None:
        """Append one word."""
        self.words.append(word)
        self.starts.append(start)
        self.ends.append(end)
        self.sentences.append(sentence)
        self.clauses.append(self.clauses[-1] if self._goes_on() else len(self.words))

    def _goes_on(self) -> bool:
        """Whether the last word is in the clause of the one before it."""
        return len(self.words) > 1 and self.words[-2] != ":" and self.sentences[-2] == self.sentences[-1]


class Vocabulary(NamedTuple):
    """The words that rules know, and for the strong ones their shuffled form."""

    words: AbstractSet[str]
    shuffled: Mapping[str, str]


def split_words(text: str) -> list[str]:
    """Return the words of a folded term."""
    return [word for word, _, _ in _iter_words(text) if word.strip() and word not in _ENDS]


def shuffle_key(word: str) -> str:
    """Return what stays when the inner letters of a word change places."""
    return f"{word[0]}{''.join(sorted(word[1:-1]))}{word[-1]}"


def _iter_words(text: str) -> Iterator[tuple[str, int, int]]:
    for match in _TOKEN.finditer(text):
        word, start = match[0], match.start()
        if word.isascii() or len(word) == 1:
            yield word, start, match.end()
            continue
        begun = 0
        for at, char in enumerate(word):
            if "\u3040" <= char <= "\ud7a3":  # kana, Han, hangul: no spaces between words
                if begun < at:
                    yield word[begun:at], start + begun, start + at
                yield char, start + at, start + at + 1
                begun = at + 1
        if begun < len(word):
            yield word[begun:], start + begun, start + len(word)


def tokenise(text: str, vocabulary: Vocabulary) -> Tokens:
    """Return the words of a folded text in order, disguised ones undone. Linear in the text."""
    tokens = Tokens()
    sentence, opens, disguised = 0, True, False
    for word, start, end in _iter_words(text):
        first = word[0]
        if first == "\n" or first in _ENDS:
            if first != "\n" or word.count("\n") > 1 or text[end : end + 1] in _BULLETS:
                sentence += 1
            opens = True
            continue
        if opens:
            tokens.openers.add(len(tokens.words))
        opens = first == ":"
        disguised = (
            disguised or len(word) >= _SHORTEST_SHUFFLE or not word.isalpha() or (len(word) == 1 and first < "{")
        )
        tokens.add(word, start, end, sentence)
    return _undisguise(tokens, vocabulary) if disguised else tokens


def _undisguise(tokens: Tokens, vocabulary: Vocabulary) -> Tokens:
    plain, at = Tokens(), 0
    while at < len(tokens.words):
        word, sentence = tokens.words[at], tokens.sentences[at]
        run, parts = 1, [word]
        if len(word) == 1:
            run = max(1, _run_of_letters(tokens, at))
            parts = tokens.words[at : at + run]
            if run >= _SHORTEST_RUN:
                parts = _join(tokens, at, run, vocabulary.words)
        elif word not in vocabulary.words:
            parts = _read(word, vocabulary)
        if at in tokens.openers:
            plain.openers.add(len(plain.words))
        whole = len(parts) != run
        for i, part in enumerate(parts):
            first, last = (at, at + run - 1) if whole else (at + i, at + i)
            plain.add(part, tokens.starts[first], tokens.ends[last], sentence)
        at += run
    return plain


def _run_of_letters(tokens: Tokens, at: int) -> int:
    """Return how many single Latin letters or figures follow each other with at most three characters between."""
    words, starts, ends, end = tokens.words, tokens.starts, tokens.ends, at
    while (
        end < len(words)
        and len(words[end]) == 1
        and words[end].isascii()
        and words[end].isalnum()
        and (end == at or starts[end] - ends[end - 1] <= 3)  # noqa: PLR2004 - a space, a sign, a space
        and tokens.sentences[end] == tokens.sentences[at]
    ):
        end += 1
    return end - at


def _join(tokens: Tokens, at: int, run: int, known: AbstractSet[str]) -> list[str]:
    """Return the words that a run of single letters spells, by its wider gaps or by what is known; else the letters."""
    letters = tokens.words[at : at + run]
    gaps = [0, *(tokens.starts[i] - tokens.ends[i - 1] for i in range(at + 1, at + run))]
    narrow = min(gaps[1:])
    spelt = [""]
    for letter, gap in zip(letters, gaps, strict=True):
        if gap > narrow and spelt[-1]:
            spelt.append("")
        spelt[-1] += letter
    if len(spelt) > 1 or spelt[0] in known:
        return [_figures(word, known) for word in spelt]
    return _split_glued("".join(letters), known) or letters


def _read(word: str, vocabulary: Vocabulary) -> list[str]:
    """Return the known word or words that an unknown word disguises; itself if it disguises none."""
    if not word.isascii():
        return [word]
    if not word.isalpha():
        return [word] if word.isdigit() else [_figures(word, vocabulary.words)]
    if len(word) >= _SHORTEST_SHUFFLE:
        plain = vocabulary.shuffled.get(shuffle_key(word)) if len(word) <= _LONGEST_WORD else None
        if plain:
            return [plain]
        if len(word) >= _SHORTEST_GLUED:
            return _split_glued(word, vocabulary.words) or [word]
    return [word]


def _figures(word: str, known: AbstractSet[str]) -> str:
    if word in known or word.isdigit():
        return word
    for table in (_FIGURES, _ELS):
        if (plain := word.translate(table)) in known:
            return plain
    return word


def _split_glued(word: str, known: AbstractSet[str]) -> list[str]:
    """Return the known words that follow each other without a space, longest first; empty if some letter is left."""
    parts, at = [], 0
    while at < len(word):
        for length in range(min(_LONGEST_WORD, len(word) - at), 1, -1):
            if word[at : at + length] in known:
                parts.append(word[at : at + length])
                at += length
                break
        else:
            return []
    return parts

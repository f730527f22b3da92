"""Words of a folded text: Latin words whole, Han, kana and hangul one by one, with sentence and line starts.

Letters apart (`I g n o r e`), figures for letters (`1gn0r3`) and shuffled middles (`ignroe`) are undone where the
result is a word that some rule knows.
"""

import re
from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass, field

_TOKEN = re.compile(
    "[a-z0-9]+|[\u1100-\u11ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3]|[:。！？!?]|[.](?=[\\s\"')\\]]|$)|\n\\s*|"
    "[^\\W_a-z0-9\u1100-\u11ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3]+"
)
_ENDS = frozenset("。！？!?.")
_FIGURES = str.maketrans("013456789", "oieasgtbg")
_ELS = str.maketrans("013456789", "oleasgtbg")
_SHORTEST_RUN = 4  # single letters in a row that may be one word taken apart
_SHORTEST_SHUFFLE = 6
_SHORTEST_GLUED = 12
_LONGEST_WORD = 24


@dataclass(slots=True)
class Tokens:
    """The words, where each lies in the folded text, the sentence each is in, and which of them start a line."""

    words: list[str] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    sentences: list[int] = field(default_factory=list)
    openers: set[int] = field(default_factory=set)

    def add(self, word: str, start: int, end: int, sentence: int) -> None:
        """Append one word."""
        self.words.append(word)
        self.starts.append(start)
        self.ends.append(end)
        self.sentences.append(sentence)


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The words that rules know, and for the strong ones their shuffled form."""

    words: Set[str]
    shuffled: Mapping[str, str]


def split_words(text: str) -> list[str]:
    """Return the words of a folded term or text."""
    return [word for word in _TOKEN.findall(text) if word.strip() and word not in _ENDS]


def shuffle_key(word: str) -> str:
    """Return what stays when the inner letters of a word change places."""
    return f"{word[0]}{''.join(sorted(word[1:-1]))}{word[-1]}"


def tokenise(text: str, vocabulary: Vocabulary) -> Tokens:
    """Return the words of a folded text in order, disguised ones undone. Linear in the text."""
    tokens = Tokens()
    sentence, opens, disguised = 0, True, False
    for match in _TOKEN.finditer(text):
        word = match[0]
        first = word[0]
        if first == "\n" or first in _ENDS:
            if first != "\n" or word.count("\n") > 1:
                sentence += 1
            opens = True
            continue
        if opens:
            tokens.openers.add(len(tokens.words))
            opens = False
        opens = first == ":"
        disguised = disguised or len(word) == 1 or len(word) >= _SHORTEST_SHUFFLE or not word.isalpha()
        tokens.add(word, match.start(), match.end(), sentence)
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


def _join(tokens: Tokens, at: int, run: int, known: Set[str]) -> list[str]:
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


def _figures(word: str, known: Set[str]) -> str:
    if word in known or word.isdigit():
        return word
    for table in (_FIGURES, _ELS):
        if (plain := word.translate(table)) in known:
            return plain
    return word


def _split_glued(word: str, known: Set[str]) -> list[str]:
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

"""Negation and opposites: what a sentence says and whether it says it or denies it, in English and Chinese."""

from dataclasses import dataclass
from functools import cache
from typing import Any

from echo_notes.guard.lexicon import load_lexicon

_SHORTEST_STEM = 3


@dataclass(frozen=True, slots=True)
class Content:
    """What is left of a normalised sentence without negation and function words.

    `words` are stems of an English sentence, in order; `text` are the characters of a Chinese one. `negators` counts
    them: of two nobody knows what they deny.
    """

    negators: int
    ended: bool
    words: tuple[str, ...] = ()
    text: str = ""

    @property
    def negated(self) -> bool:
        """Whether the sentence denies something."""
        return self.negators > 0


@cache
def _data() -> Any:
    return load_lexicon("conflict")


@cache
def _set(name: str) -> frozenset[str]:
    return frozenset(_data()[name])


@cache
def _stem_classes() -> dict[str, str]:
    return {stem(word): stem(group[0]) for group in _data()["synonyms"] for word in group}


@cache
def _opposites() -> frozenset[tuple[str, str]]:
    return frozenset((stem(one), stem(other)) for pair in _data()["antonyms"] for one, other in (pair, pair[::-1]))


def stem(word: str) -> str:
    """Return an English word without its commonest endings; good enough to compare two sentences, not for an index."""
    for ending, put in (("ies", "y"), ("ing", ""), ("ied", "y"), ("ed", ""), ("es", ""), ("s", "")):
        if word.endswith(ending) and len(word) - len(ending) + len(put) >= _SHORTEST_STEM and not word.endswith("ss"):
            word = word.removesuffix(ending) + put
            if len(word) > _SHORTEST_STEM and word[-1] == word[-2] and word[-1] not in "sle" and not put:
                word = word[:-1]
            break
    return word.removesuffix("e") if len(word) > _SHORTEST_STEM else word


def read_words(normalised: str) -> Content:
    """Return the content of an English sentence in the form of `normalise_statement`."""
    words = normalised.split()
    spaced = f" {normalised} "
    stop, negators, classes = _set("stop"), _set("negators"), _stem_classes()
    content = [stem(word) for word in words if word not in stop and word not in negators]
    return Content(
        negators=sum(word in _set("negators") for word in words),
        ended=any(f" {phrase} " in spaced for phrase in _data()["ending"]),
        words=tuple(classes.get(word, word) for word in content),
    )


def read_han(normalised: str) -> Content:
    """Return the content of a Chinese sentence in the form of `normalise_statement`."""
    text = normalised
    ended = any(mark in text for mark in _data()["ending_zh"])
    kept = {word: chr(0xE000 + index) for index, word in enumerate(_data()["not_negators_zh"])}
    text = text.replace("不过敏", "不\ue800敏")
    for word, mark in kept.items():
        text = text.replace(word, mark)
    negators = 0
    for negator in _data()["negators_zh"]:
        if negator in text:
            negators += text.count(negator)
            text = text.replace(negator, "")
    for word, mark in kept.items():
        text = text.replace(mark, word)
    text = text.replace("\ue800", "过")
    for group in _data()["synonyms_zh"]:
        for word in sorted(group[1:], key=len, reverse=True):
            text = text.replace(word, "\ue900")
        text = text.replace("\ue900", group[0])
    text = text.replace("过敏", "\ue801")
    for word in _data()["stop_zh"]:
        text = text.replace(word, "")
    return Content(negators=negators, ended=ended, text=text.replace("\ue801", "过敏"))


def covered(denied: Content, said: Content) -> float:
    """Return the share of what one sentence denies that the other says, 0 to 1."""
    if denied.words or said.words:
        words = set(denied.words)
        return len(words & set(said.words)) / len(words) if words else 0.0
    pairs = _pairs(denied.text)
    if not pairs:
        return 1.0 if denied.text and denied.text in said.text else 0.0
    return len(pairs & _pairs(said.text)) / len(pairs)


def _pairs(text: str) -> set[str]:
    return {text[index : index + 2] for index in range(len(text) - 1)}


def are_opposite_words(one: Content, other: Content) -> bool:
    """Return whether two English sentences differ in one pair of opposites and nothing else."""
    first, second = set(one.words) - set(other.words), set(other.words) - set(one.words)
    if len(first) != 1 or len(second) != 1:
        return False
    return (*first, *second) in _opposites()


def are_opposite_texts(one: str, other: str) -> bool:
    """Return whether two Chinese sentences are the same apart from one pair of opposites."""
    start = 0
    while start < min(len(one), len(other)) and one[start] == other[start]:
        start += 1
    end = 0
    while end < min(len(one), len(other)) - start and one[-1 - end] == other[-1 - end]:
        end += 1
    for back in range(3):
        left = max(0, start - back)
        for tail in range(3):
            right = max(0, end - tail)
            pair = one[left : len(one) - right], other[left : len(other) - right]
            if len(pair[0]) == len(pair[1]) == 1 and right:
                continue  # one character inside a text may be part of a name (北京, 南京)
            if any(pair in {(first, second), (second, first)} for first, second in _data()["antonyms_zh"]):
                return len(one) > len(pair[0]) or len(other) > len(pair[1])
    return False

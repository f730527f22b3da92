"""Lessons and preferences: which sentences tell one, and in which words it could stand as a line of MEMORY.md."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any

from echo_notes.guard.lexicon import load_lexicon
from echo_notes.guard.values import plain_statement
from echo_notes.model.names import fold

LESSON = "lesson"
PREFERENCE = "preference"
_LEAST_WORDS = 3
_LEAST_HAN = 5
_LONGEST = 240
_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff]")


@dataclass(frozen=True, slots=True)
class Insight:
    """What a sentence tells: LESSON or PREFERENCE, in the writer's words, and whether it says what is not wanted."""

    kind: str
    text: str
    negative: bool


def read_insight(sentence: str, tags: Iterable[str] = ()) -> Insight | None:
    """Return the lesson or lasting preference that a sentence of the vault's owner tells, None for anything else."""
    plain = " ".join(plain_statement(sentence).split()).rstrip(".。!！ ")
    if "?" in sentence or "？" in sentence or len(plain) > _LONGEST:
        return None
    rules = load_lexicon("reflect")
    tagged = next((kind for tag in tags if (kind := rules["tags"].get(fold(tag.lstrip("#"))))), "")
    text, led = _without_lead(plain)
    kind = LESSON if led else tagged or next((kind for kind in (LESSON, PREFERENCE) if _matches(kind, plain)), "")
    if not kind or not _says_enough(text):
        return None
    return Insight(kind, text[:1].upper() + text[1:], is_negative(text))


def is_negative(text: str) -> bool:
    """Return whether a statement says what is not so, or not wanted: it never repeats one that says the contrary."""
    lowered = text.lower().replace("’", "'")
    return any(
        word in lowered if _HAN.match(word) else re.search(rf"\b{re.escape(word)}\b", lowered)
        for word in load_lexicon("reflect")["negations"]
    )


def leads(line: str) -> bool:
    """Return whether a line begins with words that announce a lesson (`Lesson:`, `Note to self:`)."""
    return _without_lead(line)[1]


def section_for(kind: str, text: str, headings: Iterable[str]) -> str:
    """Return the heading of MEMORY.md under which a line belongs: one that is there and fits, else a new one."""
    sections: Any = load_lexicon("reflect")["sections"][kind]
    known = [heading for heading in headings if fold(heading) in sections["known"]]
    if known:
        return known[0]
    return str(sections["new_zh"] if _HAN.search(text) else sections["new"])


def _without_lead(plain: str) -> tuple[str, bool]:
    for pattern in _patterns("leads"):
        if match := pattern.match(plain):
            return plain[match.end() :], True
    return plain, False


def _matches(kind: str, plain: str) -> bool:
    normal = plain.replace("’", "'")
    return any(pattern.search(normal) for pattern in _patterns(kind))


def _says_enough(text: str) -> bool:
    return len(text.split()) >= _LEAST_WORDS or len(_HAN.findall(text)) >= _LEAST_HAN


@cache
def _patterns(name: str) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(source, re.IGNORECASE) for source in load_lexicon("reflect")[name])

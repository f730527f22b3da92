"""Known names in running text: which entities a sentence mentions, and which of them it is about.

Names are looked up, never searched for one by one: ten thousand entities cost a sentence no more than ten.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Generic, TypeVar

from echo_notes.guard.phrases import is_unspaced
from echo_notes.guard.subjects import OWNER_HAN, OWNER_WORDS
from echo_notes.guard.values import plain_statement
from echo_notes.model.names import fold

T = TypeVar("T")

_MAX_TOKENS = 16
_LONGEST_NAME = 120
_UNSPACED = (
    "\u0e01-\u0e5b\u0e81-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3"
    "\uf900-\ufaff\U00020000-\U0003ffff"
)
_SEPARATORS = " -_\t\n\r"
_AFTER = "+#!?*."
# Names that are also everyday words: in small letters they are the word.
_EVERYDAY = frozenset(
    [
        "will",
        "may",
        "mark",
        "grace",
        "hope",
        "art",
        "bill",
        "rose",
        "sunny",
        "april",
        "june",
        "august",
        "faith",
        "joy",
        "rich",
        "frank",
        "gene",
        "drew",
        "chase",
        "miles",
        "penny",
        "lily",
        "dawn",
        "summer",
        "wade",
        "chip",
        "ray",
        "pat",
        "sue",
        "jack",
        "me",
        "i",
        "us",
        "it",
        "all",
        "note",
        "notes",
        "today",
        "home",
        "work",
        "team",
        "target",
    ]
)
_PREPOSITIONS = frozenset(
    [
        "in",
        "at",
        "on",
        "with",
        "for",
        "to",
        "from",
        "by",
        "of",
        "about",
        "near",
        "via",
        "after",
        "before",
        "than",
        "like",
        "and",
        "or",
        "under",
        "over",
        "between",
        "into",
        "onto",
        "@",
    ]
)
_HAN_PREPOSITIONS = (
    "在",
    "和",
    "跟",
    "与",
    "向",
    "对",
    "给",
    "从",
    "于",
    "被",
    "把",
    "由",
    "比",
    "同",
    "去",
    "到",
    "找",
    "见",
)
RELATIONS = frozenset(
    [
        "friend",
        "sister",
        "brother",
        "wife",
        "husband",
        "mother",
        "father",
        "mom",
        "mum",
        "dad",
        "son",
        "daughter",
        "boss",
        "manager",
        "colleague",
        "coworker",
        "neighbour",
        "neighbor",
        "partner",
        "cousin",
        "uncle",
        "aunt",
        "girlfriend",
        "boyfriend",
        "roommate",
        "flatmate",
        "teacher",
        "doctor",
        "dentist",
        "lawyer",
        "client",
        "landlord",
        "company",
        "team",
        "startup",
        "project",
        "grandmother",
        "grandfather",
        "niece",
        "nephew",
        "mentor",
        "assistant",
    ]
)
RELATIONS_ZH = (
    "同事", "朋友", "好友", "妹妹", "哥哥", "姐姐", "弟弟", "妻子", "丈夫", "老婆", "老公", "老板",
    "经理", "上司", "女儿", "儿子", "妈妈", "爸爸", "母亲", "父亲", "同学", "室友", "邻居", "老师",
    "医生", "律师", "客户", "导师", "表哥", "表姐", "叔叔", "阿姨", "女朋友", "男朋友", "公司", "房东",
    "助理",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Mention(Generic[T]):
    """A known name in a text, or the owner's `I` (then `found` is None).

    `start` and `end` are offsets in the text; `name` is the folded name that was looked up, `found` what it stands for.
    `possessive`: something of theirs follows.
    """

    start: int
    end: int
    name: str
    found: T | None
    possessive: bool = False
    owner: bool = False


def find_mentions(text: str, names: Mapping[str, T]) -> tuple[Mention[T], ...]:
    """Return the known names in the order of the text, none overlapping; the longest name at a place wins.

    `names` maps folded names (`fold_name`) to whatever they stand for. Scripts without spaces need no word borders, all
    others do. A single letter or character is never a mention.
    """
    folded, starts = _fold_with_offsets(text)
    tokens = [match.span() for match in _token_pattern().finditer(folded)]
    mentions: list[Mention[T]] = []
    at = 0
    while at < len(tokens):
        step = 1
        for count in range(min(_MAX_TOKENS, len(tokens) - at), 0, -1):
            first, last = tokens[at][0], tokens[at + count - 1][1]
            if last - first > _LONGEST_NAME:
                continue
            hit = _look_up(folded, first, last, names)
            if hit is None:
                continue
            start, end = starts[hit[0]], starts[hit[1]]
            name = folded[hit[0] : hit[1]]
            if not _plausible(name, text[start:end]):
                continue
            mentions.append(Mention(start, end, name, names[name], _possessive(text, end)))
            step = count
            break
        at += step
    return tuple(mentions)


@cache
def _token_pattern() -> re.Pattern[str]:
    return re.compile(rf"[^\W_{_UNSPACED}]+|[{_UNSPACED}]")


def _look_up(folded: str, first: int, last: int, names: Mapping[str, T]) -> tuple[int, int] | None:
    """Return the span of a known name of these tokens, with the symbols it may begin or end in (`C++`, `.NET`)."""
    ends = [last]
    while len(ends) < 4 and ends[-1] < len(folded) and folded[ends[-1]] in _AFTER:  # noqa: PLR2004  # C++ has two
        ends.append(ends[-1] + 1)
    for start in (first - 1, first) if first and folded[first - 1] in ".@$#" else (first,):
        for end in reversed(ends):
            if folded[start:end] in names:
                return start, end
    return None


def _plausible(name: str, written: str) -> bool:
    if len(name) < 2:  # noqa: PLR2004  # one letter names nothing
        return False
    return name not in _EVERYDAY or written[:1].isupper()


def _possessive(text: str, end: int) -> bool:
    return text.startswith(("'s", "’s", "的", "' ", "’ "), end)


def _fold_with_offsets(text: str) -> tuple[str, list[int]]:
    """Return the text as names are folded, and for each of its characters (and its end) the offset in the text."""
    pieces: list[str] = []
    starts: list[int] = []
    for start, cluster in _clusters(text):
        piece = " " if cluster in _SEPARATORS else fold(cluster).replace("’", "'")
        if piece.isspace() and pieces and pieces[-1] == " ":
            continue
        pieces.append(piece)
        starts.extend([start] * len(piece))
    starts.append(len(text))
    return "".join(pieces), starts


def _clusters(text: str) -> Iterator[tuple[int, str]]:
    if text.isascii():
        yield from enumerate(text)
        return
    start = 0
    for index in range(1, len(text) + 1):
        if index < len(text) and (unicodedata.combining(text[index]) or "\u1160" <= text[index] <= "\u11ff"):
            continue
        yield start, text[start:index]
        start = index


def is_about_owner(text: str) -> bool:
    """Return whether the owner is the subject: `I …`, `my …`, `我…`."""
    return _owner_span(plain_statement(text)) > 0


def _owner_span(plain: str) -> int:
    """Return the length of the first-person word that the sentence begins with, 0 if it begins with none."""
    first = plain.split(" ", 1)[0]
    if fold(first).replace("’", "'").strip(",") in OWNER_WORDS:
        return len(first)
    for word in OWNER_HAN:
        if plain.startswith(word) and not plain.startswith(("我们公司", "我们", "我方", "我国", "我校", "我司")):
            return len(word)
    return 0


def subject_of(text: str, names: Mapping[str, T]) -> tuple[Mention[T], ...]:
    """Return the mentions in a text, the one it is about first, the others in the order of the text.

    The owner comes first as a mention of their own where the sentence begins with `I`, `my` or `我`, unless that
    introduces a known name (`my sister Ada`). A name after a preposition (`lunch with Ada`) is the subject only if no
    other name is there.
    """
    mentions = find_mentions(text, names)
    owner: Mention[T] | None = _owner_mention(text)
    if owner is not None and not _introduced(text, owner.end, mentions):
        return (owner, *mentions)
    for mention in mentions:
        if not _after_preposition(text, mention.start):
            return (mention, *(other for other in mentions if other is not mention))
    return mentions


def _owner_mention(text: str) -> Mention[T] | None:
    plain = plain_statement(text)
    length = _owner_span(plain)
    if not length:
        return None
    start = text.find(plain[:length])
    return Mention(start, start + length, plain[:length].lower(), None, fold(plain[:length]) == "my", owner=True)


def _introduced(text: str, after: int, mentions: Sequence[Mention[T]]) -> bool:
    """Return whether a known name follows a relation of the owner: `my sister Ada lives …`, `我同事李雷…`."""
    for mention in mentions:
        between = fold(text[after : mention.start]).strip(" ,[@的，")
        if not between:
            return False
        if is_unspaced(between):
            return between.endswith(RELATIONS_ZH) and len(between) <= 6 and not mention.possessive  # noqa: PLR2004
        words = between.split()
        return len(words) <= 3 and words[-1].strip(",") in RELATIONS  # noqa: PLR2004  # my best friend Ada
    return False


def _after_preposition(text: str, start: int) -> bool:
    before = text[:start].rstrip(" [@\"'“(")
    if before.endswith(_HAN_PREPOSITIONS):
        return True
    return before.rpartition(" ")[2].lower() in _PREPOSITIONS

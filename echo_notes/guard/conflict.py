"""Contradiction: whether two statements about one entity can both be true now, by rules, with a confidence.

Wrongly retiring a fact is the worst outcome, so whatever no rule decides is compatible.
"""

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Protocol

from echo_notes.guard.dialogue import denies, is_turn, read_turn
from echo_notes.guard.keys import KeyValue, derive_key, find_rule, inline_field, is_single_valued, key_group
from echo_notes.guard.keyvalues import close_up
from echo_notes.guard.lexicon import load_lexicon, longest_first, word_set
from echo_notes.guard.phrases import is_unspaced, split_words
from echo_notes.guard.polarity import (
    Content,
    are_opposite_texts,
    are_opposite_words,
    covered,
    read_han,
    read_words,
)
from echo_notes.guard.values import date_in, normalise_statement, normalise_value, plain_statement

DUPLICATE = "duplicate"
UPDATE = "update"
CONTRADICTION = "contradiction"
COMPATIBLE = "compatible"

SURE = 0.9
LIKELY = 0.8
"""Verdicts below this are for a person or a language model to look at, never for a pass to act on."""

MAYBE = 0.7
_SEEMS = "one seems to deny what the other says"
_CLAUSE = re.compile("[，。！？；,;]")
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_RUNNING = frozenset(["active", "live", "beta", "alpha", "testing", "development", "prototype"])
_LITTLE = 2
_LONGEST = 2000
_ENOUGH_HAN = 3
_MOST = 0.8
_MANY = 0.55
_NEGATIVES = frozenset(["not", "never", "cannot", "cant", "neither", "nor", "anymore"])
_NEGATIVES_ZH = frozenset(["不再", "什么", "谁", "多少", "吗", "？", "?"])


class Stated(Protocol):
    """A statement with its dates: a `Fact`, or a `Said`."""

    @property
    def text(self) -> str:
        """The statement."""

    @property
    def key(self) -> str:
        """Its semantic key where it is known, else empty."""

    @property
    def valid_from(self) -> date | None:
        """The first day on which it holds."""

    @property
    def valid_until(self) -> date | None:
        """The first day on which it holds no longer."""


@dataclass(frozen=True, slots=True)
class Said:
    """A statement that is not a fact yet."""

    text: str
    key: str = ""
    valid_from: date | None = None
    valid_until: date | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """How two statements stand to each other, how sure that is (0 to 1), and why, in words for a person."""

    kind: str
    confidence: float
    why: str

    @property
    def is_conflict(self) -> bool:
        """Whether the two cannot both be current."""
        return self.kind in {UPDATE, CONTRADICTION}


def compare(a: Stated, b: Stated, names: Sequence[str] = ()) -> Verdict:
    """Return how a newer statement `b` stands to an older one `a` about the entity of these names.

    update: the world moved on, `a` was true. contradiction: one of them was never true. Statements whose validity does
    not overlap are compatible.
    """
    if _disjoint(a, b):
        return Verdict(COMPATIBLE, 1.0, "they hold at different times")
    if max(len(a.text), len(b.text)) > _LONGEST:
        same = " ".join(a.text.split()) == " ".join(b.text.split())
        return Verdict(DUPLICATE, 1.0, "they say the same") if same else Verdict(COMPATIBLE, 0.6, "too long to compare")
    one, other = normalise_statement(a.text, names), normalise_statement(b.text, names)
    if one == other:
        return Verdict(DUPLICATE, 1.0, "they say the same")
    if is_turn(a.text) and is_turn(b.text):
        return _by_turns(a.text, b.text)
    if _is_hedged(a.text) or _is_hedged(b.text):
        return Verdict(COMPATIBLE, SURE, "one is not an assertion about now")
    return (
        _by_key(a, b, names)
        or _by_leaving(a, b, names)
        or _by_polarity(one, other, a.text, b.text)
        or _by_number(one, other)
        or Verdict(COMPATIBLE, 0.6, "no rule sees a conflict")
    )


def _disjoint(a: Stated, b: Stated) -> bool:
    return bool(
        (a.valid_until and b.valid_from and a.valid_until <= b.valid_from)
        or (b.valid_until and a.valid_from and b.valid_until <= a.valid_from)
    )


def _is_hedged(text: str) -> bool:
    """Return whether a sentence is a question, a hedge, a plan or about the past, negation aside."""
    plain = plain_statement(text)
    words = [word.bare for word in split_words(plain)]
    if any(word in word_set("blockers") and word not in _NEGATIVES for word in words):
        return True
    pairs = set(itertools.pairwise(words))
    if (
        pairs & {("used", "to"), ("going", "to"), ("will", "move"), ("will", "be"), ("plans", "to"), ("wants", "to")}
        or "will" in words[:3]
    ):
        return True
    if "from" in words and ("to" in words or "until" in words) and sum(word[:4].isdigit() for word in words) > 1:
        return True
    if not is_unspaced(plain):
        return False
    if "年到" in plain or "年至" in plain:
        return True
    return any(part in plain for part in longest_first("blockers_zh") if part not in _NEGATIVES_ZH)


def _key_of(stated: Stated, names: Sequence[str]) -> KeyValue | None:
    """Return the key and value of a statement; a key that its record names wins over the derived one."""
    derived = derive_key(stated.text, names)
    if not stated.key or (derived and key_group(derived.key) == key_group(stated.key)):
        return derived
    field = inline_field(stated.text, names)
    rule = find_rule(stated.key)
    value = field.value if field else (derived.value if derived else "")
    return KeyValue(stated.key, value, is_single_valued(stated.key), bool(rule and rule.fixed))


def _by_key(a: Stated, b: Stated, names: Sequence[str]) -> Verdict | None:
    first, second = _key_of(a, names), _key_of(b, names)
    if first is None or second is None or not first.value or not second.value:
        return None
    if key_group(first.key) != key_group(second.key):
        return _by_marriage(first, second) or Verdict(
            COMPATIBLE, LIKELY, f"{first.key} and {second.key} are different things"
        )
    one, other = normalise_value(first.value), normalise_value(second.value)
    if one == other:
        return Verdict(DUPLICATE, 0.95, f"the same {first.key}")
    if not first.single_valued or _adds(a.text) or _adds(b.text):
        return Verdict(COMPATIBLE, LIKELY, f"{first.key} can have several values")
    rule = find_rule(first.key)
    if rule and rule.kind in {"member", "name", "place", "role"} and not first.fixed and _is_backdated(a.text, b.text):
        return Verdict(COMPATIBLE, LIKELY, "it tells of an earlier time")
    return _by_values(first, second, one, other)


def _is_backdated(a: str, b: str) -> bool:
    """Return whether the newer statement names an earlier year than the older one: `joined Acme in 2015`."""
    years = [_YEAR.findall(text) for text in (a, b)]
    return len(years[0]) == len(years[1]) == 1 and years[1][0] < years[0][0]


def _by_values(first: KeyValue, second: KeyValue, one: str, other: str) -> Verdict:
    """Read two different values of a key that holds one at a time."""
    key = first.key
    if key.startswith("preference:") and " vs " not in key:
        if {first.value, second.value} == {"likes", "prefers"}:
            return Verdict(COMPATIBLE, SURE, "both in favour")
        return Verdict(CONTRADICTION, SURE, f"{first.value} and {second.value}")
    rule = find_rule(key)
    reason = _can_both_hold(rule.kind if rule else "text", first.value, second.value, one, other)
    if reason:
        return Verdict(COMPATIBLE, LIKELY, reason)
    return Verdict(CONTRADICTION if first.fixed else UPDATE, SURE, f"{key}: {first.value} and {second.value}")


def _can_both_hold(kind: str, first: str, second: str, one: str, other: str) -> str:
    """Return why two different values may be one thing told twice, "" if they cannot; `one`, `other` are normalised."""
    if kind in {"date", "when"}:
        return "one date is the other in more detail" if _same_date(first, second) else ""
    if kind == "place" and not _comparable_places(first, second):
        return "one place may lie in the other"
    if {first, second} <= _RUNNING and "active" in {first, second}:
        return "both are under way"
    if kind == "role" and not _comparable_roles(first, second):
        return "a person can have both roles"
    if kind in {"name", "member", "place", "role", "text", "line"} and _contains(one, other):
        return "one is the other in more detail"
    return ""


def _comparable_places(one: str, other: str) -> bool:
    """Return whether two places cannot lie in each other: two towns, two provinces, or in two provinces."""
    first, second = _province(one), _province(other)
    if first and second:
        return first != second
    return _is_region(one) == _is_region(other)


def _is_region(place: str) -> bool:
    """Return whether a place is a country, a province or a district rather than a town: it may hold the other."""
    data = load_lexicon("conflict")
    name = normalise_value(place)
    if name in data["districts"]:
        return True
    return (name in data["regions"] and place not in data["cities_zh"]) or name.endswith(tuple(data["region_endings"]))


def _province(place: str) -> str:
    """Return the Chinese province that a place begins with (`陕西西安`), "" if it begins with none."""
    return next(
        (name for name in load_lexicon("conflict")["regions"] if is_unspaced(name) and place.startswith(name)), ""
    )


def _same_date(one: str, other: str) -> bool:
    first, second = date_in(one) or normalise_value(one), date_in(other) or normalise_value(other)
    return (
        first.endswith(second.lstrip("-"))
        or second.endswith(first.lstrip("-"))
        or first.startswith(second)
        or second.startswith(first)
    )


def _contains(one: str, other: str) -> bool:
    if is_unspaced(one + other):
        return one in other or other in one
    first, second = set(one.split()), set(other.split())
    return first <= second or second <= first


def _comparable_roles(one: str, other: str) -> bool:
    """Return whether two roles are the same kind of claim: both at one organisation, or both without one."""
    first, second = _organisation(one), _organisation(other)
    return normalise_value(first) == normalise_value(second)


def _organisation(role: str) -> str:
    if is_unspaced(role):
        return role.rpartition("的")[0]
    for joint in (" of ", " at ", " for "):
        head, found, tail = role.partition(joint)
        if found and head and (tail[:1].isupper() or tail.startswith("the ")):
            return tail
    return ""


def _by_marriage(first: KeyValue, second: KeyValue) -> Verdict | None:
    """Read across `spouse` and `marital-status`: who was single or engaged and then married has moved on."""
    values = {first.key: first.value, second.key: second.value}
    status = values.get("marital-status")
    if set(values) != {"spouse", "marital-status"} or status == "married":
        return None
    return Verdict(UPDATE, SURE, f"{first.key} {first.value}, then {second.key} {second.value}")


def _adds(text: str) -> bool:
    data = load_lexicon("conflict")
    spaced = f" {' '.join(word.bare for word in split_words(plain_statement(text)))} "
    return any(f" {cue} " in spaced for cue in data["adding"]) or any(cue in text for cue in data["adding_zh"])


def _by_leaving(a: Stated, b: Stated, names: Sequence[str]) -> Verdict | None:
    """Read `left Acme` after `works at Acme`."""
    for stays, leaves in ((a, b), (b, a)):
        found = _key_of(stays, names)
        if found is None or key_group(found.key) not in {"employer", "school", "role", "city"}:
            continue
        value = normalise_value(found.value)
        said = normalise_statement(leaves.text, names)
        if value and value in said and _leaves(said) and derive_key(leaves.text, names) is None:
            return Verdict(UPDATE, SURE, f"left {found.value}")
    return None


def _leaves(normalised: str) -> bool:
    data = load_lexicon("conflict")
    first = normalised.split()[:3]
    if any(word in data["leaving"] for word in first) or normalised.startswith("no longer"):
        return True
    return is_unspaced(normalised) and any(cue in normalised for cue in data["leaving_zh"])


def _by_polarity(one: str, other: str, a: str, b: str) -> Verdict | None:
    """Read denials and opposites from two normalised statements; `a` and `b` are the same as written."""
    unspaced = is_unspaced(a + b)
    first, second = (read_han(one), read_han(other)) if unspaced else (read_words(one), read_words(other))
    if first.negated != second.negated:
        denied, said = (first, second) if first.negated else (second, first)
        return _by_negation(denied, said, one if first.negated else other, later=second)
    if first.negated:
        return _by_clauses((first, second), (one, other), (a, b)) if unspaced else None
    opposite = are_opposite_texts(first.text, second.text) if unspaced else are_opposite_words(first, second)
    return Verdict(CONTRADICTION, 0.85, "they say opposite things") if opposite else None


def _by_negation(denied: Content, said: Content, denial: str, *, later: Content) -> Verdict | None:
    """Read `does not like tea` against `likes tea`. Sure only if what is said begins as what is denied does."""
    data = load_lexicon("conflict")
    if denied.negators > 1 or any(idiom in denial for idiom in data["idioms_zh"]):
        return None
    kind = UPDATE if later.ended else CONTRADICTION
    if covered(denied, said) == 1.0 and _same_head(denied, said):
        return Verdict(kind, SURE, "one denies what the other says")
    if denied.words:
        return Verdict(kind, MAYBE, _SEEMS) if covered(denied, said) == 1.0 else None
    strong = any(word in denial for word in data["strong_negators_zh"])
    if len(denied.text) >= _ENOUGH_HAN and _characters(denied, said) >= (_MANY if strong else _MOST):
        return Verdict(kind, MAYBE, _SEEMS)
    return None


def _same_head(denied: Content, said: Content) -> bool:
    """Return whether what is said begins as what is denied does, and says little more."""
    if denied.words:
        extra = len(set(said.words) - set(denied.words))
        return bool(said.words) and said.words[0] in denied.words and extra <= _LITTLE
    return said.text[:2] == denied.text[:2] and len(said.text) <= len(denied.text) + 1


def _characters(denied: Content, said: Content) -> float:
    return sum(char in said.text for char in denied.text) / len(denied.text)


def _by_clauses(contents: tuple[Content, Content], normal: tuple[str, str], written: tuple[str, str]) -> Verdict | None:
    """Read a Chinese denial against the clauses of the other text that deny nothing."""
    for denied, denial, text in ((contents[0], normal[0], written[1]), (contents[1], normal[1], written[0])):
        clauses = [read_han(normalise_statement(clause)) for clause in _CLAUSE.split(text)]
        positive = "".join(clause.text for clause in clauses if not clause.negated)
        if positive and denied.negators == 1:
            found = _by_negation(denied, Content(0, ended=False, text=positive), denial, later=contents[1])
            if found:
                return Verdict(found.kind, MAYBE, _SEEMS)
    return None


def _by_turns(a: str, b: str) -> Verdict:
    """Read two questions with their answers as what the answers assert."""
    first, second = read_turn(a), read_turn(b)
    why = denies(first, second)
    if why:
        return Verdict(CONTRADICTION, MAYBE, why)
    for one in first.assertions:
        for other in second.assertions:
            found = _by_key(Said(one), Said(other), ("我",))
            if found and found.is_conflict and found.confidence >= LIKELY:
                return Verdict(CONTRADICTION, LIKELY, found.why)
    return Verdict(COMPATIBLE, 0.6, "no rule sees a conflict")


def _by_number(one: str, other: str) -> Verdict | None:
    """Read two counts of the same thing: `has 3 offices` and `has 4 offices`."""
    data = load_lexicon("conflict")
    if is_unspaced(one):
        return _by_han_number(one, other, data["statives_zh"])
    first, second = one.split(), other.split()
    if len(first) != len(second) or not first or first[0] not in data["statives"]:
        return None
    different = [pair for pair in zip(first, second, strict=True) if pair[0] != pair[1]]
    if len(different) == 1 and all(any(char.isdigit() for char in word) for word in different[0]):
        return Verdict(UPDATE, LIKELY, f"{different[0][0]} and {different[0][1]}")
    return None


def _by_han_number(one: str, other: str, statives: Sequence[str]) -> Verdict | None:
    if not one.startswith(tuple(statives)) or not other.startswith(tuple(statives)):
        return None
    first = "".join("0" if char.isdigit() else char for char in close_up(one))
    second = "".join("0" if char.isdigit() else char for char in close_up(other))
    while "00" in first or "00" in second:
        first, second = first.replace("00", "0"), second.replace("00", "0")
    return Verdict(UPDATE, LIKELY, "two counts of one thing") if first == second and "0" in first else None

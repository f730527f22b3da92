"""Semantic keys: deriving `employer` from “works at Acme” by rules that are data, conservatively."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise

from echo_notes.guard import keyvalues
from echo_notes.guard.categories import match_category
from echo_notes.guard.keynouns import read_han_noun, read_inverse, read_noun, read_of
from echo_notes.guard.keyrules import (
    FAVOURITE,
    PREFERENCE,
    KeyRules,
    KeyValue,
    find_rule,
    is_single_valued,
    key_group,
    load_key_rules,
    plain_key,
)
from echo_notes.guard.lexicon import load_lexicon, longest_first, word_set
from echo_notes.guard.phrases import Pattern, Word, is_unspaced, iter_unspaced, match_words, split_words
from echo_notes.guard.subjects import Predicate, iter_predicates, spell_out
from echo_notes.guard.values import normalise_value, plain_statement
from echo_notes.model.fact import DEFAULT_CATEGORIES, ENVIRONMENT, USER
from echo_notes.model.names import fold, slugify

__all__ = [
    "KeyRules",
    "KeyValue",
    "category_of",
    "default_category",
    "default_type",
    "derive_key",
    "find_rule",
    "inline_field",
    "is_blocked",
    "is_single_valued",
    "key_group",
    "load_key_rules",
]

_LONGEST_KEY = 60
_REMEMBERED = 65_536  # statements whose key is kept in memory; a pass over a large vault sees fewer at a time
_LONGEST_STATEMENT = 500
_LONGEST_FIELD_NAME = 3
_WIDEST_SUBJECT = 5
_NO_THINGS = ("的", "that ", "it ", "how ", "what ", "who ")
_BLOCKING_PAIRS = frozenset([("no", "longer"), ("used", "to"), ("any", "more"), ("going", "to")])


def derive_key(statement: str, subject_names: Sequence[str], *, rules: KeyRules | None = None) -> KeyValue | None:
    """Return the key and value that a statement about the entity of these names asserts, None if it asserts none.

    Conservative: no key for questions, hedges, plans, negations, the past, or what is said of someone else.
    Without names the first proper name counts as the subject. A first person or a missing subject is the entity.
    """
    if len(statement) > _LONGEST_STATEMENT:
        return None
    if rules is None:
        return _derive(statement, tuple(subject_names))
    return _derive_by(statement, tuple(subject_names), rules)


@lru_cache(maxsize=_REMEMBERED)
def _derive(statement: str, names: tuple[str, ...]) -> KeyValue | None:
    """Return the key by the packaged rules; a pass asks for the same facts again and again."""
    return _derive_by(statement, names, load_key_rules())


def _derive_by(statement: str, names: tuple[str, ...], rules: KeyRules) -> KeyValue | None:
    inline = inline_field(statement, names, rules=rules)
    if inline is not None:
        return inline
    text = spell_out(keyvalues.close_up(plain_statement(statement)))
    if not text or "?" in statement or is_blocked(text):
        return None
    return read_sentence(text, names, rules)


def is_blocked(text: str) -> bool:
    """Return whether a word anywhere in the sentence keeps it from being an assertion about now."""
    words = split_words(text)
    blockers = word_set("blockers")
    if any(word.bare in blockers or word.bare.endswith("n't") for word in words):
        return True
    for word, following in pairwise(words):
        if (word.bare, following.bare) in _BLOCKING_PAIRS:
            return True
        if word.raw == "may" and following.bare.isalpha():
            return True
    return is_unspaced(text) and any(part in text for part in longest_first("blockers_zh"))


def read_sentence(text: str, names: Sequence[str], rules: KeyRules) -> KeyValue | None:
    """Return what a plain sentence says under a key, whatever its mood; callers check `is_blocked`."""
    for predicate in iter_predicates(text, names):
        found = _read_predicate(predicate, text, rules)
        if found is not None:
            return found
    return read_of(text, names, rules) or read_inverse(text, names, rules)


def _read_predicate(predicate: Predicate, text: str, rules: KeyRules) -> KeyValue | None:
    mixed = any(char.isupper() for char in text)
    words = split_words(predicate.text)
    folded = fold(predicate.text)
    unspaced = is_unspaced(predicate.text)
    noun = read_noun(predicate.text, words, rules, mixed=mixed) or (
        read_han_noun(predicate.text, folded, rules) if unspaced else None
    )
    if noun is not None or predicate.possessive:
        return noun
    preference = _read_preference(predicate.text, words, rules)
    if preference is not None:
        return preference
    fillers = word_set("fillers")
    starts = [0]
    while starts[-1] < len(words) and words[starts[-1]].bare in fillers:
        starts.append(starts[-1] + 1)
    tails = list(_han_starts(predicate.text)) if unspaced else []
    for rule in rules.rules.values():
        if rule.key == "stage" and predicate.first_person:
            continue  # `I finished` is what someone did, not where a project stands
        for pattern in rule.verbs:
            for value in _values(pattern, predicate.text, words, starts, tails):
                clean = keyvalues.clean(value, rule.kind, rule.closed, mixed=mixed)
                if clean:
                    return KeyValue(rule.key, clean, rule.single, rule.fixed)
    return None


def _values(pattern: Pattern, text: str, words: list[Word], starts: list[int], tails: list[str]) -> Iterator[str]:
    if pattern.unspaced:
        for tail in tails:
            yield from iter_unspaced(pattern, tail, fold(tail) if len(fold(tail)) == len(tail) else tail)
        return
    if not pattern.before and not pattern.after:
        yield from tails
    for start in starts:
        span = match_words(pattern, words, start)
        if span is not None:
            yield text[words[span[0]].start : words[span[1] - 1].end]


def _han_starts(text: str) -> Iterator[str]:
    yield text
    changed = True
    while changed:
        changed = False
        for filler in longest_first("fillers_zh"):
            if text.startswith(filler) and len(text) > len(filler) + 1:
                text = text[len(filler) :]
                yield text
                changed = True
                break


def _read_preference(text: str, words: list[Word], rules: KeyRules) -> KeyValue | None:
    fillers = word_set("fillers")
    start = next((index for index, word in enumerate(words) if word.bare not in fillers), len(words))
    tails = list(_han_starts(text)) if is_unspaced(text) else []
    for stance, patterns in rules.stances:
        for pattern in patterns:
            for value in _values(pattern, text, words, [start], tails):
                return _preference(stance, value)
    return None


def _preference(stance: str, value: str) -> KeyValue | None:
    if stance == "prefers":
        for over in load_lexicon("keys")[PREFERENCE]["over"]:
            wanted, found, other = value.partition(over)
            if found and wanted and other:
                return _choice(wanted, other)
    thing = keyvalues.clean(value, "text", {}, mixed=False)
    name = normalise_value(thing or "")
    if not name or len(name) > _LONGEST_KEY or name.startswith(_NO_THINGS) or name in {"it", "that"}:
        return None
    return KeyValue(f"{PREFERENCE}:{name}", stance, single_valued=True)


def _choice(wanted: str, other: str) -> KeyValue | None:
    """Return the key of a choice between two things, the same whichever is wanted: `preference:coffee vs tea`."""
    other = keyvalues.clean(other, "text", {}, mixed=False) or ""
    both = sorted([normalise_value(wanted), normalise_value(other)])
    if not all(both) or wanted.lower().startswith("to "):
        return None
    return KeyValue(f"{PREFERENCE}:{both[0]} vs {both[1]}"[:_LONGEST_KEY], wanted.strip(), single_valued=True)


def inline_field(
    statement: str, subject_names: Sequence[str] = (), *, rules: KeyRules | None = None
) -> KeyValue | None:
    """Return what a Dataview field says (`employer:: Acme`, `[employer:: Acme]`), None if there is none.

    The name of the field is the key; a known other name for it (`公司`) gives the standard one.
    """
    left, mark, right = statement.partition("::")
    if not mark or not right.strip():
        return None
    name, value = _field_parts(left, right, subject_names)
    if not name or not value or len(name.split()) > _LONGEST_FIELD_NAME or len(name) > _LONGEST_KEY:
        return None
    if any(char in name for char in "/:."):
        return None
    rules = rules or load_key_rules()
    key = rules.aliases.get(plain_key(name)) or slugify(name)
    rule = find_rule(key, rules)
    if rule and rule.closed:
        value = rule.closed.get(fold(value), value)
    return KeyValue(key, value, is_single_valued(key, rules), bool(rule and rule.fixed)) if key else None


def _field_parts(left: str, right: str, subject_names: Sequence[str]) -> tuple[str, str]:
    """Return the name and the value of a field from what stands before and after its colons."""
    bracket = max(left.rfind(opening) for opening in "[(（")
    if bracket > left.rfind("]]") and not left[bracket:].startswith("[["):
        closing = {"[": "]", "(": ")", "（": "）"}[left[bracket]]
        return left[bracket + 1 :].strip(" -*_"), plain_statement(right.partition(closing)[0])
    name = plain_statement(left[left.rfind("]]") + 2 :] if "]]" in left else left)
    for subject in sorted(subject_names, key=len, reverse=True):
        if fold(name).startswith(f"{fold(subject)} "):
            return name[len(subject) :].strip(" -*_"), plain_statement(right)
    if left.lstrip("-*+ ").startswith("@"):
        name = name.split(" ")[-1]
    return name.strip(" -*_"), plain_statement(right)


def default_category(text: str, categories: Sequence[str] = DEFAULT_CATEGORIES) -> str:
    """Return the category that a statement gets when nobody names one: by rule, else status.

    Only one of `categories` is ever returned, the first of them if there is no status.
    """
    fallback = "status" if "status" in categories else next(iter(categories), "status")
    category = category_of(derive_key(text, ()), _category_by_cue(text))
    return category if category in categories else fallback


def category_of(found: KeyValue | None, cue: str) -> str:
    """Return the category of a statement from its key and from what `match_category` said of it ("" for nothing).

    The key decides, except that a new role that is told as an event (`got promoted`) is a milestone.
    """
    if found is None:
        return cue or "status"
    if found.key.startswith((f"{PREFERENCE}:", f"{FAVOURITE}:")):
        return "preference"
    if found.key == "role" and cue == "milestone":
        return cue
    rule = find_rule(found.key)
    return rule.category if rule else cue or "status"


def _category_by_cue(text: str) -> str:
    plain = spell_out(plain_statement(text[:_LONGEST_STATEMENT]))
    words = plain.split(" ")
    tails = [" ".join(words[start:]) for start in range(min(_WIDEST_SUBJECT, len(words)))]
    if is_unspaced(plain):
        tails += [plain[start:] for start in range(1, min(_WIDEST_SUBJECT + 2, len(plain)))]
    return next((category for tail in tails if (category := match_category(tail))), "")


def default_type(*, about_owner: bool) -> str:
    """Return the type of a fact: `user` for what the owner is, prefers or does, else `environment`."""
    return USER if about_owner else ENVIRONMENT

"""Semantic keys: deriving `employer` from “works at Acme” by rules that are data, and knowing which keys hold one value."""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from echo_notes.guard import keyvalues
from echo_notes.guard.lexicon import load_lexicon, longest_first, word_set
from echo_notes.guard.phrases import Pattern, Word, is_unspaced, iter_unspaced, match_words, parse_pattern, split_words
from echo_notes.guard.subjects import Predicate, iter_predicates, spell_out
from echo_notes.guard.values import normalise_value, plain_statement
from echo_notes.model.errors import UsageError
from echo_notes.model.names import fold, slugify

_COPULAS = frozenset(["is", "are", "am", "=", "->", "→"])
_AFTER_COPULA = frozenset(["called", "named", "now", "on", "in", "at", "currently"])
_SKIPPED = frozenset(["new", "current", "main", "primary", "direct", "present", "full", "own", "latest"])
_PAST = frozenset(["old", "former", "previous", "ex", "late", "future", "next", "ex-", "first", "original"])
_SORTS = frozenset(["work", "personal", "home", "private", "office", "business", "second", "emergency"])
_HAN_SKIPPED = ("现任", "现在的", "最新的", "最新", "目前的", "新的", "新任", "新", "直属")
_HAN_PAST = ("前任", "前", "旧", "原来的", "原", "以前的", "上一任", "未来")
_HAN_COPULAS = ("名叫", "叫做", "叫作", "改为了", "改成了", "换成了", "改为", "改成", "换成", "变成了", "变成", "设在", "就是", "是在", "是", "为", "叫", "：", ":", "在")  # fmt: skip  # read as one list
_PREFERENCE = "preference"
_FAVOURITE = "favorite"
_MAX_KEY = 60


@dataclass(frozen=True, slots=True)
class KeyValue:
    """What a statement says under a key. `value` is as written; compare it with `normalise_value`.

    `fixed` keys (a birthday) never change: two values are a contradiction, not an update.
    """

    key: str
    value: str
    single_valued: bool
    fixed: bool = False


@dataclass(frozen=True, slots=True)
class KeyRule:
    """One key of the rule file."""

    key: str
    single: bool = False
    fixed: bool = False
    kind: str = "text"
    category: str = "status"
    type: str = ""
    verbs: tuple[Pattern, ...] = ()
    nouns: frozenset[str] = frozenset()
    closed: Mapping[str, str] = field(default_factory=dict)
    like: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class KeyRules:
    """The key rules in force, in the order in which they are tried."""

    rules: Mapping[str, KeyRule]
    aliases: Mapping[str, str]
    stances: tuple[tuple[str, tuple[Pattern, ...]], ...]
    groups: Mapping[str, str]


@cache
def load_key_rules(extra: tuple[Path, ...] = ()) -> KeyRules:
    """Return the packaged rules, and after them those of the person's own files (JSON, or YAML by suffix).

    UsageError names a file that cannot be read as rules.
    """
    data = load_lexicon("keys")
    keys: dict[str, Any] = dict(data["keys"])
    for path in extra:
        keys.update(_read_own(path))
    rules = {key: _rule(key, spec) for key, spec in keys.items()}
    aliases = {fold(alias): key for key, spec in keys.items() for alias in [*spec.get("aliases", ()), key]}
    groups = {fold(name): key for key, rule in rules.items() for name in (*rule.like, key)}
    stances = tuple((name, _patterns(data[_PREFERENCE][name])) for name in ("prefers", "likes", "dislikes"))
    return KeyRules(rules, aliases, stances, groups)


def _read_own(path: Path) -> dict[str, Any]:
    try:
        text = path.read_text(encoding="utf-8")
        if path.suffix in {".yaml", ".yml"}:
            import yaml

            data = yaml.safe_load(text)
        else:
            import json

            data = json.loads(text)
        keys = dict(data.get("keys", data))
        for key, spec in keys.items():
            _rule(key, spec)
    except (OSError, ValueError, TypeError, AttributeError, KeyError) as error:
        raise UsageError(f"cannot read key rules: {error}", where=str(path)) from None
    return keys


def _rule(key: str, spec: Mapping[str, Any]) -> KeyRule:
    closed = {fold(word): name for name, words in spec.get("closed", {}).items() for word in [name, *words]}
    return KeyRule(
        key=key,
        single=bool(spec.get("single", False)),
        fixed=bool(spec.get("fixed", False)),
        kind=spec.get("value", "text"),
        category=spec.get("category", "status"),
        type=spec.get("type", ""),
        verbs=_patterns(spec.get("verbs", ())),
        nouns=frozenset(fold(noun) for noun in spec.get("nouns", ())),
        closed=closed,
        like=tuple(spec.get("like", ())),
    )


def _patterns(sources: Sequence[str]) -> tuple[Pattern, ...]:
    return tuple(parse_pattern(source) for source in sources)


def is_single_valued(key: str, rules: KeyRules | None = None) -> bool:
    """Return whether an entity has one value at a time under this key. Unknown keys may have many."""
    if key.startswith((f"{_PREFERENCE}:", f"{_FAVOURITE}:")):
        return True
    rule = find_rule(key, rules)
    return rule is not None and rule.single


def find_rule(key: str, rules: KeyRules | None = None) -> KeyRule | None:
    """Return the rule of a key, also of one with a sort before it (`work-email`) or another name (`status`)."""
    rules = rules or load_key_rules()
    name = rules.groups.get(fold(key)) or rules.aliases.get(fold(key), key)
    if name not in rules.rules and "-" in name and name.partition("-")[0] in _SORTS:
        name = name.partition("-")[2]
    return rules.rules.get(name)


def key_group(key: str, rules: KeyRules | None = None) -> str:
    """Return the name under which keys that mean the same are compared: `status` and `stage` give `stage`."""
    rules = rules or load_key_rules()
    return rules.groups.get(fold(key)) or rules.aliases.get(fold(key), fold(key))


def derive_key(statement: str, subject_names: Sequence[str], *, rules: KeyRules | None = None) -> KeyValue | None:
    """Return the key and value that a statement about the entity of these names asserts, None if it asserts none.

    Conservative: no key for questions, hedges, plans, negations, the past, or what is said of someone else.
    Without names the first proper name counts as the subject. A first person or a missing subject is the entity.
    """
    rules = rules or load_key_rules()
    inline = inline_field(statement, subject_names, rules=rules)
    if inline is not None:
        return inline
    text = spell_out(keyvalues.close_up(plain_statement(statement)))
    if not text or "?" in statement or is_blocked(text):
        return None
    return read_sentence(text, subject_names, rules)


def is_blocked(text: str) -> bool:
    """Return whether a word anywhere in the sentence keeps it from being an assertion about now."""
    words = split_words(text)
    blockers = word_set("blockers")
    if any(word.bare in blockers or word.bare.endswith("n't") for word in words):
        return True
    bare = [word.bare for word in words]
    if any(
        pair in {("no", "longer"), ("used", "to"), ("any", "more"), ("going", "to")}
        for pair in itertools.pairwise(bare)
    ):
        return True
    if "may" in bare and any(one == "may" and other.isalpha() and word.raw == "may" for one, other, word in zip(bare, bare[1:], words, strict=False)):  # fmt: skip  # one condition
        return True
    return is_unspaced(text) and any(part in text for part in longest_first("blockers_zh"))


def read_sentence(text: str, names: Sequence[str], rules: KeyRules) -> KeyValue | None:
    """Return what a plain sentence says under a key, whatever its mood; callers check `is_blocked`."""
    for predicate in iter_predicates(text, names):
        found = _read_predicate(predicate, text, rules)
        if found is not None:
            return found
    return _read_of(text, names, rules) or _read_inverse(text, names, rules)


def _read_predicate(predicate: Predicate, text: str, rules: KeyRules) -> KeyValue | None:
    mixed = any(char.isupper() for char in text)
    words = split_words(predicate.text)
    folded = fold(predicate.text)
    unspaced = is_unspaced(predicate.text)
    noun = _read_noun(predicate.text, words, rules, mixed=mixed) or (
        _read_han_noun(predicate.text, folded, rules) if unspaced else None
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


def _read_noun(text: str, words: list[Word], rules: KeyRules, *, mixed: bool) -> KeyValue | None:
    """Read `birthday is May 3` after a subject."""
    at, sort = _skip_adjectives(words)
    for count in (3, 2, 1):
        if at is None or at + count >= len(words):
            continue
        noun = " ".join(word.bare for word in words[at : at + count])
        if noun not in _nouns(rules):
            continue
        value_at = _after_copula(words, at + count)
        if value_at is None:
            return None
        value = text[words[value_at].start :]
        named = any(word.bare in {"called", "named"} for word in words[at + count : value_at])
        return _noun_value(_nouns(rules)[noun], value, sort, mixed=mixed, named=named)
    return _read_favourite(text, words, at or 0)


@cache
def _noun_table(rules_id: int) -> dict[str, tuple[KeyRule, ...]]:
    table: dict[str, tuple[KeyRule, ...]] = {}
    for rule in _by_id[rules_id].rules.values():
        for noun in rule.nouns:
            table[noun] = (*table.get(noun, ()), rule)
    return table


_by_id: dict[int, KeyRules] = {}


def _nouns(rules: KeyRules) -> dict[str, tuple[KeyRule, ...]]:
    _by_id[id(rules)] = rules
    return _noun_table(id(rules))


def _skip_adjectives(words: list[Word]) -> tuple[int | None, str]:
    at, sort = 0, ""
    while at < len(words):
        if words[at].bare in _PAST:
            return None, ""
        if words[at].bare in _SORTS and at + 1 < len(words):
            sort = words[at].bare
        elif words[at].bare not in _SKIPPED:
            break
        at += 1
    return at, sort


def _after_copula(words: list[Word], at: int) -> int | None:
    colon = words[at - 1].raw.endswith((":", "："))
    if not colon:
        if at >= len(words) or (words[at].bare not in _COPULAS and words[at].raw not in _COPULAS):
            return None
        at += 1
    while at < len(words) and words[at].bare in _AFTER_COPULA:
        at += 1
    return at if at < len(words) else None


def _noun_value(found: tuple[KeyRule, ...], value: str, sort: str, *, mixed: bool, named: bool) -> KeyValue | None:
    for rule in found:
        clean = keyvalues.clean(value, rule.kind, rule.closed, mixed=mixed, named=named)
        if clean:
            key = f"{sort}-{rule.key}" if sort else rule.key
            return KeyValue(key, clean, rule.single, rule.fixed)
    return None


def _read_han_noun(text: str, folded: str, rules: KeyRules) -> KeyValue | None:
    """Read `生日是5月3日` after a subject."""
    if text.startswith(_HAN_PAST):
        return None
    for skipped in _HAN_SKIPPED:
        if text.startswith(skipped):
            text, folded = text[len(skipped) :], folded[len(skipped) :]
            break
    for favourite in load_lexicon("keys")[_PREFERENCE]["最喜欢"]:
        if text.startswith(favourite) and "是" in text:
            thing, _, value = text.removeprefix(favourite).partition("是")
            clean = keyvalues.clean(value, "text", {}, mixed=False)
            return (
                KeyValue(f"{_FAVOURITE}:{normalise_value(thing)}", clean, single_valued=True)
                if clean and thing
                else None
            )
    nouns = _nouns(rules)
    for count in range(min(8, len(folded) - 1), 0, -1):
        noun = folded[:count]
        if noun not in nouns or (
            noun.isascii() and folded[count : count + 1].isascii() and folded[count : count + 1].isalnum()
        ):
            continue
        rest = text[count:]
        for copula in _HAN_COPULAS:
            if rest.startswith(copula):
                return _noun_value(nouns[noun], rest[len(copula) :], "", mixed=True, named="叫" in copula)
        return None
    return None


def _read_favourite(text: str, words: list[Word], at: int) -> KeyValue | None:
    favourites = load_lexicon("keys")[_PREFERENCE]["favourite"]
    if at >= len(words) or words[at].bare not in favourites:
        return None
    for index in range(at + 2, min(len(words) - 1, at + 6)):
        if words[index].bare in _COPULAS:
            thing = normalise_value(text[words[at + 1].start : words[index - 1].end]).replace("colour", "color")
            clean = keyvalues.clean(text[words[index + 1].start :], "text", {}, mixed=False)
            return KeyValue(f"{_FAVOURITE}:{thing}", clean, single_valued=True) if clean else None
    return None


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
        for over in load_lexicon("keys")[_PREFERENCE]["over"]:
            wanted, found, other = value.partition(over)
            if found and wanted and other:
                other = keyvalues.clean(other, "text", {}, mixed=False) or ""
                both = sorted([_preference_name(wanted), _preference_name(other)])
                if not all(both) or wanted.lower().startswith("to "):
                    return None
                return KeyValue(f"{_PREFERENCE}:{both[0]} vs {both[1]}"[:_MAX_KEY], wanted.strip(), single_valued=True)
    thing = keyvalues.clean(value, "text", {}, mixed=False)
    name = _preference_name(thing or "")
    if (
        not name
        or len(name) > _MAX_KEY
        or name.startswith(("的", "that ", "it ", "how ", "what ", "who "))
        or name in {"it", "that"}
    ):
        return None
    return KeyValue(f"{_PREFERENCE}:{name}", stance, single_valued=True)


def _preference_name(thing: str) -> str:
    return normalise_value(thing)


def _read_of(text: str, names: Sequence[str], rules: KeyRules) -> KeyValue | None:
    """Read `the deadline of Atlas is 1 March`."""
    words = split_words(text)
    if not words or words[0].bare != "the":
        return None
    at, sort = _skip_adjectives(words[1:])
    if at is None:
        return None
    for count in (3, 2, 1):
        of = 1 + at + count
        if of + 1 >= len(words) or words[of].bare not in {"of", "for", "at"}:
            continue
        found = _nouns(rules).get(" ".join(word.bare for word in words[1 + at : of]))
        if found is None:
            return None
        for predicate in iter_predicates(text[words[of + 1].start :], names):
            rest = split_words(predicate.text)
            if predicate.possessive or not rest or rest[0].bare not in _COPULAS:
                continue
            value_at = _after_copula([rest[0], *rest], 1)
            if value_at is not None:
                mixed = any(char.isupper() for char in text)
                return _noun_value(found, predicate.text[rest[value_at - 1].start :], sort, mixed=mixed, named=False)
    return None


def _read_inverse(text: str, names: Sequence[str], rules: KeyRules) -> KeyValue | None:
    """Read `Omar is Ada's new manager` and `张伟是Ada的上司` for keys whose value is a name."""
    for copula in (" is ", " became ", " becomes ", "是", "成为了", "成为"):
        left, found, right = text.partition(copula)
        if not found or not left:
            continue
        for predicate in iter_predicates(right, names):
            if not predicate.possessive:
                continue
            rule = _whole_noun(predicate.text, rules)
            clean = keyvalues.clean(left, "name", {}, mixed=any(char.isupper() for char in text)) if rule else None
            if rule and clean:
                return KeyValue(rule.key, clean, rule.single, rule.fixed)
    return None


def _whole_noun(text: str, rules: KeyRules) -> KeyRule | None:
    if text.startswith(_HAN_PAST):
        return None
    for skipped in _HAN_SKIPPED:
        text = text.removeprefix(skipped)
    words = split_words(text)
    at, _ = _skip_adjectives(words)
    noun = " ".join(word.bare for word in words[at:]) if at is not None else ""
    return next((rule for rule in _nouns(rules).get(noun, ()) if rule.kind in {"name", "member"}), None)


def inline_field(
    statement: str, subject_names: Sequence[str] = (), *, rules: KeyRules | None = None
) -> KeyValue | None:
    """Return what a Dataview field says (`employer:: Acme`, `[employer:: Acme]`), None if there is none.

    The name of the field is the key; a known other name for it (`公司`) gives the standard one.
    """
    left, mark, right = statement.partition("::")
    if not mark or not right.strip() or ("::" in right and not left):
        return None
    bracket = max(left.rfind(opening) for opening in "[(（")
    if bracket > left.rfind("]]") and not left[bracket:].startswith("[["):
        name, closing = left[bracket + 1 :], {"[": "]", "(": ")", "（": "）"}[left[bracket]]
        value = right.split(closing)[0]
    else:
        name, value = plain_statement(left), plain_statement(right)
        if left.rfind("]]") >= 0:
            name = plain_statement(left[left.rfind("]]") + 2 :])
        for subject in sorted(subject_names, key=len, reverse=True):
            if fold(name).startswith(f"{fold(subject)} "):
                name = name[len(subject) :]
                break
        else:
            name = name.split(" ")[-1] if left.lstrip("-*+ ").startswith("@") else name
    name, value = name.strip(" -*_"), plain_statement(value)
    if any(char in name for char in "/:."):
        return None
    if not name or not value or len(name.split()) > 3 or len(name) > _MAX_KEY:  # noqa: PLR2004  # a name, not a sentence
        return None
    rules = rules or load_key_rules()
    key = rules.aliases.get(fold(name)) or slugify(name)
    rule = find_rule(key, rules)
    if rule and rule.closed:
        value = rule.closed.get(fold(value), value)
    return KeyValue(key, value, is_single_valued(key, rules), bool(rule and rule.fixed)) if key else None

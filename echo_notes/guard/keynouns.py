"""Keys named by a noun: `Ada's birthday is May 3`, `the deadline of Atlas is …`, `Omar is Ada's manager`."""

from collections.abc import Sequence

from echo_notes.guard import keyvalues
from echo_notes.guard.keyrules import FAVOURITE, PREFERENCE, SORTS, KeyRule, KeyRules, KeyValue
from echo_notes.guard.lexicon import load_lexicon
from echo_notes.guard.phrases import Word, split_words
from echo_notes.guard.subjects import iter_predicates
from echo_notes.guard.values import normalise_value

_COPULAS = frozenset(["is", "are", "am", "=", "->", "→"])
_AFTER_COPULA = frozenset(["called", "named", "now", "on", "in", "at", "currently"])
_SKIPPED = frozenset(["new", "current", "main", "primary", "direct", "present", "full", "own", "latest"])
_PAST = frozenset(["old", "former", "previous", "ex", "late", "future", "next", "ex-", "first", "original"])
_HAN_SKIPPED = ("现任", "现在的", "最新的", "最新", "目前的", "新的", "新任", "新", "直属")
_HAN_PAST = ("前任", "前", "旧", "原来的", "原", "以前的", "上一任", "未来")
_HAN_COPULAS = (
    "名叫", "叫做", "叫作", "改为了", "改成了", "换成了", "改为", "改成", "换成", "变成了", "变成", "设在", "就是",
    "是在", "是", "为", "叫", "：", ":", "在",
)  # fmt: skip


def read_noun(text: str, words: list[Word], rules: KeyRules, *, mixed: bool) -> KeyValue | None:
    """Return what `birthday is May 3` says, where that stands after a subject; the words are those of the text."""
    at, sort = _skip_adjectives(words)
    for count in (3, 2, 1):
        if at is None or at + count >= len(words):
            continue
        noun = " ".join(word.bare for word in words[at : at + count])
        if noun not in rules.nouns:
            continue
        value_at = _after_copula(words, at + count)
        if value_at is None:
            return None
        value = text[words[value_at].start :]
        named = any(word.bare in {"called", "named"} for word in words[at + count : value_at])
        return _noun_value(rules.nouns[noun], value, sort, mixed=mixed, named=named)
    return _read_favourite(text, words, at or 0)


def _skip_adjectives(words: list[Word]) -> tuple[int | None, str]:
    at, sort = 0, ""
    while at < len(words):
        if words[at].bare in _PAST:
            return None, ""
        if words[at].bare in SORTS and at + 1 < len(words):
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


def read_han_noun(text: str, folded: str, rules: KeyRules) -> KeyValue | None:
    """Return what `生日是5月3日` says, where that stands after a subject. `folded` is the folded text."""
    if text.startswith(_HAN_PAST):
        return None
    for skipped in _HAN_SKIPPED:
        if text.startswith(skipped):
            text, folded = text[len(skipped) :], folded[len(skipped) :]
            break
    for favourite in load_lexicon("keys")[PREFERENCE]["最喜欢"]:
        if text.startswith(favourite) and "是" in text:
            thing, _, value = text.removeprefix(favourite).partition("是")
            clean = keyvalues.clean(value, "text", {}, mixed=False)
            return (
                KeyValue(f"{FAVOURITE}:{normalise_value(thing)}", clean, single_valued=True)
                if clean and thing
                else None
            )
    nouns = rules.nouns
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
    favourites = load_lexicon("keys")[PREFERENCE]["favourite"]
    if at >= len(words) or words[at].bare not in favourites:
        return None
    for index in range(at + 2, min(len(words) - 1, at + 6)):
        if words[index].bare in _COPULAS:
            thing = normalise_value(text[words[at + 1].start : words[index - 1].end]).replace("colour", "color")
            clean = keyvalues.clean(text[words[index + 1].start :], "text", {}, mixed=False)
            return KeyValue(f"{FAVOURITE}:{thing}", clean, single_valued=True) if clean else None
    return None


def read_of(text: str, names: Sequence[str], rules: KeyRules) -> KeyValue | None:
    """Return what `the deadline of Atlas is 1 March` says of the entity of these names."""
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
        found = rules.nouns.get(" ".join(word.bare for word in words[1 + at : of]))
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


def read_inverse(text: str, names: Sequence[str], rules: KeyRules) -> KeyValue | None:
    """Return what `Omar is Ada's new manager` and `张伟是Ada的上司` say, for keys whose value is a name."""
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
    return next((rule for rule in rules.nouns.get(noun, ()) if rule.kind in {"name", "member"}), None)

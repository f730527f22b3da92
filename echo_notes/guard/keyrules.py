"""Key rules: the semantic keys that are known, their phrases, and which of them hold one value at a time."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from echo_notes.guard.lexicon import load_lexicon
from echo_notes.guard.phrases import Pattern, parse_pattern
from echo_notes.model.errors import UsageError
from echo_notes.model.names import fold

PREFERENCE = "preference"
FAVOURITE = "favorite"
SORTS = frozenset(["work", "personal", "home", "private", "office", "business", "second", "emergency"])


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
    nouns: Mapping[str, tuple[KeyRule, ...]]


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
    aliases = {plain_key(alias): key for key, spec in keys.items() for alias in [*spec.get("aliases", ()), key]}
    groups = {plain_key(name): key for key, rule in rules.items() for name in (*rule.like, key)}
    stances = tuple((name, _patterns(data[PREFERENCE][name])) for name in ("prefers", "likes", "dislikes"))
    nouns: dict[str, tuple[KeyRule, ...]] = {}
    for rule in rules.values():
        for noun in rule.nouns:
            nouns[noun] = (*nouns.get(noun, ()), rule)
    return KeyRules(rules, aliases, stances, groups, nouns)


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
    closed = {word.lower(): name for name, words in spec.get("closed", {}).items() for word in [name, *words]}
    return KeyRule(
        key=key,
        single=bool(spec.get("single", False)),
        fixed=bool(spec.get("fixed", False)),
        kind=spec.get("value", "text"),
        category=spec.get("category", "status"),
        type=spec.get("type", ""),
        verbs=_patterns(spec.get("verbs", ())),
        nouns=frozenset(noun.lower() for noun in spec.get("nouns", ())),
        closed=closed,
        like=tuple(spec.get("like", ())),
    )


def _patterns(sources: Sequence[str]) -> tuple[Pattern, ...]:
    return tuple(parse_pattern(source) for source in sources)


def plain_key(key: str) -> str:
    """Return a key as it is looked up: `Due-Date` and `due_date` are `due date`."""
    return key.lower().replace("_", " ").replace("-", " ").strip()


def is_single_valued(key: str, rules: KeyRules | None = None) -> bool:
    """Return whether an entity has one value at a time under this key. Unknown keys may have many."""
    if key.startswith((f"{PREFERENCE}:", f"{FAVOURITE}:")):
        return True
    rule = find_rule(key, rules)
    return rule is not None and rule.single


def find_rule(key: str, rules: KeyRules | None = None) -> KeyRule | None:
    """Return the rule of a key, also of one with a sort before it (`work-email`) or another name (`status`)."""
    rules = rules or load_key_rules()
    name = rules.groups.get(plain_key(key)) or rules.aliases.get(plain_key(key), key)
    if name not in rules.rules and "-" in name and name.partition("-")[0] in SORTS:
        name = name.partition("-")[2]
    return rules.rules.get(name)


def key_group(key: str, rules: KeyRules | None = None) -> str:
    """Return the name under which keys that mean the same are compared: `status` and `stage` give `stage`."""
    rules = rules or load_key_rules()
    return rules.groups.get(plain_key(key)) or rules.aliases.get(plain_key(key), fold(key))

"""The rules in memory: the packaged ones from their compiled file, a person's own from theirs."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from echo_notes.guard.sequences import Phrase, Terms
from echo_notes.guard.tokens import Vocabulary
from echo_notes.model.errors import UnreadableError, UsageError

RULES_DIR = Path(__file__).with_name("rules")
COMPILED_PATH = RULES_DIR / "compiled.json"
CLASSES_PATH = RULES_DIR / "classes.json"  # only a person's own rules need the packaged classes by name


class Rule(NamedTuple):
    """What a rule is called and says: id, language, kind of attack, audit reason, and the sentence for a person."""

    id: str
    lang: str
    kind: str
    reason: str
    says: str


class Pattern(NamedTuple):
    """A rule as a regular expression, tried only where one of `needs` occurs; `raw`: on the text before folding."""

    rule: int
    source: str
    needs: tuple[str, ...]
    raw: bool


class RuleSet(NamedTuple):
    """The rules of one compilation: their terms, phrases and patterns refer to each other by number."""

    rules: tuple[Rule, ...]
    terms: Terms
    vocabulary: Vocabulary
    phrases: tuple[Phrase, ...]
    patterns: tuple[Pattern, ...]


class Rules(NamedTuple):
    """Every rule in force: the folding table and the sets, the packaged one first."""

    fold: Mapping[str, str]
    sets: tuple[RuleSet, ...]

    def iter_rules(self) -> Iterator[Rule]:
        """Yield what is known of every rule."""
        for one in self.sets:
            yield from one.rules


@cache
def packaged_rules() -> Rules:
    """Return the rules that come with the program."""
    data = json.loads(COMPILED_PATH.read_bytes())
    return Rules(data["fold"], (_read_set(data),))


def load_rules(extra: Sequence[Path] = ()) -> Rules:
    """Return the packaged rules and those of a person's own files (YAML or JSON).

    UnreadableError names the line that cannot be parsed, UsageError the rule that makes no sense.
    """
    rules = packaged_rules()
    if not extra:
        return rules
    from echo_notes.guard.rulefile import compile_rules

    own = [(path.stem, _read_source(path)) for path in extra]
    compiled, _ = compile_rules(own, rules.fold, json.loads(CLASSES_PATH.read_bytes()))
    return Rules(rules.fold, (*rules.sets, _read_set(compiled)))


def _read_source(path: Path) -> Mapping[str, Any]:
    import yaml

    try:
        source = yaml.safe_load(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise UsageError(f"there is no scan rules file {path}", fix="See: echo-notes config get scan.rules") from None
    except UnicodeDecodeError:
        raise UnreadableError("not UTF-8", path=path) from None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
        raise UnreadableError(f"not YAML: {error.problem}", path=path, line=line, column=column) from None
    if not isinstance(source, dict):
        raise UnreadableError("not a rule file: it needs `lang`, `reason` and `rules`", path=path)
    for rule in source.get("rules") or ():
        if isinstance(rule, dict) and "pattern" in rule:
            _check_pattern(str(rule["pattern"]), path)
    return source


def _check_pattern(source: str, path: Path) -> None:
    try:
        re.compile(source)
    except re.error as error:
        raise UnreadableError(f"not a regular expression: {source!r}: {error}", path=path) from None


def _read_set(data: Mapping[str, Any]) -> RuleSet:
    return RuleSet(
        rules=tuple(Rule(*rule) for rule in data["rules"]),
        terms=Terms(data["terms"]),
        vocabulary=Vocabulary(frozenset(data["words"].split()), data["shuffled"]),
        phrases=tuple(Phrase(*phrase)._replace(mask=_mask(phrase[1])) for phrase in data["phrases"]),
        patterns=tuple(Pattern(rule, source, tuple(needs), raw) for rule, source, needs, raw in data["patterns"]),
    )


def _mask(steps: Sequence[Sequence[int]]) -> int:
    mask = 0
    for one, _ in steps:
        mask |= 1 << one
    return mask

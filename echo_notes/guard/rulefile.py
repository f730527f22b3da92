"""Rule files: the YAML that a person reads and extends, compiled to what matching needs.

A file has `lang`, `reason`, `classes` (a name and its terms, separated by commas) and `rules`. A rule has `id`, `kind`,
`says`, and either `match` (a list of phrases) or `pattern` (a regular expression, tried only when one of the literal
words in `needs` occurs), and examples: `hits` and `misses`. `docs/scan-rules.md` shows how to write one.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from typing import Any

from echo_notes.guard.folding import fold_text
from echo_notes.guard.sequences import WHOLE_SENTENCE, format_entries
from echo_notes.guard.tokens import shuffle_key, split_words
from echo_notes.model.errors import UsageError

EN_INJECTION = "en_injection"
ZH_INJECTION = "zh_injection"
REASONS = (EN_INJECTION, ZH_INJECTION, "secret")
_LONG_WORD = 6  # shorter words shuffled are other words
_MAX_GAP = 40


class _Compiler:
    """Gathers classes and rules of several files; a class is a number, its terms are found by their first word."""

    def __init__(self, fold: Mapping[str, str]) -> None:
        self.fold = fold
        self.named: dict[str, tuple[tuple[str, ...], ...]] = {}
        self.numbers: dict[frozenset[tuple[str, ...]], int] = {}
        self.rules: list[list[str]] = []
        self.phrases: list[list[Any]] = []
        self.patterns: list[list[Any]] = []
        self.shuffled: dict[str, str] = {}

    def words(self, term: str) -> tuple[str, ...]:
        return tuple(split_words(fold_text(term.replace("_", " "), self.fold).text))

    def add_classes(self, prefix: str, classes: Mapping[str, str]) -> None:
        for name, listed in classes.items():
            terms: list[tuple[str, ...]] = []
            for term in str(listed).split(","):
                if term.strip().startswith("@"):
                    terms += self.named[_full(prefix, term.strip()[1:])]
                elif words := self.words(term):
                    terms.append(words)
            self.named[f"{prefix}.{name}"] = tuple(dict.fromkeys(terms))

    def number(self, prefix: str, item: str) -> int:
        """Return the number of the class that an item of a phrase means: `@name`, a word, or several with `|`."""
        terms: list[tuple[str, ...]] = []
        for part in item.split("|"):
            if part.startswith("@"):
                terms += self.named[_full(prefix, part[1:])]
            else:
                terms.append(self.words(part))
        if not all(terms) or not terms:
            raise ValueError(item)
        return self.numbers.setdefault(frozenset(terms), len(self.numbers))

    def steps(self, prefix: str, phrase: str) -> Iterable[list[list[int]]]:
        """Yield the steps of a phrase, once for each choice of its optional (`?`) items."""
        slots: list[list[list[int] | None]] = []
        gap = 0
        for item in phrase.split():
            if item.startswith(".."):
                gap = int(item[2:])
                if gap > _MAX_GAP:
                    raise ValueError(item)
                continue
            step = [self.number(prefix, item.removesuffix("?")), gap]
            slots.append([step, None] if item.endswith("?") else [step])
            gap = 0
        for chosen in product(*slots):
            yield [step for step in chosen if step]

    def near(self, prefix: str, listed: str) -> list[list[int]]:
        """Return the vetoes that `@class 3, @other` means: a class, and within how many words (default: sentence)."""
        vetoes = []
        for entry in listed.split(","):
            if entry.strip():
                item, _, distance = entry.strip().partition(" ")
                vetoes.append([self.number(prefix, item), int(distance or WHOLE_SENTENCE)])
        return vetoes

    def add_rule(self, prefix: str, source: Mapping[str, Any], rule: Mapping[str, Any]) -> None:
        reason = str(rule.get("reason", source["reason"]))
        if reason not in REASONS:
            raise ValueError(reason)
        at = len(self.rules)
        self.rules.append(
            [str(rule["id"]), str(rule.get("lang", source["lang"])), str(rule["kind"]), reason, str(rule["says"])]
        )
        vetoes = self.near(prefix, str(rule.get("unless", "")))
        afters = self.near(prefix, str(rule.get("unless_after", "")))
        for phrase in rule.get("match", ()):
            opens = phrase.startswith("^ ")
            for steps in self.steps(prefix, phrase.removeprefix("^ ")):
                self.phrases.append([at, steps, vetoes, afters, opens])
        if "pattern" in rule:
            needs = [str(need) for need in rule["needs"]]
            self.patterns.append([at, str(rule["pattern"]), needs, bool(rule.get("raw", False))])

    def dump(self) -> dict[str, Any]:
        terms: dict[str, dict[str, list[int]]] = {}
        for listed, number in self.numbers.items():
            for first, *rest in listed:
                terms.setdefault(first, {}).setdefault(" ".join(rest), []).append(number)
        words = sorted({word for listed in self.numbers for term in listed for word in term if len(word) > 1})
        return {
            "terms": {first: format_entries(entries) for first, entries in sorted(terms.items())},
            "words": " ".join(word for word in words if word.isascii()),
            "shuffled": self.shuffled,
            "rules": self.rules,
            "phrases": self.phrases,
            "patterns": self.patterns,
        }

    def dump_classes(self) -> dict[str, list[str]]:
        return {name: [" ".join(term) for term in listed] for name, listed in self.named.items()}


def _full(prefix: str, name: str) -> str:
    return name if "." in name else f"{prefix}.{name}"


def compile_rules(
    sources: Sequence[tuple[str, Mapping[str, Any]]],
    fold: Mapping[str, str],
    named: Mapping[str, Sequence[str]] | None = None,
) -> tuple[dict[str, Any], dict[str, list[str]]]:
    """Return the compiled form (JSON values only) of rule files given as name and content, and their named classes.

    `named`: classes of other files that these may use as `@file.class`. UsageError names the file and rule at fault.
    """
    compiler = _Compiler(fold)
    for name, terms in (named or {}).items():
        compiler.named[name] = tuple(tuple(term.split(" ")) for term in terms)
    for prefix, source in sources:
        where = ""
        try:
            where = "classes"
            compiler.add_classes(prefix, source.get("classes") or {})
            for strong in str(source.get("strong", "")).split(","):
                for word in compiler.words(strong):
                    if len(word) >= _LONG_WORD and word.isascii():
                        compiler.shuffled[shuffle_key(word)] = word
            for rule in source.get("rules") or ():
                where = f"rule {rule.get('id', '?')}"
                compiler.add_rule(prefix, source, rule)
        except (KeyError, ValueError, TypeError, AttributeError) as error:
            raise UsageError(
                f"{where}: cannot make sense of {error}", where=prefix, fix="See docs/scan-rules.md."
            ) from None
    return compiler.dump(), compiler.dump_classes()


def parse_table(text: str) -> dict[str, str]:
    """Return the folding table of lines `plain look-alikes`; `#` starts a comment."""
    table = {}
    for line in text.splitlines():
        if line.strip() and not line.startswith("#"):
            plain, _, looks = line.partition(" ")
            table.update(dict.fromkeys(looks.strip(), plain))
    return table

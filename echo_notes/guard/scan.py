"""The scan that every string passes on its way in: invisible characters, injection, exfiltration, secrets."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from echo_notes.guard.credentials import is_secret
from echo_notes.guard.decode import iter_views, rot13
from echo_notes.guard.folding import Folded, fold_text
from echo_notes.guard.ruleset import Pattern, Rule, Rules, RuleSet, load_rules, packaged_rules
from echo_notes.guard.sequences import find_terms, iter_matches
from echo_notes.guard.tokens import tokenise
from echo_notes.guard.unicode_rules import STRICT, UNICODE, find_invisible, strip_invisible

__all__ = ["STRICT", "UNICODE", "Finding", "Rules", "load_rules", "scan_text", "strip_invisible"]

INVISIBLE = "invisible_unicode"
SECRET = "secret"  # noqa: S105 - the name of a reason
_ORDER = {INVISIBLE: 0, "en_injection": 1, "zh_injection": 2, SECRET: 3}
_DEPTH = 2  # an encoding inside an encoding is read, a third is not
_MOST_INVISIBLE = 8  # findings of a text; more tell a reader nothing new
_WINDOW, _OVERLAP = 8192, 1024  # a pattern sees a long text in pieces, so that its cost stays linear
_EXCERPT = 60


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that must not enter unseen: the rule, the audit reason, where it stands, and a sentence about it.

    `start` and `end` are a half-open span of characters in the text as given. `reason` is `invisible_unicode`,
    `en_injection` (English and every other language but Chinese), `zh_injection` or `secret`.
    """

    rule: str
    reason: str
    start: int
    end: int
    message: str


def scan_text(text: str, *, joiners: str = UNICODE, rules: Rules | None = None) -> tuple[Finding, ...]:
    """Return what is wrong with a text, invisible characters first; empty if nothing is. One finding a rule."""
    rules = rules or packaged_rules()
    found = [*_invisible(text, joiners)]
    seen: set[str] = set()
    for rule, start, end, how in _injections(text, rules, 0):
        if rule.id not in seen:
            seen.add(rule.id)
            found.append(Finding(rule.id, rule.reason, start, end, _message(rule, text[start:end], how)))
    found.sort(key=lambda one: (_ORDER.get(one.reason, 9), one.start))
    return tuple(found)


def _invisible(text: str, joiners: str) -> Iterator[Finding]:
    found = find_invisible(text, joiners)
    for at, one in enumerate(found[:_MOST_INVISIBLE]):
        more = len(found) - _MOST_INVISIBLE if at == _MOST_INVISIBLE - 1 else 0
        message = f"{one.what} at character {one.start + 1}" + (f", and {more} more places" if more else "")
        yield Finding("invisible", INVISIBLE, one.start, one.end, message)


def _message(rule: Rule, excerpt: str, how: str) -> str:
    if rule.reason == SECRET:
        return f"{rule.says} ({rule.id})"
    shown = " ".join(excerpt.split())
    shown = shown if len(shown) <= _EXCERPT else f"{shown[: _EXCERPT - 1]}…"
    return f"{rule.says} ({rule.id}): “{shown}”" + (f", hidden as {how}" if how else "")


def _injections(text: str, rules: Rules, depth: int) -> Iterator[tuple[Rule, int, int, str]]:
    """Yield rule, span and encoding of every match: in the text, then in what it says when decoded."""
    folded = fold_text(text, rules.fold)
    for one in rules.sets:
        for rule, start, end in _matches(text, folded, one):
            yield rule, start, end, ""
    if depth < _DEPTH:
        for view in iter_views(text):
            for rule, _, _, how in _injections(view.text, rules, depth + 1):
                if rule.reason != SECRET:
                    yield rule, view.start, view.end, f"{view.how}, {how}" if how else view.how
    if depth == 0:
        yield from _turned(text, folded, rules)


def _matches(text: str, folded: Folded, rules: RuleSet) -> Iterator[tuple[Rule, int, int]]:
    tokens = tokenise(folded.text, rules.vocabulary)
    found, present = find_terms(tokens, rules.terms)
    for phrase in rules.phrases:
        if phrase.mask & present == phrase.mask:
            for start, end in iter_matches(phrase, tokens, found):
                yield rules.rules[phrase.rule], *folded.span(tokens.starts[start], tokens.ends[end - 1])
                break
    for pattern in rules.patterns:
        where = text if pattern.raw else folded.text
        if any(need in where for need in pattern.needs):
            rule = rules.rules[pattern.rule]
            for start, end in _search(pattern, where):
                if rule.reason != SECRET or is_secret(rule.kind, where[start:end]):
                    yield rule, *((start, end) if pattern.raw else folded.span(start, end))
                    break


def _search(pattern: Pattern, text: str) -> Iterator[tuple[int, int]]:
    compiled = _compiled(pattern.source)
    for offset in range(0, max(1, len(text)), _WINDOW - _OVERLAP):
        for match in compiled.finditer(text, offset, min(len(text), offset + _WINDOW)):
            yield match.start(), match.end()


@cache
def _compiled(source: str) -> re.Pattern[str]:
    return re.compile(source, re.MULTILINE)


def _turned(text: str, folded: Folded, rules: Rules) -> Iterator[tuple[Rule, int, int, str]]:
    """Yield matches in the text read backwards or by rot13, if it then has the words of attacks."""
    strong = rules.sets[0].vocabulary.shuffled.values()
    for how, turned in (("reversed text", folded.text[::-1]), ("rot13", rot13(folded.text))):
        if sum(word in turned for word in strong) > 1:
            for rule, *_ in _injections(turned, rules, _DEPTH):
                if rule.reason != SECRET:
                    yield rule, 0, len(text), how

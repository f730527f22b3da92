"""What was said more than once: lessons and preferences of recent notes, episodes and facts, put together."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date

from echo_notes.files.layout import EPISODES_DIR, iter_daily
from echo_notes.files.textfile import decode_text
from echo_notes.guard.lessons import PREFERENCE, Insight, is_negative, leads, read_insight
from echo_notes.guard.lexicon import load_lexicon
from echo_notes.guard.sentences import iter_lines, iter_sentences
from echo_notes.index.analysis import Kind, query_terms
from echo_notes.lifecycle.contested import contested_ids
from echo_notes.lifecycle.entities import load_entities
from echo_notes.lifecycle.facts import iter_facts
from echo_notes.lifecycle.opened import OpenVault
from echo_notes.lifecycle.sight import Scan, make_scan
from echo_notes.model.dates import parse_day
from echo_notes.model.errors import EchoError
from echo_notes.model.fact import USER

_LEAST_DAYS = 2
_LEAST_SHARED = 2
_JACCARD = 0.5
_CONTAINED = 0.8
_MOST_EVIDENCE = 12


@dataclass(frozen=True, slots=True)
class Said:
    """One place where a lesson or preference was said: `where` is a path with its line, or a fact id."""

    insight: Insight
    where: str
    on: date
    terms: frozenset[str]


@dataclass(frozen=True, slots=True)
class Repeated:
    """What was said on several days, in the newest words that speak of no particular day, with where it was said."""

    kind: str
    text: str
    days: int
    evidence: tuple[str, ...]
    negative: bool
    terms: frozenset[str]


def gather(opened: OpenVault, since: date, problems: list[EchoError]) -> tuple[Repeated, ...]:
    """Return what was said on at least two days since then, what was said most often first."""
    scan = make_scan(opened)
    found = [*_in_notes(opened, since, problems, scan), *_in_facts(opened, since, problems, scan)]
    groups: list[list[Said]] = []
    for one in sorted(found, key=lambda said: (said.on, said.where)):
        home = next((group for group in groups if any(_same(one, other) for other in group)), None)
        if home is None:
            groups.append([one])
        else:
            home.append(one)
    repeated = [_together(group) for group in groups if len({one.on for one in group}) >= _LEAST_DAYS]
    return tuple(sorted(repeated, key=lambda one: (-one.days, -len(one.evidence), one.text)))


def says(line: str, one: Repeated) -> bool:
    """Return whether a line of a note says the same."""
    return is_negative(line) == one.negative and _alike(terms_of(line), one.terms)


def terms_of(text: str) -> frozenset[str]:
    """Return the terms by which two sentences are compared: stems, and pairs of Chinese characters."""
    return frozenset(term.stem for term in query_terms(text) if term.kind is not Kind.SINGLE and term.stem)


def _together(group: list[Said]) -> Repeated:
    newest = next((one for one in reversed(group) if not _speaks_of_a_day(one.insight.text)), group[-1])
    where = tuple(dict.fromkeys(one.where for one in group))[-_MOST_EVIDENCE:]
    return Repeated(
        newest.insight.kind, newest.insight.text, len({one.on for one in group}), where, newest.insight.negative,
        newest.terms,
    )  # fmt: skip


def _same(one: Said, other: Said) -> bool:
    return one.insight.negative == other.insight.negative and _alike(one.terms, other.terms)


def _alike(one: frozenset[str], other: frozenset[str]) -> bool:
    shared = len(one & other)
    if shared < _LEAST_SHARED:
        return False
    return shared >= _JACCARD * len(one | other) or shared >= _CONTAINED * min(len(one), len(other)) > _LEAST_SHARED


def _in_notes(opened: OpenVault, since: date, problems: list[EchoError], scan: Scan) -> Iterator[Said]:
    paths = [(day, path) for day, path in iter_daily(opened.root) if since <= day <= opened.today]
    folder = opened.root / EPISODES_DIR
    for episode in sorted(folder.glob("*.md")) if folder.is_dir() else ():
        day = parse_day(episode.name)
        if day and since <= day <= opened.today:
            paths.append((day, opened.layout.relative(episode)))
    for day, path in paths:
        try:
            text = decode_text((opened.root / path).read_bytes(), path).text
        except EchoError as error:
            problems.append(error)
            continue
        for line in iter_lines(text):
            if line.quoted or line.text.startswith(">") or (line.speaker and not leads(line.text)):
                continue
            sentences = (sentence for _, sentence in iter_sentences(line.text))
            yield from _read(sentences, line.tags, f"{path}:{line.number}", day, scan)


def _in_facts(opened: OpenVault, since: date, problems: list[EchoError], scan: Scan) -> Iterator[Said]:
    contested = contested_ids(opened)
    for located in iter_facts(opened, load_entities(opened), problems):
        fact = located.fact
        day = fact.timestamp
        if (
            not fact.is_active
            or fact.flagged
            or fact.id in contested
            or day is None
            or not since <= day <= opened.today
        ):
            continue
        tags = (*fact.tags, *([PREFERENCE] if fact.type == USER and fact.category == PREFERENCE else []))
        yield from _read([fact.text], tags, fact.id, day, scan)


def _read(sentences: Iterable[str], tags: tuple[str, ...], where: str, on: date, scan: Scan) -> Iterator[Said]:
    for sentence in sentences:
        insight = read_insight(sentence, tags)
        if insight and not scan(insight.text):
            yield Said(insight, where, on, terms_of(insight.text))


def _speaks_of_a_day(text: str) -> bool:
    rules = load_lexicon("durable")
    words = set(text.lower().split())
    return bool(words & set(rules["today_words"])) or any(word in text for word in rules["today_words_zh"])

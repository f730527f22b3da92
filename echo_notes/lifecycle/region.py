"""The template of a summary's generated region: facts in their own words, each line with the ids it rests on."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields
from datetime import date, tzinfo

from echo_notes.model.entity import Entity
from echo_notes.model.fact import CONTRADICTION, CORRECTED, SUPERSEDED, Fact

_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f]")
_DAY = r"(\d{4}-\d\d-\d\d)"
_CHANGED = re.compile(rf"^## (?:Changed(?: since {_DAY})?|(?:{_DAY} 以来的)?变化)\s*$", re.MULTILINE)
_LINE = re.compile(r"- (?:\d{4}-\d\d-\d\d )?(.*) \([^()]+\)")
_CITED = re.compile(r"- (.*) \(([^()]+)\)")
_MOST_CHANGES = 12
_MOST_EARLIER = 12
_WRONG = (CORRECTED, CONTRADICTION)


@dataclass(frozen=True, slots=True)
class Words:
    """The headings and the few words of a region, in one language."""

    now: str
    preferences: str
    milestones: str
    earlier: str
    changed: str
    changed_since: str
    links: str
    nothing: str
    corrected: str
    new: str
    change: str
    overview: str


ENGLISH = Words(
    "Now", "Preferences", "Milestones", "Earlier", "Changed", "Changed since {day}", "Links", "No current facts",
    "corrected: ", "new: ", "changed: ", "Overview",
)  # fmt: skip
CHINESE = Words(
    "现状", "喜好", "大事", "从前", "变化", "{day} 以来的变化", "关联", "目前没有有效的事实",
    "更正：", "新：", "变化：", "概述",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Link:
    """A related entity, and the facts (of either) that say so."""

    entity: Entity
    fact_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Material:
    """What a region is made of: `shown` facts are current, `past` ones superseded or archived; both may be read.

    `newest` are ids of the entity's newest facts, for the line that says there is nothing current. `overview` holds
    the sentences that a language model worded, each with the ids of the shown facts that it rests on.
    """

    shown: tuple[Fact, ...]
    past: tuple[Fact, ...]
    links: tuple[Link, ...]
    newest: tuple[str, ...]
    today: date
    zone: tzinfo | None
    overview: tuple[tuple[str, tuple[str, ...]], ...] = ()


def render_region(material: Material, since: date | None) -> str:
    """Return the region's Markdown, no newline at its end; `since`: from which day on changes are told (None: all).

    Nothing is worded here but headings: a line is one fact's text, or two joined by an arrow.
    """
    words = words_for(material.shown or material.past)
    overview = [f"- {plain(text)} {cite(ids)}" for text, ids in material.overview]
    sections = [(words.overview, overview), *_current(material, words), _changed(material, words, since)]
    sections.append((words.links, [f"- {wikilink(link.entity)} {cite(link.fact_ids)}" for link in material.links]))
    return "\n\n".join(f"## {title}\n\n" + "\n".join(lines) for title, lines in sections if lines)


def changed_since(region: str) -> tuple[bool, date | None]:
    """Return whether a region tells changes, and since which day it does (None: since ever)."""
    match = _CHANGED.search(region)
    if match is None:
        return False, None
    day = match[1] or match[2]
    try:
        return True, date.fromisoformat(day) if day else None
    except ValueError:
        return True, None


def overview_of(region: str) -> list[tuple[str, tuple[str, ...]]]:
    """Return the sentences under a region's first heading, if that is the overview's, with the ids that they cite."""
    title, _, rest = region.lstrip().partition("\n")
    if title.strip() not in {f"## {ENGLISH.overview}", f"## {CHINESE.overview}"}:
        return []
    lines = rest.partition("\n## ")[0].splitlines()
    found = [_CITED.fullmatch(line.strip()) for line in lines]
    return [(match[1], tuple(match[2].split(", "))) for match in found if match]


def words_for(facts: Sequence[Fact]) -> Words:
    """Return the words of the language that most of the facts are written in."""
    chinese = sum(bool(_HAN.search(fact.text)) for fact in facts)
    return CHINESE if chinese * 2 > len(facts) else ENGLISH


def wikilink(entity: Entity) -> str:
    """Return a link to an entity's summary as Obsidian resolves it."""
    name = " ".join(entity.name.split()).replace("[[", "").replace("]]", "").strip() or entity.ref.slug
    return f"[[{entity.folder}/summary|{name}]]"


def cite(fact_ids: Iterable[str]) -> str:
    """Return the ids that a line rests on, as it ends with them."""
    return f"({', '.join(dict.fromkeys(fact_ids))})"


def plain(text: str) -> str:
    """Return a fact's text on one line, and unable to open an HTML comment."""
    return " ".join(text.split()).replace("<!--", "&lt;!--")


def told_changes(replaced: Iterable[Fact], known: Iterable[Fact], words: Words) -> list[tuple[Fact, str]]:
    """Return (the fact replaced last, line) for every chain of these replaced facts that ends in a known one.

    The text of a value that was judged wrong is not repeated.
    """
    ends = {fact.id: fact for fact in known}
    old = {fact.id: fact for fact in replaced if fact.status == SUPERSEDED and fact.superseded_by}
    inner = {fact.superseded_by for fact in old.values()}
    lines = []
    for start in sorted(old.values(), key=lambda fact: (_day(fact), fact.id)):
        if start.id in inner:
            continue
        chain = [start]
        while (following := old.get(str(chain[-1].superseded_by))) and following not in chain:
            chain.append(following)
        end = ends.get(str(chain[-1].superseded_by))
        if end is None:
            continue
        told = [plain(fact.text) for fact in chain if fact.superseded_reason not in _WRONG]
        mark = "" if told else words.corrected
        ids = [*(fact.id for fact in chain), end.id]
        lines.append((chain[-1], f"{mark}{' → '.join([*told, plain(end.text)])} {cite(ids)}"))
    return lines


def changed_on(fact: Fact, zone: tzinfo | None) -> date | None:
    """Return the local day on which a fact was superseded, its own day where the file does not tell."""
    return fact.superseded_at.astimezone(zone).date() if fact.superseded_at else fact.timestamp


def happened_on(fact: Fact) -> date | None:
    """Return the day that a fact is about: when it began to hold, else its timestamp."""
    return fact.valid_from or fact.timestamp


def milestone_line(fact: Fact) -> str:
    """Return a fact as a line of a timeline."""
    day = happened_on(fact)
    return f"- {_dated(day)}{plain(fact.text)} {cite([fact.id])}"


def without_generated(region: str, facts: Sequence[Fact], *, said: Callable[[str], bool] | None = None) -> str:
    """Return a region that was edited by hand without the lines that are generated, so that the edits are left.

    `said` tells whether a language model of ours worded a sentence.
    """
    texts = {plain(fact.text) for fact in facts}
    titles = {value for words in (ENGLISH, CHINESE) for value in (getattr(words, item.name) for item in fields(words))}
    titles |= {plain(fact.category.title()) for fact in facts}

    def is_ours(line: str) -> bool:
        stripped = line.strip()
        if stripped.startswith("## "):
            return stripped[3:] in titles or bool(_CHANGED.match(stripped))
        match = _LINE.fullmatch(stripped)
        if match is None:
            return False
        told = match[1]
        if said and said(told):
            return True
        for mark in (ENGLISH.corrected, CHINESE.corrected):
            told = told.removeprefix(mark)
        parts = [told] if told in texts else told.split(" → ")
        return told.startswith("[[") or all(part in texts or part in titles for part in parts)

    return "".join(line for line in region.splitlines(keepends=True) if not is_ours(line))


def _current(material: Material, words: Words) -> list[tuple[str, list[str]]]:
    today = material.today
    ahead = [fact for fact in material.shown if fact.valid_from and fact.valid_from > today]
    present = [fact for fact in material.shown if fact not in ahead]
    held = [fact for fact in present if not (fact.valid_until and fact.valid_until <= today)]
    by_category: dict[str, list[Fact]] = {}
    for fact in sorted(held, key=lambda fact: (not fact.pinned, -_day(fact).toordinal(), fact.id)):
        by_category.setdefault(fact.category, []).append(fact)
    now = [*by_category.pop("relationship", ()), *by_category.pop("status", ())]
    preferences = by_category.pop("preference", [])
    by_category.pop("milestone", None)
    timeline = [fact for fact in material.shown if fact.category == "milestone" or fact in ahead]
    sections = [(words.now, [_line(fact) for fact in now]), (words.preferences, [_line(fact) for fact in preferences])]
    sections += [(plain(name.title()), [_line(fact) for fact in facts]) for name, facts in sorted(by_category.items())]
    dated = sorted(timeline, key=lambda fact: (happened_on(fact) or date.min, fact.id))
    sections.append((words.milestones, [milestone_line(fact) for fact in dated]))
    if any(lines for _, lines in sections) or not material.newest:
        return sections
    return _nothing_current(material, words)


def _nothing_current(material: Material, words: Words) -> list[tuple[str, list[str]]]:
    """Say so, and keep what was set aside in sight: a region is never emptied."""
    aside = [fact for fact in (*material.shown, *material.past) if fact.status != SUPERSEDED]
    aside.sort(key=lambda fact: (_day(fact), fact.id), reverse=True)
    earlier = [milestone_line(fact) for fact in aside[:_MOST_EARLIER]]
    return [(words.now, [f"- {words.nothing} {cite(material.newest)}"]), (words.earlier, earlier)]


def _changed(material: Material, words: Words, since: date | None) -> tuple[str, list[str]]:
    days = {fact.id: changed_on(fact, material.zone) or date.min for fact in material.past}
    recent = [fact for fact in material.past if since is None or days[fact.id] >= since]
    told = told_changes(recent, material.shown, words)
    told.sort(key=lambda row: days[row[0].id], reverse=True)
    title = words.changed if since is None else words.changed_since.format(day=since.isoformat())
    return title, [f"- {_dated(days[fact.id])}{line}" for fact, line in told[:_MOST_CHANGES]]


def _line(fact: Fact) -> str:
    return f"- {plain(fact.text)} {cite([fact.id])}"


def _dated(day: date | None) -> str:
    return f"{day.isoformat()} " if day and day != date.min else ""


def _day(fact: Fact) -> date:
    return fact.timestamp or date.min

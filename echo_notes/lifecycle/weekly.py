"""memory/weekly: one file an ISO week for a person to read, from the newest one there is up to this week."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta, tzinfo

from echo_notes.files.layout import WEEKLY_DIR
from echo_notes.files.summary import parse_summary, replace_region
from echo_notes.files.textfile import decode_text, dump_text
from echo_notes.lifecycle.opened import OpenVault
from echo_notes.lifecycle.region import changed_on, cite, milestone_line, plain, told_changes, wikilink, words_for
from echo_notes.model.dates import week_name
from echo_notes.model.entity import Entity
from echo_notes.model.fact import SUPERSEDED, Fact

_NAME = re.compile(r"(\d{4})-W(\d\d)\.md")
_MOST_WEEKS = 53
Told = Sequence[tuple[Entity, Sequence[Fact]]]


@dataclass(frozen=True, slots=True)
class WeekFile:
    """A weekly file as it should be."""

    path: str
    text: str
    data: bytes


def plan_weeks(
    opened: OpenVault, facts: Told, read: Callable[[str], bytes | None], may_tell: Callable[[Fact], bool]
) -> list[WeekFile]:
    """Return the weekly files that are missing or out of date, from the facts of every entity.

    `may_tell` is asked only about facts that would be told.


    The newest file is brought up to date too, so that a fact of Sunday night is not lost between two of them; one
    without our region is somebody's own and stays.
    """
    files = []
    for monday in _mondays(opened, facts, read):
        path = f"{WEEKLY_DIR}/{week_name(monday)}.md"
        body = _render(opened, monday, facts, may_tell)
        raw = read(path)
        if not body or (raw is not None and not _is_ours(raw, path)):
            continue
        source = decode_text(raw, path) if raw is not None else None
        last = monday + timedelta(days=6)
        text = source.text if source else f"# {week_name(monday)}\n\n{monday} to {last}\n"
        after, _ = replace_region(text, body, path=path)
        if source is None or after != source.text:
            files.append(WeekFile(path, body, dump_text(after, bom=bool(source and source.bom))))
    return files


def newest_week(opened: OpenVault) -> date | None:
    """Return the Monday of the newest weekly file, None if there is none; files of weeks to come do not count."""
    folder = opened.root / WEEKLY_DIR
    weeks = []
    for path in folder.iterdir() if folder.is_dir() else ():
        match = _NAME.fullmatch(path.name)
        if match:
            try:
                weeks.append(date.fromisocalendar(int(match[1]), int(match[2]), 1))
            except ValueError:
                continue
    return max((monday for monday in weeks if monday <= opened.today), default=None)


def _mondays(opened: OpenVault, facts: Told, read: Callable[[str], bytes | None]) -> Iterator[date]:
    current = _monday(opened.today)
    newest = newest_week(opened)
    if newest is None:
        # Never run before: from when this vault's first fact was written, a year back at most.
        zone = opened.now.tzinfo
        written = [fact.created_at.astimezone(zone).date() for _, some in facts for fact in some if fact.created_at]
        first = _monday(min(written, default=opened.today))
        monday = max(first, current - timedelta(weeks=_MOST_WEEKS - 1))
    else:
        raw = read(f"{WEEKLY_DIR}/{week_name(newest)}.md")
        ours = raw is not None and _is_ours(raw, "")
        monday = newest if ours else newest + timedelta(weeks=1)
    while monday <= current:
        yield monday
        monday += timedelta(weeks=1)


def _render(opened: OpenVault, monday: date, facts: Told, may_tell: Callable[[Fact], bool]) -> str:
    kinds = {kind: number for number, kind in enumerate(opened.settings.kinds)}
    ordered = sorted(facts, key=lambda row: (kinds.get(row[0].ref.kind, len(kinds)), row[0].ref))
    sections = []
    for entity, some in ordered:
        lines = _week_lines(some, monday, opened.now.tzinfo, may_tell)
        if lines:
            sections.append(f"## {wikilink(entity)}\n\n" + "\n".join(lines))
    return "\n\n".join(sections)


def _week_lines(
    facts: Sequence[Fact], monday: date, zone: tzinfo | None, may_tell: Callable[[Fact], bool]
) -> list[str]:
    end = monday + timedelta(weeks=1)

    def within(day: date | None) -> bool:
        return day is not None and monday <= day < end

    replaced = [fact for fact in facts if fact.status == SUPERSEDED and within(changed_on(fact, zone))]
    gone = {fact.id for fact in replaced}
    heirs = {fact.superseded_by for fact in replaced}
    stated = {fact.id for fact in facts if within(_stated_on(fact, zone))}
    known = [fact for fact in facts if fact.id in gone | heirs | stated and may_tell(fact)]
    words = words_for(known)
    changes = told_changes([fact for fact in known if fact.id in gone], known, words)
    fresh = [fact for fact in known if fact.id in stated and fact.id not in gone | heirs]
    fresh.sort(key=lambda fact: (fact.category == "milestone", fact.timestamp or date.min, fact.id))
    lines = [
        milestone_line(fact) if fact.category == "milestone" else f"- {words.new}{plain(fact.text)} {cite([fact.id])}"
        for fact in fresh
    ]
    return [*lines, *(f"- {words.change}{line}" for _, line in changes)]


def _stated_on(fact: Fact, zone: tzinfo | None) -> date | None:
    return fact.created_at.astimezone(zone).date() if fact.created_at else fact.timestamp


def _monday(day: date) -> date:
    return day - timedelta(days=day.weekday())


def _is_ours(raw: bytes, path: str) -> bool:
    return parse_summary(decode_text(raw, path).text).region is not None

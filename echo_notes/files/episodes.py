"""Episodes: one file for each consolidated session, read and written."""

import math
from collections.abc import Container
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import PurePosixPath
from typing import Any

from echo_notes.files.frontmatter import split
from echo_notes.files.textfile import LF
from echo_notes.files.yamltext import dump_scalar
from echo_notes.model.dates import format_instant, parse_instant
from echo_notes.model.names import slugify

FOLDER = "memory/episodes"


@dataclass(frozen=True, slots=True, kw_only=True)
class Episode:
    """What one session was about. `entity_ids` are `kind/slug`; the range is of message numbers, both ends in it.

    `summary` is the body, which starts on 1-based `line` of `path`. `problem` is what the front matter does not say as
    it should, `""` if nothing.
    """

    session_key: str
    summary: str
    range_start: int = 0
    range_end: int = 0
    entity_ids: tuple[str, ...] = ()
    importance: float = 0.5
    created_at: datetime | None = None
    path: str = ""
    line: int = 1
    problem: str = ""


def parse_episode(text: str, path: str) -> Episode:
    """Return the episode in a file; whatever cannot be used takes its default, and `problem` names it. Never raises."""
    front = split(text)
    lead = len(front.body) - len(front.body.lstrip("\r\n")) if front.body.strip("\r\n") else 0
    created = _instant(front.values.get("createdAt"))
    first, start_problem = _number(front.values.get("messageRangeStart"))
    last, end_problem = _number(front.values.get("messageRangeEnd"))
    importance, importance_problem = _share(front.values.get("importance", 0.5))
    problems = [
        front.problem or "",
        "" if created else "createdAt is not a time",
        f"messageRangeStart {start_problem}" if start_problem else "",
        f"messageRangeEnd {end_problem}" if end_problem else "",
        importance_problem,
    ]
    return Episode(
        session_key=front.text("sessionKey") or _session_of(path),
        summary=front.body.strip("\r\n").replace("\r\n", LF),
        range_start=first,
        range_end=last,
        entity_ids=front.words("entityIds"),
        importance=importance,
        created_at=created,
        path=path,
        line=front.body_line + front.body.count(LF, 0, lead),
        problem="; ".join(filter(None, problems)) if front.present else "no front matter",
    )


def format_episode(episode: Episode) -> str:
    """Return the text of an episode's file; `parse_episode` gives the same episode back."""
    created = episode.created_at
    lines = [
        "---",
        f"sessionKey: {dump_scalar(episode.session_key)}",
        f"messageRangeStart: {episode.range_start}",
        f"messageRangeEnd: {episode.range_end}",
        f"entityIds: {dump_scalar(episode.entity_ids)}",
        f"importance: {dump_scalar(round(episode.importance, 4))}",
        f"createdAt: {format_instant(created) if created else 'null'}",
        "---",
        episode.summary.strip("\r\n"),
        "",
    ]
    return LF.join(lines)


def episode_name(day: date, session_key: str, taken: Container[str] = ()) -> str:
    """Return the file name of a new episode, `2026-11-30-<session>.md`; `-2`, `-3` … where names are taken.

    `<session>` is the session key as a slug, `session` if it holds no letter or digit.
    """
    stem = f"{day.isoformat()}-{slugify(session_key) or 'session'}"
    name = f"{stem}.md"
    number = 2
    while name in taken:
        name = f"{stem}-{number}.md"
        number += 1
    return name


def _session_of(path: str) -> str:
    return PurePosixPath(path).stem[len("2026-11-30-") :]


def _instant(value: Any) -> datetime | None:
    # YAML reads an unquoted time as one already; without a zone it is taken as UTC, as `parse_instant` does.
    try:
        return parse_instant(value.isoformat() if isinstance(value, date) else value)
    except OverflowError:
        return None


def _number(value: Any) -> tuple[int, str]:
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value, ""
    return 0, "is not a whole number"


def _share(value: Any) -> tuple[float, str]:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        return 0.5, "importance is not a number from 0 to 1"
    inside = float(min(max(value, 0), 1))
    return inside, "" if inside == value else "importance is not between 0 and 1"

"""Days, weeks and spans: the closed list of ways to write a date, and the clock that is passed in."""

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Protocol

from echo_notes.model.errors import UsageError

_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_DAY = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})")
_MONTH = re.compile(r"(\d{4})-(\d{2})")
_YEAR = re.compile(r"(\d{4})")
_WEEK = re.compile(r"(\d{4})-?W(\d{2})", re.IGNORECASE)
_AGO = re.compile(r"(\d{1,4})\s*(d|day|days|w|week|weeks|m|month|months|y|year|years)(?:\s+ago)?")
_EXAMPLES = "Write 2026-11-30, 2026-11, 2026-W48, today, yesterday, monday, last friday or 3d ago."


class Clock(Protocol):
    """Tells the time; the only source of now."""

    def now(self) -> datetime:
        """Return the present moment as an aware datetime in the person's own time zone."""


@dataclass(frozen=True, slots=True)
class FixedClock:
    """A clock that stands still: one command sees one instant, and tests pin it."""

    instant: datetime

    def now(self) -> datetime:
        """Return the pinned instant."""
        return self.instant


@dataclass(frozen=True, slots=True)
class Span:
    """A half-open run of local days: `start` is in it, `end` is not."""

    start: date
    end: date


def format_instant(moment: datetime) -> str:
    """Return an aware moment as UTC ISO 8601 to the second, `2026-11-30T14:32:05Z`."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def parse_instant(text: object) -> datetime | None:
    """Return the aware UTC moment that a stamp names, None if it names none. A bare day is its midnight, UTC."""
    if not isinstance(text, str):
        return None
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        return None
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def parse_day(text: object) -> date | None:
    """Return the day a stored timestamp names (`2026-03-02`, or a full ISO time: the day as written), else None."""
    if isinstance(text, datetime):
        return text.date()
    if isinstance(text, date):
        return text
    if not isinstance(text, str):
        return None
    try:
        return date.fromisoformat(text.strip()[:10])
    except ValueError:
        return None


def parse_span(text: str, today: date) -> Span:
    """Return the local days that a person's words name; UsageError with examples for anything off the closed list."""
    words = " ".join(text.lower().split())
    span = _parse_iso(words) or _parse_relative(words, today)
    if span is None:
        raise UsageError(f"cannot read {text!r} as a date", fix=_EXAMPLES)
    return span


def parse_date(text: str, today: date) -> date:
    """Return the one day that a person's words name; a longer span gives its first day."""
    return parse_span(text, today).start


def _parse_iso(words: str) -> Span | None:
    try:
        if match := _DAY.fullmatch(words):
            year, month, day = (int(part) for part in match.groups())
            return _days(date(year, month, day), 1)
        if match := _MONTH.fullmatch(words):
            return month_span(int(match[1]), int(match[2]))
        if match := _WEEK.fullmatch(words):
            return _days(date.fromisocalendar(int(match[1]), int(match[2]), 1), 7)
        if match := _YEAR.fullmatch(words):
            return Span(date(int(match[1]), 1, 1), date(int(match[1]) + 1, 1, 1))
    except ValueError:
        return None
    moment = parse_instant(words.upper()) if "t" in words else None
    return _days(moment.date(), 1) if moment else None


def _parse_relative(words: str, today: date) -> Span | None:
    monday = today - timedelta(days=today.weekday())
    first = today.replace(day=1)
    named = {
        "today": lambda: _days(today, 1),
        "yesterday": lambda: _days(today - timedelta(days=1), 1),
        "tomorrow": lambda: _days(today + timedelta(days=1), 1),
        "this week": lambda: _days(monday, 7),
        "last week": lambda: _days(monday - timedelta(days=7), 7),
        "this month": lambda: month_span(today.year, today.month),
        "last month": lambda: month_span((first - timedelta(days=1)).year, (first - timedelta(days=1)).month),
    }
    if words in named:
        return named[words]()
    last, _, name = words.rpartition(" ")
    if name in _WEEKDAYS and last in {"", "last"}:
        back = (today.weekday() - _WEEKDAYS.index(name)) % 7
        return _days(today - timedelta(days=back or (7 if last else 0)), 1)
    if match := _AGO.fullmatch(words):
        return _ago(int(match[1]), match[2][0], today)
    return None


def _ago(count: int, unit: str, today: date) -> Span | None:
    try:
        if unit in "dw":
            return _days(today - timedelta(days=count * (7 if unit == "w" else 1)), 1)
        months = today.year * 12 + today.month - 1 - count * (12 if unit == "y" else 1)
        year, month = divmod(months, 12)
        last = month_span(year, month + 1).end - timedelta(days=1)
        return _days(last.replace(day=min(today.day, last.day)), 1)
    except (ValueError, OverflowError):
        return None


def _days(start: date, count: int) -> Span:
    return Span(start, start + timedelta(days=count))


def month_span(year: int, month: int) -> Span:
    """Return the days of a month (1 to 12)."""
    end = date(year + month // 12, month % 12 + 1, 1)
    return Span(date(year, month, 1), end)


def week_name(day: date) -> str:
    """Return the ISO week of a day, `2026-W48`."""
    iso = day.isocalendar()
    return f"{iso.year}-W{iso.week:02d}"

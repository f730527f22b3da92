"""What an odd value in a fact plainly means: dates, words and types put in the form that the format wants."""

import re
from collections.abc import Mapping
from datetime import UTC, date, datetime
from typing import Any, Final

from echo_notes.files.records import find_field, iter_misfits
from echo_notes.model.dates import format_instant, parse_day, parse_instant
from echo_notes.model.fact import ACTIVE, ARCHIVED, ENVIRONMENT, STATUSES, SUPERSEDED, USER

_STATUS_WORDS: Final = {
    "current": ACTIVE, "valid": ACTIVE, "live": ACTIVE, "open": ACTIVE, "enabled": ACTIVE,
    "archive": ARCHIVED, "inactive": ARCHIVED, "hidden": ARCHIVED, "stored": ARCHIVED,
    "supersede": SUPERSEDED, "replaced": SUPERSEDED, "outdated": SUPERSEDED, "obsolete": SUPERSEDED,
    "deprecated": SUPERSEDED, "historical": SUPERSEDED, "stale": SUPERSEDED,
}  # fmt: skip
_DAYS: Final = ("timestamp", "validFrom", "validUntil")
_INSTANTS: Final = ("createdAt", "updatedAt", "lastAccessed", "supersededAt", "erasedAt")
_LISTS: Final = ("tags", "relatedEntities", "flagged", "was")
_COUNTS: Final = {"accessCount": 0, "version": 1}
_WORDS: Final = ("category", "source", "key", "provenance", "supersededReason", "sourceSession", "episodeId", "scope")
_TRUTH: Final = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}

_NUMERIC_DAY = re.compile(r"(\d{4})[-/.\s年](\d{1,2})[-/.\s月](\d{1,2})日?")
_NAMED_FORMS: Final = ("%d %B %Y", "%d %b %Y", "%B %d, %Y", "%b %d, %Y", "%B %d %Y", "%b %d %Y")
_EPOCH_SECONDS: Final = (10**8, 10**10)  # from 1973 on; below that it is no time stamp
_MILLIS = 1000


def repairs_of(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a record that are not as the format wants but plain in meaning, as they should be."""
    changes: dict[str, Any] = {}
    for name, _ in iter_misfits(record):
        key = find_field(record, name)
        value = _repaired(name, record.get(key) if key else None, record)
        if value is not None and (key is None or value != record.get(key)):
            changes[name] = value
    return changes


def _repaired(name: str, value: Any, record: Mapping[str, Any]) -> Any:
    if name in _DAYS:
        return _day(value) or (_day_of(record.get("createdAt")) if name == "timestamp" and value is None else None)
    if name in _INSTANTS:
        return _instant(value)
    if name in _LISTS and isinstance(value, str):
        return [part.strip() for part in value.split(",") if part.strip()]
    if name in {"id", "fact"}:
        return _text(value, strip=name == "id")
    return _count(value, _COUNTS[name]) if name in _COUNTS else _word(name, value)


def _word(name: str, value: Any) -> Any:
    if name in _WORDS:
        return (value.strip() or None) if isinstance(value, str) else None
    if name == "status":
        return known_status(value)
    if name == "type" and isinstance(value, str):
        return value.strip().lower() if value.strip().lower() in {USER, ENVIRONMENT} else None
    if name == "pinned":
        return _TRUTH.get(str(value).strip().lower())
    if name == "importance" and isinstance(value, str):
        return _share(value)
    return None


def known_status(word: Any) -> str | None:
    """Return the status that a word plainly means, None for any other."""
    if not isinstance(word, str):
        return None
    folded = word.strip().lower()
    return folded if folded in STATUSES else _STATUS_WORDS.get(folded)


def _day(value: Any) -> str | None:
    """Return a day as ISO text; only what cannot be read two ways (no 03/04/2026)."""
    if isinstance(value, int) and not isinstance(value, bool):
        moment = _from_epoch(value)
        return moment.date().isoformat() if moment else None
    if not isinstance(value, str):
        return None
    text = value.strip()
    if match := _NUMERIC_DAY.match(text):
        try:
            return date(int(match[1]), int(match[2]), int(match[3])).isoformat()
        except ValueError:
            return None
    for form in _NAMED_FORMS:
        try:
            return datetime.strptime(text, form).replace(tzinfo=UTC).date().isoformat()
        except ValueError:
            continue
    return None


def _day_of(value: Any) -> str | None:
    day = parse_day(value)
    return day.isoformat() if day else _day(value)


def _instant(value: Any) -> str | None:
    if isinstance(value, int) and not isinstance(value, bool):
        moment = _from_epoch(value)
    else:
        day = _day(value)
        moment = parse_instant(day) if day and isinstance(value, str) and ":" not in value else None
    return format_instant(moment) if moment else None


def _from_epoch(number: int) -> datetime | None:
    low, high = _EPOCH_SECONDS
    seconds = number / _MILLIS if low * _MILLIS <= number < high * _MILLIS else number
    return datetime.fromtimestamp(seconds, UTC) if low <= seconds < high else None


def _count(value: Any, least: int) -> int | None:
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    return int(number) if number >= least and number == int(number) and not isinstance(value, bool) else None


def _share(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if 0 <= number <= 1 else None


def _text(value: Any, *, strip: bool) -> str | None:
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        return None
    text = str(value)
    return (text.strip() if strip else text) or None

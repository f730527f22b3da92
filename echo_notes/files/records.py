"""One JSON record of items.json read as a Fact, and a Fact written as a record: names, aliases, defaults."""

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from datetime import date, datetime
from typing import Any, Final

from echo_notes.model.dates import format_instant, parse_day, parse_instant
from echo_notes.model.entity import EntityRef
from echo_notes.model.fact import DEFAULT_CATEGORIES, ENVIRONMENT, STATUSES, USER, Fact

# Standard name → attribute of Fact, in the order in which records are written.
FIELDS: Final[Mapping[str, str]] = {
    "id": "id",
    "fact": "text",
    "category": "category",
    "timestamp": "timestamp",
    "source": "source",
    "status": "status",
    "supersededBy": "superseded_by",
    "key": "key",
    "type": "type",
    "provenance": "provenance",
    "importance": "importance",
    "pinned": "pinned",
    "tags": "tags",
    "relatedEntities": "related",
    "createdAt": "created_at",
    "updatedAt": "updated_at",
    "lastAccessed": "last_accessed",
    "accessCount": "access_count",
    "version": "version",
    "supersededAt": "superseded_at",
    "supersededReason": "superseded_reason",
    "validFrom": "valid_from",
    "validUntil": "valid_until",
    "sourceSession": "source_session",
    "episodeId": "episode_id",
    "scope": "scope",
    "flagged": "flagged",
    "was": "was",
    "erasedAt": "erased_at",
}
CORE_FIELDS: Final = tuple(FIELDS)[:7]

# Names that other vaults use, in the order in which they are believed.
ALIASES: Final[Mapping[str, tuple[str, ...]]] = {
    "fact": ("content", "text"),
    "timestamp": ("created", "date", "ts"),
}

_UNSEALED = ("lastAccessed", "accessCount")
_Reading = tuple[Any, str]  # the value, and what is wrong with the stored one ("" if nothing)


def find_field(record: Mapping[str, Any], name: str) -> str | None:
    """Return the key under which a record holds a standard field: the standard name, else an alias, else None."""
    if name in record:
        return name
    return next((alias for alias in ALIASES.get(name, ()) if alias in record), None)


def fact_from_record(record: Mapping[str, Any], *, entity: EntityRef, path: str, line: int, fallback_id: str) -> Fact:
    """Return a record as a Fact; whatever cannot be used takes its default (`iter_misfits` names it)."""
    values: dict[str, Any] = {"id": fallback_id, "text": ""}
    for key, value in record.items():
        read = _READERS.get(key)
        if read is not None:
            values[FIELDS[key]] = read(value)[0]
    for name, aliases in ALIASES.items():
        if name not in record:
            alias = next((alias for alias in aliases if alias in record), None)
            if alias is not None:
                values[FIELDS[name]] = _READERS[name](record[alias])[0]
    values["id"] = values["id"] or fallback_id
    values["text"] = values["text"] or ""
    return Fact(entity=entity, path=path, line=line, record=record, **values)


def record_id(record: Mapping[str, Any]) -> str:
    """Return the id that a record states, `""` if it states none that can be used."""
    return _read_id(record["id"])[0] or "" if "id" in record else ""


def iter_misfits(record: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield (field, what is wrong) for every standard field that is missing, misnamed or of the wrong type."""
    if not record_id(record):
        yield "id", "has no id"
    for name in ("fact", "timestamp"):
        key = find_field(record, name)
        if key is None:
            yield name, f"has no `{name}`"
        elif key != name:
            yield name, f"says `{key}` for `{name}`"
    for name, read in _READERS.items():
        key = find_field(record, name)
        if key is not None and not (name == "id" and not record_id(record)):
            wrong = read(record[key])[1]
            if wrong:
                yield name, f"`{key}` {wrong}"


def new_record(fact: Fact) -> dict[str, Any]:
    """Return the record of a new fact: the seven core fields, then only what differs from its default."""
    record: dict[str, Any] = {}
    for name, attribute in FIELDS.items():
        value = getattr(fact, attribute)
        if name in CORE_FIELDS or value != _DEFAULTS[attribute]:
            record[name] = plain_value(value)
    return record


def plain_value(value: Any) -> Any:
    """Return a model value as JSON holds it: times and days as ISO text, tuples as lists; containers are copied."""
    if isinstance(value, datetime):
        return format_instant(value)
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Mapping):
        return {str(key): plain_value(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [plain_value(item) for item in (sorted(value) if isinstance(value, (set, frozenset)) else value)]
    return value


def standard_record(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return the record under standard names, whatever its file calls them; a null `supersededBy` counts as absent."""
    names = {key: name for name in ALIASES if (key := find_field(record, name))}
    standard = {names.get(key, key): value for key, value in record.items()}
    if standard.get("supersededBy", "") is None:
        del standard["supersededBy"]
    return standard


def digest_record(record: Mapping[str, Any]) -> str:
    """Return the SHA-256 (hex) of what a record says: key order, field aliases and access counters do not count."""
    sealed = {key: value for key, value in standard_record(record).items() if key not in _UNSEALED}
    return hashlib.sha256(json.dumps(sealed, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def without_surrogates(text: str) -> str:
    """Return the text with lone surrogates (JSON can escape them, UTF-8 cannot hold them) as U+FFFD."""
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _read_text(value: Any) -> _Reading:
    if isinstance(value, str):
        clean = without_surrogates(value)
        return clean, "" if clean == value else "holds half of a surrogate pair"
    if value is None:
        return None, "is null"
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return str(value), "is a number, not text"
    return None, "is not text"


def _read_id(value: Any) -> _Reading:
    text, wrong = _read_text(value)
    clean = text.strip() if text else ""
    return (clean or None, wrong or ("is empty" if not clean else "has spaces around it" if clean != text else ""))


def _read_word(default: str) -> Callable[[Any], _Reading]:
    def read(value: Any) -> _Reading:
        if isinstance(value, str):
            clean = without_surrogates(value).strip()
            return clean or default, "" if clean == value else "holds half of a surrogate pair or outer spaces"
        return default, "" if value is None else "is not text"

    return read


def _read_choice(default: str, choices: tuple[str, ...], *, unknown_stays: bool) -> Callable[[Any], _Reading]:
    def read(value: Any) -> _Reading:
        if value in choices:
            return value, ""
        if not isinstance(value, str):
            return default, "" if value is None else "is not text"
        word = without_surrogates(value).strip()
        wrong = f"is {value!r}, not one of {', '.join(choices)}"
        if word.lower() in choices:
            return word.lower(), wrong
        return (word or default) if unknown_stays else default, wrong

    return read


def _read_reference(value: Any) -> _Reading:
    if value is None:
        return None, ""
    text, wrong = _read_text(value)
    return (text or "").strip() or None, wrong


def _read_day(value: Any) -> _Reading:
    if value is None:
        return None, "is null"
    day = parse_day(value)
    return day, "" if day else f"is {value!r}, not a day such as 2026-11-30"


def _read_optional_day(value: Any) -> _Reading:
    return (None, "") if value is None else _read_day(value)


def _read_instant(value: Any) -> _Reading:
    if value is None:
        return None, ""
    try:
        moment = parse_instant(value)
    except OverflowError:  # an offset that pushes year 1 or 9999 off the calendar
        moment = None
    return moment, "" if moment else f"is {value!r}, not a time such as 2026-11-30T14:32:05Z"


def _read_importance(value: Any) -> _Reading:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or value != value:  # noqa: PLR0124 - NaN
        return 0.5, "is not a number from 0 to 1"
    inside = min(max(value, 0), 1)
    return float(inside), "" if inside == value else "is not between 0 and 1"


def _read_flag(value: Any) -> _Reading:
    return (value, "") if isinstance(value, bool) else (False, "is not true or false")


def _read_count(least: int) -> Callable[[Any], _Reading]:
    def read(value: Any) -> _Reading:
        if isinstance(value, int) and not isinstance(value, bool) and value >= least:
            return value, ""
        return least, f"is not a whole number, {least} or more"

    return read


def _read_words(value: Any) -> _Reading:
    if value is None:
        return (), ""
    if isinstance(value, str):
        return tuple(filter(None, (without_surrogates(part).strip() for part in value.split(",")))), "is not a list"
    if not isinstance(value, list):
        return (), "is not a list"
    words = tuple(without_surrogates(item) for item in value if isinstance(item, str) and item)
    return words, "" if list(words) == value else "holds something that is not text"


_READERS: Final[Mapping[str, Callable[[Any], _Reading]]] = {
    "id": _read_id,
    "fact": _read_text,
    "category": _read_word(DEFAULT_CATEGORIES[2]),
    "timestamp": _read_day,
    "source": _read_word("conversation"),
    "status": _read_choice(STATUSES[0], STATUSES, unknown_stays=True),
    "supersededBy": _read_reference,
    "key": _read_word(""),
    "type": _read_choice(ENVIRONMENT, (USER, ENVIRONMENT), unknown_stays=False),
    "provenance": _read_word(""),
    "importance": _read_importance,
    "pinned": _read_flag,
    "tags": _read_words,
    "relatedEntities": _read_words,
    "createdAt": _read_instant,
    "updatedAt": _read_instant,
    "lastAccessed": _read_instant,
    "accessCount": _read_count(0),
    "version": _read_count(1),
    "supersededAt": _read_instant,
    "supersededReason": _read_word(""),
    "validFrom": _read_optional_day,
    "validUntil": _read_optional_day,
    "sourceSession": _read_word(""),
    "episodeId": _read_word(""),
    "scope": _read_word(""),
    "flagged": _read_words,
    "was": _read_words,
    "erasedAt": _read_instant,
}
_BLANK = Fact(id="", text="", entity=EntityRef("", ""))
_DEFAULTS: Final = {attribute: getattr(_BLANK, attribute) for attribute in FIELDS.values()}

"""The forgetting curve: what a fact's importance has become, from how long ago and how often it was used."""

from datetime import UTC, datetime, time
from math import log2

from echo_notes.model.fact import USER, Fact

_DAY_SECONDS = 86400.0
_EPOCH_ORDINAL = 719163  # ordinal of 1970-01-01
DEFAULT_IMPORTANCE = 0.5


def half_life_days(base_days: float, access_count: int) -> float:
    """Return the half-life in days: `base × (1 + log2(1 + accesses))`, the base at least one day."""
    return max(1.0, base_days) * (1.0 + log2(1 + max(0, access_count)))


def effective_importance(
    importance: float, idle_days: float, *, access_count: int = 0, base_days: float = 30.0, exempt: bool = False
) -> float:
    """Return `importance × 0.5^(idle days / half-life)`, in 0..1; the importance itself for what never fades.

    `idle_days`: fractional days since the last access, or since creation; a stamp in the future counts as now.
    """
    importance = min(1.0, max(0.0, importance))
    if exempt:
        return importance
    return float(importance * 0.5 ** (max(0.0, idle_days) / half_life_days(base_days, access_count)))


def days_until(
    threshold: float, importance: float, idle_days: float, *, access_count: int = 0, base_days: float = 30.0
) -> float | None:
    """Return in how many days an unused importance will have sunk below a threshold; 0.0 if it has, None if never.

    The curve of `effective_importance`, solved for time: `half-life × log2(importance / threshold)`, less what is past.
    """
    importance = min(1.0, max(0.0, importance))
    if importance < threshold:
        return 0.0
    if threshold <= 0.0:
        return None
    return max(0.0, half_life_days(base_days, access_count) * log2(importance / threshold) - max(0.0, idle_days))


def used_on(fact: Fact) -> float:
    """Return when a fact was last used: accessed, else created, else its day; 0.0 if the file tells none of them.

    In days since 0001-01-01 UTC, fractional (`day_number`).
    """
    moment = fact.last_accessed or fact.created_at
    if moment is None and fact.timestamp is not None:
        moment = datetime.combine(fact.timestamp, time(), UTC)
    return day_number(moment) if moment else 0.0


def day_number(moment: datetime) -> float:
    """Return an aware moment as a day number: its proleptic ordinal in UTC, with the time as a fraction."""
    return moment.timestamp() / _DAY_SECONDS + _EPOCH_ORDINAL


def is_exempt(owner_type: str, *, pinned: bool) -> bool:
    """Return whether age leaves a fact alone: what the owner is or prefers, and what is pinned."""
    return pinned or owner_type == USER


def fact_importance(fact: Fact, now: datetime, base_days: float) -> float:
    """Return the effective importance of a fact at a moment."""
    used = used_on(fact)
    return effective_importance(
        fact.importance,
        day_number(now) - used if used else 0.0,
        access_count=fact.access_count,
        base_days=base_days,
        exempt=is_exempt(fact.type, pinned=fact.pinned),
    )

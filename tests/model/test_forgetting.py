from datetime import UTC, date, datetime, timedelta

import pytest

from echo_notes.model.entity import EntityRef
from echo_notes.model.fact import Fact
from echo_notes.model.forgetting import (
    day_number,
    effective_importance,
    fact_importance,
    half_life_days,
    used_on,
)

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


def a_fact(**fields: object) -> Fact:
    return Fact(id="ada-001", text="Ada drinks tea", entity=EntityRef("people", "ada"), **fields)  # type: ignore[arg-type]


def test_a_half_life_halves() -> None:
    assert effective_importance(0.8, 30) == pytest.approx(0.4)
    assert effective_importance(0.8, 60) == pytest.approx(0.2)
    assert effective_importance(0.8, 15) == pytest.approx(0.8 * 0.5**0.5)


def test_use_lengthens_the_half_life() -> None:
    assert half_life_days(30, 0) == 30
    assert half_life_days(30, 1) == 60
    assert half_life_days(30, 7) == 120


def test_the_base_is_at_least_a_day() -> None:
    assert half_life_days(0, 0) == 1
    assert half_life_days(-5, 1) == 2


def test_what_is_exempt_keeps_its_importance() -> None:
    assert effective_importance(0.7, 10_000, exempt=True) == 0.7
    old = {"timestamp": date(2020, 1, 1), "importance": 0.7}
    assert fact_importance(a_fact(pinned=True, **old), NOW, 30) == 0.7
    assert fact_importance(a_fact(type="user", **old), NOW, 30) == 0.7
    assert fact_importance(a_fact(**old), NOW, 30) < 1e-6


def test_odd_numbers_have_a_defined_result() -> None:
    assert effective_importance(0, 10) == 0
    assert effective_importance(7, 0) == 1
    assert effective_importance(-1, 0) == 0
    assert effective_importance(0.5, -3) == 0.5


def test_the_last_access_counts_then_creation_then_the_day() -> None:
    accessed = datetime(2026, 11, 29, 20, tzinfo=UTC)
    created = datetime(2026, 11, 1, tzinfo=UTC)
    day = date(2026, 10, 1)
    assert used_on(a_fact(last_accessed=accessed, created_at=created, timestamp=day)) == day_number(accessed)
    assert used_on(a_fact(created_at=created, timestamp=day)) == day_number(created)
    assert used_on(a_fact(timestamp=day)) == day.toordinal()
    assert used_on(a_fact()) == 0.0


def test_days_are_fractional() -> None:
    fresh = fact_importance(a_fact(created_at=NOW - timedelta(hours=6)), NOW, 1)
    assert fresh == pytest.approx(0.5 * 0.5**0.25)


def test_a_stamp_in_the_future_or_none_at_all_is_now() -> None:
    assert fact_importance(a_fact(created_at=NOW + timedelta(days=9)), NOW, 30) == 0.5
    assert fact_importance(a_fact(), NOW, 30) == 0.5

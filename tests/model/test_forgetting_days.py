import pytest
from hypothesis import given
from hypothesis import strategies as st

from echo_notes.model.forgetting import days_until, effective_importance


@given(
    st.floats(0.01, 1), st.floats(0.001, 1), st.floats(0, 1000), st.integers(0, 100), st.floats(1, 365)
)  # fmt: skip
def test_after_so_many_days_the_importance_is_the_threshold(
    importance: float, threshold: float, idle: float, count: int, base: float
) -> None:
    days = days_until(threshold, importance, idle, access_count=count, base_days=base)
    assert days is not None
    assert days >= 0
    then = effective_importance(importance, idle + days, access_count=count, base_days=base)
    if days > 0:
        assert then == pytest.approx(threshold)
    else:
        assert then <= threshold * (1 + 1e-9)


def test_the_ends_of_the_scale_are_defined() -> None:
    assert days_until(0.05, 0, 0) == 0.0
    assert days_until(0, 0.5, 0) is None
    assert days_until(0, 0, 0) is None
    assert days_until(0.05, 7, -10) == pytest.approx(days_until(0.05, 1, 0))
    assert days_until(0.05, 0.4, 0) == pytest.approx(90)

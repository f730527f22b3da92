"""The project's own Chinese sets stay caught and stay clean; of the test split only the rate is looked at."""

import json
from pathlib import Path
from typing import Any

import pytest

from echo_notes.guard.scan import scan_text
from tests.evals.scan import OWN_DIR, OWN_SETS, measure, wilson


def _rows(name: str, split: str) -> list[dict[str, Any]]:
    rows = (json.loads(line) for line in (OWN_DIR / name).read_text(encoding="utf-8").splitlines())
    return [row for row in rows if row["split"] == split]


@pytest.mark.parametrize("split", ["test", "dev"])
def test_block_and_false_positive_rates(split: str) -> None:
    attacks, lookalikes = (_rows(name, split) for name in OWN_SETS)
    assert sum(bool(scan_text(row["text"])) for row in attacks) >= 0.85 * len(attacks)
    assert sum(bool(scan_text(row["text"])) for row in lookalikes) <= 0.05 * len(lookalikes)


def test_the_sets_are_large_enough_and_a_third_is_kept_apart() -> None:
    for name in OWN_SETS:
        test, dev = len(_rows(name, "test")), len(_rows(name, "dev"))
        assert test + dev >= 150
        assert test >= (test + dev) * 0.3


def test_the_eval_never_shows_a_test_row(tmp_path: Path) -> None:
    row = {"text": "harmless", "label": 1, "lang": "en", "source": "made up", "split": "test"}
    (tmp_path / "made_up.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    tallies, _ = measure(tmp_path)
    tally = tallies[1, "made up (test)", "en"]
    assert (tally.seen, tally.blocked, tally.wrong) == (1, 0, [])


def test_wilson_intervals() -> None:
    low, high = wilson(8, 10)
    assert (round(low, 3), round(high, 3)) == (0.490, 0.943)
    assert wilson(0, 0) == (0.0, 1.0)

"""What recall may answer as of a day: what held then, and nothing that was never true."""

import json
from collections.abc import Callable
from pathlib import Path

from tests.conftest import Ran

Run = Callable[..., Ran]


def texts(run: Run, vault: Path, *more: str) -> list[str]:
    words = ("recall", "Bo phone", "--entity", "bo", "--layer", "fact", "--no-touch", "--json")
    ran = run(*words, *more, at=vault, now="2026-11-30T09:00:00+00:00")
    return [hit["text"] for hit in json.loads(ran.out)["results"]]


def test_what_was_judged_wrong_held_on_no_day_until_it_is_reinstated(empty_vault: Path, run: Run) -> None:
    old, new, wrong = "Bo's phone is 555-0101", "Bo's phone is 555-0110", "Bo's phone is 555-0199"
    run("remember", old, "--about", "people/bo", at=empty_vault, now="2026-11-02T09:00:00+00:00")
    run("supersede", "bo-001", wrong, at=empty_vault, now="2026-11-09T09:00:00+00:00")
    run("correct", "bo-002", new, at=empty_vault, now="2026-11-16T09:00:00+00:00")
    assert texts(run, empty_vault, "--as-of", "2026-11-05") == [old]
    assert texts(run, empty_vault, "--as-of", "2026-11-12") == []
    assert texts(run, empty_vault, "--as-of", "2026-11-20") == [new]
    assert texts(run, empty_vault, "--as-of", "2026-11-12", "--status", "all") == [wrong]
    assert run("undo", at=empty_vault, now="2026-11-17T09:00:00+00:00").status == 0
    assert texts(run, empty_vault, "--as-of", "2026-11-12") == [wrong]

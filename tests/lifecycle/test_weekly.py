from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Ran, git
from tests.lifecycle.test_synthesize import say

Run = Callable[..., Ran]


def weeks_of(vault: Path) -> list[str]:
    return sorted(path.stem for path in (vault / "memory/weekly").glob("*.md"))


def weekly(run: Run, vault: Path, day: str, *more: str) -> Ran:
    return run("synthesize", "--weekly", *more, at=vault, now=f"{day}T18:00:00+00:00")


def text_of(vault: Path, week: str) -> str:
    return (vault / f"memory/weekly/{week}.md").read_text(encoding="utf-8")


def test_missed_sundays_are_caught_up_each_in_its_own_file(empty_vault: Path, run: Run) -> None:
    for day, thing in (("2026-11-02", "tea"), ("2026-11-11", "rye"), ("2026-11-25", "jazz")):
        say(run, empty_vault, f"Bo likes {thing}", day=day)
    assert weekly(run, empty_vault, "2026-11-29").status == 0
    assert weeks_of(empty_vault) == ["2026-W45", "2026-W46", "2026-W48"]
    assert "- new: Bo likes rye (bo-002)" in text_of(empty_vault, "2026-W46")
    assert "tea" not in text_of(empty_vault, "2026-W46")
    assert "2026-11-23 to 2026-11-29" in text_of(empty_vault, "2026-W48")
    assert git(empty_vault, "log", "-1", "--format=%s") == "synthesize: 1 entity, 2026-W45 to 2026-W48\n"
    assert weekly(run, empty_vault, "2026-11-29").out == "nothing to synthesize\n"


@pytest.mark.parametrize(
    ("day", "week"),
    [
        ("2027-01-03", "2026-W53"),
        ("2027-01-04", "2027-W01"),
        ("2021-01-01", "2020-W53"),
        ("2019-12-30", "2020-W01"),
        ("2024-12-29", "2024-W52"),
    ],
)
def test_weeks_are_iso_weeks_also_around_new_year(empty_vault: Path, run: Run, day: str, week: str) -> None:
    say(run, empty_vault, "Bo likes tea", day=day)
    weekly(run, empty_vault, day)
    assert weeks_of(empty_vault) == [week]


def test_a_week_tells_what_was_replaced_in_it_and_its_milestones(empty_vault: Path, run: Run) -> None:
    say(run, empty_vault, "Bo likes tea", day="2026-11-02")
    say(run, empty_vault, "Bo owns 2 cats", day="2026-11-09")
    run("supersede", "bo-002", "Bo owns 3 cats", at=empty_vault, now="2026-11-10T09:00:00+00:00")
    say(run, empty_vault, "Bo finished the marathon", "--category", "milestone", day="2026-11-12")
    run("supersede", "bo-001", "Bo likes coffee", at=empty_vault, now="2026-11-13T09:00:00+00:00")
    weekly(run, empty_vault, "2026-11-15")
    lines = [line for line in text_of(empty_vault, "2026-W46").splitlines() if line.startswith(("- ", "## "))]
    assert lines == [
        "## [[life/areas/people/bo/summary|bo]]",
        "- 2026-11-12 Bo finished the marathon (bo-004)",
        "- changed: Bo likes tea → Bo likes coffee (bo-001, bo-005)",
        "- changed: Bo owns 2 cats → Bo owns 3 cats (bo-002, bo-003)",
    ]


def test_a_file_that_is_not_ours_and_what_a_person_adds_to_ours_stay(empty_vault: Path, run: Run) -> None:
    folder = empty_vault / "memory/weekly"
    folder.mkdir(parents=True)
    (folder / "2026-W46.md").write_text("My own week.\n", encoding="utf-8")
    (folder / "2099-W01.md").write_text("A week to come.\n", encoding="utf-8")
    (folder / "notes.md").write_text("No week.\n", encoding="utf-8")
    say(run, empty_vault, "Bo likes tea", day="2026-11-10")
    say(run, empty_vault, "Bo likes rye", day="2026-11-17")
    weekly(run, empty_vault, "2026-11-18")
    assert text_of(empty_vault, "2026-W46") == "My own week.\n"
    path = folder / "2026-W47.md"
    path.write_text(path.read_text(encoding="utf-8") + "\nA good week.\n", encoding="utf-8")
    say(run, empty_vault, "Bo likes jazz", day="2026-11-20")
    weekly(run, empty_vault, "2026-11-22")
    assert path.read_text(encoding="utf-8").endswith("\nA good week.\n")
    assert "Bo likes jazz" in path.read_text(encoding="utf-8")


def test_a_week_without_news_makes_no_file_and_no_commit(vault: Path, run: Run) -> None:
    weekly(run, vault, "2026-12-06")
    before = git(vault, "rev-parse", "HEAD")
    weekly(run, vault, "2026-12-20")
    assert git(vault, "rev-parse", "HEAD") == before
    assert weeks_of(vault) == ["2026-W47", "2026-W48"]


def test_a_year_at_most_is_written_at_the_first_run(empty_vault: Path, run: Run) -> None:
    say(run, empty_vault, "Bo likes tea", day="2023-01-02")
    say(run, empty_vault, "Bo likes rye", day="2026-11-17")
    weekly(run, empty_vault, "2026-11-22")
    assert weeks_of(empty_vault) == ["2026-W47"]


def test_weekly_files_are_never_taken_for_facts_or_recalled(empty_vault: Path, run: Run) -> None:
    say(run, empty_vault, "Bo likes tea", day="2026-11-17")
    weekly(run, empty_vault, "2026-11-22")
    found = run("recall", "tea", "--json", at=empty_vault).out
    assert '"bo-001"' in found
    assert "weekly" not in found
    assert "summary.md" not in found

"""Cases of section F as tests: midnight, the turn of the year, days of 23 and 25 hours, odd stamps."""

import json
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Ran, git

Run = Callable[..., Ran]

ITEMS = "life/areas/people/ada/items.json"


@pytest.fixture
def new_york(monkeypatch: pytest.MonkeyPatch) -> None:
    """Live in New York, where 2026-03-08 has 23 hours and 2026-11-01 has 25."""
    monkeypatch.setenv("TZ", "America/New_York")
    time.tzset()


def _notes(ran: Ran) -> set[str]:
    return {one["text"] for one in json.loads(ran.out)["results"] if one["layer"] == "note"}


@pytest.mark.usefixtures("new_york")
def test_85_and_86_what_is_said_around_midnight_is_filed_under_its_own_local_day(run: Run, empty_vault: Path) -> None:
    for now in ("2026-12-31T23:59:59-05:00", "2027-01-01T00:05:00-05:00"):
        assert run("note", f"said at {now[11:16]}", at=empty_vault, now=now).status == 0
        assert (
            run("remember", f"Ada was seen at {now[11:16]}", "--about", "people/ada", at=empty_vault, now=now).status
            == 0
        )
    assert "- 23:59 said at 23:59" in (empty_vault / "memory/2026-12-31.md").read_text()
    assert "- 00:05 said at 00:05" in (empty_vault / "memory/2027-01-01.md").read_text()
    facts = json.loads((empty_vault / ITEMS).read_text())
    assert [(one["timestamp"], one["createdAt"]) for one in facts] == [
        ("2026-12-31", "2027-01-01T04:59:59Z"), ("2027-01-01", "2027-01-01T05:05:00Z"),
    ]  # fmt: skip
    assert {path.name[:7] for path in (empty_vault / "audit").iterdir()} == {"2026-12", "2027-01"}


@pytest.mark.parametrize(
    ("now", "week", "days"),
    [
        ("2027-01-01T00:05:00+00:00", "2026-W53", "2026-12-28 to 2027-01-03"),
        ("2027-01-04T00:05:00+00:00", "2027-W01", "2027-01-04 to 2027-01-10"),
        ("2024-12-30T12:00:00+00:00", "2025-W01", "2024-12-30 to 2025-01-05"),
        ("2023-01-01T12:00:00+00:00", "2022-W52", "2022-12-26 to 2023-01-01"),
    ],
)
def test_86_the_weekly_file_is_that_of_the_iso_week(
    run: Run, empty_vault: Path, now: str, week: str, days: str
) -> None:
    run("remember", "Ada keeps bees", "--about", "people/ada", at=empty_vault, now=now)
    assert run("synthesize", "--weekly", at=empty_vault, now=now).status == 0
    assert [path.stem for path in (empty_vault / "memory/weekly").iterdir()] == [week]
    assert days in (empty_vault / f"memory/weekly/{week}.md").read_text()
    again = run("synthesize", "--weekly", at=empty_vault, now=now)
    assert (again.status, "rewrote" in again.out) == (0, False)
    assert git(empty_vault, "status", "--porcelain") == ""


@pytest.mark.usefixtures("new_york")
@pytest.mark.parametrize(
    ("today", "yesterday", "before"),
    [("2026-03-09", "2026-03-08", "2026-03-07"), ("2026-11-02", "2026-11-01", "2026-10-31")],
)
def test_89_yesterday_at_half_past_midnight_is_the_whole_local_day(
    run: Run, empty_vault: Path, today: str, yesterday: str, before: str
) -> None:
    (empty_vault / "memory").mkdir()
    for day in (before, yesterday, today):
        entries = (
            f"# {day}\n\n- 00:00 first marmot of {day}\n- 01:30 middle marmot of {day}\n- 23:59 last marmot of {day}\n"
        )
        (empty_vault / f"memory/{day}.md").write_text(entries)
    now = f"{today}T00:30:00-05:00" if today > "2026-11" else f"{today}T00:30:00-04:00"
    three = {f"{which} marmot of {yesterday}" for which in ("first", "middle", "last")}
    asked = ["recall", "marmot", "--json", "--until", "yesterday", "--since"]
    assert _notes(run(*asked, "yesterday", at=empty_vault, now=now)) == three
    assert _notes(run(*asked, yesterday, at=empty_vault, now=now)) == three
    assert len(_notes(run("recall", "marmot", "--json", "--since", "yesterday", at=empty_vault, now=now))) == 6
    assert run("note", "told a day late", "--date", "yesterday", at=empty_vault, now=now).status == 0
    assert "told a day late" in (empty_vault / f"memory/{yesterday}.md").read_text()


def test_88_entries_of_another_form_stay_byte_for_byte_and_are_found(run: Run, empty_vault: Path) -> None:
    old = "# Monday, 30 Nov\n\n* 2:32pm walrus at noon\n\n9.15 Uhr walrus early\n\n[[2026-11-30 09:15]] walrus linked"
    (empty_vault / "memory").mkdir()
    (empty_vault / "memory/2026-11-30.md").write_text(old)
    run("config", "set", "--in-vault", "daily.heading", "Log", at=empty_vault)
    for text in ("one", "two"):
        assert run("note", text, at=empty_vault).status == 0
    assert (empty_vault / "memory/2026-11-30.md").read_text().startswith(old + "\n")
    assert len(_notes(run("recall", "walrus", "--json", at=empty_vault))) == 3


STAMPS = ["2026-11-01T10:00:00+08:00", "2026-11-01", "2036-11-01T00:00:00Z", "garbage", 12345, None,
          "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-12:00", ""]  # fmt: skip


@pytest.mark.parametrize("stamp", STAMPS, ids=str)
@pytest.mark.parametrize("importance", [0, 0.5, 1, -1, 99, "high", None])
def test_91_odd_stamps_and_importance_have_a_defined_result(
    run: Run, empty_vault: Path, stamp: object, importance: object
) -> None:
    (empty_vault / ITEMS).parent.mkdir(parents=True)
    record = {"id": "ada-001", "fact": "Ada saw a walrus", "category": "status", "timestamp": stamp, "source": "x",
              "status": "active", "supersededBy": None, "lastAccessed": stamp, "createdAt": stamp,
              "importance": importance}  # fmt: skip
    (empty_vault / ITEMS).write_text(json.dumps([record]))
    found = json.loads(run("recall", "walrus", "--no-touch", "--json", at=empty_vault).out)["results"][0]
    assert found["text"] == "Ada saw a walrus"
    assert 0 <= found["scores"]["effective_importance"] <= 1
    for words in (["show", "ada"], ["timeline"], ["decay", "--dry-run"]):
        assert run(*words, at=empty_vault).status == 0, words


def test_92_a_note_is_dated_by_its_front_matter_not_by_the_disk(run: Run, empty_vault: Path) -> None:
    (empty_vault / "old.md").write_text("---\ncreated: 2019-05-04\n---\nthe walrus of 2019\n")
    found = json.loads(run("recall", "walrus", "--json", at=empty_vault).out)["results"][0]
    assert found["timestamp"] == "2019-05-04"
    assert run("recall", "walrus", "--since", "2026-01-01", at=empty_vault).status == 1

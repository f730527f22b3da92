import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Ran, git

Run = Callable[..., Ran]
BO = "life/areas/people/bo"
EARLY = "2025-01-10T09:00:00+00:00"
LATER = "2026-11-30T04:00:00+00:00"
STATE = ".echo/state"


def facts_of(vault: Path, name: str = "items.json", folder: str = BO) -> dict[str, dict[str, Any]]:
    path = vault / folder / name
    return {fact["id"]: fact for fact in json.loads(path.read_text(encoding="utf-8"))} if path.exists() else {}


def keep(run: Run, vault: Path, text: str, *more: str, verb: str = "observe", now: str = EARLY) -> str:
    ran = run(verb, text, "--about", "people/bo", *more, "--json", at=vault, now=now)
    assert ran.status == 0, ran.err
    found = json.loads(ran.out)
    return str(found["results"][0]["id"])


def by_hand(vault: Path, *facts: dict[str, Any], folder: str = BO) -> None:
    path = vault / folder
    path.mkdir(parents=True, exist_ok=True)
    records = [
        {"fact": f"Bo saw {fact['id']}", "category": "status", "timestamp": "2025-01-10", "source": "conversation",
         "status": "active", "supersededBy": None, **fact}
        for fact in facts
    ]  # fmt: skip
    (path / "items.json").write_text(json.dumps(records, indent=2) + "\n", encoding="utf-8")
    git(vault, "add", "-A")
    git(vault, "commit", "-q", "-m", "by hand")


def head(vault: Path) -> str:
    return git(vault, "rev-parse", "HEAD")


def decay(run: Run, vault: Path, *more: str, now: str = LATER) -> dict[str, Any]:
    ran = run("decay", "--json", *more, at=vault, now=now)
    assert ran.status == 0, ran.err
    return dict(json.loads(ran.out))


def archived(found: dict[str, Any]) -> list[str]:
    return [one["id"] for one in found["archived"]]


def test_what_a_program_inferred_and_nobody_recalled_is_archived_and_a_second_run_makes_no_commit(
    empty_vault: Path, run: Run
) -> None:
    one = keep(run, empty_vault, "Bo watched the eclipse from the roof")
    found = decay(run, empty_vault)
    assert archived(found) == [one]
    assert found["archived"][0]["effective_importance"] < 0.05
    assert facts_of(empty_vault)[one]["status"] == "archived"
    assert git(empty_vault, "log", "-1", "--format=%s") == "decay: archived 1 fact\n"
    before = head(empty_vault)
    assert archived(decay(run, empty_vault)) == []
    assert head(empty_vault) == before
    assert git(empty_vault, "status", "--porcelain") == ""


def test_what_the_person_stated_is_archived_only_where_the_settings_say_so(empty_vault: Path, run: Run) -> None:
    one = keep(run, empty_vault, "Bo watched the eclipse from the roof", verb="remember")
    assert archived(decay(run, empty_vault)) == []
    with (empty_vault / "echo.yaml").open("a", encoding="utf-8") as config:
        config.write("memory:\n  archiveUserStated: true\n")
    assert archived(decay(run, empty_vault)) == [one]


def test_a_fact_changed_by_hand_is_the_persons_and_stays(empty_vault: Path, run: Run) -> None:
    one = keep(run, empty_vault, "Bo watched the eclipse from the roof")
    path = empty_vault / BO / "items.json"
    path.write_text(path.read_text(encoding="utf-8").replace("roof", "hill"), encoding="utf-8")
    assert archived(decay(run, empty_vault)) == []
    assert facts_of(empty_vault)[one]["status"] == "active"


def test_legacy_facts_fade_and_user_facts_pinned_ones_and_what_is_to_come_do_not(empty_vault: Path, run: Run) -> None:
    by_hand(
        empty_vault,
        {"id": "bo-001"},
        {"id": "bo-002", "type": "user"},
        {"id": "bo-003", "pinned": True},
        {"id": "bo-004", "validFrom": "2027-01-01"},
        {"id": "bo-005", "validUntil": "2026-11-30"},
        {"id": "bo-006", "validUntil": "2026-11-29"},
        {"id": "bo-007", "fact": "Bo works at Acme"},
        {"id": "bo-008", "fact": "Lisbon", "key": "city"},
        {"id": "bo-009", "status": "superseded", "supersededBy": "bo-001"},
    )
    assert archived(decay(run, empty_vault)) == ["bo-001", "bo-006"]


def test_a_value_of_a_key_that_can_have_several_never_fades(empty_vault: Path, run: Run) -> None:
    by_hand(
        empty_vault,
        {"id": "bo-001"},
        {"id": "bo-002", "fact": "Bo is allergic to hazelnuts"},
        {"id": "bo-003", "fact": "Bo is allergic to penicillin", "key": "allergy"},
        {"id": "bo-004", "fact": "42", "key": "shoe-size"},
    )
    assert archived(decay(run, empty_vault)) == ["bo-001"]


def test_facts_before_a_person_are_left_alone(empty_vault: Path, run: Run) -> None:
    by_hand(empty_vault, {"id": "bo-001"}, {"id": "bo-002"})
    entry = {"kind": "contradiction", "id": "x", "entryA": "bo-001", "entryB": "bo-009", "resolvedAt": None}
    (empty_vault / "review.json").write_text(json.dumps([entry]), encoding="utf-8")
    assert archived(decay(run, empty_vault)) == ["bo-002"]


@pytest.mark.parametrize(
    ("fields", "outcome"),
    [
        ({"importance": 0, "timestamp": "2026-11-30"}, ["bo-001"]),
        ({"importance": 1, "lastAccessed": "2026-11-29T10:00:00+08:00"}, []),
        ({"lastAccessed": "2025-01-10T10:00:00+08:00"}, ["bo-001"]),
        ({"lastAccessed": "2031-01-01T00:00:00Z"}, []),
        ({"createdAt": "2031-01-01T00:00:00"}, []),
        ({"timestamp": "no day"}, []),
        ({"accessCount": 1000000, "lastAccessed": "2026-02-01T00:00:00Z"}, []),
        ({"accessCount": -5}, ["bo-001"]),
        ({"importance": 7}, ["bo-001"]),
    ],
)
def test_odd_stamps_and_numbers_have_a_defined_result(
    empty_vault: Path, run: Run, fields: dict[str, Any], outcome: list[str]
) -> None:
    by_hand(empty_vault, {"id": "bo-001", **fields})
    assert archived(decay(run, empty_vault)) == outcome


def test_recalls_wait_in_the_state_directory_and_are_counted_once_a_week(empty_vault: Path, run: Run) -> None:
    one = keep(run, empty_vault, "Bo watched the eclipse from the roof", now="2026-11-20T09:00:00+00:00")
    before = head(empty_vault)
    for hour in range(3):
        run("recall", "eclipse", at=empty_vault, now=f"2026-11-21T1{hour}:00:00+00:00")
    run("recall", "eclipse", "--no-touch", at=empty_vault, now="2026-11-21T18:00:00+00:00")
    assert head(empty_vault) == before
    assert git(empty_vault, "status", "--porcelain") == ""
    assert decay(run, empty_vault, now="2026-11-22T04:00:00+00:00")["rehearsed"] == 1
    fact = facts_of(empty_vault)[one]
    assert (fact["lastAccessed"], fact["accessCount"]) == ("2026-11-21T12:00:00Z", 3)
    assert git(empty_vault, "log", "-1", "--format=%s") == "decay: recalls of 1 fact counted\n"
    run("recall", "eclipse", at=empty_vault, now="2026-11-23T10:00:00+00:00")
    assert decay(run, empty_vault, now="2026-11-28T04:00:00+00:00")["rehearsed"] == 0
    assert facts_of(empty_vault)[one]["accessCount"] == 3
    assert decay(run, empty_vault, now="2026-11-29T05:00:00+00:00")["rehearsed"] == 1
    assert facts_of(empty_vault)[one]["accessCount"] == 4
    assert list((empty_vault / STATE).glob("recalls*")) == []


def test_counting_recalls_does_not_make_a_fact_one_changed_by_hand(empty_vault: Path, run: Run) -> None:
    one = keep(run, empty_vault, "Bo watched the eclipse from the roof", now="2025-01-10T09:00:00+00:00")
    run("recall", "eclipse", at=empty_vault, now="2025-01-11T09:00:00+00:00")
    decay(run, empty_vault, now="2025-01-12T04:00:00+00:00")
    assert archived(decay(run, empty_vault)) == [one]
    found = json.loads(run("check", "--json", at=empty_vault).out)
    assert [one for one in found["findings"] if one["code"] in {"by-hand", "missing"}] == []


def test_a_recall_that_waits_to_be_counted_keeps_a_fact_from_fading(empty_vault: Path, run: Run) -> None:
    keep(run, empty_vault, "Bo watched the eclipse from the roof")
    decay(run, empty_vault, now="2025-01-11T04:00:00+00:00")
    run("recall", "eclipse", at=empty_vault, now="2026-11-29T09:00:00+00:00")
    (empty_vault / STATE / "runs" / "fold").write_text("2026-11-29T00:00:00Z", encoding="ascii")
    found = decay(run, empty_vault)
    assert (archived(found), found["rehearsed"]) == ([], 0)


def test_a_crash_while_counting_loses_no_recall_and_counts_none_twice(
    empty_vault: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    import echo_notes.lifecycle.decay as module

    one = keep(run, empty_vault, "Bo watched the eclipse from the roof", now="2026-11-20T09:00:00+00:00")
    run("recall", "eclipse", at=empty_vault, now="2026-11-21T10:00:00+00:00")

    def stop(*_: Any) -> None:
        raise KeyboardInterrupt

    for name, counted in (("plan_fold", 0), ("finish_fold", 1)):
        with monkeypatch.context() as broken:
            broken.setattr(module, name, stop)
            assert run("decay", at=empty_vault, now="2026-11-22T04:00:00+00:00").status == 130
        assert facts_of(empty_vault)[one].get("accessCount", 0) == counted
        assert (empty_vault / STATE / "recalls-folding.ndjson").exists()
    run("recall", "eclipse", at=empty_vault, now="2026-11-22T10:00:00+00:00")
    decay(run, empty_vault, now="2026-11-22T11:00:00+00:00")
    assert facts_of(empty_vault)[one]["accessCount"] == 1
    assert not (empty_vault / STATE / "recalls-folding.ndjson").exists()
    decay(run, empty_vault, now="2026-11-30T11:00:00+00:00")
    assert facts_of(empty_vault)[one]["accessCount"] == 2


def test_torn_and_foreign_ticks_stop_nothing(empty_vault: Path, run: Run) -> None:
    one = keep(run, empty_vault, "Bo watched the eclipse from the roof", now="2026-11-20T09:00:00+00:00")
    good = json.dumps({"at": "2026-11-21T10:00:00Z", "ids": [one, "gone-001"]})
    lines = [good, '{"at": "2026', "[]", '{"at": 7, "ids": ["x"]}', json.dumps({"at": "x", "ids": [one]})]
    (empty_vault / STATE / "recalls.ndjson").write_text("\n".join(lines) + "\n\xff", encoding="latin-1")
    assert decay(run, empty_vault, now="2026-11-22T04:00:00+00:00")["rehearsed"] == 1
    assert facts_of(empty_vault)[one]["accessCount"] == 1


def test_of_a_long_lineage_the_newest_three_and_the_young_stay_and_history_shows_all(
    empty_vault: Path, run: Run
) -> None:
    last = keep(run, empty_vault, "Bo owns 1 cat", verb="remember", now="2025-01-01T09:00:00+00:00")
    for number in range(2, 9):
        day = f"2025-0{number}-01T09:00:00+00:00"
        ran = run("supersede", last, f"Bo owns {number} cats", "--json", at=empty_vault, now=day)
        last = json.loads(ran.out)["new"]
    kept = facts_of(empty_vault)
    assert decay(run, empty_vault, now="2025-05-10T09:00:00+00:00")["moved"] == ["bo-001"]
    found = decay(run, empty_vault)
    assert found["moved"] == ["bo-002", "bo-003", "bo-004"]
    assert set(facts_of(empty_vault)) == {"bo-005", "bo-006", "bo-007", "bo-008"}
    assert facts_of(empty_vault, "archive.json") == {one: kept[one] for one in found["moved"] + ["bo-001"]}
    assert decay(run, empty_vault)["moved"] == []
    shown = run("history", "people/bo", at=empty_vault).out
    assert all(f"bo-00{number}" in shown for number in range(1, 9))
    check = json.loads(run("check", "--json", at=empty_vault).out)
    assert [one for one in check["findings"] if one["severity"] != "info"] == []
    assert keep(run, empty_vault, "Bo rows", now=LATER) == "bo-009"


def test_pruning_keeps_decisions_so_that_a_wrong_value_stays_wrong(empty_vault: Path, run: Run) -> None:
    last = keep(run, empty_vault, "Bo lives in Oslo", verb="remember", now="2025-01-01T09:00:00+00:00")
    for number, city in enumerate(("Bergen", "Turku", "Gdansk", "Riga"), 2):
        ran = run(
            "correct", last, f"Bo lives in {city}", "--json", at=empty_vault, now=f"2025-02-0{number}T09:00:00+00:00"
        )
        last = json.loads(ran.out)["new"]
    assert decay(run, empty_vault)["moved"] == ["bo-001"]
    assert run("observe", "Bo lives in Oslo", "--about", "people/bo", at=empty_vault).status == 4


def test_a_file_that_cannot_be_read_is_named_and_the_rest_goes_on(empty_vault: Path, run: Run) -> None:
    by_hand(empty_vault, {"id": "bo-001"})
    broken = empty_vault / "life/areas/people/ann"
    broken.mkdir(parents=True)
    (broken / "items.json").write_text("[{", encoding="utf-8")
    ran = run("decay", at=empty_vault, now=LATER)
    assert ran.status == 6
    assert "life/areas/people/ann/items.json:1:3" in ran.err
    assert facts_of(empty_vault)["bo-001"]["status"] == "archived"


def test_a_dry_run_shows_and_changes_nothing_not_even_the_ticks(empty_vault: Path, run: Run) -> None:
    by_hand(empty_vault, {"id": "bo-001"}, {"id": "bo-002", "timestamp": "2026-11-20", "fact": "Bo ate a mango"})
    run("recall", "mango", at=empty_vault, now="2026-11-29T09:00:00+00:00")
    before = head(empty_vault), (empty_vault / STATE / "recalls.ndjson").read_bytes()
    ran = run("decay", "--dry-run", at=empty_vault, now=LATER)
    assert "decay: archived 1 fact, recalls of 1 fact counted" in ran.out
    assert (head(empty_vault), (empty_vault / STATE / "recalls.ndjson").read_bytes()) == before
    assert not (empty_vault / STATE / "runs" / "decay").exists()


def test_an_archived_fact_restored_does_not_fade_at_once_again(empty_vault: Path, run: Run) -> None:
    one = keep(run, empty_vault, "Bo watched the eclipse from the roof")
    decay(run, empty_vault)
    assert run("restore", one, at=empty_vault, now="2026-11-30T09:00:00+00:00").status == 0
    assert archived(decay(run, empty_vault, now="2026-12-01T04:00:00+00:00")) == []


def test_undo_takes_a_decay_back_whole(empty_vault: Path, run: Run) -> None:
    one = keep(run, empty_vault, "Bo watched the eclipse from the roof")
    before = (empty_vault / BO / "items.json").read_bytes()
    decay(run, empty_vault)
    assert run("undo", "--yes", at=empty_vault).status == 0
    assert (empty_vault / BO / "items.json").read_bytes() == before
    assert archived(decay(run, empty_vault)) == [one]


def test_the_only_answer_is_found_first_after_two_years_and_explained(empty_vault: Path, run: Run) -> None:
    old = keep(run, empty_vault, "Bo was allergic to the glue in the blue tent", now="2024-11-30T09:00:00+00:00")
    for number in range(12):
        keep(run, empty_vault, f"Bo bought tent peg number {number}", now="2026-11-29T09:00:00+00:00")
    for wait in (False, True):
        if wait:
            decay(run, empty_vault)
        found = json.loads(
            run("recall", "allergic to glue", "--explain", "--json", "--no-touch", at=empty_vault, now=LATER).out
        )
        first = found["results"][0]
        assert first["id"] == old
        assert first["scores"]["effective_importance"] < 0.001
        assert 0 < first["scores"]["factor"] < 1


def test_a_decay_of_many_facts_is_one_commit_whose_message_git_can_take(empty_vault: Path, run: Run) -> None:
    by_hand(empty_vault, *({"id": f"{'名' * 160}-{number:03d}"} for number in range(320)))
    found = decay(run, empty_vault)
    assert len(archived(found)) == 320
    body = git(empty_vault, "log", "-1", "--format=%b")
    assert "more; the audit file has them all\n" in body
    assert body.rstrip().endswith("Echo-Path: pass.decay")
    assert git(empty_vault, "status", "--porcelain") == ""


def test_a_program_bound_to_a_scope_may_not_age_the_whole_vault(
    empty_vault: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    by_hand(empty_vault, {"id": "bo-001"})
    monkeypatch.setenv("ECHO_ACTOR", "agent")
    for verb in ("decay", "gc"):
        assert run(verb, "--scope", "chat-7", at=empty_vault, now=LATER).status == 4
    assert facts_of(empty_vault)["bo-001"]["status"] == "active"
    assert archived(decay(run, empty_vault)) == ["bo-001"]


def test_explain_names_what_age_supersession_and_the_floor_took(empty_vault: Path, run: Run) -> None:
    old = keep(run, empty_vault, "Bo keeps the tent in the cellar", verb="remember")
    run("supersede", old, "Bo keeps the tent in the attic", at=empty_vault, now="2025-02-01T09:00:00+00:00")
    keep(run, empty_vault, "Bo sold a lamp", now=LATER)
    words = ("recall", "where is the tent", "--explain", "--no-touch")
    found = json.loads(run(*words, "--json", at=empty_vault, now=LATER).out)
    first = found["results"][0]
    assert (first["id"], first["scores"]["factor"] < 1) == ("bo-002", True)
    assert {one["id"]: one["reason"] for one in found["declined"]}["bo-001"] == "superseded by bo-002"
    shown = run(*words, at=empty_vault, now=LATER).out
    assert f" × {first['scores']['factor']:.3f}  (" in shown
    assert "superseded by bo-002" in shown

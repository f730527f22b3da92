import json
from pathlib import Path

import pytest

from tests.conftest import git
from tests.lifecycle.test_decay import BO, LATER, Run, by_hand, decay, facts_of, head, keep

OLD = {"status": "archived"}


def test_forgotten_facts_move_to_archive_json_with_their_ids_and_are_still_found(empty_vault: Path, run: Run) -> None:
    one = keep(run, empty_vault, "Bo watched the eclipse from the roof")
    assert [fact["id"] for fact in decay(run, empty_vault)["forgettable"]] == [one]
    record = facts_of(empty_vault)[one]
    ran = run("gc", at=empty_vault, now=LATER)
    assert (ran.status, ran.out.splitlines()[-1].partition(" (")[0]) == (0, "moved 1 fact to archive.json")
    assert facts_of(empty_vault) == {}
    assert facts_of(empty_vault, "archive.json") == {one: record}
    assert git(empty_vault, "log", "-1", "--format=%s") == "gc: 1 fact to archive.json\n"
    before = head(empty_vault)
    assert run("gc", at=empty_vault, now=LATER).out == "nothing is forgotten\n"
    assert head(empty_vault) == before
    found = json.loads(run("recall", "eclipse", "--json", "--no-touch", at=empty_vault, now=LATER).out)["results"]
    assert [(hit["id"], hit["status"]) for hit in found] == [(one, "archived")]
    assert keep(run, empty_vault, "Bo rows", now=LATER) == "bo-002"


def test_two_thresholds_what_is_only_archived_stays_in_items_json(empty_vault: Path, run: Run) -> None:
    keep(run, empty_vault, "Bo watched the eclipse from the roof", now="2026-08-01T09:00:00+00:00")
    found = decay(run, empty_vault)
    assert (len(found["archived"]), found["forgettable"]) == (1, [])
    assert run("gc", at=empty_vault, now=LATER).out == "nothing is forgotten\n"


def test_user_facts_pinned_ones_active_ones_and_superseded_ones_are_never_forgotten(
    empty_vault: Path, run: Run
) -> None:
    by_hand(
        empty_vault,
        {"id": "bo-001", **OLD},
        {"id": "bo-002", "type": "user", **OLD},
        {"id": "bo-003", "pinned": True, **OLD},
        {"id": "bo-004"},
        {"id": "bo-005", "status": "superseded", "supersededBy": "bo-004"},
        {"id": "bo-006", "timestamp": "2026-11-29", **OLD},
    )
    run("gc", at=empty_vault, now=LATER)
    assert list(facts_of(empty_vault, "archive.json")) == ["bo-001"]
    assert "bo-001" not in facts_of(empty_vault)


def test_a_program_moves_only_what_ranks_at_or_below_it(
    empty_vault: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = keep(run, empty_vault, "Bo watched the eclipse from the roof")
    two = keep(run, empty_vault, "Bo rowed across the fjord", verb="remember")
    run("archive", one, two, at=empty_vault, now="2025-01-11T09:00:00+00:00")
    monkeypatch.setenv("ECHO_ACTOR", "agent")
    ran = run("gc", "--json", at=empty_vault, now=LATER)
    found = json.loads(ran.out)
    assert ([fact["id"] for fact in found["moved"]], found["kept"]) == ([one], [two])
    assert run("gc", "--purge", "--yes", at=empty_vault, now=LATER).status == 4
    assert list(facts_of(empty_vault, "archive.json")) == [one]


def test_purge_asks_says_what_goes_and_leaves_decisions_and_ids(empty_vault: Path, run: Run) -> None:
    one = keep(run, empty_vault, "Bo watched the eclipse from the roof")
    decay(run, empty_vault)
    run("gc", at=empty_vault, now=LATER)
    ran = run("gc", "--purge", at=empty_vault, now=LATER)
    assert (ran.status, ran.out) == (4, "")
    assert "--yes" in ran.err
    assert list(facts_of(empty_vault, "archive.json")) == [one]
    ran = run("gc", "--purge", "--yes", at=empty_vault, now=LATER)
    assert "removed bo-001 (0.000): Bo watched the eclipse from the roof" in ran.out
    assert "git history still has them" in ran.out
    assert facts_of(empty_vault, "archive.json") == {}
    assert run("gc", "--purge", "--yes", at=empty_vault, now=LATER).out == "nothing is forgotten\n"
    assert keep(run, empty_vault, "Bo rows", now=LATER) == "bo-002"
    check = json.loads(run("check", "--json", at=empty_vault).out)
    assert [finding for finding in check["findings"] if finding["severity"] != "info"] == []
    assert [finding for finding in check["findings"] if finding["code"] == "missing"] == []


def test_purge_never_takes_pinned_or_user_facts_or_a_successor(empty_vault: Path, run: Run) -> None:
    by_hand(
        empty_vault,
        {"id": "bo-001", **OLD},
        {"id": "bo-002", "type": "user", **OLD},
        {"id": "bo-003", "pinned": True, **OLD},
        {"id": "bo-004", **OLD},
        {"id": "bo-005", "status": "superseded", "supersededBy": "bo-004"},
    )
    ran = run("gc", "--purge", "--yes", "--json", at=empty_vault, now=LATER)
    assert [fact["id"] for fact in json.loads(ran.out)["removed"]] == ["bo-001"]
    assert list(facts_of(empty_vault)) == ["bo-002", "bo-003", "bo-004", "bo-005"]


def test_purge_dry_run_lists_without_a_yes(empty_vault: Path, run: Run) -> None:
    by_hand(empty_vault, {"id": "bo-001", **OLD})
    ran = run("gc", "--purge", "--dry-run", at=empty_vault, now=LATER)
    assert ran.status == 0
    assert '-    "id": "bo-001"' in ran.out
    assert list(facts_of(empty_vault)) == ["bo-001"]


def test_restore_brings_a_forgotten_fact_back_to_items_json(empty_vault: Path, run: Run) -> None:
    one = keep(run, empty_vault, "Bo watched the eclipse from the roof")
    decay(run, empty_vault)
    run("gc", at=empty_vault, now=LATER)
    assert run("restore", one, at=empty_vault, now="2026-11-30T09:00:00+00:00").status == 0
    assert facts_of(empty_vault)[one]["status"] == "active"
    assert facts_of(empty_vault, "archive.json") == {}
    assert decay(run, empty_vault, now="2026-12-01T04:00:00+00:00")["archived"] == []


def test_undo_takes_a_gc_back(empty_vault: Path, run: Run) -> None:
    keep(run, empty_vault, "Bo watched the eclipse from the roof")
    decay(run, empty_vault)
    before = (empty_vault / BO / "items.json").read_bytes()
    run("gc", at=empty_vault, now=LATER)
    assert run("undo", "--yes", at=empty_vault).status == 0
    assert (empty_vault / BO / "items.json").read_bytes() == before
    assert not (empty_vault / BO / "archive.json").exists()


def test_the_shape_of_the_files_is_kept(empty_vault: Path, run: Run) -> None:
    folder = empty_vault / BO
    by_hand(empty_vault)
    old = '{"id": "bo-001", "content": "Bo saw it", "ts": "2025-01-10", "status": "archived", "mood": "ok"}'
    new = '{"id": "bo-002", "content": "Bo rows", "ts": "2026-11-29", "status": "active"}'
    (folder / "items.json").write_text(f'{{"facts": [\n\t{old},\n\t{new}\n]}}\n', encoding="utf-8")
    run("gc", at=empty_vault, now=LATER)
    assert (folder / "items.json").read_text(encoding="utf-8") == f'{{"facts": [\n\t{new}\n]}}\n'
    kept = facts_of(empty_vault, "archive.json")["bo-001"]
    assert kept == json.loads(old)

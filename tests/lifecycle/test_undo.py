"""Undo: earlier bytes come back, later edits stay, decisions are withdrawn, ranks hold, audit only grows."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from echo_notes.lifecycle.undo import without_lines
from tests.conftest import Ran, git

Run = Callable[..., Ran]
ADA = "life/areas/people/ada/items.json"


def _facts(vault: Path, path: str = ADA) -> dict[str, dict[str, object]]:
    return {fact["id"]: fact for fact in json.loads((vault / path).read_bytes())}


def _audit(vault: Path) -> list[dict[str, object]]:
    return [json.loads(line) for file in (vault / "audit").glob("*") for line in file.read_bytes().splitlines()]


def test_every_byte_comes_back_and_the_history_only_grows(vault: Path, run: Run) -> None:
    before = (vault / ADA).read_bytes()
    run("supersede", "ada-005", "Ada covers sales", at=vault)
    done = run("undo", at=vault)
    assert done.status == 0
    assert done.out.startswith("undid ")
    assert (vault / ADA).read_bytes() == before
    assert git(vault, "log", "-1", "--format=%s").strip() == "undo: supersede: people/ada: Ada covers sales"
    assert git(vault, "log", "-1", "--format=%(trailers:key=Undoes,valueonly)").strip() == (
        git(vault, "rev-parse", "HEAD~1").strip()
    )
    assert git(vault, "status", "--porcelain") == ""


def test_said_again_it_takes_back_the_change_before(vault: Path, run: Run) -> None:
    before = (vault / ADA).read_bytes()
    run("remember", "Ada likes pears", "--about", "ada", at=vault)
    run("remember", "Ada likes plums", "--about", "ada", at=vault)
    assert "plums" in run("undo", at=vault).out
    assert "pears" in run("undo", at=vault).out
    assert (vault / ADA).read_bytes() == before
    left = run("undo", at=vault)
    assert (left.status, "left to undo" in left.err) == (3, True)


def test_an_id_set_free_is_never_given_again(vault: Path, run: Run) -> None:
    run("remember", "Ada likes pears", "--about", "ada", at=vault)
    run("undo", at=vault)
    assert "ada-010" in run("remember", "Ada likes plums", "--about", "ada", at=vault).out


def test_edits_elsewhere_in_the_file_survive(vault: Path, run: Run) -> None:
    run("remember", "Ada likes pears", "--about", "ada", at=vault)
    path = vault / ADA
    path.write_text(path.read_text(encoding="utf-8").replace("before a call", "before any call"), encoding="utf-8")
    assert run("undo", at=vault).status == 0
    facts = _facts(vault)
    assert facts["ada-003"]["fact"] == "Ada wants feedback in writing before any call"
    assert "ada-009" not in facts
    assert git(vault, "log", "-2", "--format=%s").splitlines()[1].startswith("edit: by hand")


def test_a_fact_appended_by_hand_behind_it_survives(vault: Path, run: Run) -> None:
    run("remember", "Ada likes pears", "--about", "ada", at=vault)
    path = vault / ADA
    records = json.loads(path.read_bytes())
    records.append({"id": "ada-900", "fact": "by hand", "category": "status", "timestamp": "2026-11-30"})
    path.write_text(json.dumps(records, indent=2) + "\n", encoding="utf-8")
    assert run("undo", at=vault).status == 0
    assert "ada-900" in _facts(vault)
    assert "ada-009" not in _facts(vault)


def test_an_overlap_is_named_and_nothing_is_touched(vault: Path, run: Run) -> None:
    run("remember", "Ada likes pears", "--about", "ada", at=vault)
    path = vault / ADA
    path.write_text(path.read_text(encoding="utf-8").replace("pears", "quinces"), encoding="utf-8")
    edited = path.read_bytes()
    done = run("undo", at=vault)
    assert done.status == 5
    assert f"{ADA}:" in done.err
    assert "ada-009 was changed since" in done.err
    assert path.read_bytes() == edited
    assert git(vault, "status", "--porcelain") == f" M {ADA}\n"


def test_what_the_change_created_is_removed_with_its_folder(vault: Path, run: Run) -> None:
    run("remember", "Bo sings", "--about", "people/Bo", at=vault)
    assert (vault / "life/areas/people/bo").is_dir()
    assert run("undo", at=vault).status == 0
    assert not (vault / "life/areas/people/bo").exists()
    assert "people/bo" not in run("ls", at=vault).out


def test_a_created_file_that_was_edited_since_stays(vault: Path, run: Run) -> None:
    run("remember", "Bo sings", "--about", "people/Bo", at=vault)
    summary = vault / "life/areas/people/bo/summary.md"
    summary.write_text(summary.read_text(encoding="utf-8") + "mine\n", encoding="utf-8")
    done = run("undo", at=vault)
    assert (done.status, "summary.md" in done.err) == (5, True)
    assert summary.read_text(encoding="utf-8").endswith("mine\n")


def test_an_entry_of_a_daily_note_goes_and_the_lines_around_it_stay(vault: Path, run: Run) -> None:
    day = vault / "memory/2026-11-30.md"
    day.write_text("# 2026-11-30\n\n- 09:00 mine\n", encoding="utf-8")
    run("note", "called the bank", at=vault)
    day.write_text(day.read_text(encoding="utf-8") + "- 15:00 mine too\n", encoding="utf-8")
    assert run("undo", at=vault).status == 0
    assert day.read_text(encoding="utf-8") == "# 2026-11-30\n\n- 09:00 mine\n- 15:00 mine too\n"


def test_the_decision_is_withdrawn_and_the_value_may_return(vault: Path, run: Run) -> None:
    run("correct", "ada-005", "Ada is on sabbatical", at=vault)
    run("undo", at=vault)
    lines = [json.loads(line) for line in (vault / "decisions.jsonl").read_bytes().splitlines()]
    assert [line["verdict"] for line in lines] == ["wrong", "withdrawn"]
    run("archive", "ada-005", at=vault)
    again = run("remember", "Ada covers the map style team while Ines is on leave", "--about", "ada", at=vault)
    assert again.status == 0


def test_undoing_a_reassertion_leaves_the_value_rejected(vault: Path, run: Run) -> None:
    text = "Ada covers the map style team while Ines is on leave"
    run("correct", "ada-005", "Ada is on sabbatical", at=vault)
    assert run("remember", text, "--about", "ada", at=vault).status == 4
    assert run("remember", text, "--about", "ada", "--reassert", at=vault).status == 0
    assert run("undo", at=vault).status == 0
    assert run("remember", text, "--about", "ada", at=vault).status == 4


def test_a_program_takes_back_its_own_changes_and_no_others(
    vault: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("remember", "Ada likes pears", "--about", "ada", at=vault)
    monkeypatch.setenv("ECHO_ACTOR", "agent")
    refused = run("undo", at=vault)
    assert refused.status == 4
    assert "user_stated (3)" in refused.err
    assert "ada-009" in _facts(vault)
    run("observe", "Ada likes plums", "--about", "ada", at=vault)
    assert run("undo", at=vault).status == 0
    assert "ada-010" not in _facts(vault)
    assert run("undo", at=vault).status == 4


def test_restored_facts_stay_vouched_for(vault: Path, run: Run) -> None:
    run("remember", "Ada likes pears", "--about", "ada", at=vault)
    run("pin", "ada-009", at=vault)
    run("undo", at=vault)
    last = [line for line in _audit(vault) if line["target"] == "ada-009"][-1]
    assert (last["op"], last["provenance"]) == ("undo", "user_stated")


def test_a_legacy_fact_is_legacy_again(vault: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    run("pin", "ada-005", at=vault)
    run("undo", at=vault)
    monkeypatch.setenv("ECHO_ACTOR", "agent")
    assert run("archive", "ada-005", at=vault).status == 0


def test_a_dry_run_shows_the_diff_and_changes_nothing(vault: Path, run: Run) -> None:
    run("remember", "Ada likes pears", "--about", "ada", at=vault)
    head = git(vault, "rev-parse", "HEAD")
    shown = run("undo", "--dry-run", at=vault)
    assert '-    "fact": "Ada likes pears",' in shown.out
    assert "commit: undo: remember: people/ada: Ada likes pears" in shown.out
    assert git(vault, "rev-parse", "HEAD") == head
    assert "ada-009" in _facts(vault)


def test_a_change_in_the_first_commit_of_all(tmp_path: Path, run: Run) -> None:
    root = tmp_path / "bare"
    root.mkdir()
    (root / "echo.yaml").write_text("format: 1\n", encoding="utf-8")
    git(root, "init", "-q")
    run("remember", "Bo sings", "--about", "people/Bo", at=root)
    assert git(root, "rev-list", "--count", "HEAD").strip() == "1"
    assert run("undo", at=root).status == 0
    assert not (root / "life").exists()


def test_a_change_that_git_reverted_is_not_taken_back_twice(vault: Path, run: Run) -> None:
    run("remember", "Ada likes pears", "--about", "ada", at=vault)
    run("remember", "Ada likes plums", "--about", "ada", at=vault)
    git(vault, "revert", "--no-edit", "HEAD")
    assert "pears" in run("undo", at=vault).out


def test_a_change_that_waits_for_its_commit_is_committed_and_taken_back(vault: Path, run: Run) -> None:
    lock = vault / ".git/index.lock"
    lock.touch()
    assert run("remember", "Ada likes pears", "--about", "ada", at=vault).status == 7
    lock.unlink()
    assert run("undo", at=vault).status == 0
    assert "ada-009" not in _facts(vault)
    assert git(vault, "log", "-2", "--format=%s").splitlines()[1] == "remember: people/ada: Ada likes pears"


def test_the_change_that_made_the_vault_is_left(tmp_path: Path, run: Run) -> None:
    run("init", str(tmp_path / "new"), at=tmp_path)
    done = run("undo", at=tmp_path / "new")
    assert done.status == 3
    assert (tmp_path / "new/echo.yaml").exists()


@pytest.mark.parametrize(
    ("now", "undone", "earlier", "left"),
    [
        (b"a\nx\ny\n", b"a\nx\n", b"a\n", b"a\ny\n"),
        (b"a\nx\nb\nx\n", b"a\nx\n", b"a\n", None),
        (b"a\ny\n", b"a\nx\n", b"a\n", None),
        (b"a\nx\ny\n", b"b\nx\n", b"a\n", None),
    ],
)
def test_lines_that_were_put_in_are_found_once_or_not_at_all(
    now: bytes, undone: bytes, earlier: bytes, left: bytes | None
) -> None:
    assert without_lines(now, undone, earlier) == left


def test_json_names_what_was_undone(vault: Path, run: Run) -> None:
    run("remember", "Ada likes pears", "--about", "ada", at=vault)
    commit = git(vault, "rev-parse", "HEAD").strip()
    answer = json.loads(run("undo", "--json", at=vault).out)
    assert answer["schema"] == 1
    assert answer["undone"]["commit"] == commit
    assert answer["written"] == [ADA]
    assert answer["commit"]


def test_what_was_erased_comes_back_only_on_a_yes(vault: Path, run: Run) -> None:
    run("erase", "ada-005", "--yes", at=vault)
    held = run("undo", at=vault)
    assert held.status == 5
    assert "ada-005" in held.err
    assert _facts(vault)["ada-005"]["fact"] == "[erased]"
    assert run("undo", "--yes", at=vault).status == 0
    assert _facts(vault)["ada-005"]["fact"].startswith("Ada covers")  # type: ignore[attr-defined]


def test_a_long_day_taken_back_step_by_step(vault: Path, run: Run) -> None:
    tree = git(vault, "ls-tree", "-r", "HEAD").splitlines()
    day = [
        ("remember", "Ada likes pears", "--about", "ada"), ("observe", "Bo sings", "--about", "people/Bo"),
        ("remember", "I sleep badly when it is windy"), ("supersede", "ada-009", "Ada likes plums"),
        ("correct", "me-006", "I live in Braga"), ("pin", "ada-010"), ("archive", "ada-003"), ("restore", "ada-003"),
        ("note", "called the bank"), ("note", "called again"), ("learn", "Ask Zoë first", "--topic", "tiles"),
        ("entity", "new", "companies/Acme"), ("entity", "alias", "acme", "ACME Inc"),
        ("entity", "link", "bo", "acme", "--relation", "works at"), ("entity", "rename", "ada", "Ada Lovelace"),
        ("entity", "merge", "people/bo", "people/ada-lovelace"), ("synthesize", "ada-lovelace"), ("check", "--fix"),
        ("config", "set", "recall.limit", "7", "--in-vault"),
    ]  # fmt: skip
    made = 0
    for words in day:
        before = git(vault, "rev-parse", "HEAD")
        assert run(*words, at=vault).status == 0, words
        made += git(vault, "rev-parse", "HEAD") != before
    for _ in range(made):
        done = run("undo", at=vault)
        assert done.status == 0, done.err
    assert run("undo", at=vault).status == 3
    left = [line for line in git(vault, "ls-tree", "-r", "HEAD").splitlines() if not line.endswith("decisions.jsonl")]
    assert [line for line in left if "\taudit/" not in line] == tree
    assert git(vault, "status", "--porcelain") == ""
    assert run("check", at=vault).status == 0

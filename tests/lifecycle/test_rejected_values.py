"""A value that was judged wrong stays out, however it comes back; one that merely changed may return."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from echo_notes.files.decisions import load_decisions
from tests.conftest import Ran, git
from tests.lifecycle.test_synthesize import BO, facts_of

Run = Callable[..., Ran]


@pytest.fixture
def corrected(empty_vault: Path, run: Run) -> Path:
    """A vault in which the person took back that Bo works at Acme."""
    for call in (
        ("remember", "Bo works at Acme", "--about", "people/bo"), ("correct", "bo-001", "Bo works at Globex"),
        ("remember", "Cy likes figs", "--about", "people/cy"),
    ):  # fmt: skip
        assert run(*call, at=empty_vault).status == 0
    return empty_vault


@pytest.fixture
def agent(corrected: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Ran]:
    """Run a command as a program does."""

    def call(*args: str, stdin: str = "") -> Ran:
        monkeypatch.setenv("ECHO_ACTOR", "agent")
        ran = run(*args, at=corrected, stdin=stdin)
        monkeypatch.delenv("ECHO_ACTOR")
        return ran

    return call


def refused(vault: Path) -> list[tuple[str, str]]:
    lines = [json.loads(line) for path in sorted(vault.glob("audit/*")) for line in path.read_bytes().splitlines()]
    return [(line["path"], line["reason"]) for line in lines if not line["ok"]]


def says_acme(vault: Path, folder: str = BO) -> list[dict[str, Any]]:
    facts = facts_of(vault, folder).values()
    return [fact for fact in facts if "acme" in fact["fact"].lower() and fact["status"] == "active"]


def test_extraction_from_an_old_note_is_refused_and_audited_once(corrected: Path, run: Run) -> None:
    (corrected / "memory").mkdir(exist_ok=True)
    (corrected / "memory/2026-11-20.md").write_text("# 2026-11-20\n\n- [[Bo]] employer:: Acme\n- Bo works at ACME.\n")
    for _ in range(2):
        assert run("extract", "2026-11-20", at=corrected).status in {0, 4}
    assert says_acme(corrected) == []
    assert set(refused(corrected)) == {("pass.extract", "rejected_value")}
    assert len(refused(corrected)) <= 2


def test_consolidation_of_a_session_is_refused_and_audited(corrected: Path, run: Run) -> None:
    run("session", "add", "monday", "Bo works at Acme. Bo lives in Porto.", at=corrected)
    run("session", "end", "monday", "--no-detach", at=corrected)
    assert run("consolidate", at=corrected).status in {0, 4}
    assert says_acme(corrected) == []
    assert "Bo lives in Porto" in {fact["fact"] for fact in facts_of(corrected, BO).values()}
    assert refused(corrected) == [("pass.consolidate", "rejected_value")]


@pytest.mark.parametrize(
    "call",
    [
        ("observe", "Bo works at Acme", "--about", "people/bo"),
        ("observe", "bo works for ACME.", "--about", "bo"),
        ("observe", "Bo works at Acme", "--about", "people/bo", "--key", "job"),
        ("observe", "Bo's employer is Acme", "--about", "people/bo"),
        ("remember", "Bo works at Acme", "--about", "people/bo", "--reassert"),
        ("remember", "Bo works at Acme", "--about", "people/bo", "--source", "import:elsewhere"),
    ],
    ids=" ".join,
)
def test_a_program_may_not_say_it_again_in_any_words(
    corrected: Path, agent: Callable[..., Ran], call: tuple[str, ...]
) -> None:
    ran = agent(*call)
    assert (ran.status, says_acme(corrected)) == (4, [])
    assert "judged wrong on 2026-11-30 (bo-001, by user_stated)" in ran.err
    assert refused(corrected)[-1][1] == "rejected_value"


def test_under_another_fact_and_in_a_batch_it_is_caught_too(corrected: Path, agent: Callable[..., Ran]) -> None:
    assert agent("observe", "Bo plays chess", "--about", "people/bo").status == 0
    assert agent("supersede", "bo-003", "Bo works at Acme").status == 4
    rows = [{"text": "Bo has a cat", "about": "people/bo"}, {"text": "Bo works at Acme", "about": "people/bo"}]
    ran = agent("observe", "-", stdin="\n".join(map(json.dumps, rows)))
    assert (ran.status, "line 2" in ran.err) == (4, True)
    assert "bo-004" not in facts_of(corrected, BO)


def test_the_person_is_asked_shown_the_decision_and_may_insist(
    corrected: Path, run: Run, agent: Callable[..., Ran]
) -> None:
    ran = run("remember", "Bo works at Acme", "--about", "people/bo", at=corrected)
    assert ran.status == 4
    assert "judged wrong on 2026-11-30 (bo-001, by user_stated)" in ran.err
    assert "--reassert" in ran.err
    assert run("remember", "Bo works at Acme", "--about", "people/bo", "--reassert", at=corrected).status == 0
    assert [one.verdict for one in load_decisions(corrected)] == ["wrong", "reinstated"]
    assert run("archive", "bo-003", at=corrected).status == 0
    assert agent("observe", "Bo works at Acme", "--about", "people/bo").status == 0


@pytest.mark.parametrize("verb", ["merge", "rename"])
def test_the_decision_follows_its_entity(corrected: Path, run: Run, agent: Callable[..., Ran], verb: str) -> None:
    other = "people/cy" if verb == "merge" else "Bob"
    assert run("entity", verb, "people/bo", other, at=corrected).status == 0
    name, about = ("Cy", "people/cy") if verb == "merge" else ("Bob", "people/bob")
    ran = agent("observe", f"{name} works at Acme", "--about", about)
    assert ran.status == 4, ran.out
    assert agent("observe", "Bo works at Acme", "--about", about).status == 4


def test_a_fact_that_comes_in_by_a_merge_is_not_silently_current(corrected: Path, run: Run) -> None:
    assert run("remember", "Cy works at Acme", "--about", "people/cy", at=corrected).status == 0
    run("entity", "merge", "people/cy", "people/bo", at=corrected)
    run("synthesize", "people/bo", at=corrected)
    held = json.loads(run("contradictions", "--json", at=corrected).out)["entries"]
    assert says_acme(corrected) == [] or held


@pytest.mark.parametrize("gone", ["pruned", "archived", "erased", "collected"])
def test_what_becomes_of_the_old_fact_makes_no_difference(
    corrected: Path, run: Run, agent: Callable[..., Ran], gone: str
) -> None:
    path = corrected / BO / "items.json"
    facts = json.loads(path.read_text(encoding="utf-8"))
    if gone == "pruned":
        path.write_text(json.dumps([fact for fact in facts if fact["id"] != "bo-001"]), encoding="utf-8")
    elif gone == "archived":
        run("archive", "bo-002", at=corrected)
    elif gone == "erased":
        assert run("erase", "bo-001", "bo-002", "--yes", at=corrected).status == 0
    else:
        assert run("gc", "--purge", "--yes", at=corrected, now="2028-11-30T00:00:00+00:00").status == 0
    assert agent("observe", "Bo works at Acme", "--about", "people/bo").status == 4


def test_a_value_that_merely_changed_may_return(corrected: Path, run: Run, agent: Callable[..., Ran]) -> None:
    run("remember", "Bo lives in Berlin", "--about", "people/bo", at=corrected)
    run("supersede", "bo-003", "Bo lives in Porto", at=corrected)
    assert agent("observe", "Bo lives in Berlin", "--about", "people/bo").status == 0
    assert run("supersede", "bo-004", "Bo lives in Berlin", at=corrected).status == 0


def test_undo_withdraws_the_decision(corrected: Path, run: Run, agent: Callable[..., Ran]) -> None:
    run("undo", at=corrected)
    assert run("undo", at=corrected).status == 0
    assert [one.verdict for one in load_decisions(corrected)] == ["wrong", "withdrawn"]
    assert facts_of(corrected, BO)["bo-001"]["status"] == "active"
    assert agent("observe", "Bo works at Acme", "--about", "people/bo").status == 0


def test_a_contradiction_decided_by_rank_is_a_decision_and_by_day_is_none(
    corrected: Path, run: Run, agent: Callable[..., Ran]
) -> None:
    run("remember", "Bo lives in Porto", "--about", "people/bo", at=corrected)
    assert agent("observe", "Bo lives in Rome", "--about", "people/bo").status == 0
    run("synthesize", "people/bo", at=corrected)
    assert [one.value for one in load_decisions(corrected)] == ["acme", "rome"]
    assert agent("observe", "Bo lives in Rome", "--about", "people/bo").status == 4
    assert git(corrected, "status", "--porcelain", "--", "decisions.jsonl") == ""

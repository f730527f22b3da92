"""Cases of section G as tests: what replaced what, what was judged wrong, and what must not slip in."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Ran, git

Run = Callable[..., Ran]

ADA = "life/areas/people/ada/items.json"


def _texts(ran: Ran) -> list[str]:
    return [one["text"] for one in json.loads(ran.out)["results"] if one["layer"] == "fact"]


def _facts(vault: Path) -> list[dict[str, str]]:
    records: list[dict[str, str]] = json.loads((vault / ADA).read_text())
    return records


def test_94_what_was_superseded_is_on_no_surface_unless_asked_for(
    run: Run, empty_vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("remember", "Ada lives in Rome", "--about", "people/ada", at=empty_vault)
    run("supersede", "ada-001", "Ada lives in Oslo", at=empty_vault)
    run("synthesize", at=empty_vault)
    asked = [
        ["recall", "Rome"], ["recall", "Ada lives"], ["recall", "Ada lives", "--for-prompt"],
        ["recall", "Ada lives", "--hops", "2"],
        ["show", "ada"], ["show", "2026-11-30"], ["ls"], ["timeline"], ["timeline", "ada"], ["context"],
    ]  # fmt: skip
    for words in asked:
        assert "Rome" not in run(*words, at=empty_vault).out, words
    monkeypatch.setenv("ECHO_ACTOR", "agent")
    for words in asked:
        told = run(*words, "--json", at=empty_vault).out.replace('"query": "Rome"', "")
        assert "Rome" not in told, words
    monkeypatch.delenv("ECHO_ACTOR")
    summary = (empty_vault / "life/areas/people/ada/summary.md").read_text().splitlines()
    assert all("→ Ada lives in Oslo" in line for line in summary if "Rome" in line)
    assert "Rome" in run("recall", "Rome", "--status", "all", at=empty_vault).out
    assert "Rome" in run("history", "ada", at=empty_vault).out


def test_95_the_start_of_a_chain_is_not_current_where_its_end_is_filtered_out(run: Run, empty_vault: Path) -> None:
    run("remember", "Ada lives in Rome", "--about", "people/ada", "--date", "2026-01-01", at=empty_vault)
    run("supersede", "ada-001", "Ada lives in Oslo", at=empty_vault)
    run("supersede", "ada-002", "Ada lives in Bern", at=empty_vault)
    for words in (["--until", "2026-06-01"], ["--tag", "x"], ["--kind", "companies"], ["--category", "preference"]):
        assert _texts(run("recall", "Ada lives", *words, "--json", at=empty_vault)) == []


def test_97_the_same_words_for_two_spans_are_two_facts(run: Run, empty_vault: Path) -> None:
    first = ["--valid-from", "2026-01-01", "--valid-until", "2026-03-31"]
    for span in (first, ["--valid-from", "2026-09-01"]):
        ran = run("remember", "Ada is assigned to Payments", "--about", "people/ada", *span, at=empty_vault)
        assert ran.out.startswith("remembered ada-00")
    assert len(_facts(empty_vault)) == 2


@pytest.mark.parametrize(
    "again",
    ["Ada likes tea", "Ada  likes tea ", "ada likes TEA.", "Ada\u3000likes tea", "Ａda likes tea"],
)
def test_74_and_98_saying_it_again_is_known_and_changes_nothing(run: Run, empty_vault: Path, again: str) -> None:
    run("remember", "Ada likes tea", "--about", "people/ada", at=empty_vault)
    head = git(empty_vault, "rev-parse", "HEAD")
    for _ in range(2):
        ran = run("remember", again, "--about", "ada", at=empty_vault)
        assert (ran.status, ran.out) == (0, f"already known: ada-001 in {ADA}\n")
    assert git(empty_vault, "rev-parse", "HEAD") == head
    assert [one["status"] for one in _facts(empty_vault)] == ["active"]


def test_74_composed_and_decomposed_letters_are_the_same_statement(run: Run, empty_vault: Path) -> None:
    run("remember", "Ada likes the Caf\u00e9", "--about", "people/ada", at=empty_vault)
    assert "already known" in run("remember", "Ada likes the Cafe\u0301", "--about", "ada", at=empty_vault).out


def test_100_as_of_goes_by_when_it_changed_not_by_when_it_was_edited(run: Run, empty_vault: Path) -> None:
    run("remember", "Ada uses Postgres", "--about", "people/ada", at=empty_vault, now="2026-11-01T10:00:00+00:00")
    run("supersede", "ada-001", "Ada uses MySQL", at=empty_vault, now="2026-11-05T10:00:00+00:00")
    path = empty_vault / ADA
    path.write_text(path.read_text().replace('"supersededBy"', '"tags": ["x"],\n    "supersededBy"', 1))
    now = "2026-11-09T10:00:00+00:00"
    for day, text in {
        "2026-11-03": "Ada uses Postgres",
        "2026-11-05": "Ada uses MySQL",
        "2026-11-07": "Ada uses MySQL",
    }.items():
        assert _texts(run("recall", "Ada uses", "--as-of", day, "--json", at=empty_vault, now=now)) == [text]


def test_101_a_second_mention_keeps_the_stated_start(run: Run, empty_vault: Path) -> None:
    said = ["remember", "Ada starts at Acme", "--about", "people/ada"]
    run(*said, "--valid-from", "2030-01-01", at=empty_vault)
    assert "already known" in run(*said, at=empty_vault).out
    assert _facts(empty_vault)[0]["validFrom"] == "2030-01-01"


def test_103_a_statement_in_place_of_an_id_replaces_nothing(run: Run, empty_vault: Path) -> None:
    run("remember", "The stack is Postgres", "--about", "people/ada", at=empty_vault)
    head = git(empty_vault, "rev-parse", "HEAD")
    for what in ("stack is Postgres", "ada-00", "ada-099", "ada", ""):
        assert run("supersede", what, "The stack is MySQL", at=empty_vault).status == 3
    assert git(empty_vault, "rev-parse", "HEAD") == head


def _corrected(run: Run, vault: Path) -> None:
    run("remember", "Ada works at Initech", "--about", "people/ada", at=vault)
    run("correct", "ada-001", "Ada works at Acme", at=vault)


@pytest.mark.parametrize(
    "words",
    [
        ["Ada works at Initech"], ["ada  works at initech."], ["Ada's employer is Initech"], ["Ada works for Initech"],
        ["Initech", "--key", "employer"], ["Initech", "--key", "Employer"],
        ["Ada is employed by Initech", "--key", "note"],
    ],
    ids=" ".join,
)  # fmt: skip
def test_104_a_corrected_value_comes_back_by_no_path_and_under_no_key(
    run: Run, empty_vault: Path, words: list[str]
) -> None:
    _corrected(run, empty_vault)
    observed = run("observe", *words, "--about", "ada", at=empty_vault)
    asked = run("--no-input", "remember", *words, "--about", "ada", at=empty_vault)
    assert (observed.status, asked.status) == (4, 4)
    assert "--reassert" in asked.err
    assert [one["fact"] for one in _facts(empty_vault)] == ["Ada works at Initech", "Ada works at Acme"]
    refused = run("audit", "--refused", at=empty_vault).out
    assert refused.count("rejected_value") == 2
    assert run("remember", *words, "--about", "ada", "--reassert", at=empty_vault).status == 0
    assert len(_facts(empty_vault)) == 3


def test_104_an_old_note_and_a_session_do_not_bring_it_back(run: Run, empty_vault: Path) -> None:
    _corrected(run, empty_vault)
    (empty_vault / "memory").mkdir(exist_ok=True)
    (empty_vault / "memory/2026-10-01.md").write_text(
        "# 2026-10-01\n\n- [[Ada]] works at Initech\n- [[Ada]] employer:: Initech\n"
    )
    assert run("extract", "2026-10-01", at=empty_vault).status == 4
    run("session", "add", "s", "Ada works at Initech.", at=empty_vault)
    run("session", "end", "s", at=empty_vault)
    run("consolidate", at=empty_vault)
    assert [one["fact"] for one in _facts(empty_vault)] == ["Ada works at Initech", "Ada works at Acme"]


def _record(number: int, text: str, by: int | None) -> dict[str, str | None]:
    return {"id": f"ada-{number:03d}", "fact": text, "category": "status", "timestamp": "2026-01-01", "source": "x",
            "status": "superseded" if by else "active", "supersededBy": f"ada-{by:03d}" if by else None}  # fmt: skip


def test_107_chains_that_lead_in_circles_or_nowhere_stop_no_command(run: Run, empty_vault: Path) -> None:
    (empty_vault / ADA).parent.mkdir(parents=True)
    records = [_record(1, "A", 2), _record(2, "B", 1), _record(3, "S", 3), _record(4, "M", 999), _record(5, "1", None),
               _record(5, "2", None)]  # fmt: skip
    (empty_vault / ADA).write_text(json.dumps(records, indent=2))
    for words in (["show", "ada"], ["history", "ada"], ["history", "ada-001"], ["history", "ada-003"], ["timeline"]):
        assert run(*words, at=empty_vault).status == 0, words
    for words in (["supersede", "ada-001", "x"], ["restore", "ada-002"], ["supersede", "ada-005", "x"]):
        assert run(*words, at=empty_vault).status == 5, words
    told = run("check", at=empty_vault)
    assert told.status == 1
    assert [told.out.count(f"[{code}]") for code in ("cycle", "dangling", "duplicate-id")] == [2, 1, 1]
    before = git(empty_vault, "status", "--porcelain")
    assert before.strip().startswith("??")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--category", "foo"], "relationship, milestone, status, preference"),
        (["--type", "foo"], "Choose user or environment"),
        (["--importance", "7"], "0<=x<=1"),
        (["--importance", "nan"], "0 for least"),
        (["--date", "someday"], "2026-W48"),
        (["--valid-from", "2026-05-01", "--valid-until", "2026-04-01"], "earlier"),
    ],
    ids=lambda one: " ".join(one) if isinstance(one, list) else "",
)
def test_109_an_unknown_word_is_an_error_with_the_choices(
    run: Run, empty_vault: Path, words: list[str], says: str
) -> None:
    ran = run("remember", "Ada likes tea", "--about", "people/ada", *words, at=empty_vault)
    assert (ran.status, says in ran.err) == (2, True), ran.err
    assert git(empty_vault, "status", "--porcelain") == ""


@pytest.mark.parametrize(
    "field",
    ['"importance": 7', '"importance": "high"', '"importance": NaN', '"importance": true', '"about": ["ada"]',
     '"tags": [1]',
     '"type": "foo"', '"pinned": "yes"', '"on": 20260101', '"colour": "red"', '"category": "foo"'],
)  # fmt: skip
def test_109_a_json_statement_of_the_wrong_type_is_an_error_and_nothing_is_written(
    run: Run, empty_vault: Path, field: str
) -> None:
    lines = f'{{"text": "Ada likes tea", "about": "people/ada"}}\n{{"text": "x", "about": "people/ada", {field}}}\n'
    ran = run("remember", "-", at=empty_vault, stdin=lines.replace('"about": "people/ada", "about"', '"about"'))
    assert (ran.status, ran.out) == (2, "")
    assert "line 2" in ran.err
    assert git(empty_vault, "status", "--porcelain") == ""
    assert not (empty_vault / "life").exists()


def test_109_a_line_separator_inside_a_json_text_is_no_end_of_line(run: Run, empty_vault: Path) -> None:
    line = json.dumps({"text": "Ada likes\x85tea", "about": "people/ada"}, ensure_ascii=False)
    ran = run("remember", "-", at=empty_vault, stdin=f"{line}\r\n\r\n")
    assert "is not JSON" not in ran.err

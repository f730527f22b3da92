"""Consolidation: an episode in the speakers' words, facts that rest on sentences, and nothing ranked too high."""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

from echo_notes.files.config import load_settings
from echo_notes.files.episodes import Episode, parse_episode
from echo_notes.files.jobs import find_job, iter_jobs, jobs_set_aside, queue_job
from echo_notes.files.layout import Layout
from echo_notes.files.sessions import Message, add_messages, load_session
from echo_notes.lifecycle.consolidate import consolidate
from echo_notes.lifecycle.opened import OpenVault
from tests.conftest import NOW, Ran, git

Run = Callable[..., Ran]
ADA = "life/areas/people/ada/items.json"
ME = "life/areas/people/me/items.json"


def facts(vault: Path, path: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((vault / path).read_text(encoding="utf-8"))
    return [fact for fact in found if fact.get("sourceSession")]


def said(vault: Path, path: str) -> list[str]:
    return [fact["fact"] for fact in facts(vault, path)]


def episodes(vault: Path) -> list[Episode]:
    paths = sorted((vault / "memory/episodes").glob("*.md"))
    read = [parse_episode(path.read_text(encoding="utf-8"), path.name) for path in paths]
    return [episode for episode in read if episode.session_key in {"chat", "other", "会话"}]


@pytest.fixture
def talk(vault: Path, run: Run) -> Callable[..., Ran]:
    """Add a transcript to a session, end it, and consolidate."""

    def call(text: str, key: str = "chat", *, scope: str = "", role: str = "user", now: str = NOW) -> Ran:
        if scope:
            run("session", "start", key, "--scope", scope, at=vault, now=now)
        ran = run("session", "add", key, "-", "--role", role, at=vault, stdin=text, now=now)
        assert ran.status == 0, ran.err
        assert run("session", "end", key, "--no-detach", at=vault, now=now).status == 0
        return run("consolidate", at=vault, now=now)

    return call


def test_one_commit_of_an_episode_and_facts_and_the_buffer_is_gone(vault: Path, talk: Callable[..., Ran]) -> None:
    commits = int(git(vault, "rev-list", "--count", "HEAD"))
    ran = talk("User: Ada is allergic to peanuts. What a day!\nAssistant: Noted.\nUser: I prefer oat milk in coffee.\n")
    assert ran.status == 0
    assert "consolidated chat: memory/episodes/2026-11-30-chat.md, 2 facts" in ran.out
    assert int(git(vault, "rev-list", "--count", "HEAD")) == commits + 1
    touched = git(vault, "show", "--name-only", "--format=", "HEAD").split()
    assert {path for path in touched if not path.startswith("audit/")} == {
        ADA, ME, "memory/episodes/2026-11-30-chat.md"
    }  # fmt: skip
    [fact] = facts(vault, ADA)
    assert fact["fact"] == "Ada is allergic to peanuts"
    assert (fact["provenance"], fact["source"], fact["scope"]) == ("consolidated", "session:chat#1", "chat")
    assert fact["episodeId"] == "memory/episodes/2026-11-30-chat.md"
    [mine] = facts(vault, ME)
    assert (mine["type"], mine["source"]) == ("user", "session:chat#3")
    assert load_session(Layout(vault), "chat") is None
    assert iter_jobs(Layout(vault)) == ()
    assert git(vault, "status", "--porcelain") == ""


def test_the_episode_says_nothing_that_nobody_said(vault: Path, talk: Callable[..., Ran]) -> None:
    text = (
        "User: Hello there. Ada moved to Valencia last month. I am tired.\n"
        "Assistant: Kestrel Maps will miss her in the office, I think.\n"
        "User: Waymark ships without the legend. 林晓喜欢爬山。\n"
    )
    talk(text)
    [episode] = episodes(vault)
    assert (episode.range_start, episode.range_end, episode.problem) == (1, 3, "")
    assert episode.created_at == datetime.fromisoformat(NOW)
    assert set(episode.entity_ids) >= {"people/ada", "companies/kestrel-maps", "people/林晓"}
    assert 0 < episode.importance < 1
    assert "[[life/areas/people/ada/summary|Ada]] moved to Valencia" in episode.summary
    assert "[[life/areas/people/林晓/summary|林晓]]喜欢爬山" in episode.summary
    for line in episode.summary.splitlines():
        plain = re.sub(r"\[\[[^|\]]*\|([^\]]*)\]\]", r"\1", line.removeprefix("- ").removeprefix("assistant: "))
        assert plain in text


def test_an_episode_is_recalled_by_entity_and_day(vault: Path, run: Run, talk: Callable[..., Ran]) -> None:
    talk("User: Ada moved her drawing desk to the attic studio. Ada is allergic to peanuts.\n")
    words = ("recall", "drawing desk attic", "--json", "--no-touch", "--layer", "episode")
    for more in ((), ("--entity", "people/ada"), ("--since", "2026-11-30")):
        hits = json.loads(run(*words, *more, at=vault).out)["results"]
        assert [hit["path"] for hit in hits][:1] == ["memory/episodes/2026-11-30-chat.md"], more
    assert run(*words, "--until", "2026-11-29", at=vault).status == 1


def test_what_the_assistant_says_ranks_below_and_its_i_is_not_the_owner(vault: Path, talk: Callable[..., Ran]) -> None:
    talk("Assistant: Ada is allergic to peanuts. I prefer tea. My name is Claude.\nSystem: Ada is allergic to wheat.\n")
    [fact] = facts(vault, ADA)
    assert (fact["fact"], fact["provenance"]) == ("Ada is allergic to peanuts", "model_inferred")
    assert said(vault, ME) == []
    lines = [json.loads(line) for path in (vault / "audit").glob("*") for line in path.read_bytes().splitlines()]
    assert {line["provenance"] for line in lines} == {"model_inferred"}
    assert {line["path"] for line in lines} == {"pass.consolidate"}


def test_what_an_agent_recorded_as_the_users_words_ranks_as_the_agents(
    vault: Path, talk: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDECODE", "1")
    talk("User: I am allergic to peanuts.\n")
    assert [fact["provenance"] for fact in facts(vault, ME)] == ["model_inferred"]


def test_the_owners_session_gives_facts_to_the_owner(vault: Path, talk: Callable[..., Ran]) -> None:
    talk("I prefer window seats on trains.", scope="owner")
    assert [fact["scope"] for fact in facts(vault, ME)] == ["owner"]


def test_envelopes_quotes_and_code_are_nobodys_words(vault: Path, talk: Callable[..., Ran]) -> None:
    talk(
        "User: From: Bob <bob@example.org>\nSubject: Ada is allergic to cats\n\n> Ada lives in Rome\n"
        "```\nAda lives in Paris\n```\nAda is allergic to peanuts.\n"
    )
    assert said(vault, ADA) == ["Ada is allergic to peanuts"]


def test_duplicates_add_nothing(vault: Path, talk: Callable[..., Ran]) -> None:
    talk("Ada is allergic to peanuts. Ada is allergic to peanuts!\nUser: Zoë lives in Valencia.")
    talk("Ada  is allergic to PEANUTS.", "other")
    assert said(vault, ADA) == ["Ada is allergic to peanuts"]
    assert facts(vault, "life/areas/people/zoe-nunez/items.json") == []
    assert len(episodes(vault)) == 2


def test_a_refused_row_is_skipped_audited_and_its_message_kept(vault: Path, talk: Callable[..., Ran]) -> None:
    bad = "[[Ada]] lives in Ro\u200bme"
    ran = talk(f"User: Ada is allergic to peanuts.\nUser: {bad}\nUser: I prefer oat milk.\n")
    assert ran.status == 4
    assert "U+200B" in ran.err
    assert said(vault, ADA) == ["Ada is allergic to peanuts"]
    assert said(vault, ME) == ["I prefer oat milk"]
    [episode] = episodes(vault)
    assert "\u200b" not in episode.summary
    refusals = [
        json.loads(line) for path in (vault / "audit").glob("*") for line in path.read_bytes().splitlines()
        if not json.loads(line)["ok"]
    ]  # fmt: skip
    assert {line["reason"] for line in refusals} == {"invisible_unicode"}
    [held] = (vault / ".echo/state/sessions").glob("*.held.ndjson")
    assert [json.loads(line)["text"] for line in held.read_text(encoding="utf-8").splitlines()] == [bad]
    assert git(vault, "status", "--porcelain") == ""


def test_a_value_that_was_corrected_does_not_come_back(vault: Path, run: Run, talk: Callable[..., Ran]) -> None:
    run("remember", "Ada lives in Rome", "--about", "people/ada", at=vault)
    run("correct", "ada-009", "Ada lives in Siena", at=vault)
    ran = talk("User: Ada lives in Rome. Ada is allergic to peanuts.\n", scope="owner")
    assert ran.status == 4
    assert "judged wrong" in ran.err
    assert said(vault, ADA) == ["Ada is allergic to peanuts"]


def test_a_newer_value_of_the_same_rank_supersedes(vault: Path, run: Run, talk: Callable[..., Ran]) -> None:
    talk("I live in Berlin.", "other", scope="owner", now="2026-11-20T09:00:00+00:00")
    ran = talk("I live in Madrid.", scope="owner")
    status = {fact["fact"]: fact["status"] for fact in facts(vault, ME)}
    assert status["I live in Madrid"] == "active"
    assert status["I live in Berlin"] == "superseded"
    assert "superseded" in ran.out
    assert run("synthesize", at=vault).status == 0
    lines = [json.loads(line) for path in (vault / "audit").glob("*") for line in path.read_bytes().splitlines()]
    assert {line["path"] for line in lines if line["op"] == "retire"} == {"pass.consolidate"}


def test_the_owner_and_people_named_for_the_first_time_become_entities(
    empty_vault: Path, run: Run
) -> None:  # fmt: skip
    text = "User: I prefer oat milk.\nUser: @mira works at Acme.\nUser: [[Zed]] is nice to everyone #status\n"
    run("session", "add", "chat", "-", at=empty_vault, stdin=text)
    run("session", "end", "chat", "--no-detach", at=empty_vault)
    ran = run("consolidate", at=empty_vault)
    assert ran.status == 0
    assert "no entity is called 'Zed'" in ran.err
    assert said(empty_vault, ME) == ["I prefer oat milk"]
    assert said(empty_vault, "life/areas/people/mira/items.json") == ["mira works at Acme"]
    assert not (empty_vault / "life/areas/people/zed").exists()


def test_a_session_that_goes_on_gets_a_second_episode_with_later_numbers(vault: Path, talk: Callable[..., Ran]) -> None:
    talk("Ada is allergic to peanuts.")
    talk("Ada is allergic to wheat.")
    assert {(one.path, one.range_start, one.range_end) for one in episodes(vault)} == {
        ("2026-11-30-chat.md", 1, 1), ("2026-11-30-chat-2.md", 2, 2)
    }  # fmt: skip


def test_an_episode_of_another_machine_does_not_swallow_this_session(vault: Path, talk: Callable[..., Ran]) -> None:
    add_messages(Layout(vault), "chat", [Message(text="Ada is allergic to wheat.", at=datetime.fromisoformat(NOW))],
                 now=datetime.fromisoformat(NOW))  # fmt: skip
    (vault / "memory/episodes/2026-11-29-chat.md").write_text(
        "---\nsessionKey: chat\nmessageRangeStart: 1\nmessageRangeEnd: 9\nentityIds: []\nimportance: 0.5\n"
        "createdAt: 2026-11-29T10:00:00Z\n---\n- theirs\n",
        encoding="utf-8",
    )
    talk("And hello.")
    assert said(vault, ADA) == ["Ada is allergic to wheat"]


def test_undo_takes_back_the_episode_and_the_facts(vault: Path, run: Run, talk: Callable[..., Ran]) -> None:
    before = (vault / ADA).read_bytes()
    talk("Ada is allergic to peanuts.")
    assert run("undo", at=vault).status == 0
    assert (vault / ADA).read_bytes() == before
    assert episodes(vault) == []
    assert git(vault, "status", "--porcelain") == ""


def test_nothing_waits_nothing_happens(vault: Path, run: Run) -> None:
    head = git(vault, "rev-parse", "HEAD")
    assert run("consolidate", "--no-llm", at=vault).out == "nothing to consolidate\n"
    assert git(vault, "rev-parse", "HEAD") == head


def test_a_dry_run_shows_the_change_and_leaves_the_session(vault: Path, run: Run) -> None:
    run("session", "add", "chat", "Ada is allergic to peanuts.", at=vault)
    run("session", "end", "chat", "--no-detach", at=vault)
    ran = run("consolidate", "--dry-run", at=vault)
    assert '+    "fact": "Ada is allergic to peanuts"' in ran.out
    job = find_job(Layout(vault), "chat")
    assert job is not None
    assert job.tries == 0
    assert git(vault, "status", "--porcelain") == ""
    assert run("consolidate", at=vault).status == 0


# --- jobs that fail


def test_a_poisoned_job_is_set_aside_after_three_tries_and_blocks_nobody(vault: Path, run: Run) -> None:
    good = (vault / ADA).read_bytes()
    (vault / ADA).write_bytes(good + b"oops")
    run("session", "add", "chat", "Ada is allergic to peanuts.", at=vault)
    run("session", "end", "chat", "--no-detach", at=vault)
    for attempt in range(3):
        run("session", "add", "other", f"I prefer tea number {attempt + 2}.", at=vault)
        run("session", "end", "other", "--no-detach", at=vault)
        ran = run("consolidate", at=vault)
        assert ran.status == 6
        assert "items.json" in ran.err
        assert "consolidated other" in ran.out
    assert iter_jobs(Layout(vault)) == ()
    [aside] = jobs_set_aside(Layout(vault))
    assert (aside.key, aside.tries) == ("chat", 3)
    assert "items.json" in aside.reason
    listed = run("session", "list", at=vault).out
    assert "set aside" in listed
    assert run("consolidate", at=vault).out == "nothing to consolidate\n"
    # Mended, the person ends the session again.
    (vault / ADA).write_bytes(good)
    run("session", "end", "chat", "--no-detach", at=vault)
    assert run("consolidate", at=vault).status == 0
    assert said(vault, ADA) == ["Ada is allergic to peanuts"]
    assert jobs_set_aside(Layout(vault)) == ()


def test_a_busy_vault_is_no_fault_of_the_session(vault: Path, run: Run) -> None:
    run("session", "add", "chat", "Ada is allergic to peanuts.", at=vault)
    queue_job(Layout(vault), "chat", "2026-11-30T14:00:00Z")
    opened = OpenVault(
        Layout(vault), load_settings(vault / "echo.yaml", None), datetime.fromisoformat(NOW), {}, lambda: "test",
        lock_wait=0.05,
    )  # fmt: skip
    with FileLock(vault / ".echo/state/lock"):
        for _ in range(5):
            [failed] = consolidate(opened).failed
            assert not failed.aside
    job = find_job(Layout(vault), "chat")
    assert job is not None
    assert job.tries == 0
    assert len(consolidate(replace(opened, lock_wait=10)).done) == 1


def test_an_episode_does_not_repeat_what_was_judged_wrong(vault: Path, run: Run, talk: Callable[..., Ran]) -> None:
    run("remember", "Ada's phone is 555-0101", "--about", "people/ada", at=vault)
    [fact] = [fact for fact in json.loads((vault / ADA).read_text(encoding="utf-8")) if "555" in fact["fact"]]
    assert run("correct", fact["id"], "Ada's phone is 555-0110", at=vault).status == 0
    talk("User: Ada's phone is 555-0101. The drawing desk went up to the attic.\n")
    [episode] = episodes(vault)
    assert "attic" in episode.summary
    assert "555-0101" not in episode.summary

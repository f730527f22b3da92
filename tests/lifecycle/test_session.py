"""The working tier: every message kept, at once and for good, and a view of the newest that fits."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from echo_notes.files.layout import Layout
from echo_notes.files.session_key import session_name
from echo_notes.files.sessions import Message, Session, add_messages, load_session, start_session, trim_session
from echo_notes.lifecycle.session import working_view
from tests.conftest import NOW, ROOT, Ran, git, program

Run = Callable[..., Ran]
MOMENT = datetime.fromisoformat(NOW)


def texts(vault: Path, key: str) -> list[str]:
    session = load_session(Layout(vault), key)
    return [message.text for message in session.messages] if session else []


def test_messages_are_kept_in_order_with_role_and_importance(empty_vault: Path, run: Run) -> None:
    assert run("session", "start", "monday", at=empty_vault).out == "session monday is open\n"
    run("session", "add", "monday", "I moved", "to Lisbon", "--importance", "0.9", at=empty_vault)
    ran = run("session", "add", "monday", "Noted.", "--role", "assistant", at=empty_vault)
    assert ran.out == "added 1 message to session monday\n"
    session = load_session(Layout(empty_vault), "monday")
    assert session is not None
    assert [(m.number, m.role, m.text, m.importance) for m in session.messages] == [
        (1, "user", "I moved to Lisbon", 0.9),
        (2, "assistant", "Noted.", None),
    ]
    assert run("session", "start", "monday", at=empty_vault).out == "session monday goes on, with 2 messages\n"
    assert git(empty_vault, "status", "--porcelain") == ""


def test_a_session_that_was_not_started_is_started(empty_vault: Path, run: Run) -> None:
    assert run("session", "add", "chat", "hello", at=empty_vault).status == 0
    listed = json.loads(run("session", "list", "--json", at=empty_vault).out)["sessions"]
    assert [(one["session"], one["scope"], one["messages"], one["state"]) for one in listed] == [
        ("chat", "chat", 1, "open")
    ]


@pytest.mark.parametrize("torn", [b'{"n":3,"at":"2026-', b'{"n":3,"text":"\xe4\xbd', b"\x00\x00"])
def test_a_line_that_a_crash_cut_short_is_passed_over(empty_vault: Path, run: Run, torn: bytes) -> None:
    for word in ("one", "two"):
        run("session", "add", "chat", word, at=empty_vault)
    buffer = empty_vault / ".echo/state/sessions/chat.ndjson"
    with buffer.open("ab") as handle:
        handle.write(torn)
    assert texts(empty_vault, "chat") == ["one", "two"]
    run("session", "add", "chat", "three", at=empty_vault)
    assert texts(empty_vault, "chat") == ["one", "two", "three"]
    session = load_session(Layout(empty_vault), "chat")
    assert session is not None
    assert [message.number for message in session.messages] == [1, 2, 3]


_ADD = """
import sys
sys.path.insert(0, sys.argv[1])
from echo_notes.cli.main import run
for number in range(10):
    if run(["session", "add", "chat", f"{sys.argv[2]} {number}", "--quiet"]):
        sys.exit(1)
"""


def test_many_processes_add_at_once_and_nothing_is_lost(empty_vault: Path) -> None:
    writers = [
        subprocess.Popen([sys.executable, "-c", _ADD, str(ROOT), str(writer)], cwd=empty_vault, env=os.environ)
        for writer in range(4)
    ]
    assert [writer.wait(timeout=120) for writer in writers] == [0, 0, 0, 0]
    session = load_session(Layout(empty_vault), "chat")
    assert session is not None
    assert [message.number for message in session.messages] == list(range(1, 41))
    assert {message.text for message in session.messages} == {f"{w} {n}" for w in range(4) for n in range(10)}


def test_two_sessions_do_not_see_each_other(empty_vault: Path, run: Run) -> None:
    run("session", "add", "a", "mine", at=empty_vault)
    run("session", "add", "b", "yours", at=empty_vault)
    assert "yours" not in run("session", "show", "a", at=empty_vault).out
    refused = run("session", "show", "b", "--scope", "a", at=empty_vault)
    assert refused.status == 4
    assert "yours" not in refused.out + refused.err
    assert run("session", "add", "b", "x", "--scope", "a", at=empty_vault).status == 4
    assert run("session", "end", "b", "--scope", "a", "--no-detach", at=empty_vault).status == 4
    assert [line.split()[0] for line in run("session", "list", "--scope", "a", at=empty_vault).out.splitlines()] == [
        "a"
    ]
    assert run("session", "show", "b", "--scope", "owner", at=empty_vault).status == 0


def test_a_dry_run_keeps_nothing(empty_vault: Path, run: Run) -> None:
    for words in (("start", "chat"), ("add", "chat", "hello"), ("end", "chat")):
        ran = run("session", *words, "--dry-run", at=empty_vault)
        assert (ran.status, ran.out[:5]) == (0, "would")
    assert not (empty_vault / ".echo").exists()


# --- keys


@pytest.mark.parametrize("key", ["a/b", "../../etc/passwd", "CON", "con", "A", "a.b", "会话 一", "x" * 200, "-n", "é"])
def test_any_key_becomes_a_safe_file_name_of_its_own(empty_vault: Path, key: str) -> None:
    layout = Layout(empty_vault)
    add_messages(layout, key, [Message(text="hello", at=MOMENT)], now=MOMENT)
    add_messages(layout, "a", [Message(text="other", at=MOMENT)], now=MOMENT)
    [path] = [p for p in (empty_vault / ".echo/state/sessions").glob("*.ndjson") if b"hello" in p.read_bytes()]
    assert path.name == f"{session_name(key)}.ndjson"
    assert len(path.name) < 100
    assert path.stem.split(".")[0].casefold() not in {"con", "nul"}
    assert texts(empty_vault, key) == ["hello"]
    assert texts(empty_vault, "a") == ["other"]


def test_keys_that_differ_only_in_case_have_files_that_differ_in_more() -> None:
    assert len({session_name(key).casefold() for key in ("Monday", "monday", "MONDAY")}) == 3


@pytest.mark.parametrize("key", ["", "  ", "a\u200bb", "a\nb", "owner", "global", "y" * 201])
def test_keys_that_are_none_are_refused(empty_vault: Path, run: Run, key: str) -> None:
    assert run("session", "start", key, at=empty_vault).status == 2
    assert not (empty_vault / ".echo/state/sessions").exists()


# --- the view


def message(number: int, text: str, importance: float | None = None) -> Message:
    return Message(text=text, number=number, at=MOMENT + timedelta(minutes=number), importance=importance)


def view(messages: list[Message], budget: int) -> list[str]:
    session = Session(key="k", scope="k", started_at=MOMENT, messages=tuple(messages))
    shown = working_view(session, budget, UTC)
    assert len(shown.text) <= budget
    assert shown.shown + shown.left_out == len(messages)
    return [line.rpartition(": ")[2] for line in shown.text.splitlines()]


def test_the_view_is_the_newest_twenty() -> None:
    assert view([message(n, f"m{n}") for n in range(1, 31)], 10_000) == [f"m{n}" for n in range(11, 31)]


def test_the_least_important_leave_first_and_of_equals_the_oldest() -> None:
    messages = [message(1, "keep me", 0.9), message(2, "usual one"), message(3, "usual two"), message(4, "low", 0.1)]
    messages.append(message(5, "newest", 0.0))
    assert view(messages, 10_000) == ["keep me", "usual one", "usual two", "low", "newest"]
    assert view(messages, 110) == ["keep me", "usual one", "usual two", "newest"]
    assert view(messages, 85) == ["keep me", "usual two", "newest"]
    assert view(messages, 60) == ["keep me", "newest"]
    assert view(messages, 30) == ["newest"]


def test_the_newest_is_always_in_and_cut_if_it_must_be() -> None:
    [line] = view([message(1, "old", 1.0), message(2, "n" * 500, 0.0)], 40)
    assert line.endswith("n…")


def test_a_message_of_several_lines_stays_one_entry(empty_vault: Path, run: Run) -> None:
    run("session", "add", "chat", "first\nsecond", at=empty_vault)
    assert run("session", "show", "chat", at=empty_vault).out == "- 14:32 **user**: first\n  second\n"


def test_what_the_view_leaves_out_stays_in_the_buffer(empty_vault: Path, run: Run) -> None:
    for number in range(25):
        add_messages(Layout(empty_vault), "chat", [Message(text=f"m{number}", at=MOMENT)], now=MOMENT)
    ran = run("session", "show", "chat", "--budget", "60", at=empty_vault)
    assert ran.out.splitlines()[-1].endswith("m24")
    assert "left out" in ran.err
    assert len(texts(empty_vault, "chat")) == 25


def test_showing_an_unknown_session_is_not_found(empty_vault: Path, run: Run) -> None:
    assert run("session", "show", "nobody", at=empty_vault).status == 3


# --- buffers


def test_trimming_keeps_what_came_in_meanwhile(empty_vault: Path) -> None:
    layout = Layout(empty_vault)
    start_session(layout, "chat", scope="owner", now=MOMENT)
    add_messages(layout, "chat", [Message(text=word, at=MOMENT) for word in "abc"], now=MOMENT)
    assert trim_session(layout, "chat", through=2) == 1
    session = load_session(layout, "chat")
    assert session is not None
    assert [(one.number, one.text) for one in session.messages] == [(3, "c")]
    assert session.scope == "owner"
    add_messages(layout, "chat", [Message(text="d", at=MOMENT)], now=MOMENT)
    session = load_session(layout, "chat")
    assert session is not None
    assert [one.number for one in session.messages] == [3, 4]
    assert trim_session(layout, "chat", through=4) == 0
    assert load_session(layout, "chat") is None


def test_bytes_that_are_no_utf_8_are_marked_not_lost(empty_vault: Path) -> None:
    word = os.fsdecode(b"caf\xe9")
    ran = program("session", "add", "chat", word, at=empty_vault)
    assert ran.status == 0
    assert texts(empty_vault, "chat") == ["caf\ufffd"]


def test_a_message_from_an_agents_shell_says_so(empty_vault: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUDECODE", "1")
    run("session", "add", "chat", "I am the owner", at=empty_vault)
    session = load_session(Layout(empty_vault), "chat")
    assert session is not None
    assert session.messages[0].agent


# --- the end


def test_the_end_leaves_one_job_however_often_it_is_said(empty_vault: Path, run: Run) -> None:
    run("session", "add", "chat", "hello", at=empty_vault)
    assert "queued for consolidation" in run("session", "end", "chat", "--no-detach", at=empty_vault).out
    assert "queued already" in run("session", "end", "chat", "--no-detach", at=empty_vault).out
    assert [path.name for path in (empty_vault / ".echo/state/jobs").glob("*.json")] == ["chat.json"]
    assert texts(empty_vault, "chat") == ["hello"]


def test_the_end_of_a_session_without_messages_leaves_nothing(empty_vault: Path, run: Run) -> None:
    run("session", "start", "chat", at=empty_vault)
    for key in ("chat", "unknown"):
        ran = run("session", "end", key, "--no-detach", at=empty_vault)
        assert (ran.status, "nothing to consolidate" in ran.out) == (0, True)
    assert not (empty_vault / ".echo/state/jobs").exists()


_LOADED = """
import sys
sys.path.insert(0, sys.argv[1])
from echo_notes.cli.main import run
run(["session", "end", "chat", "--no-detach"])
print(sorted(name for name in sys.modules if name.split(".")[0] in set(sys.argv[2].split(","))))
print(sorted(name for name in sys.modules if name.startswith("echo_notes.")))
"""


def test_the_end_loads_next_to_nothing(empty_vault: Path, run: Run) -> None:
    run("session", "add", "chat", "hello", at=empty_vault)
    heavy = "yaml,numpy,tantivy,git,filelock,orjson,frontmatter,rich,fastembed,hashlib"
    done = subprocess.run(
        [sys.executable, "-c", _LOADED, str(ROOT), heavy], cwd=empty_vault, capture_output=True, text=True, check=True
    )
    _, loaded, ours = done.stdout.splitlines()
    assert loaded == "[]"
    for name in ("model.settings", "model.fact", "lifecycle.opened", "files.sessions", "files.config"):
        assert f"echo_notes.{name}'" not in ours


def test_the_end_starts_a_process_that_outlives_it(vault: Path) -> None:
    program("session", "add", "chat", "Ada is allergic to peanuts.", at=vault)
    # A module of the vault's own must never be imported by what runs in its folder.
    (vault / "json.py").write_text("raise SystemExit('imported from the vault')\n", encoding="utf-8")
    assert program("session", "end", "chat", "-C", str(vault), at=vault.parent).status == 0
    log = vault / ".echo/state/consolidate.log"
    deadline = datetime.now(UTC) + timedelta(seconds=60)
    while not log.exists() or b"consolidated chat" not in log.read_bytes():
        assert datetime.now(UTC) < deadline, log.read_bytes() if log.exists() else "no log"
        program("session", "list", "-C", str(vault), at=vault.parent)
    assert "consolidate: chat: 1 fact" in git(vault, "log", "-1", "--format=%s")

"""Consolidation killed at every instant, and two at the same time: everything is there once, and nothing twice."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from echo_notes.files.jobs import claim_job, find_job, iter_jobs, jobs_set_aside
from echo_notes.files.layout import Layout
from echo_notes.files.sessions import load_session
from tests.conftest import NOW, ROOT, Ran, git, program

Run = Callable[..., Ran]

_STEPS = f"""
import os, signal, sys
from dataclasses import replace
from datetime import datetime
from pathlib import Path
sys.path.insert(0, {str(ROOT)!r})
from echo_notes.lifecycle.consolidate import consolidate
from echo_notes.lifecycle.opened import open_vault

root, stop, count = Path(sys.argv[1]), int(sys.argv[2]), 0

def step(name):
    global count
    count += 1
    if count == stop:
        os.kill(os.getpid(), signal.SIGKILL)

opened = open_vault(root, now=datetime.fromisoformat({NOW!r}), environ={{}}, random_word=lambda: "test")
consolidate(replace(opened, step=step))
print(count)
"""


def play(root: Path, stop: int) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", _STEPS, str(root), str(stop)], capture_output=True, text=True, check=False
    )


@pytest.fixture
def ended(tmp_path: Path, run: Run) -> Callable[[str], Path]:
    """Make a small vault with a session that has ended and is queued."""

    def call(name: str) -> Path:
        root = tmp_path / name
        root.mkdir()
        (root / "echo.yaml").write_text("format: 1\n", encoding="utf-8")
        git(root, "init", "-q")
        git(root, "add", "-A")
        git(root, "commit", "-q", "-m", "first")
        text = "User: I moved to Lisbon. I prefer oat milk.\nUser: @mira works at Acme. @mira lives in Ro\u200bme.\n"
        run("session", "add", "chat", "-", at=root, stdin=text)
        run("session", "end", "chat", "--no-detach", at=root)
        return root

    return call


def facts(root: Path) -> list[str]:
    found: list[str] = []
    for path in sorted(root.glob("life/areas/*/*/items.json")):
        records: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
        found += [record["fact"] for record in records]
    return found


def check_whole(root: Path) -> None:
    assert sorted(facts(root)) == ["I moved to Lisbon", "I prefer oat milk", "mira works at Acme"]
    assert len(list((root / "memory/episodes").glob("*.md"))) == 1
    assert load_session(Layout(root), "chat") is None
    assert iter_jobs(Layout(root)) == jobs_set_aside(Layout(root)) == ()
    [held] = (root / ".echo/state/sessions").glob("*.held.ndjson")
    assert len(held.read_bytes().splitlines()) == 1
    assert git(root, "status", "--porcelain") == ""
    subjects = git(root, "log", "--format=%s").splitlines()
    assert subjects == ["consolidate: chat: 3 facts", "first"]
    assert not list((root / ".echo/state").rglob("*.tmp"))


def test_killed_at_any_step_the_next_run_ends_with_everything_once(ended: Callable[[str], Path], run: Run) -> None:
    steps = int(play(ended("count"), 0).stdout)
    assert steps >= 15
    for stop in range(1, steps + 1):
        root = ended(f"stop-{stop}")
        assert play(root, stop).returncode == -signal.SIGKILL, stop
        assert run("consolidate", at=root).status in {0, 4}, stop
        check_whole(root)


def test_what_is_said_after_a_crash_is_not_lost_and_not_doubled(ended: Callable[[str], Path], run: Run) -> None:
    steps = int(play(ended("count"), 0).stdout)
    root = ended("vault")
    # Killed between the commit and the trimming of the buffer.
    assert play(root, steps - 1).returncode == -signal.SIGKILL
    session = load_session(Layout(root), "chat")
    assert session is not None
    run("session", "add", "chat", "I prefer trains.", at=root)
    run("session", "end", "chat", "--no-detach", at=root)
    assert run("consolidate", at=root).status == 0
    assert sorted(facts(root)) == ["I moved to Lisbon", "I prefer oat milk", "I prefer trains", "mira works at Acme"]
    ranges = [path.read_text(encoding="utf-8").split("---")[1] for path in (root / "memory/episodes").glob("*.md")]
    assert sorted(line for text in ranges for line in text.splitlines() if "Range" in line) == [
        "messageRangeEnd: 2",
        "messageRangeEnd: 3",
        "messageRangeStart: 1",
        "messageRangeStart: 3",
    ]


def test_a_session_that_kills_its_process_every_time_is_set_aside(ended: Callable[[str], Path], run: Run) -> None:
    root = ended("vault")
    for _ in range(3):
        assert play(root, 2).returncode == -signal.SIGKILL
    run("session", "add", "other", "I prefer window seats.", at=root)
    run("session", "end", "other", "--no-detach", at=root)
    ran = run("consolidate", at=root)
    assert "interrupted 3 times" in ran.err
    assert "consolidated other" in ran.out
    assert facts(root) == ["I prefer window seats"]
    [aside] = jobs_set_aside(Layout(root))
    assert aside.key == "chat"
    session = load_session(Layout(root), "chat")
    assert session is not None
    assert len(session.messages) == 2


def test_two_at_the_same_time_do_each_session_once(ended: Callable[[str], Path], run: Run) -> None:
    root = ended("vault")
    for number in range(4):
        run("session", "add", f"s{number}", f"I prefer seat number {number + 2}.", at=root)
        run("session", "end", f"s{number}", "--no-detach", at=root)
    command = [sys.executable, "-m", "echo_notes", "consolidate"]
    environ = {**os.environ, "PYTHONPATH": str(ROOT)}
    both = [
        subprocess.Popen(command, cwd=root, env=environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in "ab"
    ]
    outs = [process.communicate(timeout=120) for process in both]
    assert {process.returncode for process in both} <= {0, 4}, outs
    assert len(facts(root)) == len(set(facts(root))) == 7
    assert len(list((root / "memory/episodes").glob("*.md"))) == 5
    assert iter_jobs(Layout(root)) == ()
    assert len(git(root, "log", "--format=%s").splitlines()) == 6
    assert git(root, "status", "--porcelain") == ""


def test_a_job_that_another_process_holds_is_left_to_it(ended: Callable[[str], Path]) -> None:
    root = ended("vault")
    with claim_job(Layout(root), "chat") as mine:
        assert mine
        ran = program("consolidate", at=root)
    assert ran.status == 0
    assert "another process" in ran.err
    job = find_job(Layout(root), "chat")
    assert job is not None
    assert job.tries == 0


def test_remembering_during_a_consolidation_loses_nothing(ended: Callable[[str], Path], run: Run) -> None:
    root = ended("vault")
    command = [sys.executable, "-m", "echo_notes"]
    environ = {**os.environ, "PYTHONPATH": str(ROOT)}
    pass_ = subprocess.Popen([*command, "consolidate", "-q"], cwd=root, env=environ, stderr=subprocess.DEVNULL)
    for number in range(3):
        assert run("remember", f"Mira noted thing {number}", "--about", "people/mira", at=root).status == 0
    assert pass_.wait(timeout=60) in {0, 4}
    assert {f"Mira noted thing {number}" for number in range(3)} < set(facts(root))
    assert "I moved to Lisbon" in facts(root)

"""The heartbeat that cron calls: idle sessions, the latest notes, and next to no cost where there is nothing to do."""

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from filelock import FileLock

from echo_notes.files.jobs import claim, iter_jobs
from echo_notes.files.layout import Layout
from echo_notes.files.sessions import load_session
from echo_notes.lifecycle.heartbeat import heartbeat
from echo_notes.lifecycle.opened import open_vault
from echo_notes.model.errors import ConflictError
from tests.conftest import ROOT, Ran, git, program

Run = Callable[..., Ran]
ME = "life/areas/people/me/items.json"


def at(time: str, day: str = "2026-11-30") -> str:
    return f"{day}T{time}:00+00:00"


def derived(vault: Path) -> list[str]:
    found = json.loads((vault / ME).read_text(encoding="utf-8"))
    return [fact["fact"] for fact in found if fact.get("provenance") == "consolidated"]


def write(vault: Path, text: str, day: str = "2026-11-30") -> None:
    with (vault / f"memory/{day}.md").open("a", encoding="utf-8") as handle:
        handle.write(text + "\n")


def test_a_session_is_consolidated_once_it_is_idle(vault: Path, run: Run) -> None:
    run("session", "add", "chat", "I prefer oat milk.", at=vault, now=at("10:00"))
    assert run("heartbeat", at=vault, now=at("10:29")).out == "nothing to do\n"
    assert load_session(Layout(vault), "chat") is not None
    ran = run("heartbeat", at=vault, now=at("10:30"))
    assert "consolidated chat" in ran.out
    assert load_session(Layout(vault), "chat") is None
    assert derived(vault) == ["I prefer oat milk"]


def test_the_idle_time_is_a_setting(vault: Path, run: Run) -> None:
    (vault / "echo.yaml").write_text("format: 1\nowner: people/me\nmemory.idleMinutes: 5\n", encoding="utf-8")
    run("session", "add", "chat", "I prefer oat milk.", at=vault, now=at("10:00"))
    assert "consolidated" in run("heartbeat", at=vault, now=at("10:06")).out


def test_queued_sessions_are_consolidated_at_once(vault: Path, run: Run) -> None:
    run("session", "add", "chat", "I prefer oat milk.", at=vault, now=at("10:00"))
    run("session", "end", "chat", "--no-detach", at=vault, now=at("10:01"))
    assert "consolidated chat" in run("heartbeat", at=vault, now=at("10:02")).out
    assert iter_jobs(Layout(vault)) == ()


def test_todays_note_is_extracted_when_it_changed(vault: Path, run: Run) -> None:
    write(vault, "- I prefer oat milk")
    assert "extracted" in run("heartbeat", at=vault, now=at("10:00")).out
    before = git(vault, "rev-parse", "HEAD")
    assert run("heartbeat", at=vault, now=at("10:01")).out == "nothing to do\n"
    write(vault, "- Nothing that lasts.")
    assert run("heartbeat", at=vault, now=at("10:02")).out == "nothing to do\n"
    assert git(vault, "rev-parse", "HEAD") == before
    write(vault, "- I am allergic to cats")
    run("heartbeat", at=vault, now=at("10:03"))
    assert derived(vault) == ["I prefer oat milk", "I am allergic to cats"]


def test_what_was_noted_late_or_while_the_machine_slept_is_not_missed(vault: Path, run: Run) -> None:
    run("heartbeat", at=vault, now=at("23:30"))
    write(vault, "- I prefer oat milk")
    run("heartbeat", at=vault, now=at("00:10", "2026-12-01"))
    assert derived(vault) == ["I prefer oat milk"]
    write(vault, "- I am allergic to cats", "2026-12-02")
    run("heartbeat", at=vault, now=at("09:00", "2026-12-05"))
    assert derived(vault) == ["I prefer oat milk", "I am allergic to cats"]


def test_older_notes_are_left_to_extract(vault: Path, run: Run) -> None:
    write(vault, "- I prefer oat milk", "2026-11-01")
    run("heartbeat", at=vault, now=at("10:00"))
    assert derived(vault) == []


def test_every_minute_for_an_hour_makes_one_commit(vault: Path, run: Run) -> None:
    write(vault, "- I prefer oat milk")
    run("session", "add", "chat", "I am allergic to cats.", at=vault, now=at("09:00"))
    before = int(git(vault, "rev-list", "--count", "HEAD"))
    for minute in range(0, 60, 4):
        assert run("heartbeat", "-q", at=vault, now=at(f"10:{minute:02d}")).status == 0
    assert int(git(vault, "rev-list", "--count", "HEAD")) == before + 2
    assert git(vault, "status", "--porcelain").split() == ["??", "memory/2026-11-30.md"]


def test_two_do_not_overlap(vault: Path, run: Run) -> None:
    run("session", "add", "chat", "I prefer oat milk.", at=vault, now=at("09:00"))
    layout = Layout(vault)
    with claim(layout, layout.state_dir / "heartbeat.lock") as mine:
        assert mine
        ran = program("heartbeat", at=vault)
    assert (ran.status, ran.out) == (0, "")
    assert "another heartbeat" in ran.err
    assert derived(vault) == []


def test_a_job_set_aside_is_not_tried_for_ever(vault: Path, run: Run) -> None:
    broken = (vault / ME).read_bytes() + b"oops"
    (vault / ME).write_bytes(broken)
    run("session", "add", "chat", "I prefer oat milk.", at=vault, now=at("09:00"))
    statuses = [run("heartbeat", at=vault, now=at(f"10:0{minute}")).status for minute in range(5)]
    assert statuses == [6, 6, 6, 0, 0]
    assert load_session(Layout(vault), "chat") is not None


def test_a_busy_vault_is_told_and_nothing_is_lost(vault: Path, run: Run) -> None:
    write(vault, "- I prefer oat milk")
    run("session", "add", "chat", "I am allergic to cats.", at=vault, now=at("09:00"))
    opened = replace(
        open_vault(vault, now=datetime.fromisoformat(at("10:00")), environ={}, random_word=lambda: "test"),
        lock_wait=0.05,
    )  # fmt: skip
    with FileLock(vault / ".echo/state/lock"):
        beat = heartbeat(opened)
    assert isinstance(beat.problem, ConflictError)
    assert beat.consolidation is not None
    assert [failed.aside for failed in beat.consolidation.failed] == [False]
    run("heartbeat", at=vault, now=at("10:01"))
    assert sorted(derived(vault)) == ["I am allergic to cats", "I prefer oat milk"]


_LOADED = """
import sys
sys.path.insert(0, sys.argv[1])
from echo_notes.cli.main import run
run(["heartbeat"])
print(sorted(name for name in sys.modules if name.split(".")[0] in set(sys.argv[2].split(","))))
print("echo_notes.lifecycle.consolidate" in sys.modules, "echo_notes.files.change" in sys.modules)
"""


def test_with_nothing_to_do_it_loads_next_to_nothing(vault: Path, run: Run) -> None:
    write(vault, "- I prefer oat milk")
    run("heartbeat", at=vault)
    heavy = "numpy,tantivy,git,orjson,frontmatter,rich,fastembed"
    done = subprocess.run(
        [sys.executable, "-c", _LOADED, str(ROOT), heavy], cwd=vault, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines() == ["nothing to do", "[]", "False False"]


def test_a_dry_run_leaves_everything(vault: Path, run: Run) -> None:
    write(vault, "- I prefer oat milk")
    run("session", "add", "chat", "I am allergic to cats.", at=vault, now=at("09:00"))
    ran = run("heartbeat", "--dry-run", at=vault, now=at("10:00"))
    assert "I prefer oat milk" in ran.out
    assert derived(vault) == []
    assert iter_jobs(Layout(vault)) == ()
    assert "extracted" in run("heartbeat", at=vault, now=at("10:00")).out

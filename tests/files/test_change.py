"""The door: whole or absent at every instant, gated, audited, committed alone."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest

from echo_notes.files.change import Change
from echo_notes.files.history import History
from echo_notes.files.layout import Layout
from echo_notes.files.pending import load_pending
from echo_notes.files.settle import Context
from echo_notes.guard.gate import Actor, Proposal
from echo_notes.model.errors import ConflictError, GitFailedError, RefusedError
from tests.conftest import NOW, ROOT, Ran, git

PERSON = Actor(name="person", path="cli.note", rank=3)
AGENT = Actor(name="agent", path="cli.observe", rank=1)


def _context(root: Path, **more: object) -> Context:
    environ = {name: value for name, value in os.environ.items() if name.startswith("GIT_")}
    return Context(
        Layout(root), History(root, environ), lambda: "test", datetime.fromisoformat(NOW), **more  # type: ignore[arg-type]
    )  # fmt: skip


def _put(root: Path, path: str, text: str, actor: Actor = PERSON) -> Change:
    with Change(_context(root), actor, "note") as change:
        change.put(path, text.encode(), Proposal(op="note", target=path, texts={"entry": text}))
        change.subject = f"note: {path}"
    return change


def _audit(root: Path) -> list[dict[str, object]]:
    return [json.loads(line) for path in sorted((root / "audit").glob("*")) for line in path.read_bytes().splitlines()]


def test_one_commit_of_exactly_what_was_written(vault: Path) -> None:
    (vault / "MEMORY.md").write_text("half a thought", encoding="utf-8")
    (vault / "staged.md").write_text("staged\n", encoding="utf-8")
    git(vault, "add", "staged.md")
    change = _put(vault, "memory/2026-11-30.md", "# 2026-11-30\n")
    assert change.result.commit == git(vault, "rev-parse", "--short", "HEAD").strip()
    touched = git(vault, "show", "--name-only", "--format=%s", "HEAD").split()
    assert touched[:2] == ["note:", "memory/2026-11-30.md"]
    assert sorted(touched[2:]) == ["audit/2026-11.test.jsonl", "memory/2026-11-30.md"]
    assert git(vault, "status", "--porcelain").splitlines() == [" M MEMORY.md", "A  staged.md"]


def test_hand_edit_in_a_file_to_be_written_becomes_its_own_commit(vault: Path) -> None:
    memory = vault / "MEMORY.md"
    edited = memory.read_text(encoding="utf-8") + "\nby hand\n"
    memory.write_text(edited, encoding="utf-8")
    _put(vault, "MEMORY.md", edited + "by the program\n")
    assert git(vault, "log", "--format=%s", "-2").splitlines() == ["note: MEMORY.md", "edit: by hand MEMORY.md"]
    assert git(vault, "show", "HEAD~1:MEMORY.md") == edited


def test_audit_lines_are_chained(vault: Path) -> None:
    for number in range(3):
        _put(vault, "notes.md", f"{number}\n")
    from echo_notes.files.audit import broken_chains

    assert [line["seq"] for line in _audit(vault)] == [1, 2, 3]
    assert not list(broken_chains(vault))
    path = next((vault / "audit").glob("*"))
    path.write_bytes(path.read_bytes().replace(b'"seq":2', b'"seq":7'))
    assert [number for _, number, _ in broken_chains(vault)] == [2, 3]


def test_a_refusal_changes_nothing_but_the_audit_file_and_is_recorded_once(vault: Path) -> None:
    for _ in range(2):
        with pytest.raises(RefusedError, match="U\\+200B"):
            _put(vault, "notes.md", "zero\u200bwidth", AGENT)
    assert git(vault, "status", "--porcelain", "-uall").split() == ["??", "audit/2026-11.test.jsonl"]
    [line] = _audit(vault)
    assert (line["ok"], line["reason"], line["actor"]) == (False, "invisible_unicode", "agent")
    assert "zero" not in json.dumps(line)
    _put(vault, "notes.md", "clean\n")
    assert git(vault, "status", "--porcelain") == ""


def test_the_last_refusals_of_a_month_are_committed_with_the_first_change_of_the_next(vault: Path) -> None:
    with pytest.raises(RefusedError):
        _put(vault, "notes.md", "zero\u200bwidth", AGENT)
    later = replace(_context(vault), now=datetime.fromisoformat("2026-12-01T09:00:00+00:00"))
    with Change(later, PERSON, "note") as change:
        change.put("notes.md", b"clean\n", Proposal(op="note", target="notes.md"))
        change.subject = "note: notes.md"
    assert git(vault, "status", "--porcelain", "-uall") == ""
    assert sorted(path.name for path in (vault / "audit").iterdir()) == ["2026-11.test.jsonl", "2026-12.test.jsonl"]


def test_an_exception_inside_leaves_everything_as_it_was(vault: Path) -> None:
    def fail() -> None:
        with Change(_context(vault), PERSON, "note") as change:
            change.put("notes.md", b"x", Proposal(op="note", target="notes.md"))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert git(vault, "status", "--porcelain") == ""
    assert not (vault / "notes.md").exists()


def test_a_file_that_moves_under_us_is_a_conflict(vault: Path) -> None:
    def race() -> None:
        with Change(_context(vault), PERSON, "note") as change:
            change.put("MEMORY.md", b"ours\n", Proposal(op="note", target="MEMORY.md"))
            (vault / "MEMORY.md").write_bytes(b"theirs\n")

    with pytest.raises(ConflictError, match="changed on disk"):
        race()
    assert (vault / "MEMORY.md").read_bytes() == b"theirs\n"


def test_dry_run_shows_the_diff_and_changes_nothing(vault: Path) -> None:
    with Change(_context(vault), PERSON, "note", dry_run=True) as change:
        change.put("new.md", b"line\n", Proposal(op="note", target="new.md"))
    assert "+++ b/new.md" in change.result.diff
    assert "+line" in change.result.diff
    assert git(vault, "status", "--porcelain") == ""


def test_symbolic_links_are_not_written_through(vault: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside.md"
    outside.write_text("theirs\n", encoding="utf-8")
    (vault / "link.md").symlink_to(outside)
    (vault / "folder").symlink_to(tmp_path)
    with pytest.raises((ConflictError, RefusedError)):
        _put(vault, "link.md", "ours\n")
    with pytest.raises(RefusedError, match="outside the vault"):
        _put(vault, "folder/new.md", "ours\n")
    assert outside.read_text(encoding="utf-8") == "theirs\n"


# --- git says no


def test_without_identity_the_file_is_written_and_the_next_command_commits_it(vault: Path, world: Path) -> None:
    (world / ".gitconfig").write_text("[user]\n\tuseConfigOnly = true\n", encoding="utf-8")
    change = _put(vault, "notes.md", "kept\n")
    assert isinstance(change.result.git_error, GitFailedError)
    assert "git config --global user.name" in change.result.git_error.fix
    assert (vault / "notes.md").read_text(encoding="utf-8") == "kept\n"
    (world / ".gitconfig").write_text("[user]\n\tname = A\n\temail = a@b.c\n", encoding="utf-8")
    _put(vault, "other.md", "more\n")
    assert git(vault, "log", "--format=%s", "-2").splitlines() == ["note: other.md", "note: notes.md"]
    assert git(vault, "status", "--porcelain") == ""
    assert load_pending(Layout(vault)) == ()


def test_a_file_changed_since_git_refused_counts_as_a_hand_edit(vault: Path) -> None:
    lock = vault / ".git" / "index.lock"
    lock.touch()
    change = _put(vault, "notes.md", "ours\n")
    assert change.result.git_error is not None
    assert "index.lock" in str(change.result.git_error)
    lock.unlink()
    (vault / "notes.md").write_text("ours\nand by hand\n", encoding="utf-8")
    _put(vault, "notes.md", "ours\nand by hand\nagain\n")
    subjects = git(vault, "log", "--format=%s", "-3").splitlines()
    assert subjects[:2] == ["note: notes.md", "edit: by hand notes.md"]


def test_a_backlog_of_which_nothing_is_left_commits_nothing_of_the_persons(vault: Path) -> None:
    before = git(vault, "rev-parse", "HEAD").strip()
    lock = vault / ".git" / "index.lock"
    lock.touch()
    _put(vault, "notes.md", "ours\n")
    lock.unlink()
    for path in ("notes.md", *(p.relative_to(vault).as_posix() for p in (vault / "audit").iterdir())):
        (vault / path).write_text("by hand since\n", encoding="utf-8")
    (vault / "MEMORY.md").write_text("half a thought\n", encoding="utf-8")
    _put(vault, "other.md", "x\n")
    assert "MEMORY.md" not in git(vault, "log", "--name-only", "--format=", f"{before}..")
    assert " M MEMORY.md" in git(vault, "status", "--porcelain").splitlines()


@pytest.mark.parametrize("hook", ["pre-commit", "commit-msg"])
def test_a_rejecting_hook_is_quoted_and_nothing_stays_staged(vault: Path, hook: str) -> None:
    path = vault / ".git" / "hooks" / hook
    path.parent.mkdir(exist_ok=True)
    path.write_text("#!/bin/sh\necho 'no notes on a Monday' >&2\nexit 1\n", encoding="utf-8")
    path.chmod(0o755)
    change = _put(vault, "notes.md", "kept\n")
    assert "no notes on a Monday" in str(change.result.git_error)
    assert git(vault, "diff", "--cached", "--name-only") == ""
    path.unlink()
    _put(vault, "notes.md", "kept\nmore\n")
    assert git(vault, "status", "--porcelain") == ""


def test_hooks_run(vault: Path, tmp_path: Path) -> None:
    path = vault / ".git" / "hooks" / "post-commit"
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\ntouch '{tmp_path / 'ran'}'\n", encoding="utf-8")
    path.chmod(0o755)
    _put(vault, "notes.md", "x\n")
    assert (tmp_path / "ran").exists()


def test_during_a_rebase_the_files_are_written_and_history_is_left_alone(vault: Path) -> None:
    (vault / ".git" / "rebase-merge").mkdir()
    before = git(vault, "rev-parse", "HEAD")
    change = _put(vault, "notes.md", "kept\n")
    assert "rebase" in str(change.result.git_error)
    assert git(vault, "rev-parse", "HEAD") == before
    (vault / ".git" / "rebase-merge").rmdir()
    _put(vault, "other.md", "x\n")
    assert git(vault, "status", "--porcelain") == ""


def test_signing_without_a_terminal_is_explained(vault: Path, world: Path) -> None:
    with (world / ".gitconfig").open("a", encoding="utf-8") as handle:
        handle.write("[commit]\n\tgpgsign = true\n[gpg]\n\tprogram = false\n")
    change = _put(vault, "notes.md", "kept\n")
    assert change.result.git_error is not None
    assert "commit.gpgsign false" in change.result.git_error.fix


def test_detached_head_commits_there(vault: Path) -> None:
    git(vault, "checkout", "-q", "--detach")
    assert _put(vault, "notes.md", "x\n").result.commit
    assert git(vault, "status", "--porcelain") == ""


def test_git_variables_of_a_hook_are_not_believed(vault: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = tmp_path / "other"
    other.mkdir()
    git(other, "init", "-q")
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(other / ".git" / "index"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other))
    _put(vault, "notes.md", "x\n")
    for name in ("GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE"):
        monkeypatch.delenv(name)
    assert git(vault, "log", "--format=%s", "-1").strip() == "note: notes.md"
    assert git(vault, "status", "--porcelain") == ""
    assert git(other, "log", "--all", "--format=%s", check=False) == ""


def test_a_vault_inside_a_repository_commits_its_own_files_only(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    vault = tmp_path / "notes é"
    vault.mkdir()
    (vault / "echo.yaml").write_text("format: 1\n", encoding="utf-8")
    (tmp_path / "code.py").write_text("1\n", encoding="utf-8")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-q", "-m", "first")
    (tmp_path / "code.py").write_text("2\n", encoding="utf-8")
    (vault / "hand.md").write_text("mine\n", encoding="utf-8")
    _put(vault, "hand.md", "mine\nours\n")
    assert git(tmp_path, "-c", "core.quotePath=false", "status", "--porcelain").splitlines() == [" M code.py"]
    assert git(tmp_path, "log", "--format=%s", "-2").splitlines() == ["note: hand.md", "edit: by hand hand.md"]


def test_a_worktree_works(vault: Path, tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    git(vault, "worktree", "add", "-q", str(tree), "-b", "side")
    _put(tree, "notes.md", "x\n")
    assert git(tree, "log", "--format=%s", "-1").strip() == "note: notes.md"
    assert git(tree, "status", "--porcelain") == ""


def test_a_repository_without_a_commit_works(tmp_path: Path) -> None:
    (tmp_path / "echo.yaml").write_text("format: 1\n", encoding="utf-8")
    git(tmp_path, "init", "-q")
    assert _put(tmp_path, "notes.md", "x\n").result.commit
    assert git(tmp_path, "log", "--format=%s").split("\n")[0] == "note: notes.md"


@pytest.mark.parametrize(
    "name", ["a b.md", "qu'o\"te.md", "笔记.md", "-dash.md", "dollar$(x).md", "back`tick`.md", "*.md", ":(top)x.md"]
)
def test_any_file_name_is_committed(vault: Path, name: str) -> None:
    (vault / "other.md").write_text("theirs\n", encoding="utf-8")
    _put(vault, name, "x\n")
    assert git(vault, "status", "--porcelain").split() == ["??", "other.md"]


def test_an_ignored_file_is_written_and_said_so(vault: Path) -> None:
    (vault / ".gitignore").write_text("private/\n", encoding="utf-8")
    change = _put(vault, "private/diary.md", "x\n")
    assert ".gitignore" in str(change.result.git_error)
    assert (vault / "private/diary.md").exists()


# --- crashes

_STEPS = f"""
import os, signal, sys
from datetime import datetime
from pathlib import Path
sys.path.insert(0, {str(ROOT)!r})
from echo_notes.files.change import Change
from echo_notes.files.settle import Context
from echo_notes.files.history import History
from echo_notes.files.layout import Layout
from echo_notes.guard.gate import Actor, Proposal
from echo_notes.guard.rejected import Decision

root, stop, count = Path(sys.argv[1]), int(sys.argv[2]), 0

def step(name):
    global count
    count += 1
    if count == stop:
        os.kill(os.getpid(), signal.SIGKILL)

context = Context(Layout(root), History(root, {{}}), lambda: "test", datetime.fromisoformat({NOW!r}), step=step)
with Change(context, Actor(name="person", path="cli.note", rank=3), "note") as change:
    for path, text in (("MEMORY.md", b"new memory\\n"), ("deep/er/new.md", b"new\\n"), ("README.md", None)):
        change.put(path, text, Proposal(op="note", target=path))
    change.decide(Decision("2026", "people/ada", "k", "v", "s", "wrong", "user_stated", "ada-001"))
    change.subject = "note: three files"
print(count)
"""


def _play(root: Path, stop: int) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", _STEPS, str(root), str(stop)], capture_output=True, text=True, check=False
    )


def test_killed_at_any_step_the_change_is_whole_or_absent(tmp_path: Path) -> None:
    steps = int(_play(_crash_vault(tmp_path / "count"), 0).stdout)
    assert steps >= 10
    whole = absent = 0
    for stop in range(1, steps + 1):
        root = _crash_vault(tmp_path / f"stop-{stop}")
        assert _play(root, stop).returncode == -signal.SIGKILL
        _put(root, "after.md", "after\n")
        new = [
            (root / "MEMORY.md").read_bytes() == b"new memory\n",
            (root / "deep/er/new.md").exists(),
            not (root / "README.md").exists(),
            (root / "decisions.jsonl").exists(),
            "note: three files" in git(root, "log", "--format=%s").splitlines(),
        ]
        assert len(set(new)) == 1, (stop, new)
        whole, absent = whole + new[0], absent + (not new[0])
        assert git(root, "status", "--porcelain") == ""
        assert not list(root.rglob("*.tmp"))
        assert not (root / ".echo/state/journal").exists()
        lines = _audit(root)
        assert [line["seq"] for line in lines] == list(range(1, len(lines) + 1))
        assert git(root, "fsck", "--no-dangling") == ""
    assert whole
    assert absent


def test_a_file_edited_after_the_crash_is_kept_and_the_rest_rolled_back(tmp_path: Path) -> None:
    root = _crash_vault(tmp_path / "vault")
    steps = int(_play(_crash_vault(tmp_path / "count"), 0).stdout)
    _play(root, steps - 2)
    (root / "MEMORY.md").write_text("typed after the crash\n", encoding="utf-8")
    change = _put(root, "after.md", "after\n")
    assert (root / "MEMORY.md").read_text(encoding="utf-8") == "typed after the crash\n"
    assert (root / "README.md").exists()
    assert not (root / "deep").exists()
    assert [line["target"] for line in _audit(root)] == ["after.md"]
    assert any("rolled back" in warning for warning in change.result.warnings)


@pytest.mark.parametrize("text", ["{}", "[]", "not json", '{"subject": 1, "body": 2, "steps": [{}]}'])
def test_a_journal_that_is_not_ours_stops_nobody(vault: Path, text: str) -> None:
    journal = vault / ".echo/state/journal"
    journal.mkdir(parents=True)
    (journal / "plan.json").write_text(text, encoding="utf-8")
    assert _put(vault, "notes.md", "x\n").result.commit
    assert (vault / ".echo/state/journal.unreadable/plan.json").read_text(encoding="utf-8") == text


def _crash_vault(root: Path) -> Path:
    root.mkdir(parents=True)
    for name, text in (("echo.yaml", "format: 1\n"), ("MEMORY.md", "old memory\n"), ("README.md", "old\n")):
        (root / name).write_text(text, encoding="utf-8")
    git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "first")
    return root


def test_a_vault_of_a_later_format_is_neither_read_nor_written(run: Callable[..., Ran], vault: Path) -> None:
    (vault / "echo.yaml").write_text("format: 2\n", encoding="utf-8")
    for words in (("remember", "Ada likes rain"), ("recall", "tea"), ("check",)):
        ran = run(*words, at=vault)
        assert ran.status == 6
        assert "format 2" in ran.err
    assert git(vault, "status", "--porcelain").split() == ["M", "echo.yaml"]

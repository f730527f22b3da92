"""What every test shares: a pinned world (clock, zone, home, git identity), copies of the sample vault, the program."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
NOW = "2026-11-30T14:32:05+00:00"
GIT_CONFIG = """[user]
\tname = Test Person
\temail = person@example.org
[init]
\tdefaultBranch = main
[core]
\tautocrlf = false
[gc]
\tauto = 0
"""
_FORGET = ("GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE", "ECHO_VAULT", "ECHO_ACTOR", "CLAUDECODE", "NO_COLOR", "EDITOR",
           "VISUAL", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "ECHO_CONFIG", "ECHO_MODELS", "AI_AGENT", "CURSOR_AGENT",
           "CODEX_SANDBOX", "GEMINI_CLI", "OPENCODE")  # fmt: skip


@dataclass(frozen=True)
class Ran:
    """What one run of the program left: exit status, standard output, standard error."""

    status: int
    out: str
    err: str


@pytest.fixture(autouse=True)
def world(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Pin time, zone, home and git identity; nothing of the machine's own leaks in."""
    home = tmp_path_factory.mktemp("home")
    (home / ".gitconfig").write_text(GIT_CONFIG, encoding="utf-8")
    for name in _FORGET:
        monkeypatch.delenv(name, raising=False)
    for name, value in {
        "HOME": str(home), "TZ": "UTC", "ECHO_NOTES_NOW": NOW, "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C.UTF-8",
        "GIT_AUTHOR_DATE": NOW, "GIT_COMMITTER_DATE": NOW, "TERM": "dumb",
    }.items():  # fmt: skip
        monkeypatch.setenv(name, value)
    time.tzset()
    yield home
    monkeypatch.undo()
    time.tzset()


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    """A copy of the sample vault, under git, with one commit."""
    return make_vault(tmp_path / "vault")


def make_vault(path: Path) -> Path:
    """Copy the sample vault and put it under git."""
    shutil.copytree(ROOT / "sample_vault", path)
    git(path, "init", "-q")
    git(path, "add", "-A")
    git(path, "commit", "-q", "-m", "the sample vault")
    return path


@pytest.fixture
def empty_vault(tmp_path: Path) -> Path:
    """A vault with nothing in it but its settings."""
    path = tmp_path / "empty"
    path.mkdir()
    (path / "echo.yaml").write_text("format: 1\n", encoding="utf-8")
    git(path, "init", "-q")
    git(path, "add", "-A")
    git(path, "commit", "-q", "-m", "empty")
    return path


def git(cwd: Path, *words: str, check: bool = True) -> str:
    """Run git in a folder and return what it printed."""
    done = subprocess.run(["git", *words], cwd=cwd, check=check, capture_output=True, text=True, encoding="utf-8")
    return done.stdout


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Callable[..., Ran]:
    """Run the program in this process: `run("recall", "tea", at=vault, stdin="…", now="…")`."""

    def call(*args: str, at: Path | None = None, stdin: str | bytes | None = None, now: str = "") -> Ran:
        import io

        from echo_notes.cli.main import run as program

        if at is not None:
            monkeypatch.chdir(at)
        if now:
            monkeypatch.setenv("ECHO_NOTES_NOW", now)
        data = stdin.encode() if isinstance(stdin, str) else stdin or b""
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data), encoding="utf-8"))
        capfd.readouterr()
        status = program([str(arg) for arg in args])
        sys.stdout.flush()
        sys.stderr.flush()
        out, err = capfd.readouterr()
        return Ran(status, out, err)

    return call


def program(*args: str, at: Path, stdin: str = "", env: dict[str, str] | None = None) -> Ran:
    """Run the program as a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "echo_notes", *args], cwd=at, input=stdin, capture_output=True, text=True,
        encoding="utf-8", check=False, env={**os.environ, "PYTHONPATH": str(ROOT), **(env or {})},
    )  # fmt: skip
    return Ran(done.returncode, done.stdout, done.stderr)

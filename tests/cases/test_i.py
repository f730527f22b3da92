"""Cases of section I as tests: a disk that refuses, files that may not be read, hands and programs at once."""

import errno
import json
import os
import resource
import shutil
import subprocess
import sys
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import pytest

from echo_notes.files.change import Change
from echo_notes.files.history import History
from echo_notes.files.layout import Layout
from echo_notes.files.settle import Context
from echo_notes.guard.gate import Actor, Proposal
from tests.conftest import NOW, ROOT, Ran, git

Run = Callable[..., Ran]

_PERSON = Actor(name="person", path="cli.note", rank=3)
_FILES: dict[str, bytes | None] = {"MEMORY.md": b"new\n", "deep/er/new.md": b"new\n", "README.md": None}


def _plan(change: Change) -> None:
    for path, data in _FILES.items():
        change.put(path, data, Proposal(op="note", target=path))
    change.subject = "note: three files"


def _refuse_at(stop: int, names: list[str]) -> Callable[[str], None]:
    def step(name: str) -> None:
        names.append(name)
        if len(names) == stop:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    return step


def test_125_a_disk_that_is_full_at_any_step_leaves_the_old_state_and_no_leftovers(vault: Path) -> None:
    (vault / "README.md").write_text("old\n")
    git(vault, "add", "-A")
    git(vault, "commit", "-q", "-m", "before")
    before = {path: (vault / path).read_bytes() for path in ("README.md", "MEMORY.md")}
    for stop in range(1, 100):
        names: list[str] = []
        context = Context(
            Layout(vault), History(vault, {}), lambda: "test", datetime.fromisoformat(NOW), step=_refuse_at(stop, names)
        )
        try:
            with Change(context, _PERSON, "note") as change:
                _plan(change)
        except OSError:
            if "commit" in names:
                break
        else:
            break
        assert {path: (vault / path).read_bytes() for path in before} == before, names
        assert not (vault / "deep").exists(), names
        assert not (vault / ".echo/state/journal").exists(), names
        assert git(vault, "status", "--porcelain") == "", names
    assert {"blob MEMORY.md", "plan", "write MEMORY.md", "write README.md"} <= set(names)


def test_125_a_file_that_does_not_fit_is_reported_and_the_next_write_goes_through(run: Run, empty_vault: Path) -> None:
    run("remember", "Ada drinks tea", "--about", "people/ada", at=empty_vault)
    path = empty_vault / "life/areas/people/ada/items.json"
    before = path.read_bytes()
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2000, hard))
    try:
        ran = run("remember", "Ada said: " + "tea " * 1000, "--about", "ada", at=empty_vault)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert ran.status == 6
    assert ran.err.startswith("error: ")
    assert path.read_bytes() == before
    assert git(empty_vault, "status", "--porcelain") == ""
    assert not [one for one in empty_vault.rglob("*.tmp") if ".git" not in one.parts]
    assert run("remember", "Ada drinks ale", "--about", "ada", at=empty_vault).status == 0
    assert [one["fact"] for one in json.loads(path.read_text())] == ["Ada drinks tea", "Ada drinks ale"]


def _as_nobody_special(vault: Path, *words: str) -> Ran:
    """Run the program without root's right to read and write everything."""
    drop = "-dac_override,-dac_read_search"
    prefix = [] if os.geteuid() else ["setpriv", f"--bounding-set={drop}", f"--inh-caps={drop}"]
    done = subprocess.run(
        [*prefix, sys.executable, "-m", "echo_notes", *words], cwd=vault, capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    return Ran(done.returncode, done.stdout, done.stderr)


needs_rights = pytest.mark.skipif(
    os.geteuid() == 0 and not shutil.which("setpriv"), reason="root, and nothing to drop its rights with"
)


@needs_rights
@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("life/areas/people/ada/items.json", ["remember", "Ada drinks ale", "--about", "ada"]),
        ("life/areas/people/ada/items.json", ["show", "ada"]),
        ("memory/2026-11-29.md", ["note", "hello", "--date", "2026-11-29"]),
        ("memory/2026-11-29.md", ["show", "2026-11-29"]),
        ("MEMORY.md", ["learn", "hello"]),
        ("echo.yaml", ["remember", "Ada drinks ale", "--about", "ada"]),
    ],
    ids=lambda one: one if isinstance(one, str) else one[0],
)
def test_122_a_file_that_may_not_be_read_is_named_and_never_replaced(vault: Path, path: str, words: list[str]) -> None:
    before = (vault / path).read_bytes()
    (vault / path).chmod(0)
    ran = _as_nobody_special(vault, *words)
    (vault / path).chmod(0o644)
    assert ran.status == 6
    assert path in ran.err
    assert (vault / path).read_bytes() == before
    assert git(vault, "status", "--porcelain") == ""


@needs_rights
def test_122_a_folder_that_may_not_be_written_takes_nothing_now_or_later(vault: Path) -> None:
    folder = vault / "life/areas/people/ada"
    before = (folder / "items.json").read_bytes()
    folder.chmod(0o555)
    ran = _as_nobody_special(vault, "remember", "Ada drinks ale", "--about", "ada")
    folder.chmod(0o755)
    assert (ran.status, ran.out) == (6, "")
    assert "life/areas/people/ada/items.json: Permission denied" in ran.err
    ran = _as_nobody_special(vault, "note", "hello")
    assert (ran.status, ran.err) == (0, "")
    assert (folder / "items.json").read_bytes() == before
    assert git(vault, "status", "--porcelain") == ""


@needs_rights
@pytest.mark.parametrize("locked", ["life/areas/people", "life/areas/people/ada", "life/areas/people/ada/items.json"])
def test_62_what_may_not_be_read_is_an_error_and_the_rest_is_answered(run: Run, vault: Path, locked: str) -> None:
    run("ls", at=vault)  # so that the names are known
    (vault / locked).chmod(0)
    listed = _as_nobody_special(vault, "ls")
    counted = _as_nobody_special(vault, "status")
    written = _as_nobody_special(vault, "remember", "Ada drinks ale", "--about", "ada")
    checked = _as_nobody_special(vault, "check")
    written_up = _as_nobody_special(vault, "synthesize")
    (vault / locked).chmod(0o755 if (vault / locked).is_dir() else 0o644)
    for ran in (listed, counted, checked, written, written_up):
        assert (ran.status, locked in ran.err + ran.out) == (6, True)
    assert "people/ada" in listed.out
    assert "projects/waymark" in listed.out
    assert "rewrote life/areas/projects/waymark/summary.md" in written_up.out
    git(vault, "checkout", "-q", ".")
    assert git(vault, "status", "--porcelain") == ""
    assert run("ls", at=vault).status == 0

"""Many processes at one vault: nothing lost, no id twice, history a straight line."""

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.conftest import ROOT, git, program

WRITERS = 8
EACH = 25

_WRITE = """
import sys
sys.path.insert(0, sys.argv[1])
from echo_notes.cli.main import run
for number in range(int(sys.argv[3])):
    status = run(["remember", f"Ada noted thing {sys.argv[2]} {number}", "--about", "people/ada", "--quiet"])
    if status:
        sys.exit(status)
"""


def test_eight_writers_of_twenty_five_facts_each(vault: Path) -> None:
    before = json.loads((vault / "life/areas/people/ada/items.json").read_text(encoding="utf-8"))
    commits = int(git(vault, "rev-list", "--count", "HEAD"))
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", _WRITE, str(ROOT), str(writer), str(EACH)],
            cwd=vault, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=os.environ,
        )
        for writer in range(WRITERS)
    ]  # fmt: skip
    for writer in writers:
        _, err = writer.communicate(timeout=240)
        assert writer.returncode == 0, err.decode()
    facts = json.loads((vault / "life/areas/people/ada/items.json").read_text(encoding="utf-8"))
    fresh = facts[len(before) :]
    assert len(fresh) == WRITERS * EACH
    assert len({fact["id"] for fact in facts}) == len(facts)
    assert {fact["fact"] for fact in fresh} == {
        f"Ada noted thing {writer} {number}" for writer in range(WRITERS) for number in range(EACH)
    }
    assert int(git(vault, "rev-list", "--count", "HEAD")) == commits + WRITERS * EACH
    assert git(vault, "rev-list", "--min-parents=2", "HEAD") == ""
    assert git(vault, "status", "--porcelain") == ""
    seqs = [json.loads(line)["seq"] for path in (vault / "audit").glob("*") for line in path.read_bytes().splitlines()]
    assert seqs == list(range(1, WRITERS * EACH + 1))


def test_a_writer_that_waits_too_long_gives_up_cleanly(vault: Path) -> None:
    from filelock import FileLock

    (vault / ".echo/state").mkdir(parents=True)
    with FileLock(vault / ".echo/state/lock"):
        ran = program("remember", "Ada likes rain", at=vault)
    assert ran.status == 5
    assert "another writer" in ran.err
    assert git(vault, "status", "--porcelain") == ""


def test_a_lock_file_left_by_a_killed_process_stops_nobody(vault: Path) -> None:
    (vault / ".echo/state").mkdir(parents=True)
    (vault / ".echo/state/lock").touch()
    assert program("remember", "Ada likes rain", at=vault).status == 0


def test_recall_never_waits_for_a_writer(vault: Path) -> None:
    from filelock import FileLock

    (vault / ".echo/state").mkdir(parents=True)
    with FileLock(vault / ".echo/state/lock"):
        ran = program("recall", "peppermint tea", at=vault)
    assert ran.status == 0
    assert "peppermint" in ran.out

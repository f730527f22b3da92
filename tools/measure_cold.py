#!/usr/bin/env python3
"""Measure whole cold processes as ratios to `python -c "import numpy"`, all in one run, on a copy of sample_vault.

    python tools/measure_cold.py [--rounds 15]

Every command is a new process, its output goes to a pipe. The rounds are interleaved, so that a busy machine slows the
reference as much as the rest; the table shows medians of the time that passed, and of the processor time that the
command and its children used (which a busy machine disturbs less).
"""

import argparse
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

ROOT = Path(__file__).parents[1]
REFERENCE = "import numpy"


def main() -> None:
    """Run every command in turn and print the medians."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=15)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as folder:
        table = _measure(Path(folder), rounds)
    wall, used = (median(column) for column in zip(*table[REFERENCE], strict=True))
    print(f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, {rounds} rounds")
    print(f"{'':34} {'passed':>10} {'ratio':>7}   {'processor':>10} {'ratio':>7}")
    for name, pairs in table.items():
        passed, spent = (median(column) for column in zip(*pairs, strict=True))
        times = f"{passed * 1000:7.1f} ms {passed / wall:5.2f} ×   {spent * 1000:7.1f} ms {spent / used:5.2f} ×"
        print(f"{name:34} {times}")


def _measure(folder: Path, rounds: int) -> dict[str, list[tuple[float, float]]]:
    home = folder / "home"
    home.mkdir()
    env = {**os.environ, "HOME": str(home), "GIT_CONFIG_NOSYSTEM": "1"}
    env |= {
        f"GIT_{who}_{what}": value
        for who in ("AUTHOR", "COMMITTER")
        for what, value in (("NAME", "Measure"), ("EMAIL", "measure@example.org"))
    }
    program = shutil.which("echo-notes", path=str(Path(sys.executable).parent)) or "echo-notes"
    read, written = (_make_vault(folder / name, program, env) for name in ("read", "written"))
    commands = {
        REFERENCE: [sys.executable, "-c", "import numpy"],
        "echo-notes --version": [program, "--version"],
        "echo-notes recall (dense arm on)": [program, "recall", "what does Ada drink"],
        "echo-notes recall --mode lexical": [program, "recall", "--mode", "lexical", "what does Ada drink"],
        "echo-notes remember": [program, "remember", "--about", "people/ada"],
        "echo-notes show": [program, "show", "ada"],
    }
    table: dict[str, list[tuple[float, float]]] = {name: [] for name in commands}
    for number in range(rounds):
        for name, words in commands.items():
            full = [*words, f"Ada tried blend number {number}"] if name.endswith("remember") else words
            vault = written if name.endswith("remember") else read
            start, before = time.perf_counter(), _children()
            subprocess.run(full, cwd=vault, env=env, capture_output=True, check=False)
            table[name].append((time.perf_counter() - start, _children() - before))
    return table


def _make_vault(vault: Path, program: str, env: dict[str, str]) -> Path:
    """Copy the sample vault, put it under git, and ask it once, so that its index is there."""
    shutil.copytree(ROOT / "sample_vault", vault)
    for path in vault.rglob("*"):
        os.utime(path, (0, 1_700_000_000))  # not just saved: what was is read again, to be sure
    for words in (
        ["git", "init", "-q"],
        ["git", "add", "-A"],
        ["git", "commit", "-qm", "first"],
        [program, "recall", "x"],
    ):
        subprocess.run(words, cwd=vault, env=env, capture_output=True, check=False)
    return vault


def _children() -> float:
    """Return the processor seconds of all finished children so far."""
    times = os.times()
    return times.children_user + times.children_system


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Measure whole cold processes as ratios to `python -c "import numpy"`, all in one run, on a copy of sample_vault.

    python tools/measure_cold.py [--rounds 15]

Every command is a new process, its output goes to a pipe. The rounds are interleaved, so that a busy machine slows the
reference as much as the rest; the table shows medians.
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
    reference = median(table[REFERENCE])
    print(f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, {rounds} rounds")
    for name, seconds in table.items():
        print(f"{name:34} {median(seconds) * 1000:7.1f} ms   {median(seconds) / reference:5.2f} ×")


def _measure(folder: Path, rounds: int) -> dict[str, list[float]]:
    home, vault = folder / "home", folder / "vault"
    home.mkdir()
    shutil.copytree(ROOT / "sample_vault", vault)
    env = {**os.environ, "HOME": str(home), "GIT_CONFIG_NOSYSTEM": "1"}
    env |= {f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER") for what, value in
            (("NAME", "Measure"), ("EMAIL", "measure@example.org"))}  # fmt: skip
    program = shutil.which("echo-notes", path=str(Path(sys.executable).parent)) or "echo-notes"
    for words in (["git", "init", "-q"], ["git", "add", "-A"], ["git", "commit", "-qm", "first"],
                  [program, "recall", "warm"]):  # fmt: skip
        subprocess.run(words, cwd=vault, env=env, capture_output=True, check=False)
    commands = {
        REFERENCE: [sys.executable, "-c", "import numpy"],
        "echo-notes --version": [program, "--version"],
        "echo-notes recall (dense arm on)": [program, "recall", "what does Ada drink"],
        "echo-notes recall --mode lexical": [program, "recall", "--mode", "lexical", "what does Ada drink"],
        "echo-notes remember": [program, "remember", "--about", "people/ada"],
        "echo-notes show": [program, "show", "ada"],
    }
    table: dict[str, list[float]] = {name: [] for name in commands}
    for number in range(rounds):
        for name, words in commands.items():
            full = [*words, f"Ada tried blend number {number}"] if name.endswith("remember") else words
            start = time.perf_counter()
            subprocess.run(full, cwd=vault, env=env, capture_output=True, check=False)
            table[name].append(time.perf_counter() - start)
    return table


if __name__ == "__main__":
    main()

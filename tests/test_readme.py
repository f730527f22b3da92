import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from echo_notes.cli.app import COMMANDS

from .readme import README, ROOT, parse_blocks, run_blocks, stable

TEXT = README.read_text(encoding="utf-8")
BLOCKS = parse_blocks(TEXT)


def test_the_tour_prints_what_the_readme_shows(tmp_path: Path) -> None:
    real = run_blocks(BLOCKS, tmp_path / "home")
    shown = "".join(f"$ {step.line}\n{stable(step.printed)}" for block in BLOCKS for step in block)
    printed = "".join(f"$ {step.line}\n{stable(step.printed)}" for block in real for step in block)
    assert printed == shown  # if the program is right: python -m tests.readme


def test_the_tour_is_there() -> None:
    lines = [step.line for block in BLOCKS for step in block]
    for verb in ("remember", "recall", "supersede", "correct", "synthesize --weekly", "history", "undo"):
        assert any(line.startswith(f"echo-notes {verb}") for line in lines), verb


@pytest.mark.parametrize("block", re.findall(r"(?ms)^```sh\n(.*?)^```$", TEXT))
def test_every_shell_block_is_shell(block: str) -> None:
    subprocess.run(["bash", "-n"], input=block, text=True, check=True, capture_output=True)


def test_the_first_command_ends_with_a_recall_a_supersede_a_synthesis_and_their_log(tmp_path: Path) -> None:
    program = tmp_path / "echo-notes"
    program.write_text(f'#!/bin/sh\nPYTHONPATH="{ROOT}" exec "{sys.executable}" -m echo_notes "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    shown = subprocess.run(
        [ROOT / "tools" / "try", program], env=environment, check=True, capture_output=True, text=True
    ).stdout
    parts = shown.split("\n$ ")[1:]
    assert [part.split()[1] for part in parts] == ["remember", "recall", "recall", "supersede", "synthesize", "log"]
    assert "Ada prefers green tea" in parts[1]
    assert "林晓喜欢喝绿茶" in parts[2]
    assert "waymark-009" in parts[3]
    assert "2026-W48" in parts[4]
    for verb in ("remember:", "supersede:", "synthesize:"):
        assert verb in parts[5]


def test_every_command_is_in_the_table() -> None:
    table = "".join(re.findall(r"(?m)^\| `.*$", TEXT))
    missing = [name for name in COMMANDS if not name.startswith("_") and not re.search(rf"`{name}[ `]", table)]
    assert missing == []


def test_links_lead_to_files_that_exist() -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", TEXT):
        assert target.startswith("https://") or (ROOT / target).exists(), target

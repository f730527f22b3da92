import re
import subprocess
from pathlib import Path

import pytest

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


def test_links_lead_to_files_that_exist() -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", TEXT):
        assert target.startswith("https://") or (ROOT / target).exists(), target

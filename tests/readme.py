"""The README as a program: its console blocks run on a copy of the sample vault, and rewritten with what they print."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
NOW = "2026-11-30T09:00:00+00:00"

_BLOCK = re.compile(r"^```console\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_MARK = "\x1e"


@dataclass(frozen=True, slots=True)
class Step:
    """A line that is typed (the lines of a here-document with it) and what the README says it prints."""

    line: str
    printed: str


def parse_blocks(text: str) -> list[list[Step]]:
    """Return the steps of every console block; `$ ` starts a step, `> ` continues its line."""
    blocks = []
    for match in _BLOCK.finditer(text):
        steps = []
        for part in re.split(r"^\$ ", match[1], flags=re.MULTILINE)[1:]:
            lines = part.splitlines()
            typed = [lines[0]]
            while len(lines) > len(typed) and lines[len(typed)].startswith("> "):
                typed.append(lines[len(typed)][2:])
            steps.append(Step("\n".join(typed), "".join(f"{line}\n" for line in lines[len(typed) :])))
        blocks.append(steps)
    return blocks


def run_blocks(blocks: list[list[Step]], home: Path) -> list[list[Step]]:
    """Return the blocks with what they really print, both streams as on a terminal, run in one shell from ROOT."""
    home.mkdir()
    (home / ".gitconfig").write_text(
        "[user]\nname = Sam\nemail = sam@example.org\n[init]\ndefaultBranch = main\n", "utf-8"
    )
    (home / "bin").mkdir()
    program = home / "bin" / "echo-notes"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m echo_notes "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    script = "".join(f"printf '{_MARK}'\n{step.line}\n" for block in blocks for step in block)
    environment = {
        "HOME": str(home),
        "PATH": f"{home / 'bin'}:{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        "ECHO_NOTES_NOW": NOW,
        "TZ": "UTC",
        "LC_ALL": "C.UTF-8",
        "GIT_PAGER": "cat",
    }
    done = subprocess.run(
        ["bash", "-s"],
        input=script,
        env=environment,
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=120,
    )
    printed = iter(done.stdout.split(_MARK)[1:])
    return [[Step(step.line, next(printed, "")) for step in block] for block in blocks]


def stable(printed: str) -> str:
    """Return output with what differs from run to run made equal: commit ids, and times in milliseconds."""
    printed = re.sub(r"\b[0-9a-f]{7}\b", "0000000", printed)
    return re.sub(r"\b\d+(\.\d+)? ms\b", "0 ms", printed)


def render(text: str, blocks: list[list[Step]]) -> str:
    """Return the README with the steps in its console blocks; output that differs only by ids is left alone."""
    fresh = iter(blocks)

    def lines(match: re.Match[str]) -> Iterator[str]:
        for old, new in zip(parse_blocks(match[0])[0], next(fresh), strict=True):
            yield "$ " + new.line.replace("\n", "\n> ") + "\n"
            yield old.printed if stable(old.printed) == stable(new.printed) else new.printed

    return _BLOCK.sub(lambda match: f"```console\n{''.join(lines(match))}```", text)


if __name__ == "__main__":
    with TemporaryDirectory() as folder:
        before = README.read_text(encoding="utf-8")
        README.write_text(render(before, run_blocks(parse_blocks(before), Path(folder) / "home")), encoding="utf-8")

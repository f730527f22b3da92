"""Commands and what they print, as a person sees them: every file of transcripts/ runs on a copy of the sample vault.

A transcript is a shell session: `$ command`, then its output, standard error lines marked `! `, and `? status` where it
is not 0; a line of output that looks like one of these has a backslash before it. `@ 2026-12-01T09:00:00+00:00` moves
the clock. Commit ids are shown as #######. To write what the program prints now into the files, run pytest with
ECHO_TRANSCRIPTS=write, and read the diff.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT, make_vault

FILES = sorted((Path(__file__).parent / "transcripts").glob("*.txt"))
_COMMIT = re.compile(r"(?<=\()[0-9a-f]{7,12}(?=\))|(?<=\"commit\": \")[0-9a-f]{7,12}|(?<=index )[0-9a-f.]{14,30}")
_WRITER = re.compile(r"(?<=2026-11\.)[0-9a-f]{6}(?=\.jsonl)")
_TOOK = re.compile(r'"(refresh|lexical|dense|rerank|total)": [0-9.]+')


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_transcript(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    vault = make_vault(tmp_path / "vault")
    shim = tmp_path / "bin"
    shim.mkdir()
    (shim / "echo-notes").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m echo_notes "$@"\n', encoding="utf-8")
    (shim / "echo-notes").chmod(0o755)
    monkeypatch.setenv("PATH", f"{shim}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    wanted = path.read_text(encoding="utf-8")
    found = _play(wanted, vault, monkeypatch)
    if os.environ.get("ECHO_TRANSCRIPTS") == "write":
        path.write_text(found, encoding="utf-8")
    assert found == wanted


def _play(script: str, vault: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    lines = []
    for line in script.splitlines():
        if line.startswith(("#", "@ ")) or not line:
            lines.append(line)
            if line.startswith("@ "):
                monkeypatch.setenv("ECHO_NOTES_NOW", line[2:].strip())
        elif line.startswith("$ "):
            lines += [line, *_run(line[2:], vault)]
    return "\n".join(lines) + "\n"


def _run(command: str, vault: Path) -> list[str]:
    bash = shutil.which("bash") or "/bin/bash"
    done = subprocess.run([bash, "-c", command], cwd=vault, capture_output=True, check=False, stdin=subprocess.DEVNULL)
    out = [_quoted(_masked(line, vault)) for line in done.stdout.decode().splitlines()]
    err = [f"! {_masked(line, vault)}".rstrip() for line in done.stderr.decode().splitlines()]
    return out + err + ([f"? {done.returncode}"] if done.returncode else [])


def _quoted(line: str) -> str:
    return f"\\{line}" if not line or line.startswith(("#", "$ ", "@ ", "! ", "? ", "\\")) else line


def _masked(line: str, vault: Path) -> str:
    text = _TOOK.sub(r'"\1": 0', line.replace(str(vault), "VAULT").replace(os.environ["HOME"], "HOME"))
    return _WRITER.sub("writer", _COMMIT.sub("#######", text))

"""Real shells in a pseudo-terminal, with a program on PATH that records how it was called."""

import os
import shutil
from dataclasses import dataclass, field
from pathlib import Path

import pexpect
import pytest

from echo_notes.cli.shell_init import shell_text

STATUS = 42
"""What the recording program exits with; no builtin does."""

_START = {
    "bash": ["--noprofile", "--rcfile"],
    "zsh": ["-d", "-i"],
    "fish": ["--no-config", "--init-command"],
}
_QUIET = {
    "bash": "PS1='READY> '\n",
    "zsh": "PROMPT='READY> '; unsetopt prompt_cr prompt_sp\n",
    "fish": "function fish_prompt; builtin echo -n 'READY> '; end; set -g fish_greeting\n",
}


def need(program: str) -> str:
    """Return the path of a program; the test is skipped, naming it, where it is not installed."""
    found = shutil.which(program)
    if found is None:
        pytest.skip(f"{program} is not installed")
    return found


@dataclass(slots=True)
class Home:
    """A person's home folder: start files, a PATH with a recording `echo-notes`, and what it recorded."""

    path: Path
    variables: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.path.mkdir(parents=True, exist_ok=True)
        (self.path / "bin").mkdir()
        self.install(
            "echo-notes",
            '#!/bin/sh\nlog=calls\n[ "$1" = _complete ] && log=completions\n'
            '{ printf "%s\\0" "$#"; for word; do printf "%s\\0" "$word"; done; } >> "$HOME/$log"\n'
            f'[ $log = completions ] && exec cat "$HOME/candidates"\nexit {STATUS}\n',
        )

    def install(self, name: str, text: str) -> None:
        """Put an executable file on the PATH."""
        path = self.path / "bin" / name
        path.write_text(text, encoding="utf-8")
        path.chmod(0o755)

    def environment(self) -> dict[str, str]:
        """Return the whole environment of a shell that starts here."""
        return {
            "HOME": str(self.path),
            "ZDOTDIR": str(self.path),
            "XDG_CONFIG_HOME": str(self.path / ".config"),
            "XDG_DATA_HOME": str(self.path / ".local"),
            "PATH": f"{self.path / 'bin'}:{os.environ['PATH']}",
            "LC_ALL": "C.UTF-8",
            "TERM": "dumb",
            "INPUTRC": "/dev/null",
            **self.variables,
        }

    def calls(self, log: str = "calls") -> list[list[str]]:
        """Return the arguments of every call so far, and forget them."""
        path = self.path / log
        parts = iter(path.read_text(encoding="utf-8").split("\0")[:-1] if path.exists() else [])
        path.unlink(missing_ok=True)
        return [[next(parts) for _ in range(int(count))] for count in parts]


class Terminal:
    """An interactive shell that a test types into; every wait is for a marker, with a time limit."""

    def __init__(self, shell: str, home: Home, *, start: str | None = None, before: str = "") -> None:
        self.shell = shell
        self.home = home
        text = shell_text(shell, program="echo-notes") if start is None else start
        arguments = list(_START[shell])
        start_file = home.path / {"bash": ".bashrc", "zsh": ".zshrc", "fish": "start.fish"}[shell]
        start_file.write_text(f"{_QUIET[shell]}{before}\n{text}\n", encoding="utf-8")
        if shell == "bash":
            arguments += [str(start_file), "-i"]
        if shell == "fish":
            arguments += ["source ~/start.fish"]
        self.child = pexpect.spawn(
            need(shell),
            arguments,
            env=home.environment(),
            cwd=str(home.path),
            encoding="utf-8",
            timeout=10,
            dimensions=(50, 250),
        )
        self.child.delaybeforesend = None
        self.started = self._upto("READY> ")

    def run(self, line: str) -> tuple[int, str]:
        """Type a line and return its exit status and what stood on the terminal up to its end."""
        variable = "$status" if self.shell == "fish" else "$?"
        self.child.sendline(f"{line}; printf '<%s>\\n' {variable}")
        self.child.expect(r"<(\d+)>")
        status, shown = int(self.child.match.group(1)), self.child.before
        self._upto("READY> ")
        return status, shown

    def type(self, keys: str) -> None:
        """Send keys as they are."""
        self.child.send(keys)

    def _upto(self, marker: str) -> str:
        self.child.expect_exact(marker)
        return str(self.child.before)

    def close(self) -> None:
        """End the shell."""
        self.child.close(force=True)

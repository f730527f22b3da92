"""`llm.command`: a program of the person's own that reads a prompt and writes an answer; no shell is involved."""

import json
import os
import shlex
import signal
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from time import monotonic
from typing import IO

from echo_notes.lifecycle.llm.model import MOST_BYTES, LlmError, Question

_PIECE = 65536


@dataclass(frozen=True, slots=True)
class CommandModel:
    """Runs the program once a question: the prompt on its standard input, the answer on its standard output.

    It runs in the person's home, not in the vault, and as an agent: whatever it writes through this program ranks as
    a program's. When time is up it is killed with every process of its group.
    """

    argv: Sequence[str]
    environ: Mapping[str, str]

    @classmethod
    def parse(cls, command: str, environ: Mapping[str, str]) -> "CommandModel":
        """Return the model of a command line that is split as a shell would, and run without one."""
        try:
            argv = shlex.split(command)
        except ValueError:
            raise LlmError("llm.command has a quotation mark without its partner") from None
        return cls(argv, environ)

    def answer(self, question: Question, *, seconds: float) -> str:
        """Return what the program printed; LlmError if it cannot start, fails, prints too much or takes too long."""
        ends_at = monotonic() + seconds
        try:
            process = subprocess.Popen(  # noqa: S603 - the person's own config names it; no shell
                self.argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                start_new_session=True, cwd=self._home(), env={**self.environ, "ECHO_ACTOR": "agent"},
            )  # fmt: skip
        except (OSError, ValueError) as error:
            raise LlmError(f"llm.command cannot start ({type(error).__name__})") from None
        try:
            return self._converse(process, _prompt(question), ends_at, seconds)
        except BaseException:
            _kill(process)
            raise

    def _converse(self, process: "subprocess.Popen[bytes]", prompt: bytes, ends_at: float, seconds: float) -> str:
        got: list[bytes] = []
        Thread(target=_feed, args=(process.stdin, prompt), daemon=True).start()
        reader = Thread(target=_read, args=(process.stdout, got), daemon=True)
        reader.start()
        reader.join(max(0.0, ends_at - monotonic()))
        late = LlmError(f"llm.command did not answer within {seconds:g} s")
        if reader.is_alive():
            raise late
        if sum(map(len, got)) > MOST_BYTES:
            raise LlmError(f"llm.command answered with more than {MOST_BYTES} bytes", lasting=False)
        try:
            status = process.wait(max(0.05, ends_at - monotonic()))
        except subprocess.TimeoutExpired:
            raise late from None
        if status:
            raise LlmError(f"llm.command ended with status {status}")
        try:
            return b"".join(got).decode("utf-8-sig")
        except UnicodeDecodeError:
            raise LlmError("llm.command did not answer in UTF-8", lasting=False) from None

    def _home(self) -> str:
        """Return the folder to run in: a relative path in the command must not find a file of a cloned vault."""
        home = self.environ.get("HOME") or self.environ.get("USERPROFILE") or ""
        return home if home and Path(home).is_dir() else os.path.abspath(os.sep)  # noqa: PTH100 - the root itself


def _prompt(question: Question) -> bytes:
    schema = json.dumps(question.schema, ensure_ascii=False)
    text = f"{question.instructions}\n\nThe JSON schema of your answer:\n{schema}\n\n{question.material}\n"
    return text.encode("utf-8", "replace")


def _feed(stream: IO[bytes] | None, prompt: bytes) -> None:
    """Write the prompt; a program that does not read it all may still answer."""
    if stream is None:
        return
    try:
        with stream:
            stream.write(prompt)
    except (OSError, ValueError):
        return


def _read(stream: IO[bytes] | None, got: list[bytes]) -> None:
    """Read the answer piece by piece, no further than what is too long anyhow."""
    if stream is None:
        return
    size = 0
    try:
        with stream:
            while size <= MOST_BYTES and (piece := os.read(stream.fileno(), _PIECE)):
                got.append(piece)
                size += len(piece)
    except (OSError, ValueError):
        return


def _kill(process: "subprocess.Popen[bytes]") -> None:
    """End the program and everything it started, and reap it."""
    try:
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        elif process.poll() is None:
            process.kill()
    except (ProcessLookupError, PermissionError):
        pass
    process.wait()

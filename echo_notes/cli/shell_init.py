"""The text that `shell-init` prints: the word at the prompt, kept as files of each shell's own language."""

import re
from pathlib import Path

from echo_notes.model.errors import UsageError

SHELLS = ("bash", "zsh", "fish")
DEFAULT_WORD = "echo"

_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")
_TAKEN = frozenset(
    """and begin break builtin case command complete continue coproc do done elif else end esac eval exec exit fi for
    foreach function if in local not or read repeat return select set status string switch test then time typeset unset
    until while echo-notes""".split()  # noqa: SIM905  # fifty lines of one word each hide the table
)


def shell_text(shell: str, *, program: str, word: str = DEFAULT_WORD) -> str:
    """Return what a person's shell evaluates at start to get the word.

    `program` is the path or name that the word forwards to, in any spelling; it is quoted for the shell. UsageError
    for a shell without a text, and for a word that is no plain name or that the shell's own language needs.
    """
    if shell not in SHELLS:
        raise UsageError(f"there is no shell text for {shell!r}", fix=f"Choose one of {', '.join(SHELLS)}.")
    if not _WORD.fullmatch(word) or word in _TAKEN:
        raise UsageError(
            f"{word!r} cannot be the word", fix="Take letters, digits, - and _, and no word of the shell's own."
        )
    if not program or any(character in program for character in "\n\r\0"):
        raise UsageError(f"{program!r} cannot be the program", fix="Give the path of echo-notes.")
    text = (Path(__file__).parent / "shell" / f"echo.{shell}").read_text(encoding="utf-8")
    return text.replace("@WORD@", word).replace("@PROGRAM@", _quote(shell, program))


def _quote(shell: str, program: str) -> str:
    if re.fullmatch(r"[A-Za-z0-9_./+-]+", program):
        return program
    inside = program.replace("\\", "\\\\").replace("'", "\\'") if shell == "fish" else program.replace("'", "'\\''")
    return f"'{inside}'"

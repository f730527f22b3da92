"""What `check` finds: one dataclass, and the order of its severities."""

from collections.abc import Iterable
from dataclasses import dataclass

from echo_notes.model.errors import EchoError, UnreadableError

ERROR = "error"
WARNING = "warning"
INFO = "info"
SEVERITIES = (ERROR, WARNING, INFO)


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Something about a vault that a person should know.

    `path` is relative to the vault, `line` and `column` count from 1 (0: unknown); `code` is a word to select by.
    `fixable`: `check --fix` puts it right. `status`: the exit status of the error behind it, 0 if there is none.
    """

    severity: str
    path: str
    code: str
    message: str
    line: int = 0
    column: int = 0
    fact: str = ""
    fixable: bool = False
    status: int = 0

    @property
    def place(self) -> str:
        """Where it is, as `path:line:column` as far as known."""
        parts = [self.path, *(str(number) for number in (self.line, self.column) if number)]
        return ":".join(parts)


def unreadable(error: EchoError, path: str) -> Finding:
    """Return the finding that a file cannot be read."""
    line, column = (error.line, error.column) if isinstance(error, UnreadableError) else (0, 0)
    message = f"{error.what}. {error.fix}" if error.fix else error.what
    return Finding(
        severity=ERROR, path=path, line=line, column=column, code="unreadable", message=message, status=error.exit_code
    )


def in_order(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return findings by file and line."""
    return tuple(sorted(findings, key=lambda one: (one.path, one.line, one.column, one.code, one.fact)))

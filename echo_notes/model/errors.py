"""One exception class for each cause a command can end with; each carries its exit status and the way out."""

from pathlib import Path


class EchoError(Exception):
    """Something that a person can understand and mend: what failed, where, and the command that fixes it."""

    exit_code = 70

    def __init__(self, what: str, *, where: str = "", fix: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.where = where
        self.fix = fix

    def __str__(self) -> str:
        head = f"{self.where}: {self.what}" if self.where else self.what
        return f"{head}\n{self.fix}" if self.fix else head


class UsageError(EchoError):
    """The words of the command do not make sense (exit 2)."""

    exit_code = 2


class NotFoundError(EchoError):
    """A vault, entity, fact or file that is not there (exit 3)."""

    exit_code = 3


class RefusedError(EchoError):
    """The gate said no (exit 4).

    `reason` is one of the audit words (`provenance`, `en_injection`, `zh_injection`, `invisible_unicode`, `secret`,
    `rejected_value`, `scope`, `transient`, `invalid`); `op` and `target` name what was tried on what.
    """

    exit_code = 4

    def __init__(
        self, what: str, *, reason: str, op: str = "", target: str = "", text: str = "", where: str = "", fix: str = ""
    ) -> None:
        super().__init__(what, where=where, fix=fix)
        self.reason = reason
        self.op = op
        self.target = target
        self.text = text


class ConflictError(EchoError):
    """The disk moved under us: changed file, merge markers, lock timeout, ambiguous name (exit 5)."""

    exit_code = 5


class UnreadableError(EchoError):
    """A file that cannot be parsed; it is never written to (exit 6). `line` and `column` count from 1."""

    exit_code = 6

    def __init__(self, what: str, *, path: Path | str, line: int = 1, column: int = 1, fix: str = "") -> None:
        super().__init__(what, where=f"{path}:{line}:{column}", fix=fix)
        self.path = str(path)
        self.line = line
        self.column = column


class MergeMarkersError(UnreadableError):
    """A file with the markers of an unfinished git merge: unreadable, and a conflict to settle (exit 5)."""

    exit_code = 5


class GitFailedError(EchoError):
    """git would not do it; the files are written and the next command commits them (exit 7)."""

    exit_code = 7

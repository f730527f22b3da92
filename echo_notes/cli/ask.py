"""Questions to a person, on standard error so that the answer of a command stays clean."""

import sys

from echo_notes.cli.invocation import Invocation
from echo_notes.cli.output import clean


def confirm(invocation: Invocation, question: str) -> bool:
    """Return whether a person says yes; `--yes` says it for them, and where nobody can answer it is no."""
    if invocation.yes:
        return True
    if not invocation.may_ask:
        return False
    sys.stderr.write(f"{clean(question)} [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in {"y", "yes", "j", "是"}

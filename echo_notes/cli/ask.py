"""Questions to a person, on standard error so that the answer of a command stays clean."""

import sys
from collections.abc import Callable
from typing import TypeVar

from echo_notes.cli.invocation import Invocation
from echo_notes.cli.output import clean

_T = TypeVar("_T")


def confirm(invocation: Invocation, question: str) -> bool:
    """Return whether a person says yes; `--yes` says it for them, and where nobody can answer it is no."""
    if invocation.yes:
        return True
    if not invocation.may_ask:
        return False
    return answer(f"{question} [y/N]") in {"y", "yes", "j", "是"}


def answer(question: str) -> str:
    """Return what a person types after a question, in lower case; "" at the end of input."""
    sys.stderr.write(f"{clean(question)} ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower()


def insist(invocation: Invocation, write: Callable[[bool, bool], _T], *, reassert: bool, allow_flagged: bool) -> _T:
    """Run a write, and ask the person where the gate lets only them wave it through; without a yes the refusal stands.

    `write` takes `reassert` and `allow_flagged`. What a scan found is asked about at a terminal only: `--yes` in a
    script answers questions that were foreseen, and nobody foresees a secret.
    """
    from echo_notes.model.errors import RefusedError

    try:
        return write(reassert, allow_flagged)
    except RefusedError as refused:
        if "--reassert" in refused.fix and not reassert:
            if not confirm(invocation, f"{refused.what}\nStore it again?"):
                raise
            reassert = True
        elif "--allow-flagged" in refused.fix and not allow_flagged and invocation.may_ask:
            if not confirm(invocation, f"{refused.what}\nStore it all the same? Agents will never see it."):
                raise
            allow_flagged = True
        else:
            raise
    return insist(invocation, write, reassert=reassert, allow_flagged=allow_flagged)

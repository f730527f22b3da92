"""The end of every command that writes: what git said, and the part of the JSON that is the same everywhere."""

from typing import Any

from echo_notes.cli.invocation import Invocation
from echo_notes.cli.output import tell_error
from echo_notes.files.change import ChangeResult


def finish(invocation: Invocation, change: ChangeResult) -> None:
    """Tell the warnings of a change and git's refusal, and set the exit status by it."""
    for warning in change.warnings:
        invocation.warn(warning)
    if change.git_error is not None:
        error = change.git_error
        tell_error(error.what, where=error.where, fix=error.fix)
        invocation.reach(error.exit_code)


def tail(change: ChangeResult, invocation: Invocation) -> dict[str, Any]:
    """Return what the JSON of every writing command ends with."""
    record: dict[str, Any] = {
        "commit": change.commit or None, "written": list(change.written), "dry_run": invocation.dry_run,
    }  # fmt: skip
    if invocation.dry_run:
        record |= {"subject": change.subject, "diff": change.diff}
    if change.git_error is not None:
        record["git_error"] = change.git_error.what
    return record

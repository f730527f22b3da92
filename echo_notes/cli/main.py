"""The console script: one boundary that maps every ending to an exit status and a message on standard error."""

import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from echo_notes.cli.invocation import Invocation

EXIT_BUG = 70
EXIT_INTERRUPT = 130


def main() -> None:
    """Run the command line and exit with its status."""
    sys.exit(run(sys.argv[1:]))


def run(args: list[str]) -> int:
    """Run one command and return its exit status; nothing but a bug gets past here."""
    from echo_notes.cli.invocation import Invocation
    from echo_notes.cli.output import tell_error, use_utf8

    use_utf8()
    invocation = Invocation()
    try:
        return _dispatch(args, invocation)
    except BrokenPipeError:
        # Python flushes standard output at exit; with nowhere to go, that would complain once more.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return EXIT_INTERRUPT
    except Exception as error:
        status = _explain(error, debug=invocation.debug)
        if invocation.debug:
            raise
        if status is None:
            tell_error(
                f"this is a bug in echo-notes: {type(error).__name__}: {error}", fix="Run it again with --debug."
            )
            return EXIT_BUG
        return status


def _dispatch(args: list[str], invocation: "Invocation") -> int:
    from echo_notes.cli.app import build

    status = build().main(args=args, prog_name="echo-notes", standalone_mode=False, obj=invocation)
    sys.stdout.flush()
    return max(status if isinstance(status, int) else 0, invocation.status)


def _explain(error: Exception, *, debug: bool) -> int | None:  # noqa: ARG001 - the caller raises again
    from echo_notes.cli.output import tell, tell_error
    from echo_notes.model.errors import EchoError

    if isinstance(error, EchoError):
        tell_error(error.what, where=error.where, fix=error.fix)
        if text := getattr(error, "text", ""):
            # What a person typed is never lost, even where it may not be kept.
            tell(f"the text was: {text}")
        return error.exit_code
    if hasattr(error, "format_message") and hasattr(error, "exit_code"):
        context = getattr(error, "ctx", None)
        path = context.command_path if context else "echo-notes"
        tell_error(error.format_message(), fix=f"Try: {path} --help")
        return int(getattr(error, "exit_code", 2))
    if type(error).__name__ == "Abort":
        return EXIT_INTERRUPT
    if isinstance(error, OSError):
        tell_error(
            error.strerror or str(error), where=str(error.filename or ""), fix="Check the disk and its permissions."
        )
        return 6
    return None

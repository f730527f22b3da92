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
    _open_closed_streams()
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

    words = [_as_utf8(number, arg, args) for number, arg in enumerate(args, 1)]
    try:
        status = build().main(args=words, prog_name="echo-notes", standalone_mode=False, obj=invocation)
    except SystemExit as ended:  # a broken pipe is 1 to Typer, which here would mean that nothing was found
        if isinstance(ended.__context__, BrokenPipeError):
            raise ended.__context__ from None
        raise
    sys.stdout.flush()
    return max(status if isinstance(status, int) else 0, invocation.status)


def _as_utf8(number: int, arg: str, args: list[str]) -> str:
    """Return an argument as UTF-8, whatever the locale took its bytes for; UsageError where they are no text.

    What is said in a session is never lost: there, bytes that are no text are marked as such.
    """
    if arg.isascii() or not any("\ud800" <= char <= "\udfff" for char in arg):
        return arg
    try:
        return os.fsencode(arg).decode("utf-8", "replace" if args[:2] == ["session", "add"] else "strict")
    except UnicodeError:
        from echo_notes.model.errors import UsageError

        raise UsageError("is not UTF-8", where=f"argument {number}", fix="Nothing was written. Convert it.") from None


def _open_closed_streams() -> None:
    """Put the null device where the shell closed a stream (`>&-`), so that no file of the vault becomes that stream."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115, PTH123 - open until exit


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

"""The table of commands, each in its own module and loaded only when it is the one that runs."""

from functools import cache
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperGroup

from echo_notes.cli.command import new_app
from echo_notes.cli.invocation import Invocation

# Command → module of `echo_notes.cli`; the attribute is `app`, a Typer with that one command or its sub-commands.
COMMANDS = {
    "init": "init",
    "remember": "remember",
    "observe": "remember",
    "note": "notes",
    "learn": "notes",
    "today": "notes",
    "open": "notes",
    "recall": "recall",
    "show": "show",
    "ls": "ls",
    "history": "history",
    "timeline": "timeline",
    "status": "status",
    "stats": "stats",
    "supersede": "supersede",
    "correct": "supersede",
    "pin": "marks",
    "unpin": "marks",
    "archive": "marks",
    "restore": "marks",
    "erase": "marks",
    "adopt": "marks",
    "entity": "entity",
    "undo": "undo",
    "session": "session",
    "context": "context",
    "extract": "consolidate",
    "consolidate": "consolidate",
    "heartbeat": "consolidate",
    "synthesize": "synthesize",
    "schedule": "schedule",
    "reflect": "reflect",
    "decay": "decay",
    "gc": "decay",
    "review": "review",
    "contradictions": "review",
    "check": "check",
    "reindex": "reindex",
    "model": "model",
    "audit": "audit",
    "config": "config",
    "shell-init": "shell",
    "_complete": "shell",
}
_PANEL = "Common options"


class _Commands(TyperGroup):
    """The root group: commands are imported when asked for, and all of them take the common options."""

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002 - the shape that the framework calls
        return [name for name in COMMANDS if not name.startswith("_")]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ARG002 - the shape that the framework calls
        module = COMMANDS.get(cmd_name)
        if module is None:
            return None
        apps = import_module(f"echo_notes.cli.{module}").apps
        command = typer.main.get_command(apps[cmd_name])
        command.name = cmd_name
        add_common(command)
        return command


def build() -> Any:
    """Return the root command, ready to run."""
    app = typer.Typer(
        cls=_Commands, name="echo-notes", add_completion=False, rich_markup_mode=None, no_args_is_help=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )  # fmt: skip

    @app.callback(invoke_without_command=True)
    def root(
        ctx: typer.Context,
        version: bool = typer.Option(False, "--version", help="Print the version and exit."),
    ) -> None:
        """Keep a plain-files memory for people and their agents: Markdown and JSON under git."""
        if version:
            from echo_notes import __version__

            typer.echo(f"echo-notes {__version__}")
            raise typer.Exit
        if ctx.invoked_subcommand is None:
            typer.echo(ctx.get_help())
            raise typer.Exit(2)

    command = typer.main.get_command(app)
    add_common(command)
    return command


def add_common(command: Any) -> None:
    """Give a command (and the sub-commands of a group) the options that mean the same everywhere."""
    command.params.extend(param for param in _common_params() if param.name not in {p.name for p in command.params})
    for child in getattr(command, "commands", {}).values():
        add_common(child)


@cache
def _common_params() -> tuple[Any, ...]:
    """Return the common options, made once: a group would pay for them with each of its sub-commands."""
    shared = new_app()

    @shared.command()
    def common(
        vault: str = typer.Option("", "--vault", "-C", metavar="PATH", help="Use this vault.", rich_help_panel=_PANEL),
        scope: str = typer.Option(
            "", "--scope", metavar="SCOPE", help="Read or write as this scope.", rich_help_panel=_PANEL
        ),
        json: bool = typer.Option(False, "--json", help="Print one JSON object.", rich_help_panel=_PANEL),
        ndjson: bool = typer.Option(False, "--ndjson", help="Print one JSON record a line.", rich_help_panel=_PANEL),
        quiet: bool = typer.Option(False, "--quiet", "-q", help="Print no notices.", rich_help_panel=_PANEL),
        verbose: bool = typer.Option(False, "--verbose", "-v", help="Print more.", rich_help_panel=_PANEL),
        debug: bool = typer.Option(False, "--debug", help="Show the traceback of an error.", rich_help_panel=_PANEL),
        no_input: bool = typer.Option(False, "--no-input", help="Never ask.", rich_help_panel=_PANEL),
        yes: bool = typer.Option(False, "--yes", "-y", help="Answer yes to questions.", rich_help_panel=_PANEL),
        dry_run: bool = typer.Option(
            False, "--dry-run", "-n", help="Print what would change, and change nothing.", rich_help_panel=_PANEL
        ),
    ) -> None:
        """Hold the common options; never run."""

    params = tuple(param for param in typer.main.get_command(shared).params if param.name != "help")
    for param in params:
        param.expose_value = False
        param.callback = _keep
    return params


def _keep(ctx: Any, param: Any, value: Any) -> Any:
    invocation = ctx.find_root().obj
    if isinstance(invocation, Invocation) and value and param.name:
        setattr(invocation, param.name, value)
    return value

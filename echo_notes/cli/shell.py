"""`shell-init`, and the hidden command that its completion calls."""

import os
import shutil
import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from echo_notes.cli.command import new_app
from echo_notes.cli.output import one_line, say

if TYPE_CHECKING:
    from collections.abc import Iterator

    from echo_notes.lifecycle.opened import OpenVault
    from echo_notes.model.entity import Entity

init_app, complete_app = new_app(), new_app()
apps = {"shell-init": init_app, "_complete": complete_app}


@init_app.command("shell-init")
def shell_init(
    shell: Annotated[str, typer.Argument(metavar="SHELL", help="bash, zsh or fish.")],
    word: Annotated[str, typer.Option("--cmd", metavar="NAME", help="The word at the prompt.")] = "echo",
) -> None:
    """Print what makes `echo remember …` work at the prompt, and nowhere else.

    eval "$(echo-notes shell-init bash)"
    """
    from echo_notes.cli.shell_init import shell_text

    say(shell_text(shell, program=program_path(), word=word).rstrip("\n"))


@complete_app.command("_complete", hidden=True, context_settings={"ignore_unknown_options": True})
def complete(
    ctx: typer.Context,
    words: Annotated[list[str] | None, typer.Argument(help="The words of the line so far.")] = None,
) -> None:
    """Print candidates for the last word, one a line."""
    from echo_notes.cli.complete import candidates
    from echo_notes.model.errors import EchoError

    try:
        opened = ctx.find_root().obj.open()
    except EchoError:
        # Outside a vault only the verbs are known; a completion never complains.
        opened = None
    found = candidates(words or [], verbs=_verbs(ctx), entities=_Entities(opened), fact_ids=_FactIds(opened))
    for candidate in found:
        say(one_line(candidate))


class _Entities:
    """The entities of a vault, read when a completion first asks for them."""

    def __init__(self, opened: "OpenVault | None") -> None:
        self._opened = opened

    def __iter__(self) -> "Iterator[Entity]":
        from echo_notes.lifecycle.entities import load_entities

        return iter(load_entities(self._opened) if self._opened else ())


class _FactIds:
    """The fact ids of a vault, read when a completion first asks for them."""

    def __init__(self, opened: "OpenVault | None") -> None:
        self._opened = opened

    def __iter__(self) -> "Iterator[str]":
        from echo_notes.lifecycle.entities import load_entities
        from echo_notes.lifecycle.facts import iter_facts
        from echo_notes.lifecycle.sight import Sight

        if self._opened:
            sight = Sight.of(self._opened)
            for located in iter_facts(self._opened, load_entities(self._opened), []):
                if sight.may_see(located.fact, every_status=True):
                    yield located.fact.id


def _verbs(ctx: typer.Context) -> "dict[str, tuple[str, ...]]":
    """Return every command (those of a group as `entity new`) with its options."""
    root: Any = ctx.find_root().command
    table: dict[str, tuple[str, ...]] = {}
    for name in root.list_commands(ctx):
        command = root.get_command(ctx, name)
        children = getattr(command, "commands", {})
        for path, one in (
            ((f"{name} {child}", children[child]) for child in children) if children else ((name, command),)
        ):
            table[path] = tuple(option for param in one.params for option in param.opts if option.startswith("--"))
    return table


def program_path() -> str:
    """Return the absolute path of this program, as a shell or cron line should call it."""
    found = shutil.which(sys.argv[0]) or shutil.which("echo-notes") or sys.argv[0]
    return os.path.abspath(found)  # noqa: PTH100 - a link to the program is the name to keep

"""`init`: a new vault, or an existing folder adopted as one."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from echo_notes.cli.command import new_app
from echo_notes.cli.output import say, say_diff, say_json
from echo_notes.cli.report import finish, tail
from echo_notes.cli.surroundings import now, own_config_path, random_word

if TYPE_CHECKING:
    from echo_notes.cli.invocation import Invocation

app = new_app()
apps = {"init": app}


@app.command()
def init(
    ctx: typer.Context,
    path: Annotated[
        Path, typer.Argument(metavar="[PATH]", help="The folder; made if missing. Default: this one.")
    ] = Path(),
    template: Annotated[
        str, typer.Option("--template", metavar="NAME", help="default, or zh for Chinese.")
    ] = "default",
) -> None:
    """Make a vault, or adopt a folder that already has notes or facts; nothing there is rewritten.

    echo-notes init ~/notes
    """
    from echo_notes.files.config import load_settings
    from echo_notes.files.layout import Layout
    from echo_notes.lifecycle.init import init as run
    from echo_notes.lifecycle.opened import OpenVault, Writer

    invocation: Invocation = ctx.find_root().obj
    root = Path(invocation.vault or path).expanduser().absolute()
    own = own_config_path()
    opened = OpenVault(
        Layout(root), load_settings(root / "echo.yaml", own), now(), os.environ, random_word,
        writer=Writer(surface="cli", agent=False, dry_run=invocation.dry_run),
    )  # fmt: skip
    done = run(opened, template=template, nested=invocation.yes)
    is_default = False if invocation.dry_run else _make_default(root, own)
    if invocation.machine:
        say_json({
            "vault": str(root), "was_vault": done.was_vault, "git_began": done.began_git, "notes": done.notes,
            "fact_files": done.fact_files, "is_default": is_default, **tail(done.change, invocation),
        })  # fmt: skip
    elif invocation.dry_run:
        say_diff(done.change.diff, done.change.subject)
    else:
        _tell(root, done.was_vault, done.change.written, done.change.commit, done.notes + done.fact_files, is_default)
    finish(invocation, done.change)


def _tell(root: Path, was_vault: bool, written: tuple[str, ...], commit: str, found: int, is_default: bool) -> None:
    where = f" ({commit})" if commit else ""
    if was_vault and not written:
        say(f"{root} is a vault already; nothing to do")
    elif found:
        say(f"adopted {root} as a vault{where}: {found} files of notes and facts found, none rewritten")
    else:
        say(f"made a vault in {root}{where}")
    if is_default:
        say("it is your default vault: echo-notes works with it from any folder")
    if not was_vault:
        say('next: echo-notes remember "Ada prefers green tea" --about people/Ada')


def _make_default(root: Path, own: Path) -> bool:
    """Write a person's first vault into their own config; return whether it is the default now."""
    from echo_notes.cli.config import write_own
    from echo_notes.files.config import load_settings

    if load_settings(None, own).settings.vault:
        return False
    try:
        write_own("vault", str(root))
    except OSError:
        return False
    return True

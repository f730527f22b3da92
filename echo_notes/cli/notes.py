"""`note`, `learn`, `today`, `open`: text into and out of notes, without an editor or with one."""

import os
import shlex
import subprocess
from datetime import timedelta
from typing import TYPE_CHECKING, Annotated

import typer

from echo_notes.cli.args import Day, read_lines
from echo_notes.cli.command import new_app
from echo_notes.cli.output import clean, say, say_diff, say_json
from echo_notes.cli.report import finish, tail

if TYPE_CHECKING:
    from echo_notes.cli.invocation import Invocation

note_app, learn_app, today_app, open_app = new_app(), new_app(), new_app(), new_app()
apps = {"note": note_app, "learn": learn_app, "today": today_app, "open": open_app}

if TYPE_CHECKING:
    from echo_notes.lifecycle.notes import Noted

_Text = Annotated[list[str], typer.Argument(metavar="TEXT…", help="The text; `-` reads one a line.")]
_Flagged = Annotated[bool, typer.Option("--allow-flagged", help="Store it although the scan objects.")]
_Strip = Annotated[bool, typer.Option("--strip-invisible", help="Remove invisible characters first.")]


@note_app.command()
def note(
    ctx: typer.Context,
    text: _Text,
    date: Annotated[str, typer.Option("--date", metavar="D", help="The day; today if not said.")] = "",
    allow_flagged: _Flagged = False,
    strip_invisible: _Strip = False,
) -> None:
    """Add an entry to a daily note.

    echo-notes note "Called the bank about the mortgage"
    """
    from echo_notes.cli.ask import insist
    from echo_notes.lifecycle.notes import note as run

    invocation: Invocation = ctx.find_root().obj
    lines, day = read_lines(text), Day().optional(date)

    def write(_: bool, allow_flagged: bool) -> "Noted":
        opened = invocation.open(allow_flagged=allow_flagged, strip_invisible=strip_invisible)
        return run(opened, lines, on=day)

    done = insist(invocation, write, reassert=False, allow_flagged=allow_flagged)
    if invocation.machine:
        say_json({"path": done.path, "texts": list(done.texts), **tail(done.change, invocation)})
    elif invocation.dry_run:
        say_diff(done.change.diff, done.change.subject)
    else:
        count = f"{len(done.texts)} entries" if len(done.texts) > 1 else "an entry"
        say(f"noted {count} in {done.path}{_commit(done.change.commit)}")
    finish(invocation, done.change)


@learn_app.command()
def learn(
    ctx: typer.Context,
    text: _Text,
    section: Annotated[str, typer.Option("--section", metavar="S", help="Heading to put it under.")] = "",
    topic: Annotated[
        str, typer.Option("--topic", metavar="NAME", help="A topic note, which MEMORY.md then lists.")
    ] = "",
    allow_flagged: _Flagged = False,
    strip_invisible: _Strip = False,
) -> None:
    """Add a line to MEMORY.md: a pattern, a preference, a lesson.

    echo-notes learn "Ask before booking flights" --section "How I work"
    """
    from echo_notes.cli.ask import insist
    from echo_notes.lifecycle.notes import learn as run

    invocation: Invocation = ctx.find_root().obj
    lines = read_lines(text)

    def write(_: bool, allow_flagged: bool) -> "Noted":
        opened = invocation.open(allow_flagged=allow_flagged, strip_invisible=strip_invisible)
        return run(opened, lines, section=section, topic=topic)

    done = insist(invocation, write, reassert=False, allow_flagged=allow_flagged)
    if invocation.machine:
        record = {"path": done.path, "texts": list(done.texts), "already_known": list(done.known)}
        say_json({**record, **tail(done.change, invocation)})
    elif invocation.dry_run:
        say_diff(done.change.diff, done.change.subject)
    elif len(done.known) == len(done.texts):
        say(f"already in {done.path}")
    else:
        say(f"learned it in {done.path}{_commit(done.change.commit)}")
    finish(invocation, done.change)


@today_app.command()
def today(ctx: typer.Context) -> None:
    """Print today's note.

    echo-notes today
    """
    from echo_notes.lifecycle.show import notes_of
    from echo_notes.model.dates import Span

    invocation: Invocation = ctx.find_root().obj
    opened = invocation.open()
    notes = notes_of(opened, Span(opened.today, opened.today + timedelta(days=1)))
    if invocation.machine:
        say_json({"date": opened.today.isoformat(), "notes": [{"path": path, "text": text} for path, text in notes]})
    elif notes:
        for _, text in notes:
            say(clean(text).rstrip("\n"))
    else:
        say(f"nothing noted on {opened.today.isoformat()} yet")


@open_app.command("open")
def open_(
    ctx: typer.Context,
    what: Annotated[list[str], typer.Argument(metavar="ENTITY|DATE", help="An entity, a fact id or a day.")],
) -> None:
    """Open an entity's summary or a day's note in $VISUAL or $EDITOR; without a terminal, print its path.

    echo-notes open ada
    """
    from echo_notes.lifecycle.locate import locate
    from echo_notes.model.errors import UsageError

    invocation: Invocation = ctx.find_root().obj
    path = locate(invocation.open(), " ".join(what))
    if invocation.machine:
        say_json({"path": str(path)})
        return
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR")
    if not editor or not invocation.may_ask:
        say(str(path))
        return
    try:
        status = subprocess.run([*shlex.split(editor), str(path)], check=False).returncode  # noqa: S603 - the person's own editor
    except OSError as error:
        raise UsageError(f"cannot run {editor!r}: {error.strerror}", fix="Set EDITOR to a program.") from None
    invocation.reach(70 if status else 0)


def _commit(commit: str) -> str:
    return f" ({commit})" if commit else ""

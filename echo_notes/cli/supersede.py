"""`supersede` (it changed) and `correct` (it was wrong)."""

from typing import TYPE_CHECKING, Annotated

import typer

from echo_notes.cli.args import read_text
from echo_notes.cli.ask import confirm
from echo_notes.cli.command import new_app
from echo_notes.cli.output import say, say_diff, say_json
from echo_notes.cli.report import finish, tail

if TYPE_CHECKING:
    from echo_notes.cli.invocation import Invocation

supersede_app, correct_app = new_app(), new_app()
apps = {"supersede": supersede_app, "correct": correct_app}

_Fact = Annotated[str, typer.Argument(metavar="FACT", help="The id of the fact, for example ada-001.")]
_Text = Annotated[list[str], typer.Argument(metavar="TEXT…", help="What is true now; `-` reads it.")]
_Reassert = Annotated[bool, typer.Option("--reassert", help="Say again what was judged wrong.")]
_Flagged = Annotated[bool, typer.Option("--allow-flagged", help="Store it although the scan objects.")]
_Strip = Annotated[bool, typer.Option("--strip-invisible", help="Remove invisible characters first.")]


@supersede_app.command()
def supersede(
    ctx: typer.Context,
    fact: _Fact,
    text: _Text,
    reassert: _Reassert = False,
    allow_flagged: _Flagged = False,
    strip_invisible: _Strip = False,
) -> None:
    """Replace a fact because the world moved; the old one stays in its history.

    echo-notes supersede ada-001 "Ada works at Initech"
    """
    _run(ctx, "supersede", fact, read_text(text), reassert=reassert, flagged=allow_flagged, strip=strip_invisible)


@correct_app.command()
def correct(
    ctx: typer.Context,
    fact: _Fact,
    text: _Text,
    reassert: _Reassert = False,
    allow_flagged: _Flagged = False,
    strip_invisible: _Strip = False,
) -> None:
    """Replace a fact because it was wrong; the wrong value is kept from coming back.

    echo-notes correct ada-001 "Ada works at Initech, not Acme"
    """
    _run(ctx, "correct", fact, read_text(text), reassert=reassert, flagged=allow_flagged, strip=strip_invisible)


def _run(ctx: typer.Context, verb: str, fact: str, text: str, *, reassert: bool, flagged: bool, strip: bool) -> None:
    from echo_notes.lifecycle import supersede as verbs
    from echo_notes.model.errors import RefusedError

    invocation: Invocation = ctx.find_root().obj
    opened = invocation.open(reassert=reassert, allow_flagged=flagged, strip_invisible=strip)
    try:
        done = (verbs.supersede if verb == "supersede" else verbs.correct)(opened, fact, text)
    except RefusedError as refused:
        asks = refused.reason == "rejected_value" and "--reassert" in refused.fix and not opened.writer.agent
        if reassert or not asks or not confirm(invocation, f"{refused.what}\nStore it again?"):
            raise
        _run(ctx, verb, fact, text, reassert=True, flagged=flagged, strip=strip)
        return
    if invocation.machine:
        say_json({
            "old": done.old.id, "new": done.new.id, "entity": str(done.new.entity), "text": done.new.text,
            "reason": done.old.superseded_reason, "version": done.new.version, "path": done.new.path,
            **tail(done.change, invocation),
        })  # fmt: skip
    elif invocation.dry_run:
        say_diff(done.change.diff, done.change.subject)
    else:
        where = f" ({done.change.commit})" if done.change.commit else ""
        past = "superseded" if verb == "supersede" else "corrected"
        say(f"{past} {done.old.id} by {done.new.id} in {done.new.path}{where}")
    finish(invocation, done.change)

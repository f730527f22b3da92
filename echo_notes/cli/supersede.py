"""`supersede` (it changed) and `correct` (it was wrong)."""

from typing import TYPE_CHECKING, Annotated

import typer

from echo_notes.cli.args import read_text
from echo_notes.cli.ask import insist
from echo_notes.cli.command import new_app
from echo_notes.cli.output import say, say_diff, say_json
from echo_notes.cli.report import finish, tail

if TYPE_CHECKING:
    from echo_notes.cli.invocation import Invocation
    from echo_notes.lifecycle.held import Holding
    from echo_notes.lifecycle.supersede import Superseded

supersede_app, correct_app = new_app(), new_app()
apps = {"supersede": supersede_app, "correct": correct_app}

_Fact = Annotated[str, typer.Argument(metavar="FACT", help="The id of the fact, for example ada-001.")]
_Text = Annotated[list[str], typer.Argument(metavar="TEXT…", help="What is true now; `-` reads it.")]
_Reassert = Annotated[bool, typer.Option("--reassert", help="Say again what was judged wrong.")]
_Flagged = Annotated[bool, typer.Option("--allow-flagged", help="Store it although the scan objects.")]
_Hold = Annotated[
    bool, typer.Option("--hold", help="Where the fact ranks above this write, leave it for the person to decide.")
]
_Strip = Annotated[bool, typer.Option("--strip-invisible", help="Remove invisible characters first.")]


@supersede_app.command()
def supersede(
    ctx: typer.Context,
    fact: _Fact,
    text: _Text,
    reassert: _Reassert = False,
    allow_flagged: _Flagged = False,
    strip_invisible: _Strip = False,
    hold: _Hold = False,
) -> None:
    """Replace a fact because the world moved; the old one stays in its history.

    echo-notes supersede ada-001 "Ada works at Initech"
    """
    _run(ctx, "supersede", fact, read_text(text), reassert=reassert, flagged=allow_flagged, strip=strip_invisible,
         hold=hold)  # fmt: skip


@correct_app.command()
def correct(
    ctx: typer.Context,
    fact: _Fact,
    text: _Text,
    reassert: _Reassert = False,
    allow_flagged: _Flagged = False,
    strip_invisible: _Strip = False,
    hold: _Hold = False,
) -> None:
    """Replace a fact because it was wrong; the wrong value is kept from coming back.

    echo-notes correct ada-001 "Ada works at Initech, not Acme"
    """
    _run(ctx, "correct", fact, read_text(text), reassert=reassert, flagged=allow_flagged, strip=strip_invisible,
         hold=hold)  # fmt: skip


def _run(
    ctx: typer.Context, verb: str, fact: str, text: str, *, reassert: bool, flagged: bool, strip: bool, hold: bool
) -> None:
    from echo_notes.lifecycle import supersede as verbs
    from echo_notes.lifecycle.held import hold as hold_write
    from echo_notes.model.errors import RefusedError

    invocation: Invocation = ctx.find_root().obj

    def write(reassert: bool, allow_flagged: bool) -> "Superseded":
        opened = invocation.open(reassert=reassert, allow_flagged=allow_flagged, strip_invisible=strip)
        return (verbs.supersede if verb == "supersede" else verbs.correct)(opened, fact, text)

    try:
        done = insist(invocation, write, reassert=reassert, allow_flagged=flagged)
    except RefusedError as refused:
        if not hold or refused.reason != "provenance":
            raise
        _report_held(invocation, hold_write(invocation.open(strip_invisible=strip), refused, verb, fact, text))
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


def _report_held(invocation: "Invocation", held: "Holding") -> None:
    if invocation.machine:
        say_json({"held": held.id, **tail(held.change, invocation)})
    elif invocation.dry_run:
        say_diff(held.change.diff, held.change.subject)
    else:
        where = f" ({held.change.commit})" if held.change.commit else ""
        say(f"held {held.id} for the person to decide{where}")
    finish(invocation, held.change)

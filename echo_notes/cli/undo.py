"""`undo`: the last change taken back."""

from typing import TYPE_CHECKING

import typer

from echo_notes.cli.command import new_app
from echo_notes.cli.output import one_line, say, say_diff, say_json
from echo_notes.cli.report import finish, tail

if TYPE_CHECKING:
    from echo_notes.cli.invocation import Invocation
    from echo_notes.lifecycle.undo import Undone

undo_app = new_app()
apps = {"undo": undo_app}


@undo_app.command()
def undo(ctx: typer.Context) -> None:
    """Take back the last change that Echo Notes made; again, the one before it. Your own edits stay.

    echo-notes undo
    """
    invocation: Invocation = ctx.find_root().obj
    done = _undo(invocation)
    if invocation.machine:
        undone = {"commit": done.commit.id, "subject": done.commit.subject, "at": done.commit.at}
        withdrawn = [{"entity": one.entity, "statement": one.statement, "fact": one.fact} for one in done.withdrawn]
        say_json({"undone": undone, "withdrawn": withdrawn, **tail(done.change, invocation)})
    elif invocation.dry_run:
        say_diff(done.change.diff, done.change.subject)
    else:
        where = f" ({done.change.commit})" if done.change.commit else ""
        say(f"undid {one_line(done.commit.subject)}{where}")
        for decision in done.withdrawn:
            say(f"  withdrawn: {decision.fact} is no longer judged {decision.verdict}")
    finish(invocation, done.change)


def _undo(invocation: "Invocation") -> "Undone":
    from echo_notes.cli.ask import confirm
    from echo_notes.lifecycle.undo import ErasedError
    from echo_notes.lifecycle.undo import undo as run

    opened = invocation.open()
    try:
        return run(opened, restore_erased=invocation.yes)
    except ErasedError as error:
        if not confirm(invocation, f"The last change {error.what}.\nBring it back?"):
            raise
        return run(opened, restore_erased=True)

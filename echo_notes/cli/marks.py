"""`pin`, `unpin`, `archive`, `restore`, `erase`, `adopt`: what a fact is, not what it says."""

from typing import TYPE_CHECKING, Annotated

import typer

from echo_notes.cli.ask import confirm
from echo_notes.cli.command import new_app
from echo_notes.cli.invocation import Invocation
from echo_notes.cli.output import say, say_diff, say_json, tell
from echo_notes.cli.report import finish, tail

if TYPE_CHECKING:
    from echo_notes.lifecycle.marks import Marked

pin_app, unpin_app, archive_app = new_app(), new_app(), new_app()
restore_app, erase_app, adopt_app = new_app(), new_app(), new_app()
apps = {
    "pin": pin_app, "unpin": unpin_app, "archive": archive_app, "restore": restore_app, "erase": erase_app,
    "adopt": adopt_app,
}  # fmt: skip

_Facts = Annotated[list[str], typer.Argument(metavar="FACT…", help="Fact ids, for example ada-001.")]


@pin_app.command()
def pin(ctx: typer.Context, facts: _Facts) -> None:
    """Keep facts from fading, and first in what an agent reads.

    echo-notes pin ada-001
    """
    _run(ctx, "pin", "pinned", facts)


@unpin_app.command()
def unpin(ctx: typer.Context, facts: _Facts) -> None:
    """Let facts fade like others again.

    echo-notes unpin ada-001
    """
    _run(ctx, "unpin", "unpinned", facts)


@archive_app.command()
def archive(ctx: typer.Context, facts: _Facts) -> None:
    """Put facts aside: still found, at reduced weight.

    echo-notes archive ada-001
    """
    _run(ctx, "archive", "archived", facts)


@restore_app.command()
def restore(ctx: typer.Context, facts: _Facts) -> None:
    """Make archived facts active again.

    echo-notes restore ada-001
    """
    _run(ctx, "restore", "restored", facts)


@erase_app.command()
def erase(ctx: typer.Context, facts: _Facts) -> None:
    """Take the text of facts out of the vault for good, for what must not exist; their records stay.

    echo-notes erase ada-001
    """
    from echo_notes.model.errors import UsageError

    invocation: Invocation = ctx.find_root().obj
    question = f"Erase the text of {', '.join(facts)}? This cannot be undone."
    if not invocation.dry_run and not confirm(invocation, question):
        raise UsageError("erase needs a yes", fix=f"echo-notes erase {' '.join(facts)} --yes")
    done = _run(ctx, "erase", "erased", facts)
    for place in done.left:
        tell(f"the text still stands in {place}, which is yours to edit")
    if done.facts and not invocation.dry_run and not invocation.quiet:
        tell(
            "git's history still has the text. To purge it there: git filter-repo --replace-text FILE "
            "(and rewrite every clone), or start the history anew."
        )


@adopt_app.command()
def adopt(
    ctx: typer.Context,
    names: Annotated[
        list[str], typer.Argument(metavar="FACT|ENTITY…", help="Facts, or all unvouched ones of an entity.")
    ],
) -> None:
    """Vouch for legacy, unowned or hand-labelled facts after looking at them.

    echo-notes adopt people/ada
    """
    from dataclasses import replace

    from echo_notes.lifecycle import marks
    from echo_notes.model.errors import UsageError

    invocation: Invocation = ctx.find_root().obj
    opened = invocation.open()
    # A program is refused without being asked, by the write itself, so that the refusal is on record.
    only_look = not opened.writer.agent
    preview = marks.adopt(replace(opened, writer=replace(opened.writer, dry_run=only_look)), names)
    if preview.facts and not invocation.dry_run and not invocation.yes:
        for fact in preview.facts:
            tell(f"{fact.id}  {fact.text}")
        if not confirm(invocation, f"Vouch for these {len(preview.facts)} facts as your own word?"):
            raise UsageError("adopt needs a yes", fix=f"echo-notes adopt {' '.join(names)} --yes")
    _report(invocation, "adopt", "adopted", preview if invocation.dry_run else marks.adopt(opened, names))


def _run(ctx: typer.Context, verb: str, past: str, facts: list[str]) -> "Marked":
    from echo_notes.lifecycle import marks

    invocation: Invocation = ctx.find_root().obj
    done: Marked = getattr(marks, verb)(invocation.open(), facts)
    _report(invocation, verb, past, done)
    return done


def _report(invocation: Invocation, verb: str, past: str, done: "Marked") -> None:
    if invocation.machine:
        say_json({
            "changed": [fact.id for fact in done.facts], "unchanged": [fact.id for fact in done.unchanged],
            **tail(done.change, invocation),
        })  # fmt: skip
    elif invocation.dry_run:
        say_diff(done.change.diff, done.change.subject)
    else:
        where = f" ({done.change.commit})" if done.change.commit else ""
        for fact in done.facts:
            say(f"{past} {fact.id} in {fact.path}{where}")
        for fact in done.unchanged:
            say(f"{fact.id} is {past} already")
        if not done.facts and not done.unchanged:
            say(f"nothing to {verb}")
    finish(invocation, done.change)

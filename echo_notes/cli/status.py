"""`status`: what state the vault is in."""

from dataclasses import asdict
from typing import TYPE_CHECKING

import typer

from echo_notes.cli.command import new_app
from echo_notes.cli.output import one_line, say, say_json

if TYPE_CHECKING:
    from echo_notes.cli.invocation import Invocation
    from echo_notes.lifecycle.runs import LastRun

app = new_app()
apps = {"status": app}


_LISTS = {
    "flagged": "flagged, hidden from programs",
    "by_hand": "facts changed or labelled by hand, shown as legacy until you adopt them",
    "unowned": "facts about you without a scope, hidden from programs until you adopt them",
}
_SHOWN = 8


@app.command()
def status(ctx: typer.Context) -> None:
    """Show counts, and whatever waits for a person.

    echo-notes status
    """
    from echo_notes.lifecycle.status import status as run

    invocation: Invocation = ctx.find_root().obj
    opened = invocation.open()
    found = run(opened)
    if invocation.machine:
        passes = [{"name": one.name, "last_run_at": _stamp(one), "overdue": one.overdue} for one in found.passes]
        say_json({"vault": str(opened.root), **asdict(found), "passes": passes})
    else:
        say(f"vault: {opened.root}")
        say("entities: " + (", ".join(f"{count} {kind}" for kind, count in sorted(found.entities.items())) or "none"))
        say("facts: " + ", ".join(f"{count} {word}" for word, count in found.facts.items()))
        say(f"daily notes: {found.daily_notes}")
        if found.uncommitted:
            shown = ", ".join(map(one_line, found.uncommitted[:5])) + (" …" if len(found.uncommitted) > 5 else "")  # noqa: PLR2004 - a line's worth
            say(f"not committed, by hand: {shown}")
        if found.pending_commits:
            say(f"waiting for git: {_counted(found.pending_commits)}; the next write commits them")
        if found.contested:
            say(f"in open contradictions: {found.contested} facts")
        if found.waiting:
            say(f"waiting for your word: {found.waiting}; see them: echo-notes review")
        for name, words in _LISTS.items():
            if found.counts[name]:
                _say_list(f"{words}: {found.counts[name]}", getattr(found, name))
        if found.interrupted:
            say("a change was interrupted; the next write finishes it or rolls it back")
        _say_passes(found.passes)
    for problem in found.problems:
        invocation.warn(problem)
        invocation.reach(6)


def _say_passes(passes: "tuple[LastRun, ...]") -> None:
    for one in passes:
        if one.at or one.overdue:
            when = f"last ran {one.at.astimezone():%Y-%m-%d %H:%M}" if one.at else "never ran here"
            say(f"{one.name}: {when}{'; overdue, look at: echo-notes schedule show' if one.overdue else ''}")


def _stamp(one: "LastRun") -> str | None:
    from echo_notes.model.dates import format_instant

    return format_instant(one.at) if one.at else None


def _say_list(head: str, ids: tuple[str, ...]) -> None:
    shown = ", ".join(map(one_line, ids[:_SHOWN])) + (" …" if len(ids) > _SHOWN else "")
    say(f"{head} ({shown})" if ids else head)


def _counted(changes: int) -> str:
    return "1 change" if changes == 1 else f"{changes} changes"

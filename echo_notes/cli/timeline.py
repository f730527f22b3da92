"""`timeline`: what happened, by day."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from echo_notes.cli.args import Day
from echo_notes.cli.command import new_app
from echo_notes.cli.output import CYAN, DIM, one_line, paint, say, say_json, say_ndjson

if TYPE_CHECKING:
    from echo_notes.cli.invocation import Invocation
    from echo_notes.lifecycle.show import Event

app = new_app()
apps = {"timeline": app}


@app.command()
def timeline(
    ctx: typer.Context,
    entity: Annotated[list[str] | None, typer.Argument(metavar="[ENTITY]", help="Only what is about it.")] = None,
    since: Annotated[str, typer.Option("--since", metavar="D", help="First day.")] = "",
    until: Annotated[str, typer.Option("--until", metavar="D", help="Last day.")] = "",
) -> None:
    """Show facts and daily entries in the order of their days.

    echo-notes timeline ada --since 2026-11
    """
    from datetime import date

    from echo_notes.lifecycle.show import timeline as run
    from echo_notes.model.dates import Span

    invocation: Invocation = ctx.find_root().obj
    day = Day()
    first, last = day.span(since), day.span(until)
    span = Span(first.start if first else date.min, last.end if last else date.max)
    events, problems = run(invocation.open(), " ".join(entity or ()), span)
    if invocation.ndjson:
        say_ndjson(_record(event) for event in events)
    elif invocation.json:
        say_json({"events": [_record(event) for event in events]})
    else:
        _print(events)
    for problem in problems:
        invocation.warn(problem)
        invocation.reach(6)


def _print(events: "tuple[Event, ...]") -> None:
    shown = None
    for event in events:
        if event.on != shown:
            shown = event.on
            say(paint(event.on.isoformat(), CYAN))
        who = f"{event.entity}: " if event.entity else ""
        identity = event.fact.id if event.fact else event.source
        say(f"  {one_line(who + event.text)}  {paint(one_line(identity), DIM)}", hang=4)
    if not events:
        say("nothing is dated in that time")


def _record(event: "Event") -> dict[str, Any]:
    path, _, line = event.source.rpartition(":")
    return {
        "date": event.on.isoformat(), "entity": event.entity or None, "text": event.text,
        "id": event.fact.id if event.fact else None, "path": path, "line": int(line),
    }  # fmt: skip

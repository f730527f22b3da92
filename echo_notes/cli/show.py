"""`show`: an entity, a fact or a day, as the vault holds it."""

from typing import TYPE_CHECKING, Annotated

import typer

from echo_notes.cli.command import new_app
from echo_notes.cli.invocation import Invocation
from echo_notes.cli.output import BOLD, DIM, clean, one_line, paint, say, say_json
from echo_notes.cli.render import fact_line, fact_record

if TYPE_CHECKING:
    from echo_notes.lifecycle.facts import Located
    from echo_notes.lifecycle.show import DayView, EntityView

app = new_app()
apps = {"show": app}


@app.command()
def show(
    ctx: typer.Context,
    what: Annotated[
        list[str], typer.Argument(metavar="ENTITY|FACT|DATE", help="Any name of an entity, a fact id, or a day.")
    ],
) -> None:
    """Show an entity, a fact or a day.

    echo-notes show ada
    """
    from echo_notes.lifecycle import show as verbs

    invocation: Invocation = ctx.find_root().obj
    view = verbs.show(invocation.open(), " ".join(what))
    if isinstance(view, verbs.EntityView):
        _entity(invocation, view)
    elif isinstance(view, verbs.DayView):
        _day(invocation, view)
    else:
        _fact(invocation, view)


def _entity(invocation: Invocation, view: "EntityView") -> None:
    entity = view.entity
    if invocation.machine:
        say_json({
            "entity": str(entity.ref), "name": entity.name, "aliases": list(entity.aliases), "tags": list(entity.tags),
            "path": entity.folder, "facts": [fact_record(fact) for fact in view.facts],
            "linked_from": [fact_record(fact) for fact in view.linked_from], "summary": view.summary,
        })  # fmt: skip
    else:
        aliases = f"  (also {', '.join(map(one_line, entity.aliases))})" if entity.aliases else ""
        say(f"{paint(one_line(entity.name), BOLD)}  {paint(str(entity.ref), DIM)}{aliases}")
        active = [fact for fact in view.facts if fact.is_active]
        for fact in sorted(
            active, key=lambda fact: (not fact.pinned, fact.timestamp is None, fact.timestamp), reverse=False
        ):
            say(f"  {fact_line(fact)}", hang=4)
        older = [fact for fact in view.facts if not fact.is_active]
        if older and invocation.verbose:
            say("earlier:")
            for fact in older:
                say(f"  {fact_line(fact)}", hang=4)
        elif older:
            say(paint(f"  and {len(older)} superseded or archived: echo-notes history {entity.ref}", DIM))
        if view.linked_from:
            say("mentioned in:")
            for fact in view.linked_from:
                say(f"  {fact_line(fact)}", hang=4)
        _text(view.summary)
    for problem in view.problems:
        invocation.warn(problem)
        invocation.reach(6)


def _text(summary: str) -> None:
    """Print the person's own text about an entity, if there is any."""
    for line in ("", *clean(summary).splitlines()) if summary else ():
        say(line, hang=0)


def _fact(invocation: Invocation, located: "Located") -> None:
    record = fact_record(located.fact)
    if invocation.machine:
        say_json({"fact": record})
        return
    say(fact_line(located.fact), hang=2)
    for name in ("entity", "category", "key", "source", "provenance", "importance", "tags", "related", "version",
                 "superseded_reason", "valid_from", "valid_until", "scope"):  # fmt: skip
        value = record[name]
        if value not in (None, [], ""):
            shown = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
            say(f"  {name.replace('_', ' ')}: {one_line(shown)}")
    say(f"  in {one_line(located.fact.path)}:{located.fact.line}")


def _day(invocation: Invocation, view: "DayView") -> None:
    if invocation.machine:
        say_json({
            "start": view.span.start.isoformat(), "end": view.span.end.isoformat(),
            "notes": [{"path": path, "text": text} for path, text in view.notes],
            "facts": [fact_record(fact) for fact in view.facts],
        })  # fmt: skip
        return
    for path, text in view.notes:
        say(paint(one_line(path), DIM))
        say(clean(text).rstrip("\n"))
    if view.facts:
        say(paint("facts of that day:", DIM) if view.notes else "facts of that day:")
        for fact in view.facts:
            say(f"  {fact_line(fact)}", hang=4)

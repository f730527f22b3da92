"""`remember` for people, `observe` for programs."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from echo_notes.cli.args import Day, read_statements
from echo_notes.cli.command import new_app
from echo_notes.cli.invocation import Invocation
from echo_notes.cli.output import one_line, say, say_diff, say_json, say_ndjson
from echo_notes.cli.report import finish, tail

if TYPE_CHECKING:
    from echo_notes.lifecycle.remember import Outcome, Remembered, Statement

remember_app = new_app()
observe_app = new_app()
apps = {"remember": remember_app, "observe": observe_app}


def _command(
    ctx: typer.Context,
    text: Annotated[list[str], typer.Argument(metavar="TEXT…", help="What to keep; `-` reads one statement a line.")],
    about: Annotated[
        str, typer.Option("--about", "-a", metavar="ENTITY", help="Whom or what it is about; kind/name makes one.")
    ] = "",
    category: Annotated[
        str, typer.Option("--category", "-c", help="relationship, milestone, status or preference.")
    ] = "",
    key: Annotated[str, typer.Option("--key", help="Semantic key, for example employer.")] = "",
    tag: Annotated[list[str] | None, typer.Option("--tag", "-t", help="A tag; repeat for more.")] = None,
    importance: Annotated[
        float | None, typer.Option("--importance", min=0, max=1, help="0 to 1; 0.5 if not said.")
    ] = None,
    pin: Annotated[bool, typer.Option("--pin", help="Never let it fade.")] = False,
    date: Annotated[str, typer.Option("--date", metavar="D", help="When it was stated or became true.")] = "",
    valid_from: Annotated[str, typer.Option("--valid-from", metavar="D", help="First day it holds.")] = "",
    valid_until: Annotated[str, typer.Option("--valid-until", metavar="D", help="First day it no longer holds.")] = "",
    kind: Annotated[
        str, typer.Option("--type", metavar="user|environment", help="About the owner, or about the world.")
    ] = "",
    source: Annotated[str, typer.Option("--source", help="Where it comes from.")] = "conversation",
    reassert: Annotated[bool, typer.Option("--reassert", help="Say again what was judged wrong.")] = False,
    allow_flagged: Annotated[
        bool, typer.Option("--allow-flagged", help="Store it although the scan objects; agents never see it.")
    ] = False,
    strip_invisible: Annotated[
        bool, typer.Option("--strip-invisible", help="Remove invisible characters first.")
    ] = False,
) -> None:
    """Keep a statement as a fact about someone or something, or in today's note if it names no one.

    echo-notes remember "Ada prefers green tea" --about people/ada
    """
    from echo_notes.lifecycle.remember import Statement

    invocation: Invocation = ctx.find_root().obj
    verb = str(ctx.info_name)
    day = Day()
    common = Statement(
        text="", about=about, category=category, key=key, tags=tuple(tag or ()), importance=importance, pinned=pin,
        on=day.optional(date), valid_from=day.optional(valid_from), valid_until=day.optional(valid_until), type=kind,
        source=source, scope=invocation.scope,
    )  # fmt: skip
    statements = read_statements(text, common)
    outcome = _store(invocation, statements, verb, reassert, allow_flagged, strip_invisible)
    _report(invocation, outcome, verb)


def _store(
    invocation: Invocation, statements: "list[Statement]", verb: str, reassert: bool, allow_flagged: bool, strip: bool
) -> "Outcome":
    from echo_notes.cli.ask import insist
    from echo_notes.lifecycle.remember import remember

    def write(reassert: bool, allow_flagged: bool) -> "Outcome":
        opened = invocation.open(
            agent=verb == "observe", reassert=reassert, allow_flagged=allow_flagged, strip_invisible=strip
        )
        return remember(opened, statements, verb=verb)

    return insist(invocation, write, reassert=reassert, allow_flagged=allow_flagged)


def _report(invocation: Invocation, outcome: "Outcome", verb: str) -> None:
    if invocation.machine:
        records = [_record(result) for result in outcome.results]
        if invocation.ndjson:
            say_ndjson(records)
        else:
            say_json({"results": records, **tail(outcome.change, invocation)})
    elif invocation.dry_run:
        say_diff(outcome.change.diff, outcome.change.subject)
    else:
        past = {"remember": "remembered", "observe": "observed"}[verb]
        for result in outcome.results:
            say(_sentence(result, past, outcome.change.commit))
    for result in outcome.results:
        for rival in result.rivals:
            invocation.warn(
                f"{rival.id} says otherwise: {one_line(rival.text)}\n"
                f"  If it changed: echo-notes supersede {rival.id} …   If it was wrong: echo-notes correct {rival.id} …"
            )
    finish(invocation, outcome.change)


def _sentence(result: "Remembered", past: str, commit: str) -> str:
    where = f" ({commit})" if commit else ""
    if result.known:
        return f"already known: {result.id} in {result.path}"
    if result.stored_as == "note":
        return f"{past} as an entry in {result.path}{where}: it names no entity; to attach it, add --about kind/name"
    new = f", new entity {result.entity}" if result.made_entity else ""
    return f"{past} {result.id} in {result.path}{where}{new}"


def _record(result: "Remembered") -> dict[str, Any]:
    return {
        "stored_as": result.stored_as, "id": result.id or None, "entity": result.entity or None, "path": result.path,
        "text": result.text, "already_known": result.known, "rivals": [rival.id for rival in result.rivals],
    }  # fmt: skip


remember_app.command(name="remember")(_command)
observe_app.command(name="observe")(_command)

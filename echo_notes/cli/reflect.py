"""`reflect`: what a person keeps saying, proposed as lines of MEMORY.md."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from echo_notes.cli.args import Day
from echo_notes.cli.command import new_app

if TYPE_CHECKING:
    from echo_notes.cli.invocation import Invocation
    from echo_notes.lifecycle.reflect import Reflection

app = new_app()
apps = {"reflect": app}


@app.command()
def reflect(
    ctx: typer.Context,
    since: Annotated[
        str, typer.Option("--since", metavar="DATE", help="Look at what was said since then; 60 days if not said.")
    ] = "",
    no_llm: Annotated[bool, typer.Option("--no-llm", help="Nothing here asks a language model.")] = False,  # noqa: ARG001 - all passes take it
) -> None:
    """Propose lessons and preferences you repeat as lines of MEMORY.md; `review` decides them.

    echo-notes reflect
    """
    from echo_notes.cli.output import say_json, tell_error
    from echo_notes.cli.report import finish, tail
    from echo_notes.lifecycle.reflect import reflect as run

    invocation: Invocation = ctx.find_root().obj
    outcome = run(invocation.open(), Day().optional(since))
    if invocation.machine:
        say_json({**_record(outcome), **tail(outcome.change, invocation)})
    else:
        _say(invocation, outcome)
    for target in outcome.dangling:
        invocation.warn(f"MEMORY.md links to {target}, which is not there")
    if outcome.no_room:
        count = len(outcome.no_room)
        invocation.warn(
            f"MEMORY.md has no room for {count} more {'line' if count == 1 else 'lines'} (context.memoryBudget).\n"
            "  Move parts to topic notes: echo-notes learn --topic NAME …"
        )
    for problem in outcome.problems:
        tell_error(problem.what, where=problem.where, fix=problem.fix)
        invocation.reach(problem.exit_code)
    finish(invocation, outcome.change)


def _say(invocation: "Invocation", outcome: "Reflection") -> None:
    from echo_notes.cli.output import one_line, say, say_diff

    if invocation.dry_run and outcome.change.written:
        say_diff(outcome.change.diff, outcome.change.subject)
        return
    where = f" ({outcome.change.commit})" if outcome.change.commit else ""
    for one in outcome.proposed:
        say(f"{one.id}: {one_line(one.text)}")
        say(f"  under “{one_line(one.section)}”, said on {one.days} days: {', '.join(map(one_line, one.evidence))}")
    for path in outcome.listed:
        say(f"listed {one_line(path)} in MEMORY.md")
    if outcome.proposed:
        count = len(outcome.proposed)
        say(f"proposed {count} {'line' if count == 1 else 'lines'}{where}; decide: echo-notes review")
    elif not (outcome.listed or invocation.quiet):
        say("nothing new is repeated")


def _record(outcome: "Reflection") -> dict[str, Any]:
    return {
        "proposed": [
            {"id": one.id, "text": one.text, "section": one.section, "days": one.days, "evidence": list(one.evidence)}
            for one in outcome.proposed
        ],
        "listed": list(outcome.listed), "dangling": list(outcome.dangling), "no_room": list(outcome.no_room),
        "problems": [str(problem) for problem in outcome.problems],
    }  # fmt: skip

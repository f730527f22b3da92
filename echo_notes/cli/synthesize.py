"""`synthesize`: bring summaries up to date, and write the week's file."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from echo_notes.cli.args import Day
from echo_notes.cli.command import new_app
from echo_notes.cli.invocation import Invocation
from echo_notes.cli.llm import NoLlm, conclude, consult
from echo_notes.cli.output import one_line, say, say_diff, say_json, say_ndjson, tell_error
from echo_notes.cli.report import finish, tail

if TYPE_CHECKING:
    from echo_notes.lifecycle.contradict import Retirement
    from echo_notes.lifecycle.synthesize import Held, Rewritten, Synthesis

app = new_app()
apps = {"synthesize": app}


@app.command(name="synthesize")
def synthesize_command(
    ctx: typer.Context,
    entity: Annotated[
        list[str] | None, typer.Argument(metavar="[ENTITY…]", help="Only these; without any, the whole vault.")
    ] = None,
    weekly: Annotated[bool, typer.Option("--weekly", help="Also write memory/weekly, missed weeks too.")] = False,
    since: Annotated[
        str, typer.Option("--since", metavar="DATE", help="Only entities with something new since then.")
    ] = "",
    no_llm: NoLlm = False,
) -> None:
    """Rewrite the generated region of summaries from current facts, and supersede what they contradict.

    Example: echo-notes synthesize --weekly
    """
    invocation: Invocation = ctx.find_root().obj
    from echo_notes.cli.ask import confirm
    from echo_notes.lifecycle.synthesize import Request, synthesize

    opened = invocation.open()
    request = Request(entities=tuple(entity or ()), since=Day().optional(since), weekly=weekly)
    consultant = consult(opened, no_llm=no_llm)
    outcome = synthesize(
        opened, request, may_retire=lambda held: confirm(invocation, _question(held)), consultant=consultant
    )
    _report(invocation, outcome, conclude(invocation, opened, consultant))


def _report(invocation: Invocation, outcome: "Synthesis", degraded: list[str]) -> None:
    if invocation.json:
        say_json({**_record(outcome), "degraded": degraded, **tail(outcome.change, invocation)})
    elif invocation.ndjson:
        say_ndjson(_summary_record(done) for done in outcome.summaries)
    elif invocation.dry_run and outcome.change.subject:
        say_diff(outcome.change.diff, outcome.change.subject)
    else:
        _say(invocation, outcome)
    for held in outcome.held:
        tell_error(
            f"held: {_sentence(held)}", where=held.entity,
            fix=f"Look at them, then: echo-notes synthesize {held.entity} --yes",
        )  # fmt: skip
        invocation.reach(4)
    for problem in outcome.problems:
        tell_error(problem.what, where=problem.where, fix=problem.fix)
        invocation.reach(problem.exit_code)
    for one, other in outcome.undecided:
        invocation.warn(f"{one} and {other} contradict each other; a person decides: echo-notes review")
    finish(invocation, outcome.change)


def _say(invocation: Invocation, outcome: "Synthesis") -> None:
    for retired in outcome.retired:
        say(f"superseded {retired.loser.id} by {retired.winner.id} ({retired.reason}): {_move(retired)}")
    for done in outcome.summaries:
        kept = ", and moved what was edited by hand below the region" if done.moved else ""
        say(f"{'made' if done.made else 'rewrote'} {done.path}{kept}")
    for path in outcome.weekly:
        say(f"wrote {path}")
    if outcome.summaries or outcome.retired or outcome.weekly:
        where = f" ({outcome.change.commit})" if outcome.change.commit else ""
        count = len(outcome.summaries)
        say(f"synthesized {count} {'entity' if count == 1 else 'entities'}{where}")
    elif not (outcome.held or outcome.problems or outcome.undecided or invocation.quiet):
        say("nothing to synthesize")


def _question(held: "Held") -> str:
    lines = "".join(f"  {one.loser.id} → {one.winner.id}: {_move(one)}\n" for one in held.retirements)
    return f"{held.entity}: {_sentence(held)}\n{lines}Supersede them?"


def _sentence(held: "Held") -> str:
    ids = ", ".join(one.loser.id for one in held.retirements)
    return f"{len(held.retirements)} of {held.active} active facts would be superseded ({ids})"


def _move(retired: "Retirement") -> str:
    return f"{one_line(retired.loser.text)} → {one_line(retired.winner.text)}"


def _record(outcome: "Synthesis") -> dict[str, Any]:
    return {
        "summaries": [_summary_record(done) for done in outcome.summaries],
        "superseded": [_retired_record(one) for one in outcome.retired],
        "review": [list(pair) for pair in outcome.undecided],
        "weekly": list(outcome.weekly),
        "held": [
            {
                "entity": held.entity,
                "active": held.active,
                "superseded": [_retired_record(one) for one in held.retirements],
            }
            for held in outcome.held
        ],
        "problems": [
            {"where": one.where, "what": one.what, "fix": one.fix, "exit": one.exit_code} for one in outcome.problems
        ],
    }


def _summary_record(done: "Rewritten") -> dict[str, Any]:
    return {"entity": done.entity, "path": done.path, "made": done.made, "hand_edit_moved": done.moved}


def _retired_record(retired: "Retirement") -> dict[str, Any]:
    return {
        "id": retired.loser.id, "superseded_by": retired.winner.id, "reason": retired.reason,
        "old": retired.loser.text, "new": retired.winner.text,
    }  # fmt: skip

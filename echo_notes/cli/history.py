"""`history`: how facts came to be what they are."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from echo_notes.cli.command import new_app
from echo_notes.cli.output import DIM, YELLOW, one_line, paint, say, say_json
from echo_notes.cli.render import fact_line, fact_record

if TYPE_CHECKING:
    from echo_notes.cli.invocation import Invocation
    from echo_notes.lifecycle.lineage import HistoryView, Version

app = new_app()
apps = {"history": app}


@app.command()
def history(
    ctx: typer.Context,
    what: Annotated[str, typer.Argument(metavar="ENTITY|FACT", help="An entity, or the id of a fact.")],
    key: Annotated[str, typer.Argument(metavar="[KEY]", help="Only this key, for example employer.")] = "",
) -> None:
    """Show who replaced whom, when, why and by which path; newest first.

    echo-notes history ada employer
    """
    from echo_notes.lifecycle.lineage import history as run

    invocation: Invocation = ctx.find_root().obj
    view = run(invocation.open(), what, key)
    if invocation.machine:
        say_json({
            "entity": str(view.entity.ref),
            "lineages": [[_record(version) for version in one.versions] for one in view.lineages],
            "decisions": [
                {"at": d.at, "key": d.key or None, "value": d.value or None, "statement": d.statement,
                 "verdict": d.verdict, "by": d.by, "fact": d.fact} for d in view.decisions
            ],
        })  # fmt: skip
        return
    _print(view)


def _print(view: "HistoryView") -> None:
    say(f"{one_line(view.entity.name)}  {paint(str(view.entity.ref), DIM)}")
    for lineage in view.lineages:
        for version in lineage.versions:
            margin = "  " * (version.depth + 1)
            mark = "└ " if version.depth else ""
            say(f"{margin}{mark}{fact_line(version.fact)}{_why(version)}", hang=len(margin) + 4)
    if not view.lineages:
        say("  no facts")
    for decision in view.decisions:
        value = f"{decision.key} = {decision.value}" if decision.value else decision.statement
        say(
            paint(
                f"  {decision.at[:10]}  {decision.verdict}: {one_line(value)}  ({decision.fact}, {decision.by})", YELLOW
            )
        )


def _why(version: "Version") -> str:
    fact = version.fact
    parts = []
    if fact.superseded_reason:
        when = f" {fact.superseded_at.date().isoformat()}" if fact.superseded_at else ""
        parts.append(f"{one_line(fact.superseded_reason)}{when}")
    if version.path:
        parts.append(f"via {version.path}")
    if version.problem:
        parts.append(version.problem)
    return paint(f"  ({'; '.join(parts)})", DIM) if parts else ""


def _record(version: "Version") -> dict[str, Any]:
    fact = version.fact
    return {
        **fact_record(fact), "depth": version.depth, "write_path": version.path or None,
        "superseded_at": fact.superseded_at.isoformat() if fact.superseded_at else None,
        "problem": version.problem or None,
    }  # fmt: skip

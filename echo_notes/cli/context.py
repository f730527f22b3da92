"""`context`: the block that an agent reads first."""

import os
from typing import TYPE_CHECKING, Annotated, Any

import typer

from echo_notes.cli.command import new_app
from echo_notes.cli.surroundings import models_dir

if TYPE_CHECKING:
    from echo_notes.cli.invocation import Invocation
    from echo_notes.lifecycle.context import ContextBlock
    from echo_notes.lifecycle.context_room import Placed

app = new_app()
apps = {"context": app}


@app.command()
def context(
    ctx: typer.Context,
    session: Annotated[str, typer.Option("--session", metavar="KEY", help="Show its last messages too.")] = "",
    query: Annotated[str, typer.Option("--query", metavar="Q", help="Add what answers this.")] = "",
    budget: Annotated[
        int, typer.Option("--budget", metavar="CHARS", min=0, help="At most so long; context.budget if not said.")
    ] = 0,
) -> None:
    """Print what an agent should read first, quoted and within a budget; nothing is written.

    echo-notes context --query "plan Ada's visit"
    """
    from echo_notes.cli.output import say, say_json, say_ndjson, tell_error
    from echo_notes.lifecycle.context import Wish
    from echo_notes.lifecycle.context import context as run

    invocation: Invocation = ctx.find_root().obj
    opened = invocation.open(agent=True)
    block = run(
        opened, Wish(session=session, query=query, budget=budget), models_dir=models_dir(),
        embedder_key=os.environ.get(opened.settings.embedder_key_env, ""),
    )  # fmt: skip
    if invocation.ndjson:
        say_ndjson(item for one in block.sections for item in _items(one, block))
    elif invocation.json:
        say_json(_record(block))
    elif block.text:
        say(block.text)
    if block.over_memory:
        limit = opened.settings.memory_budget
        invocation.warn(
            f"MEMORY.md has {block.memory_chars} characters, more than context.memoryBudget ({limit}); an agent sees "
            "its beginning.\n  Move parts to topic notes: echo-notes learn --topic NAME …"
        )
    for note in block.degraded:
        invocation.warn(note)
    for problem in block.problems:
        tell_error(problem.what, where=problem.where, fix=problem.fix)
        invocation.reach(problem.exit_code)


def _record(block: "ContextBlock") -> dict[str, Any]:
    return {
        "text": block.text, "chars": len(block.text), "budget": block.budget, "scope": block.scope,
        "sections": [
            {"name": one.section.name, "items": _items(one, block), "left_out": one.left_out, "cut": list(one.cut)}
            for one in block.sections
        ],
        "left_out": block.left_out, "memory": {"chars": block.memory_chars, "over_budget": block.over_memory},
        "degraded": list(block.degraded), "problems": [str(problem) for problem in block.problems],
    }  # fmt: skip


def _items(one: "Placed", block: "ContextBlock") -> list[dict[str, Any]]:
    return [
        {
            "section": one.section.name, "id": passage.id, "layer": passage.layer, "entity": passage.entity or None,
            "text": passage.text, "provenance": passage.provenance or None,
            "timestamp": passage.on.isoformat() if passage.on else None, "path": passage.path, "line": passage.line,
            "effective_importance": round(block.effective[passage.id], 4) if passage.id in block.effective else None,
        }
        for passage in one.passages
    ]  # fmt: skip

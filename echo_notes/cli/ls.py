"""`ls`: the entities of the vault."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from echo_notes.cli.cells import cells, pad
from echo_notes.cli.command import new_app
from echo_notes.cli.output import DIM, one_line, paint, say, say_json, say_ndjson

if TYPE_CHECKING:
    from echo_notes.cli.invocation import Invocation
    from echo_notes.lifecycle.show import EntityLine

app = new_app()
apps = {"ls": app}


@app.command()
def ls(
    ctx: typer.Context,
    kind: Annotated[str, typer.Argument(metavar="[KIND]", help="people, companies, projects, …")] = "",
) -> None:
    """List entities with their number of active facts.

    echo-notes ls people
    """
    from echo_notes.lifecycle.entities import find_kind
    from echo_notes.lifecycle.show import list_entities

    invocation: Invocation = ctx.find_root().obj
    opened = invocation.open()
    lines, problems = list_entities(opened, find_kind(opened, kind) if kind else "")
    if invocation.ndjson:
        say_ndjson(_record(line) for line in lines)
    elif invocation.json:
        say_json({"entities": [_record(line) for line in lines]})
    else:
        width = max((cells(str(line.entity.ref)) for line in lines), default=0)
        for line in lines:
            newest = line.newest.isoformat() if line.newest else ""
            counts = paint(f"{line.active} active, {line.total} in all", DIM)
            name = one_line(line.entity.name)
            say(f"{pad(str(line.entity.ref), width)}  {name}  {counts}  {paint(newest, DIM)}".rstrip())
        if not lines:
            say("no entities yet")
    for problem in problems:
        invocation.warn(problem)
        invocation.reach(6)


def _record(line: "EntityLine") -> dict[str, Any]:
    entity = line.entity
    return {
        "entity": str(entity.ref), "name": entity.name, "aliases": list(entity.aliases), "kind": entity.ref.kind,
        "path": entity.folder, "active": line.active, "facts": line.total,
        "newest": line.newest.isoformat() if line.newest else None,
    }  # fmt: skip

"""`audit`: the record of writes, allowed and refused."""

from typing import TYPE_CHECKING, Annotated

import typer

from echo_notes.cli.args import Day
from echo_notes.cli.command import new_app
from echo_notes.cli.output import DIM, RED, one_line, paint, say, say_json, say_ndjson

if TYPE_CHECKING:
    from echo_notes.cli.invocation import Invocation
    from echo_notes.lifecycle.audit import AuditStats, Line

app = new_app()
apps = {"audit": app}


@app.command()
def audit(
    ctx: typer.Context,
    refused: Annotated[bool, typer.Option("--refused", help="Only what the gate refused.")] = False,
    since: Annotated[str, typer.Option("--since", metavar="D", help="From this day on.")] = "",
    stats: Annotated[bool, typer.Option("--stats", help="How often the gate refuses, by path and reason.")] = False,
) -> None:
    """Show what was written and what was refused, by which path and why.

    echo-notes audit --refused --since 2026-11
    """
    from echo_notes.lifecycle.audit import audit as run
    from echo_notes.lifecycle.audit import audit_stats

    invocation: Invocation = ctx.find_root().obj
    span = Day().span(since)
    lines = run(invocation.open(), refused=refused, since=span.start if span else None)
    if stats:
        _print_stats(invocation, audit_stats(lines))
    elif invocation.ndjson:
        say_ndjson(lines)
    elif invocation.json:
        say_json({"lines": list(lines)})
    else:
        for line in lines:
            _print_line(line)
        if not lines:
            say("nothing was refused" if refused else "nothing is on record yet")


def _print_line(line: "Line") -> None:
    verdict = "ok" if line["ok"] else paint(f"refused ({one_line(line['reason'])})", RED)
    say(
        f"{paint(one_line(str(line.get('at', ''))), DIM)}  {one_line(line['path'])}  {one_line(line['op'])}  "
        f"{one_line(str(line['target']))}  {verdict}"
    )


def _print_stats(invocation: "Invocation", stats: "AuditStats") -> None:
    if invocation.machine:
        say_json({
            "allowed": stats.allowed, "refused": stats.refused,
            "by_path": [{"path": path, "allowed": yes, "refused": no} for path, yes, no in stats.by_path],
            "by_reason": dict(stats.by_reason),
        })  # fmt: skip
        return
    total = stats.allowed + stats.refused
    share = f" ({stats.refused / total:.1%})" if total else ""
    say(f"{total} writes: {stats.allowed} allowed, {stats.refused} refused{share}")
    for path, yes, no in stats.by_path:
        say(f"  {one_line(path)}: {yes} allowed, {no} refused")
    for reason, count in stats.by_reason:
        say(f"  refused for {one_line(reason)}: {count}")

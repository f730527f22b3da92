"""`decay` and `gc`: what fades, and what is forgotten."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from echo_notes.cli.command import new_app

if TYPE_CHECKING:
    from echo_notes.cli.invocation import Invocation
    from echo_notes.lifecycle.decay import Decay
    from echo_notes.lifecycle.fading import Faded
    from echo_notes.lifecycle.gc import Collected
    from echo_notes.model.errors import EchoError

decay_app, gc_app = new_app(), new_app()
apps = {"decay": decay_app, "gc": gc_app}

_SHOWN = 20


@decay_app.command()
def decay(
    ctx: typer.Context,
    no_llm: Annotated[bool, typer.Option("--no-llm", help="Nothing here asks a language model.")] = False,  # noqa: ARG001 - all passes take it
) -> None:
    """Archive what has faded, count recalls, and move old versions to archive.json; cron calls this.

    echo-notes decay
    """
    from echo_notes.cli.output import say_json
    from echo_notes.cli.report import finish, tail
    from echo_notes.lifecycle.decay import decay as run

    invocation: Invocation = ctx.find_root().obj
    outcome = run(invocation.open())
    if invocation.machine:
        say_json({**_decay_record(outcome), **tail(outcome.change, invocation)})
    elif outcome.busy:
        invocation.warn("another decay is at work")
    else:
        _say_decay(invocation, outcome)
    _tell_problems(invocation, outcome.problems)
    finish(invocation, outcome.change)


@gc_app.command()
def gc(
    ctx: typer.Context,
    purge: Annotated[
        bool, typer.Option("--purge", help="Remove what is forgotten for good, once you have said --yes.")
    ] = False,
    no_llm: Annotated[bool, typer.Option("--no-llm", help="Nothing here asks a language model.")] = False,  # noqa: ARG001 - all passes take it
) -> None:
    """Move forgotten facts from items.json to archive.json, where recall still finds them.

    echo-notes gc
    """
    from echo_notes.cli.ask import confirm
    from echo_notes.cli.output import say_json
    from echo_notes.cli.report import finish, tail
    from echo_notes.lifecycle.gc import collect
    from echo_notes.lifecycle.gc import purge as purge_all

    invocation: Invocation = ctx.find_root().obj
    opened = invocation.open()
    outcome = purge_all(opened, lambda facts: confirm(invocation, _question(facts))) if purge else collect(opened)
    if invocation.machine:
        say_json({**_gc_record(outcome), **tail(outcome.change, invocation)})
    else:
        _say_gc(invocation, outcome)
    _tell_problems(invocation, outcome.problems)
    finish(invocation, outcome.change)


def _say_decay(invocation: "Invocation", outcome: "Decay") -> None:
    from echo_notes.cli.output import one_line, say, say_diff

    if invocation.dry_run and outcome.change.subject:
        say_diff(outcome.change.diff, outcome.change.subject)
        return
    where = f" ({outcome.change.commit})" if outcome.change.commit else ""
    for one in outcome.archived:
        say(f"archived {_line(one)}")
    for fact in outcome.moved:
        say(f"moved {one_line(fact.id)} to {one_line(fact.path)}")
    if outcome.change.written:
        say(f"{outcome.change.subject}{where}")
    elif not invocation.quiet:
        say("nothing has faded")
    if outcome.forgettable and not invocation.quiet:
        count = len(outcome.forgettable)
        say(f"forgotten, to be moved by echo-notes gc: {count} {'fact' if count == 1 else 'facts'}")
        _say_list(outcome.forgettable)


def _say_gc(invocation: "Invocation", outcome: "Collected") -> None:
    from echo_notes.cli.output import one_line, say, say_diff

    if invocation.dry_run and outcome.change.subject:
        say_diff(outcome.change.diff, outcome.change.subject)
        return
    where = f" ({outcome.change.commit})" if outcome.change.commit else ""
    verb = "removed" if outcome.purged else "moved"
    for one in outcome.facts:
        say(f"{verb} {_line(one)}")
    if outcome.facts:
        end = "; git history still has them" if outcome.purged else " to archive.json"
        count = len(outcome.facts)
        say(f"{verb} {count} {'fact' if count == 1 else 'facts'}{end}{where}")
    elif not invocation.quiet:
        say("nothing is forgotten")
    for fact in outcome.kept:
        invocation.warn(f"{one_line(fact.id)} stays: it ranks above what this writer may move")


def _say_list(facts: "tuple[Faded, ...]") -> None:
    from echo_notes.cli.output import say

    for one in facts[:_SHOWN]:
        say(f"  {_line(one)}")
    if len(facts) > _SHOWN:
        say(f"  … and {len(facts) - _SHOWN} more")


def _question(facts: "tuple[Faded, ...]") -> str:
    lines = "".join(f"  {_line(one)}\n" for one in facts)
    return f"These leave the vault for good (git history keeps them):\n{lines}Remove {len(facts)}?"


def _line(one: "Faded") -> str:
    from echo_notes.cli.output import one_line

    return f"{one_line(one.fact.id)} ({one.effective:.3f}): {one_line(one.fact.text)}"


def _tell_problems(invocation: "Invocation", problems: "tuple[EchoError, ...]") -> None:
    from echo_notes.cli.output import tell_error

    for problem in problems:
        tell_error(problem.what, where=problem.where, fix=problem.fix)
        invocation.reach(problem.exit_code)


def _decay_record(outcome: "Decay") -> dict[str, Any]:
    return {
        "busy": outcome.busy, "archived": [_faded_record(one) for one in outcome.archived],
        "moved": [fact.id for fact in outcome.moved], "rehearsed": outcome.rehearsed,
        "forgettable": [_faded_record(one) for one in outcome.forgettable],
        "problems": [str(problem) for problem in outcome.problems],
    }  # fmt: skip


def _gc_record(outcome: "Collected") -> dict[str, Any]:
    return {
        "moved": [] if outcome.purged else [_faded_record(one) for one in outcome.facts],
        "removed": [_faded_record(one) for one in outcome.facts] if outcome.purged else [],
        "kept": [fact.id for fact in outcome.kept],
        "problems": [str(problem) for problem in outcome.problems],
    }  # fmt: skip


def _faded_record(one: "Faded") -> dict[str, Any]:
    fact = one.fact
    return {
        "id": fact.id, "entity": str(fact.entity), "text": fact.text, "provenance": fact.provenance or "legacy",
        "importance": fact.importance, "effective_importance": round(one.effective, 4), "path": fact.path,
    }  # fmt: skip

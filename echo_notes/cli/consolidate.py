"""`consolidate`, `extract`, `heartbeat`: the passes that turn what was said and noted into facts."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from echo_notes.cli.command import new_app
from echo_notes.cli.llm import NoLlm, conclude, consult

if TYPE_CHECKING:
    from echo_notes.cli.invocation import Invocation
    from echo_notes.lifecycle.consolidate import Consolidated, Consolidation, Failed
    from echo_notes.lifecycle.derive import Row, Settled
    from echo_notes.lifecycle.extract import Extraction

consolidate_app, extract_app, heartbeat_app = new_app(), new_app(), new_app()
apps = {"consolidate": consolidate_app, "extract": extract_app, "heartbeat": heartbeat_app}

EXIT_UNREADABLE = 6


@consolidate_app.command()
def consolidate(ctx: typer.Context, no_llm: NoLlm = False) -> None:
    """Turn ended sessions into episodes and facts; `session end` starts this by itself.

    echo-notes consolidate
    """
    from echo_notes.cli.output import say, say_json
    from echo_notes.lifecycle.consolidate import consolidate as run

    invocation: Invocation = ctx.find_root().obj
    opened = invocation.open()
    consultant = consult(opened, no_llm=no_llm)
    outcome = run(opened, consultant)
    degraded = conclude(invocation, opened, consultant)
    if invocation.machine:
        say_json({**_consolidation_record(outcome), "degraded": degraded, "dry_run": invocation.dry_run})
    elif not _say_consolidation(invocation, outcome) and not invocation.quiet:
        say("nothing to consolidate")
    _finish_consolidation(invocation, outcome)


@extract_app.command()
def extract(
    ctx: typer.Context,
    date: Annotated[
        list[str] | None, typer.Argument(metavar="[DATE…]", help="Days, weeks or months; every daily note if not said.")
    ] = None,
    no_llm: NoLlm = False,
) -> None:
    """Turn durable statements of daily notes into facts.

    echo-notes extract yesterday today
    """
    from echo_notes.cli.args import Day
    from echo_notes.cli.output import say, say_json, say_ndjson
    from echo_notes.cli.report import tail
    from echo_notes.lifecycle.extract import extract as run

    invocation: Invocation = ctx.find_root().obj
    spans = [span for word in date or () if (span := Day().span(word))]
    opened = invocation.open()
    consultant = consult(opened, no_llm=no_llm)
    outcome = run(opened, spans, consultant)
    degraded = conclude(invocation, opened, consultant)
    if invocation.ndjson:
        say_ndjson(_row_record(row) for row in outcome.rows)
    elif invocation.json:
        say_json({**_extraction_record(outcome), "degraded": degraded, **tail(outcome.change, invocation)})
    elif not _say_extraction(invocation, outcome) and not invocation.quiet:
        say("nothing to extract")
    _finish_extraction(invocation, outcome)


@heartbeat_app.command()
def heartbeat(ctx: typer.Context, no_llm: NoLlm = False) -> None:
    """Consolidate queued and idle sessions, and extract from the latest notes; cron calls this.

    echo-notes heartbeat
    """
    from echo_notes.cli.output import say, say_json, tell_error
    from echo_notes.lifecycle.heartbeat import heartbeat as run

    invocation: Invocation = ctx.find_root().obj
    opened = invocation.open()
    consultant = consult(opened, no_llm=no_llm)
    beat = run(opened, consultant)
    degraded = conclude(invocation, opened, consultant)
    if invocation.machine:
        say_json(
            {
                "busy": beat.busy, "idle": list(beat.idle), "dry_run": invocation.dry_run,
                "consolidated": _consolidation_record(beat.consolidation) if beat.consolidation else None,
                "extracted": _extraction_record(beat.extraction) if beat.extraction else None,
                "degraded": degraded,
            }
        )  # fmt: skip
    elif beat.busy:
        invocation.warn("another heartbeat is at work")
    else:
        told = bool(beat.consolidation) and _say_consolidation(invocation, beat.consolidation)
        told = (bool(beat.extraction) and _say_extraction(invocation, beat.extraction)) or told
        if not (told or beat.problem or invocation.quiet):
            say("nothing to do")
    if beat.consolidation:
        _finish_consolidation(invocation, beat.consolidation)
    if beat.extraction:
        _finish_extraction(invocation, beat.extraction)
    if beat.problem:
        tell_error(beat.problem.what, where=beat.problem.where, fix=beat.problem.fix)
        invocation.reach(beat.problem.exit_code)


def _say_consolidation(invocation: "Invocation", outcome: "Consolidation | None") -> bool:
    """Print what was consolidated, and return whether that was anything."""
    from echo_notes.cli.output import one_line, say, say_diff

    for done in outcome.done if outcome else ():
        if invocation.dry_run:
            say_diff(done.change.diff, done.change.subject)
            continue
        where = f" ({done.change.commit})" if done.change.commit else ""
        told = f"{done.episode}, " if done.episode else ""
        say(f"consolidated {one_line(done.key)}: {told}{_facts(len(done.added))}{where}")
        _say_retired(done.settled)
    return bool(outcome and (outcome.done or outcome.failed))


def _finish_consolidation(invocation: "Invocation", outcome: "Consolidation") -> None:
    from echo_notes.cli.output import tell_error
    from echo_notes.cli.report import finish

    for done in outcome.done:
        _tell_rows(invocation, done.rows, done.settled)
        finish(invocation, done.change)
    for key in outcome.busy:
        invocation.warn(f"session {key} is being consolidated by another process")
    for failed in outcome.failed:
        fix = f"echo-notes session end {failed.job.key}" if failed.aside else getattr(failed.error, "fix", "")
        aside = "set aside, its messages are kept: " if failed.aside else ""
        what = getattr(failed.error, "what", "") or f"{type(failed.error).__name__}: {failed.error}"
        place = getattr(failed.error, "where", "")
        tell_error(f"{aside}{place + ': ' if place else ''}{what}", where=f"session {failed.job.key}", fix=fix)
        invocation.reach(getattr(failed.error, "exit_code", 70))


def _say_extraction(invocation: "Invocation", outcome: "Extraction | None") -> bool:
    """Print what was extracted, and return whether that was anything."""
    from echo_notes.cli.output import one_line, say, say_diff

    if outcome is None or not (outcome.added or outcome.settled.retired):
        return False
    if invocation.dry_run:
        say_diff(outcome.change.diff, outcome.change.subject)
        return True
    for row in outcome.rows:
        if row.outcome == "added":
            say(f"extracted {row.id} from {row.source}: {one_line(row.text)}")
    _say_retired(outcome.settled)
    known = sum(row.outcome == "known" for row in outcome.rows)
    where = f" ({outcome.change.commit})" if outcome.change.commit else ""
    say(f"{_facts(len(outcome.added))}{f', {known} known already' if known else ''}{where}")
    return True


def _finish_extraction(invocation: "Invocation", outcome: "Extraction") -> None:
    from echo_notes.cli.output import tell_error
    from echo_notes.cli.report import finish

    _tell_rows(invocation, outcome.rows, outcome.settled)
    for problem in outcome.problems:
        tell_error(problem.what, where=problem.where, fix=problem.fix)
        invocation.reach(problem.exit_code)
    finish(invocation, outcome.change)


def _tell_rows(invocation: "Invocation", rows: "tuple[Row, ...]", settled: "Settled") -> None:
    """Tell what did not become a fact; a refusal that was on record before is no news and no failure."""
    from echo_notes.cli.output import one_line, tell_error

    for row in rows:
        if row.error is None or not row.fresh:
            continue
        if row.outcome == "refused" or row.error.exit_code == EXIT_UNREADABLE:
            place = f"{row.error.where}: " if row.error.where else ""
            tell_error(f"{place}{row.error.what}", where=row.source, fix=row.error.fix)
            invocation.reach(row.error.exit_code)
        else:
            fix = f"\n  {row.error.fix}" if row.error.fix else ""
            invocation.warn(f"{row.source}: passed over “{one_line(row.text)}”: {row.error.what}{fix}")
    for problem in settled.problems:
        tell_error(problem.what, where=problem.where, fix=problem.fix)
        invocation.reach(problem.exit_code)
    for pair in settled.undecided:
        invocation.warn(f"{pair[0]} and {pair[1]} contradict each other; a person decides: echo-notes review")
    for name in settled.held:
        invocation.warn(f"{name}: too much of it would be superseded at once: echo-notes synthesize {name}")


def _say_retired(settled: "Settled") -> None:
    from echo_notes.cli.output import one_line, say

    for one in settled.retired:
        say(
            f"superseded {one.loser.id} by {one.winner.id} ({one.reason}): "
            f"{one_line(one.loser.text)} → {one_line(one.winner.text)}"
        )


def _consolidation_record(outcome: "Consolidation") -> dict[str, Any]:
    return {
        "sessions": [_session_record(done) for done in outcome.done],
        "busy": list(outcome.busy),
        "failed": [_failed_record(failed) for failed in outcome.failed],
    }


def _session_record(done: "Consolidated") -> dict[str, Any]:
    return {
        "session": done.key, "episode": done.episode or None, "facts": list(done.added),
        "rows": [_row_record(row) for row in done.rows], **_settled_record(done.settled),
        "commit": done.change.commit or None, "written": list(done.change.written),
    }  # fmt: skip


def _failed_record(failed: "Failed") -> dict[str, Any]:
    return {
        "session": failed.job.key, "reason": str(failed.error), "tries": failed.job.tries, "set_aside": failed.aside,
    }  # fmt: skip


def _extraction_record(outcome: "Extraction") -> dict[str, Any]:
    return {
        "notes": list(outcome.notes), "facts": list(outcome.added), "rows": [_row_record(row) for row in outcome.rows],
        **_settled_record(outcome.settled),
        "problems": [{"where": one.where, "what": one.what, "fix": one.fix} for one in outcome.problems],
    }  # fmt: skip


def _settled_record(settled: "Settled") -> dict[str, Any]:
    return {
        "superseded": [
            {"id": one.loser.id, "superseded_by": one.winner.id, "reason": one.reason} for one in settled.retired
        ],
        "review": [list(pair) for pair in settled.undecided],
        "held": list(settled.held),
    }


def _row_record(row: "Row") -> dict[str, Any]:
    return {
        "outcome": row.outcome, "text": row.text, "source": row.source, "entity": row.entity or None,
        "id": row.id or None, "reason": getattr(row.error, "reason", row.error.what if row.error else None),
    }  # fmt: skip


def _facts(count: int) -> str:
    return f"{count} {'fact' if count == 1 else 'facts'}"

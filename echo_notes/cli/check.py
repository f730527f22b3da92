"""`check`: what is broken, odd or waiting in a vault, and `--fix`."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from echo_notes.cli.command import new_app
from echo_notes.cli.output import DIM, RED, YELLOW, one_line, paint, say, say_diff, say_json, say_ndjson
from echo_notes.cli.report import finish, tail

if TYPE_CHECKING:
    from echo_notes.cli.invocation import Invocation
    from echo_notes.lifecycle.check import Report
    from echo_notes.lifecycle.findings import Finding

check_app = new_app()
apps = {"check": check_app}

_COLOURS = {"error": RED, "warning": YELLOW, "info": DIM}


@check_app.command()
def check(
    ctx: typer.Context,
    fix: Annotated[bool, typer.Option("--fix", help="Put right what has one plain reading, in one commit.")] = False,
) -> None:
    """Look for what is broken, odd or waiting; --verbose lists what is only for information too.

    echo-notes check --fix
    """
    from echo_notes.lifecycle import check as verbs

    invocation: Invocation = ctx.find_root().obj
    opened = invocation.open()
    report = verbs.fix(opened) if fix else verbs.check(opened)
    if invocation.ndjson:
        say_ndjson(_record(one) for one in report.findings)
    elif invocation.json:
        say_json(_answer(invocation, report, fixing=fix))
    else:
        if fix and invocation.dry_run:
            say_diff(report.change.diff, report.change.subject)
        elif fix:
            _say_fixed(report)
        _say_findings(report, verbose=invocation.verbose)
    finish(invocation, report.change)
    invocation.reach(report.status)


def _say_fixed(report: "Report") -> None:
    for line in report.fixed if report.change.written else ():
        say(f"fixed {one_line(line)}")
    if report.change.commit:
        repairs, files = _counted(len(report.fixed), "repair"), _counted(len(report.change.written), "file")
        say(f"{repairs} in {files} ({report.change.commit})")


def _say_findings(report: "Report", *, verbose: bool) -> None:
    shown = [one for one in report.findings if verbose or one.fixable or one.severity != "info"]
    for one in shown:
        severity = paint(one.severity, _COLOURS[one.severity])
        say(f"{one_line(one.place)}: {severity}: {one_line(one.message)} [{one.code}]")
    counts = [_counted(report.count(word), word) for word in ("error", "warning")]
    looked = f"{report.entities} entities, {report.facts} facts, {report.files} files"
    hidden = len(report.findings) - len(shown)
    more = f"; {hidden} for information: --verbose" if hidden else ""
    fixable = sum(one.fixable for one in report.findings)
    ending = f"; {fixable} of them can be fixed: echo-notes check --fix" if fixable else ""
    if any(report.count(word) for word in ("error", "warning")):
        say(f"{' and '.join(counts)} in {looked}{ending}{more}")
    else:
        say(f"nothing wrong in {looked}{more}")


def _counted(count: int, word: str) -> str:
    return f"{count} {word}{'' if count == 1 else 's'}"


def _answer(invocation: "Invocation", report: "Report", *, fixing: bool) -> dict[str, Any]:
    answer: dict[str, Any] = {
        "findings": [_record(one) for one in report.findings],
        "counts": {word: report.count(word) for word in ("error", "warning", "info")},
        "entities": report.entities, "facts": report.facts, "files": report.files,
    }  # fmt: skip
    if fixing:
        answer |= {"fixed": list(report.fixed), **tail(report.change, invocation)}
    return answer


def _record(one: "Finding") -> dict[str, Any]:
    return {
        "severity": one.severity, "code": one.code, "path": one.path, "line": one.line or None,
        "column": one.column or None, "fact": one.fact or None, "message": one.message, "fixable": one.fixable,
    }  # fmt: skip

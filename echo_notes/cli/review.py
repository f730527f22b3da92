"""`review` and `contradictions`: what waits for a person, and their word on it."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from echo_notes.cli.args import read_text
from echo_notes.cli.ask import answer, insist
from echo_notes.cli.command import new_app
from echo_notes.cli.output import DIM, YELLOW, one_line, paint, say, say_diff, say_json, say_ndjson
from echo_notes.cli.render import fact_line, fact_record
from echo_notes.cli.report import finish, tail

if TYPE_CHECKING:
    from collections.abc import Callable

    from echo_notes.cli.invocation import Invocation
    from echo_notes.lifecycle.opened import OpenVault
    from echo_notes.lifecycle.review import Decided, Item, Side

review_app, contradictions_app = new_app(), new_app()
review_app.info.help = (
    "Decide what waits for a person: open contradictions and held writes.\n\n"
    "At a terminal, without a word more, it goes through them one by one.\n\necho-notes review"
)
apps = {"review": review_app, "contradictions": contradictions_app}

_Id = Annotated[str, typer.Argument(metavar="ID", help="The entry, or a fact that it is about.")]
_Flagged = Annotated[bool, typer.Option("--allow-flagged", help="Store it although the scan objects.")]
_Reassert = Annotated[bool, typer.Option("--reassert", help="Say again what was judged wrong.")]


@review_app.callback(invoke_without_command=True)
def review(ctx: typer.Context) -> None:
    """Go through what waits at a terminal, list it elsewhere."""
    if ctx.invoked_subcommand is not None:
        return
    invocation: Invocation = ctx.find_root().obj
    if invocation.may_ask and not invocation.machine and not invocation.dry_run and not invocation.yes:
        _go_through(invocation)
    else:
        _list(invocation)


@review_app.command("list")
def list_(
    ctx: typer.Context,
    decided: Annotated[bool, typer.Option("--all", help="Those that were decided too.")] = False,
) -> None:
    """List what waits for a person.

    echo-notes review list
    """
    _list(ctx.find_root().obj, decided=decided)


@review_app.command()
def show(ctx: typer.Context, entry: _Id) -> None:
    """Show an entry whole: both sides with where they come from, and their history.

    echo-notes review show ada-001-or-ada-004
    """
    from echo_notes.lifecycle.review import show_review

    invocation: Invocation = ctx.find_root().obj
    item = show_review(invocation.open(), entry)
    if invocation.machine:
        say_json({"entry": _record(item, deep=True)})
    else:
        _print(item, deep=True)


@review_app.command()
def approve(
    ctx: typer.Context,
    entry: _Id,
    keep: Annotated[str, typer.Option("--keep", metavar="FACT", help="Of a contradiction: the fact that holds.")] = "",
    reassert: _Reassert = False,
    allow_flagged: _Flagged = False,
) -> None:
    """Carry out a held write, or keep one side of a contradiction; the other is superseded and judged wrong.

    echo-notes review approve ada-004
    """
    from echo_notes.lifecycle.review import approve as run

    invocation: Invocation = ctx.find_root().obj
    _decide(invocation, lambda opened: run(opened, entry, keep=keep), reassert=reassert, flagged=allow_flagged)


@review_app.command()
def edit(
    ctx: typer.Context,
    entry: _Id,
    text: Annotated[list[str], typer.Argument(metavar="TEXT…", help="What is true; `-` reads it.")],
    reassert: _Reassert = False,
    allow_flagged: _Flagged = False,
) -> None:
    """Decide an entry in your own words, which replace both sides or what a held write said.

    echo-notes review edit ada-001-or-ada-004 "Ada works at Kestrel Maps three days a week"
    """
    from echo_notes.lifecycle.review import edit as run

    words = read_text(text)
    _decide(ctx.find_root().obj, lambda opened: run(opened, entry, words), reassert=reassert, flagged=allow_flagged)


@review_app.command()
def reject(ctx: typer.Context, entry: _Id) -> None:
    """Say no: a held write is not to come back; two facts do not contradict each other, and both stand.

    echo-notes review reject ada-001-or-ada-004
    """
    from echo_notes.lifecycle.review import reject as run

    _decide(ctx.find_root().obj, lambda opened: run(opened, entry))


@review_app.command()
def defer(ctx: typer.Context, entry: _Id) -> None:
    """Put an entry off: it stays open, behind the others.

    echo-notes review defer ada-001-or-ada-004
    """
    from echo_notes.lifecycle.review import defer as run

    _decide(ctx.find_root().obj, lambda opened: run(opened, entry))


@contradictions_app.command()
def contradictions(ctx: typer.Context) -> None:
    """List the open contradictions.

    echo-notes contradictions
    """
    _list(ctx.find_root().obj, kind="contradiction")


def _list(invocation: "Invocation", *, kind: str = "", decided: bool = False) -> None:
    from echo_notes.lifecycle.review import list_review

    items = list_review(invocation.open(), kind=kind, decided=decided)
    if invocation.ndjson:
        say_ndjson(_record(item) for item in items)
    elif invocation.json:
        say_json({"entries": [_record(item) for item in items]})
    else:
        for item in items:
            _print(item)
        if not items:
            say("nothing contradicts" if kind else "nothing waits for review")


def _decide(
    invocation: "Invocation", act: "Callable[[OpenVault], Decided]", *, reassert: bool = False, flagged: bool = False
) -> None:
    def write(reassert: bool, allow_flagged: bool) -> "Decided":
        return act(invocation.open(reassert=reassert, allow_flagged=allow_flagged))

    _report(invocation, insist(invocation, write, reassert=reassert, allow_flagged=flagged))


def _report(invocation: "Invocation", done: "Decided") -> None:
    ruling = done.ruling
    if invocation.machine:
        say_json({
            "id": done.entry, "resolution": ruling.words, "kept": ruling.kept or None, "new": ruling.new or None,
            "superseded": list(ruling.retired), "decisions": ruling.decisions, "already": done.known,
            **tail(done.change, invocation),
        })  # fmt: skip
    elif invocation.dry_run:
        say_diff(done.change.diff, done.change.subject)
    else:
        where = f" ({done.change.commit})" if done.change.commit else ""
        again = " already" if done.known else ""
        gone = f", superseded {', '.join(ruling.retired)}" if ruling.retired else ""
        say(f"{done.entry}: {ruling.words}{again}{gone}{where}")
    finish(invocation, done.change)


def _go_through(invocation: "Invocation") -> None:
    """Ask about each entry in turn; anything but a known letter leaves it as it is."""
    from echo_notes.lifecycle.review import list_review, show_review

    items = list_review(invocation.open())
    for number, waiting in enumerate(items, 1):
        item = show_review(invocation.open(), waiting.entry.id)
        if number > 1:
            say()
        _print(item, deep=True)
        if not _ask_one(invocation, item, f"{number} of {len(items)}"):
            return
    if not items:
        say("nothing waits for review")


def _ask_one(invocation: "Invocation", item: "Item", place: str) -> bool:
    """Ask what becomes of an entry; False to stop."""
    from echo_notes.lifecycle import review as verbs
    from echo_notes.model.errors import EchoError

    entry = item.entry
    sides = [side.id for side in item.sides if side.fact] if not item.write else []
    choices = "".join(f"[{number}] keep {one}  " for number, one in enumerate(sides, 1)) or "[a]pprove  "
    letter = answer(f"{place}: {choices}[r]eject  [e]dit  [d]efer  [q]uit?")
    acts: dict[str, Callable[[OpenVault], Decided]] = {
        "r": lambda opened: verbs.reject(opened, entry.id),
        "d": lambda opened: verbs.defer(opened, entry.id),
    }
    if item.write:
        acts["a"] = lambda opened: verbs.approve(opened, entry.id)
    for number, one in enumerate(sides, 1):
        acts[str(number)] = lambda opened, one=one: verbs.approve(opened, entry.id, keep=one)  # type: ignore[misc]
    if letter == "e":
        words = _ask_words()
        acts["e"] = lambda opened: verbs.edit(opened, entry.id, words)
    if letter in acts:
        try:
            _decide(invocation, acts[letter])
        except EchoError as error:
            invocation.warn(str(error))
            invocation.reach(error.exit_code)
    return letter != "q"


def _ask_words() -> str:
    import sys

    sys.stderr.write("What is true? ")
    sys.stderr.flush()
    return sys.stdin.readline().strip()


def _print(item: "Item", *, deep: bool = False) -> None:
    entry = item.entry
    marks = [entry.kind, *([f"deferred {entry.deferred_at[:10]}"] if entry.deferred_at else [])]
    if entry.resolution:
        marks.append(f"{one_line(entry.resolution)} {str(entry.resolved_at)[:10]}")
    about = f"  {one_line(item.entity)}" if item.entity else ""
    say(f"{one_line(entry.id)}{about}  {paint('[' + ', '.join(marks) + ']', YELLOW)}")
    if item.write:
        write = item.write
        on = f" {write.target}" if write.target else ""
        say(f"  would {one_line(write.op)}{one_line(on)}: {one_line(write.text)}")
        say(paint(f"  proposed {entry.created_at[:10]} via {one_line(write.path)}, {one_line(write.provenance)}", DIM))
        if entry.evidence:
            say(paint(f"  {one_line(write.reason)}: {', '.join(map(one_line, entry.evidence))}", DIM))
    elif entry.description:
        say(paint(f"  {one_line(entry.description)} (confidence {entry.confidence:.2f})", DIM))
    for side in item.sides:
        _print_side(side, deep=deep)


def _print_side(side: "Side", *, deep: bool) -> None:
    if side.fact is None:
        say(f"  {one_line(side.id)} is not there any more")
        return
    origin = one_line(side.fact.provenance or "legacy") + (f", via {one_line(side.path)}" if side.path else "")
    say(f"  {fact_line(side.fact)}  {paint(f'({origin})', DIM)}")
    for version in side.lineage if deep else ():
        if version.fact.id != side.id:
            say(f"    {'└ ' if version.depth else ''}{fact_line(version.fact)}")


def _record(item: "Item", *, deep: bool = False) -> dict[str, Any]:
    entry, write = item.entry, item.write
    record: dict[str, Any] = {
        "id": entry.id, "kind": entry.kind, "entity": item.entity or None, "description": entry.description or None,
        "confidence": entry.confidence if write is None else None, "status": "open" if entry.is_open else "decided",
        "resolution": entry.resolution, "created_at": entry.created_at, "resolved_at": entry.resolved_at,
        "deferred_at": entry.deferred_at or None, "sides": [_side_record(side, deep=deep) for side in item.sides],
        "suspected": entry.suspected,
        "write": None,
    }  # fmt: skip
    if write:
        record["write"] = {
            "op": write.op, "target": write.target or None, "text": write.text, "section": write.section or None,
            "reason": write.reason, "path": write.path, "provenance": write.provenance, "scope": write.scope or None,
            "evidence": list(entry.evidence),
        }  # fmt: skip
    return record


def _side_record(side: "Side", *, deep: bool) -> dict[str, Any]:
    record: dict[str, Any] = {"id": side.id, "fact": fact_record(side.fact) if side.fact else None}
    if deep:
        record["write_path"] = side.path or None
        record["history"] = [
            {**fact_record(version.fact), "depth": version.depth, "write_path": version.path or None}
            for version in side.lineage
        ]
    return record

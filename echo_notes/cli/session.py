"""`session start|add|show|end|list`: the working memory of one conversation."""

from datetime import UTC
from typing import TYPE_CHECKING, Annotated, Any

import typer

from echo_notes.cli.command import new_app

if TYPE_CHECKING:
    from echo_notes.cli.invocation import Invocation
    from echo_notes.files.layout import Layout
    from echo_notes.lifecycle.session import Listed

app = new_app()
apps = {"session": app}

_OUTCOMES = {
    "queued": "queued for consolidation",
    "known": "queued already",
    "nothing": "no messages wait, nothing to consolidate",
}
_Key = Annotated[str, typer.Argument(metavar="KEY", help="The session's name, for example monday.")]


@app.callback()
def session() -> None:
    """Keep what is said in a session until it is consolidated into an episode and facts."""


@app.command()
def start(ctx: typer.Context, key: _Key) -> None:
    """Open a session, or go on with one; --scope owner or global says whose its facts will be.

    echo-notes session start monday
    """
    from echo_notes.cli.output import say, say_json
    from echo_notes.cli.surroundings import now
    from echo_notes.lifecycle.session import start as run

    invocation: Invocation = ctx.find_root().obj
    if _is_dry(invocation, f"would open session {key}"):
        return
    opened = run(_layout(invocation), key, scope=invocation.scope, now=now())
    count = len(opened.messages)
    if invocation.machine:
        say_json({"session": opened.key, "scope": opened.scope, "messages": count})
    else:
        say(f"session {opened.key} {f'goes on, with {_messages(count)}' if count else 'is open'}")


@app.command()
def add(
    ctx: typer.Context,
    key: _Key,
    text: Annotated[list[str], typer.Argument(metavar="TEXT…", help="What was said; `-` reads a transcript.")],
    role: Annotated[str, typer.Option("--role", metavar="user|assistant", help="Who said it.")] = "user",
    importance: Annotated[
        float | None, typer.Option("--importance", min=0, max=1, help="0 to 1; what is low leaves the view first.")
    ] = None,
) -> None:
    """Add a message, or with `-` a transcript: `User: …` lines, NDJSON, or an OpenAI-style list of messages.

    echo-notes session add monday "I moved to Lisbon"
    """
    from dataclasses import replace

    from echo_notes.cli.args import STDIN, read_stdin
    from echo_notes.cli.output import say, say_json
    from echo_notes.files.sessions import ASSISTANT, USER, Message
    from echo_notes.lifecycle.session import add as run
    from echo_notes.lifecycle.transcript import parse_transcript
    from echo_notes.model.errors import UsageError

    if role not in {USER, ASSISTANT}:
        raise UsageError(f"no role is called {role!r}", fix="Choose user or assistant.")
    invocation: Invocation = ctx.find_root().obj
    opened = invocation.open()
    if text == [STDIN]:
        messages = [
            message if message.importance is not None else replace(message, importance=importance)
            for message in parse_transcript(read_stdin(), role)
        ]
    else:
        messages = [Message(text=" ".join(text), role=role, importance=importance)]
    if _is_dry(invocation, f"would add {_messages(len(messages))} to session {key}"):
        return
    scope = invocation.scope or None
    done = run(opened.layout, key, messages, now=opened.now, scope=scope, agent=opened.writer.agent)
    if invocation.machine:
        say_json({"session": done.key, "added": len(messages), "messages": len(done.messages)})
    elif not invocation.quiet:
        say(f"added {_messages(len(messages))} to session {done.key}")


@app.command()
def show(
    ctx: typer.Context,
    key: _Key,
    budget: Annotated[
        int | None, typer.Option("--budget", metavar="CHARS", min=1, help="Characters it may take; 4000 if not said.")
    ] = None,
) -> None:
    """Show the working view: at most 20 of the newest messages, the least important left out first.

    echo-notes session show monday --budget 2000
    """
    from echo_notes.cli.output import clean, say, say_json
    from echo_notes.cli.surroundings import now
    from echo_notes.lifecycle.session import VIEW_CHARS
    from echo_notes.lifecycle.session import show as run

    invocation: Invocation = ctx.find_root().obj
    view = run(
        _layout(invocation), key, budget=budget or VIEW_CHARS, scope=invocation.scope or None, zone=now().tzinfo
    )  # fmt: skip
    if invocation.machine:
        say_json({"session": view.key, "text": view.text, "shown": view.shown, "left_out": view.left_out})
        return
    if view.text:
        say(clean(view.text))
    if view.left_out:
        invocation.warn(f"{_messages(view.left_out)} of the session left out; they wait for consolidation")


@app.command()
def end(
    ctx: typer.Context,
    key: _Key,
    no_detach: Annotated[
        bool, typer.Option("--no-detach", help="Only leave the job; `consolidate` or `heartbeat` does it later.")
    ] = False,
) -> None:
    """End a session: it returns at once, and the consolidation goes on in the background.

    echo-notes session end monday
    """
    from echo_notes.cli.output import say, say_json
    from echo_notes.cli.surroundings import now
    from echo_notes.lifecycle.session_end import NOTHING, end_session

    invocation: Invocation = ctx.find_root().obj
    layout = _layout(invocation)
    if _is_dry(invocation, f"would queue session {key} for consolidation"):
        return
    at = now().astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    done = end_session(layout, key, at=at, scope=invocation.scope or None)
    if done != NOTHING and not no_detach:
        from echo_notes.cli.detach import start_detached

        start_detached(["consolidate"], root=layout.root, log=layout.state_dir / "consolidate.log")
    if invocation.machine:
        say_json({"session": key.strip(), "queued": done != NOTHING, "already_queued": done == "known"})
    elif not invocation.quiet:
        say(f"session {key.strip()}: {_OUTCOMES[done]}")


@app.command(name="list")
def list_command(ctx: typer.Context) -> None:
    """List the sessions whose messages are not consolidated yet, and those that could not be.

    echo-notes session list
    """
    from echo_notes.cli.output import one_line, say, say_json, say_ndjson
    from echo_notes.lifecycle.session import list_sessions

    invocation: Invocation = ctx.find_root().obj
    found = list_sessions(_layout(invocation), scope=invocation.scope or None)
    records = [_record(one) for one in found]
    if invocation.ndjson:
        say_ndjson(records)
    elif invocation.json:
        say_json({"sessions": records})
    else:
        for one, record in zip(found, records, strict=True):
            why = f": {one_line(one.reason)}" if one.reason else ""
            say(f"{one_line(one.session.key)}  {_messages(record['messages'])}  {one.state}{why}")
            if one.held:
                say(f"  refused messages are kept in {one.held}")
        if not found and not invocation.quiet:
            say("no sessions")


def _layout(invocation: "Invocation") -> "Layout":
    """Return the vault's paths alone: reading its settings would cost more than all else that a session end does."""
    from echo_notes.cli.surroundings import find_root, own_config_path
    from echo_notes.files.layout import Layout

    return Layout(find_root(invocation.vault, own_config_path()))


def _is_dry(invocation: "Invocation", would: str) -> bool:
    """Return whether this is a dry run, and then say what it would do; a buffer is no file of the vault, so no diff."""
    if invocation.dry_run:
        from echo_notes.cli.output import one_line, say, say_json

        if invocation.machine:
            say_json({"dry_run": True})
        else:
            say(one_line(would))
    return invocation.dry_run


def _record(one: "Listed") -> dict[str, Any]:
    session = one.session
    return {
        "session": session.key, "scope": session.scope, "messages": len(session.messages), "state": one.state,
        "started_at": session.started_at.isoformat() if session.started_at else None,
        "last_at": session.last_at.isoformat() if session.last_at else None,
        "reason": one.reason or None, "held": one.held or None,
    }  # fmt: skip


def _messages(count: int) -> str:
    return f"{count} message" + ("" if count == 1 else "s")

"""`reindex`: the index from zero."""

import os
from typing import TYPE_CHECKING

import typer

from echo_notes.cli.command import new_app
from echo_notes.cli.output import say, say_json
from echo_notes.cli.surroundings import models_dir

if TYPE_CHECKING:
    from echo_notes.cli.invocation import Invocation
    from echo_notes.lifecycle.opened import OpenVault
    from echo_notes.lifecycle.reindex import Reindexed

app = new_app()
apps = {"reindex": app}

UNREADABLE = 6


@app.command()
def reindex(ctx: typer.Context) -> None:
    """Make the index again from the files; recall keeps it up to date by itself.

    echo-notes reindex
    """
    invocation: Invocation = ctx.find_root().obj
    opened = invocation.open()
    if invocation.dry_run:
        say("would make .echo/index again; the files are only read")
        return
    done = run(opened)
    if invocation.machine:
        say_json({
            "files": done.files, "took_ms": round(done.took_ms, 1), "problems": list(done.problems),
            "degraded": list(done.degraded),
        })  # fmt: skip
    else:
        say(f"indexed {done.files} files in {done.took_ms / 1000:.1f} s")
    for note in (*done.degraded, *done.problems):
        invocation.warn(note)
    if done.problems:
        invocation.reach(UNREADABLE)


def run(opened: "OpenVault") -> "Reindexed":
    """Make the index of a vault again with the models and keys of this person."""
    from echo_notes.lifecycle.reindex import reindex

    key = os.environ.get(opened.settings.embedder_key_env, "")
    return reindex(opened, models_dir=models_dir(), embedder_key=key)

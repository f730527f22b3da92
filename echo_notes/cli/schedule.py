"""`schedule`: have cron or systemd run the passes."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from echo_notes.cli.command import new_app

if TYPE_CHECKING:
    from echo_notes.cli.invocation import Invocation
    from echo_notes.lifecycle.schedule import Job

app = new_app()
apps = {"schedule": app}

_PATH = "/usr/bin:/bin"
"""All that cron looks through."""
_CARRIED = ("ECHO_CONFIG", "ECHO_MODELS", "XDG_CONFIG_HOME", "XDG_CACHE_HOME")
"""Variables that say where a person's own files are; what runs without their profile must be told."""
_Systemd = Annotated[bool, typer.Option("--systemd", help="systemd user timers instead of a crontab.")]


@app.callback()
def schedule() -> None:
    """Have cron run the passes: heartbeat every 30 minutes, decay daily at 4:00, synthesize on Sunday at 18:00."""


@app.command()
def show(ctx: typer.Context, systemd: _Systemd = False) -> None:
    """Show what is installed for this vault, or would be.

    echo-notes schedule show
    """
    from echo_notes.cli.output import say, say_json
    from echo_notes.lifecycle.schedule import cron_block, find_block, unit_files

    invocation: Invocation = ctx.find_root().obj
    job = _job(invocation)
    if systemd:
        files = unit_files(job)
        folder = _unit_folder()
        installed = all((folder / name).is_file() for name in files)
        text = "\n".join(f"# {folder / name}\n{body}" for name, body in files.items())
    else:
        there = find_block(_read_crontab(missing_is_empty=True), job.vault)
        installed = bool(there)
        text = there or cron_block(job)
    if invocation.machine:
        say_json(
            {"vault": str(job.vault), "by": "systemd" if systemd else "cron", "installed": installed, "text": text}
        )
        return
    say(text.rstrip("\n"))
    if not installed:
        invocation.warn(f"not installed; to install it: echo-notes schedule install{' --systemd' if systemd else ''}")


@app.command()
def install(ctx: typer.Context, systemd: _Systemd = False) -> None:
    """Install the timetable, or bring it up to date; other lines of the crontab stay as they are.

    echo-notes schedule install
    """
    from echo_notes.lifecycle.schedule import cron_block, unit_files

    invocation: Invocation = ctx.find_root().obj
    job = _job(invocation)
    changed = _install_units(invocation, unit_files(job), job) if systemd else _change(invocation, job, cron_block(job))
    _tell(invocation, job, changed=changed, systemd=systemd, verb="installed")


@app.command()
def remove(ctx: typer.Context, systemd: _Systemd = False) -> None:
    """Take the timetable of this vault out again.

    echo-notes schedule remove
    """
    invocation: Invocation = ctx.find_root().obj
    job = _job(invocation)
    changed = _remove_units(invocation, job) if systemd else _change(invocation, job, "")
    _tell(invocation, job, changed=changed, systemd=systemd, verb="removed")


def _tell(invocation: "Invocation", job: "Job", *, changed: bool, systemd: bool, verb: str) -> None:
    from echo_notes.cli.output import one_line, say, say_json
    from echo_notes.cli.surroundings import now
    from echo_notes.files.layout import Layout
    from echo_notes.lifecycle.runs import LOG, note_schedule

    where = "systemd timers" if systemd else "crontab"
    if not invocation.dry_run:
        note_schedule(Layout(job.vault), now() if verb == "installed" else None)
    if invocation.machine:
        say_json({"vault": str(job.vault), "by": "systemd" if systemd else "cron", "changed": changed, "done": verb,
                  "dry_run": invocation.dry_run})  # fmt: skip
    elif not changed:
        say(f"nothing to do: {'not ' if verb == 'removed' else 'already '}in the {where}")
    elif not invocation.dry_run:
        log = f"; what they print goes to {one_line(str(Layout(job.vault).state_dir / LOG))}"
        say(f"{verb} heartbeat, decay and synthesize --weekly ({where}){log if verb == 'installed' else ''}")


def _job(invocation: "Invocation") -> "Job":
    """Return what a scheduler must know to run this vault's passes without a profile."""
    from echo_notes.lifecycle.schedule import Job, check_job

    root = invocation.open().root.resolve()
    environment = {name: os.environ[name] for name in _CARRIED if os.environ.get(name)}
    git = shutil.which("git")
    if git and str(Path(git).parent) not in _PATH.split(":"):
        environment["PATH"] = f"{Path(git).parent}:{_PATH}"
    job = Job(_program(), root, environment)
    check_job(job)
    return job


def _program() -> tuple[str, ...]:
    """Return the words that start this very program from anywhere."""
    own = Path(sys.argv[0])
    if own.name == "echo-notes" and own.is_file() and os.access(own, os.X_OK):
        return (str(own.absolute()),)
    found = Path(sys.executable).with_name("echo-notes")
    if found.is_file():
        return (str(found),)
    return (sys.executable, "-m", "echo_notes")


def _change(invocation: "Invocation", job: "Job", block: str) -> bool:
    """Put the block into the crontab, or take it out; return whether that changes it."""
    from echo_notes.lifecycle.schedule import with_block

    before = _read_crontab(missing_is_empty=not block)
    after = with_block(before, job.vault, block)
    if after == before:
        return False
    if invocation.dry_run:
        _show_diff(before, after)
    else:
        _run(["crontab", "-"], data=after)
    return True


def _show_diff(before: bytes, after: bytes) -> None:
    from difflib import unified_diff

    from echo_notes.cli.output import clean, say

    old, new = (text.decode("utf-8", "replace").splitlines() for text in (before, after))
    for line in unified_diff(old, new, "crontab", "crontab", lineterm=""):
        say(clean(line))


def _read_crontab(*, missing_is_empty: bool) -> bytes:
    """Return the person's crontab, empty if there is none yet."""
    from echo_notes.model.errors import NotFoundError

    program = shutil.which("crontab")
    if program is None:
        if missing_is_empty:
            return b""
        raise NotFoundError(
            "there is no crontab program here", fix="With systemd: echo-notes schedule install --systemd"
        )
    done = subprocess.run([program, "-l"], capture_output=True, check=False)  # noqa: S603 - found on PATH, fixed words
    if done.returncode == 0:
        return done.stdout
    if b"no crontab" in done.stderr.lower() or not done.stderr.strip():
        return b""
    raise _failed("crontab -l", done.stderr)


def _install_units(invocation: "Invocation", files: dict[str, str], job: "Job") -> bool:
    """Write the units that differ and start their timers; return whether any did."""
    from echo_notes.cli.output import say
    from echo_notes.files.textfile import write_atomic
    from echo_notes.lifecycle.schedule import timers

    folder = _unit_folder()
    stale = {name: body for name, body in files.items() if _text(folder / name) != body}
    if not stale:
        return False
    if invocation.dry_run:
        for name, body in stale.items():
            say(f"# {folder / name}\n{body}")
        return True
    folder.mkdir(parents=True, exist_ok=True)
    for name, body in stale.items():
        write_atomic(folder / name, body.encode("utf-8", "surrogateescape"))
    _run(["systemctl", "--user", "daemon-reload"])
    _run(["systemctl", "--user", "enable", "--now", *timers(job.vault)])
    return True


def _remove_units(invocation: "Invocation", job: "Job") -> bool:
    """Stop the timers and remove the units; return whether there were any."""
    from echo_notes.cli.output import say
    from echo_notes.lifecycle.schedule import timers, unit_files

    there = [path for name in unit_files(job) if (path := _unit_folder() / name).is_file()]
    if not there:
        return False
    if invocation.dry_run:
        for path in there:
            say(f"remove {path}")
        return True
    _run(["systemctl", "--user", "disable", "--now", *timers(job.vault)])
    for path in there:
        path.unlink()
    _run(["systemctl", "--user", "daemon-reload"])
    return True


def _unit_folder() -> Path:
    base = os.environ.get("XDG_CONFIG_HOME", "")
    return (Path(base) if base.startswith("/") else Path("~/.config").expanduser()) / "systemd" / "user"


def _text(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8", errors="surrogateescape")
    except FileNotFoundError:
        return None


def _run(words: list[str], *, data: bytes | None = None) -> None:
    """Run a program of the system; an error carries its own words."""
    from echo_notes.model.errors import NotFoundError

    program = shutil.which(words[0])
    if program is None:
        raise NotFoundError(f"there is no {words[0]} program here", fix="See what it would be told: --dry-run")
    done = subprocess.run(  # noqa: S603 - found on PATH, fixed words, no shell
        [program, *words[1:]], input=data, stdin=None if data is not None else subprocess.DEVNULL, capture_output=True,
        check=False,
    )  # fmt: skip
    if done.returncode:
        raise _failed(" ".join(words[:3]), done.stderr or done.stdout)


def _failed(what: str, said: bytes) -> Exception:
    from echo_notes.model.errors import ConflictError

    return ConflictError(f"{what} failed: {said.decode('utf-8', 'replace').strip()}", fix="Nothing else was changed.")

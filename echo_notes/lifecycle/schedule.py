"""The timetable of the passes as text: a marked block of a crontab, or systemd user timers. It runs nothing."""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from echo_notes.files.layout import ECHO_DIR
from echo_notes.lifecycle.runs import LOG
from echo_notes.model.errors import ConflictError, UsageError
from echo_notes.model.names import slugify

_BEGIN = "# >>> echo-notes {vault} >>>"
_END = "# <<< echo-notes {vault} <<<"
_STATE = f"{ECHO_DIR}/state"


@dataclass(frozen=True, slots=True)
class Timed:
    """A command of the program, and when it runs: as cron and as systemd write it (local time)."""

    name: str
    words: tuple[str, ...]
    cron: str
    calendar: str


TIMETABLE = (
    Timed("heartbeat", ("heartbeat",), "*/30 * * * *", "*:0/30"),
    Timed("decay", ("decay",), "0 4 * * *", "*-*-* 04:00:00"),
    Timed("synthesize", ("synthesize", "--weekly"), "0 18 * * 0", "Sun *-*-* 18:00:00"),
)


@dataclass(frozen=True, slots=True)
class Job:
    """What a scheduler has to know: the program (absolute), the vault (absolute), and variables it must be given.

    Neither cron nor systemd has a person's profile, so nothing here relies on one.
    """

    program: tuple[str, ...]
    vault: Path
    environment: Mapping[str, str]

    def command(self, timed: Timed) -> str:
        """Return a pass as one line for `/bin/sh`; what it says is appended to the log in the state directory."""
        state = shlex.quote(str(self.vault / _STATE))
        log = shlex.quote(str(self.vault / _STATE / LOG))
        assigned = [f"{name}={shlex.quote(value)}" for name, value in sorted(self.environment.items())]
        words = [*self.program, *timed.words, "--vault", str(self.vault), "--no-input", "--quiet"]
        line = " ".join([*assigned, *map(shlex.quote, words)])
        return f"mkdir -p {state} && {line} >> {log} 2>&1"


def check_job(job: Job) -> None:
    """UsageError for a path that no line of a crontab or unit file can hold."""
    for text in (str(job.vault), *job.program, *job.environment.values()):
        if any(ord(char) < ord(" ") or char == "\x7f" for char in text):
            raise UsageError(f"{text!r} has a control character", fix="Move the vault to a plain path.")


def cron_block(job: Job) -> str:
    """Return the block of a crontab that runs the passes for one vault, `%` escaped (cron reads it as a newline)."""
    lines = [f"{timed.cron} {job.command(timed)}".replace("%", "\\%") for timed in TIMETABLE]
    return "\n".join([_BEGIN.format(vault=job.vault), *lines, _END.format(vault=job.vault)]) + "\n"


def with_block(crontab: bytes, vault: Path, block: str) -> bytes:
    """Return a crontab with this vault's block put in, or replaced; "" takes it out. Every other byte stays.

    ConflictError for a block that begins and does not end, or the other way round.
    """
    lines = crontab.splitlines(keepends=True)
    begin, end = (mark.format(vault=vault).encode() for mark in (_BEGIN, _END))
    starts = [at for at, line in enumerate(lines) if line.strip() == begin]
    ends = [at for at, line in enumerate(lines) if line.strip() == end]
    if len(starts) != len(ends) or len(starts) > 1 or any(a > b for a, b in zip(starts, ends, strict=True)):
        raise ConflictError(
            "the marked block of this vault is damaged", where="crontab", fix="Mend or remove it by hand: crontab -e"
        )
    new = [block.encode()] if block else []
    if starts:
        return b"".join([*lines[: starts[0]], *new, *lines[ends[0] + 1 :]])
    if new and lines and not lines[-1].endswith(b"\n"):
        lines[-1] += b"\n"
    return b"".join([*lines, *new])


def find_block(crontab: bytes, vault: Path) -> str:
    """Return this vault's block of a crontab, "" if it has none."""
    without = with_block(crontab, vault, "")
    if without == crontab:
        return ""
    start = crontab.index(_BEGIN.format(vault=vault).encode())
    return crontab[start : start + len(crontab) - len(without)].decode("utf-8", "replace")


def unit_names(vault: Path) -> dict[str, str]:
    """Return the name of each pass's units, without `.service` or `.timer`; two vaults never share one."""
    word = slugify(vault.name)[:40].strip("-")
    stem = "-".join(filter(None, ["echo-notes", word if word.isascii() else "", _short_digest(vault)]))
    return {timed.name: f"{stem}-{timed.name}" for timed in TIMETABLE}


def unit_files(job: Job) -> dict[str, str]:
    """Return the systemd user units of a vault by file name. A timer that was missed runs as soon as it can."""
    names = unit_names(job.vault)
    files = {}
    for timed in TIMETABLE:
        about = f"Description=Echo Notes {timed.name} for {_specifier(str(job.vault))}\n"
        command = _quoted(job.command(timed))
        files[f"{names[timed.name]}.service"] = (
            f"[Unit]\n{about}\n[Service]\nType=oneshot\nNice=10\nExecStart=/bin/sh -c {command}\n"
        )
        files[f"{names[timed.name]}.timer"] = (
            f"[Unit]\n{about}\n[Timer]\nOnCalendar={timed.calendar}\nPersistent=true\n\n"
            "[Install]\nWantedBy=timers.target\n"
        )
    return files


def timers(vault: Path) -> Sequence[str]:
    """Return the names of a vault's timers, as systemctl takes them."""
    return [f"{name}.timer" for name in unit_names(vault).values()]


def _short_digest(vault: Path) -> str:
    return sha256(str(vault).encode("utf-8", "surrogateescape")).hexdigest()[:8]


def _specifier(text: str) -> str:
    return text.replace("%", "%%")


def _quoted(text: str) -> str:
    """Return a text as one argument of ExecStart: systemd's quotes, specifiers and variables escaped."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("$", "$$")
    return f'"{_specifier(escaped)}"'

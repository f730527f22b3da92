"""A command of this program that goes on after this one has ended."""

import subprocess
import sys
from pathlib import Path

_MAX_LOG = 1_000_000


def start_detached(words: list[str], *, root: Path, log: Path) -> None:
    """Start a command in a session of its own, its output appended to a log file; return without waiting for it."""
    log.parent.mkdir(parents=True, exist_ok=True)
    if log.exists() and log.stat().st_size > _MAX_LOG:
        log.replace(log.with_suffix(".old.log"))
    # -P: the folder it runs in is a vault, whose files must never be imported as modules.
    command = [sys.executable, "-P", "-m", "echo_notes", *words, "--vault", str(root), "--no-input"]
    with log.open("ab") as out:
        if sys.platform == "win32":
            flags = subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.DETACHED_PROCESS
            process = subprocess.Popen(  # noqa: S603 - our own program, no shell
                command, stdin=subprocess.DEVNULL, stdout=out, stderr=out, cwd=root, creationflags=flags
            )
        else:
            process = subprocess.Popen(  # noqa: S603 - our own program, no shell
                command, stdin=subprocess.DEVNULL, stdout=out, stderr=out, cwd=root, start_new_session=True
            )
    # It is meant to outlive us: without this, Python would warn of a child that nobody waited for.
    process.returncode = 0

"""One run of the program: the flags that mean the same everywhere, the environment, and the vault they lead to."""

import os
import sys
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from echo_notes.model.errors import NotFoundError, UsageError

if TYPE_CHECKING:
    from echo_notes.lifecycle.opened import OpenVault


@dataclass(slots=True)
class Invocation:
    """The flags common to all commands, and the exit status reached so far."""

    vault: str = ""
    scope: str = ""
    json: bool = False
    ndjson: bool = False
    quiet: bool = False
    verbose: bool = False
    debug: bool = False
    no_input: bool = False
    yes: bool = False
    dry_run: bool = False
    status: int = 0
    warnings: list[str] = field(default_factory=list)

    @property
    def machine(self) -> bool:
        """Whether a program reads the answer."""
        return self.json or self.ndjson

    @property
    def may_ask(self) -> bool:
        """Whether a person is there to answer a question."""
        return not self.no_input and sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty()

    def open(
        self,
        *,
        agent: bool = False,
        allow_flagged: bool = False,
        strip_invisible: bool = False,
        reassert: bool = False,
        audience: str = "retrieval",
    ) -> "OpenVault":
        """Return the vault that flags, environment, folder or config name, as this person or program may use it."""
        from echo_notes.guard.eligibility import Reader
        from echo_notes.lifecycle.opened import Writer, open_vault

        own = own_config_path()
        root = find_root(self.vault, own)
        opened = open_vault(
            root, now=now(), environ=os.environ, random_word=random_word, own_config=own,
        )  # fmt: skip
        for problem in opened.loaded.problems:
            self.warn(problem)
        if (opened.layout.state_dir / "journal" / "plan.json").exists() and not self.dry_run:
            from echo_notes.files.change import recover_if_idle

            if note := recover_if_idle(opened.context()):
                self.warn(note)
        program = agent or is_agent(os.environ, opened.settings.agent_variables)
        writer = Writer(
            surface="cli", agent=program, scope=self.scope or None, dry_run=self.dry_run, allow_flagged=allow_flagged,
            strip_invisible=strip_invisible, reassert=reassert,
        )  # fmt: skip
        reader = Reader(audience=audience, scope=self.scope or None, agent=program)
        from dataclasses import replace

        return replace(opened, writer=writer, reader=reader)

    def warn(self, message: str) -> None:
        """Say something once on standard error, unless quiet."""
        from echo_notes.cli.output import tell

        if message not in self.warnings and not self.quiet:
            self.warnings.append(message)
            tell(message)

    def reach(self, status: int) -> None:
        """Remember an exit status; the highest code met is the one the program ends with."""
        self.status = max(self.status, status)


def now() -> datetime:
    """Return this moment in the local zone; `ECHO_NOTES_NOW` (ISO) pins it, for tests and documentation."""
    pinned = os.environ.get("ECHO_NOTES_NOW")
    if pinned:
        try:
            return datetime.fromisoformat(pinned).astimezone()
        except ValueError:
            raise UsageError(f"ECHO_NOTES_NOW is {pinned!r}", fix="It takes an ISO time, or nothing.") from None
    return datetime.now().astimezone()


def random_word() -> str:
    """Return six random hexadecimal digits; `secrets` would do, at 8 ms a cold start."""
    return os.urandom(3).hex()


def is_agent(environ: "os._Environ[str] | dict[str, str]", variables: tuple[str, ...]) -> bool:
    """Return whether a coding agent runs this shell; the environment can lower a rank, never raise it."""
    return environ.get("ECHO_ACTOR", "").lower() == "agent" or any(environ.get(name) for name in variables)


def own_config_path() -> Path:
    """Return the person's own config file (`ECHO_CONFIG`, else where the platform keeps it); it need not exist."""
    if named := os.environ.get("ECHO_CONFIG"):
        return Path(named).expanduser()
    if sys.platform.startswith("linux"):
        # What platformdirs answers on Linux, without its import on every cold start.
        base = os.environ.get("XDG_CONFIG_HOME", "").strip()
        home = Path(base) if base.startswith("/") else Path(os.path.expanduser("~/.config"))  # noqa: PTH111 - no HOME is no error
        return home / "echo-notes" / "config.yaml"
    from platformdirs import user_config_path

    return user_config_path("echo-notes", appauthor=False) / "config.yaml"


def find_root(named: str, own: Path) -> Path:
    """Return the vault: `--vault`, ECHO_VAULT, upwards from here, own config; NotFoundError says how to make one."""
    from echo_notes.files.layout import MARKER, find_vault

    for source, value in (("--vault", named), ("ECHO_VAULT", os.environ.get("ECHO_VAULT", ""))):
        if value:
            root = Path(value).expanduser().absolute()
            if not (root / MARKER).is_file():
                raise NotFoundError(
                    f"{source} names no vault", where=str(root), fix=f"Make it one: echo-notes init {value}"
                )
            return root
    try:
        found = find_vault(Path.cwd())
    except FileNotFoundError:
        found = None
    if found:
        return found
    from echo_notes.files.config import load_settings

    default = load_settings(None, own).settings.vault
    if default:
        root = Path(default).expanduser()
        if not (root / MARKER).is_file():
            raise NotFoundError(
                "your config's default vault is not there", where=str(root), fix="echo-notes config set vault PATH"
            )
        return root
    raise NotFoundError("no vault here, and no default one", fix="Make one: echo-notes init ~/notes")

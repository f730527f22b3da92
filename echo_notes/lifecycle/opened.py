"""An opened vault: its paths, settings, moment and writer, as every verb and pass receives it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from echo_notes.files.config import Loaded, load_settings
from echo_notes.files.layout import MARKER, Layout
from echo_notes.guard.eligibility import PERSON, Reader
from echo_notes.model.errors import NotFoundError
from echo_notes.model.fact import MODEL_INFERRED, USER_STATED
from echo_notes.model.settings import Settings

if TYPE_CHECKING:
    # A recall opens a vault too, and writes nothing: what writing needs is loaded by the first change.
    from echo_notes.files.change import Change
    from echo_notes.files.history import History
    from echo_notes.files.settle import Context
    from echo_notes.guard.gate import Actor
    from echo_notes.guard.scan import Rules


@dataclass(frozen=True, slots=True)
class Writer:
    """How this command writes: surface (`cli`, `api`, `mcp`), whether as a program, and a person's explicit yeses."""

    surface: str = "api"
    agent: bool = True
    scope: str | None = None
    dry_run: bool = False
    allow_flagged: bool = False
    strip_invisible: bool = False
    reassert: bool = False


@dataclass(frozen=True, slots=True)
class OpenVault:
    """One vault for the length of one command: one instant, one writer, one reader."""

    layout: Layout
    loaded: Loaded
    now: datetime
    environ: Mapping[str, str]
    random_word: Callable[[], str]
    writer: Writer = field(default_factory=Writer)
    reader: Reader = PERSON
    lock_wait: float = 10.0
    step: Callable[[str], None] | None = None

    @property
    def settings(self) -> Settings:
        """The settings in force."""
        return self.loaded.settings

    @property
    def today(self) -> date:
        """The local day of this command."""
        return self.now.date()

    @property
    def root(self) -> Path:
        """The vault's folder."""
        return self.layout.root

    def history(self) -> "History":
        """Return git, for this vault."""
        from echo_notes.files.history import History

        return History(self.root, self.environ)

    def context(self) -> "Context":
        """Return what a change needs to know."""
        from echo_notes.files.settle import Context, no_step

        return Context(
            layout=self.layout, history=self.history(), random_word=self.random_word, now=self.now,
            joiners=self.settings.joiners, commit_refusals=self.settings.commit_refusals, lock_wait=self.lock_wait,
            step=self.step or no_step, rules=self._rules(),
        )  # fmt: skip

    def _rules(self) -> "Rules | None":
        """Return the person's own scan rules joined to ours, None if they have none."""
        if not self.settings.scan_rules:
            return None
        from echo_notes.guard.scan import load_rules

        return load_rules(tuple(Path(path).expanduser() for path in self.settings.scan_rules))

    def actor(self, verb: str) -> "Actor":
        """Return who writes when a person or a program calls this verb."""
        from echo_notes.guard.gate import Actor
        from echo_notes.guard.provenance import rank

        label = MODEL_INFERRED if self.writer.agent else USER_STATED
        return Actor(
            name="agent" if self.writer.agent else "person", path=f"{self.writer.surface}.{verb}", rank=rank(label),
            scope=self.writer.scope if self.writer.agent else None, allow_flagged=self.writer.allow_flagged,
            strip_invisible=self.writer.strip_invisible, reassert=self.writer.reassert,
        )  # fmt: skip

    def change(self, verb: str, *, actor: "Actor | None" = None) -> "Change":
        """Return a change by this verb; use it as a context manager."""
        from echo_notes.files.change import Change

        return Change(self.context(), actor or self.actor(verb), verb, dry_run=self.writer.dry_run)

    def pass_actor(self, name: str, label: str) -> "Actor":
        """Return the actor of a pass whose source has this provenance label."""
        from echo_notes.guard.gate import Actor
        from echo_notes.guard.provenance import rank

        return Actor(name="pass", path=f"pass.{name}", rank=rank(label))

    def at(self, moment: datetime) -> "OpenVault":
        """Return the same vault at another moment."""
        return replace(self, now=moment)


def open_vault(
    root: Path, *, now: datetime, environ: Mapping[str, str], random_word: Callable[[], str],
    own_config: Path | None = None, writer: Writer | None = None, reader: Reader = PERSON,
) -> OpenVault:  # fmt: skip
    """Return the vault whose folder this is; NotFoundError if it holds no echo.yaml."""
    if not (root / MARKER).is_file():
        raise NotFoundError("is not a vault", where=str(root), fix=f"Make it one: echo-notes init {root}")
    loaded = load_settings(root / MARKER, own_config)
    return OpenVault(
        Layout(root), loaded, now, environ, random_word, writer=writer or Writer(), reader=reader,
    )  # fmt: skip

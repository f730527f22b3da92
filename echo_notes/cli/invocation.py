"""One run of the program: the flags that mean the same everywhere, the environment, and the vault they lead to."""

import os
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from echo_notes.cli.surroundings import find_root, is_agent, now, own_config_path, random_word

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
        from echo_notes.model.fact import SCOPE_OWNER

        own = own_config_path()
        root = find_root(self.vault, own)
        opened = open_vault(
            root, now=now(), environ=os.environ, random_word=random_word, own_config=own,
        )  # fmt: skip
        for problem in opened.loaded.problems:
            self.warn(problem)
        if (opened.layout.state_dir / "journal" / "plan.json").exists() and not self.dry_run:
            from echo_notes.files.settle import recover_if_idle

            if note := recover_if_idle(opened.context()):
                self.warn(note)
        program = agent or is_agent(os.environ, opened.settings.agent_variables)
        # The person's own terminal sees everything; a program sees what is the owner's, or what it names.
        scope = self.scope or (SCOPE_OWNER if program else None)
        writer = Writer(
            surface="cli", agent=program, scope=scope, dry_run=self.dry_run, allow_flagged=allow_flagged,
            strip_invisible=strip_invisible, reassert=reassert,
        )  # fmt: skip
        reader = Reader(audience=audience, scope=scope, agent=program)
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

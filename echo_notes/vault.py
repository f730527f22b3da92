"""`Vault`: all of Echo Notes for a Python program; an edge beside the command line, which reads its surroundings."""

import os
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Self

from echo_notes.cli.surroundings import find_root, is_agent, models_dir, now, own_config_path, random_word
from echo_notes.lifecycle.opened import OpenVault, Writer, open_vault

if TYPE_CHECKING:
    from echo_notes.index.results import SearchResult
    from echo_notes.lifecycle.facts import Located
    from echo_notes.lifecycle.lineage import HistoryView
    from echo_notes.lifecycle.marks import Marked
    from echo_notes.lifecycle.notes import Noted
    from echo_notes.lifecycle.remember import Outcome
    from echo_notes.lifecycle.show import DayView, EntityLine, EntityView, Event
    from echo_notes.lifecycle.supersede import Superseded
    from echo_notes.lifecycle.synthesize import Synthesis
    from echo_notes.model.dates import Span


class Vault:
    """An opened vault.

    A program writes as an agent (rank model_inferred) and reads what an agent may, unless `as_person` says that a
    person is at work; where the environment says that a coding agent runs, it stays an agent. `scope` limits both to
    one session. Every method opens the vault anew, so a long-lived Vault sees what others wrote meanwhile.
    """

    def __init__(self, root: Path, *, as_person: bool = False, scope: str | None = None) -> None:
        self.root = root
        self._as_person = as_person
        self._scope = scope

    @classmethod
    def open(cls, path: Path | str | None = None, *, as_person: bool = False, scope: str | None = None) -> Self:
        """Return the vault in `path`, else the one that the command line would use; NotFoundError if there is none."""
        root = find_root(str(path) if path is not None else "", own_config_path())
        return cls(root, as_person=as_person, scope=scope)

    def remember(
        self,
        text: str,
        *,
        about: str = "",
        category: str = "",
        key: str = "",
        tags: Sequence[str] = (),
        importance: float | None = None,
        pinned: bool = False,
        on: date | None = None,
        valid_from: date | None = None,
        valid_until: date | None = None,
        source: str = "conversation",
        reassert: bool = False,
    ) -> "Outcome":
        """Keep one statement as a fact, or as an entry of today's note if it names no entity.

        RefusedError if the gate says no; NotFoundError for an unknown entity; UsageError for a value that does not fit.
        """
        from echo_notes.lifecycle.remember import Statement, remember

        statement = Statement(
            text=text,
            about=about,
            category=category,
            key=key,
            tags=tuple(tags),
            importance=importance,
            pinned=pinned,
            on=on,
            valid_from=valid_from,
            valid_until=valid_until,
            source=source,
            scope=self._scope or "",
        )
        return remember(self._opened(reassert=reassert), [statement])

    def note(self, *texts: str, on: date | None = None) -> "Noted":
        """Add entries to a day's note (default: today's)."""
        from echo_notes.lifecycle.notes import note

        return note(self._opened(), texts, on=on)

    def learn(self, *texts: str, section: str = "", topic: str = "") -> "Noted":
        """Add lines to MEMORY.md, or to a topic note that it then lists."""
        from echo_notes.lifecycle.notes import learn

        return learn(self._opened(), texts, section=section, topic=topic)

    def recall(
        self,
        query: str,
        *,
        k: int = 0,
        entity: str = "",
        kind: str = "",
        category: str = "",
        tags: Sequence[str] = (),
        layer: str = "",
        tier: str = "",
        status: str = "",
        since: "Span | None" = None,
        until: "Span | None" = None,
        as_of: date | None = None,
        mode: str = "fused",
        hops: int = 1,
        rerank: bool = True,
        decay: bool = True,
        touch: bool = True,
        explain: bool = False,
    ) -> "SearchResult":
        """Return the passages that answer a question, best first; none is a clean empty result."""
        from echo_notes.lifecycle.recall import Question, recall

        opened = self._opened()
        question = Question(
            query=query,
            k=k,
            entity=entity,
            kind=kind,
            category=category,
            tags=tuple(tags),
            layer=layer,
            tier=tier,
            status=status,
            since=since,
            until=until,
            as_of=as_of,
            mode=mode,
            hops=hops,
            rerank=rerank,
            decay=decay,
            touch=touch,
            explain=explain,
        )
        key = os.environ.get(opened.settings.embedder_key_env, "")
        return recall(opened, question, models_dir=models_dir(), embedder_key=key)

    def supersede(self, fact_id: str, text: str, *, reassert: bool = False) -> "Superseded":
        """Replace a fact because the world moved."""
        from echo_notes.lifecycle.supersede import supersede

        return supersede(self._opened(reassert=reassert), fact_id, text)

    def correct(self, fact_id: str, text: str, *, reassert: bool = False) -> "Superseded":
        """Replace a fact because it was wrong; its value is kept from returning."""
        from echo_notes.lifecycle.supersede import correct

        return correct(self._opened(reassert=reassert), fact_id, text)

    def pin(self, *fact_ids: str) -> "Marked":
        """Keep facts from fading."""
        from echo_notes.lifecycle.marks import pin

        return pin(self._opened(), fact_ids)

    def archive(self, *fact_ids: str) -> "Marked":
        """Put facts aside."""
        from echo_notes.lifecycle.marks import archive

        return archive(self._opened(), fact_ids)

    def restore(self, *fact_ids: str) -> "Marked":
        """Make archived facts active again."""
        from echo_notes.lifecycle.marks import restore

        return restore(self._opened(), fact_ids)

    def show(self, what: str) -> "EntityView | Located | DayView":
        """Return what an entity's name, a fact id or a day stands for."""
        from echo_notes.lifecycle.show import show

        return show(self._opened(), what)

    def entities(self, kind: str = "") -> "tuple[EntityLine, ...]":
        """Return the entities, with how many facts each has."""
        from echo_notes.lifecycle.show import list_entities

        return list_entities(self._opened(), kind)[0]

    def history(self, what: str, key: str = "") -> "HistoryView":
        """Return who replaced whom, of an entity, one of its keys, or a fact."""
        from echo_notes.lifecycle.lineage import history

        return history(self._opened(), what, key)

    def timeline(self, entity: str = "", span: "Span | None" = None) -> "tuple[Event, ...]":
        """Return what happened, oldest first."""
        from echo_notes.lifecycle.show import timeline

        return timeline(self._opened(), entity, span)[0]

    def synthesize(self, *entities: str, weekly: bool = False) -> "Synthesis":
        """Bring the summaries of these entities, or of all, up to date; with `weekly`, the weekly files too."""
        from echo_notes.lifecycle.synthesize import Request, synthesize

        return synthesize(self._opened(), Request(entities=entities, weekly=weekly))

    def _opened(self, *, reassert: bool = False) -> OpenVault:
        opened = open_vault(
            self.root, now=now(), environ=os.environ, random_word=random_word, own_config=own_config_path()
        )
        agent = not self._as_person or is_agent(os.environ, opened.settings.agent_variables)
        scope = self._scope or ("owner" if agent else None)
        writer = Writer(surface="api", agent=agent, scope=scope, reassert=reassert and not agent)
        reader = replace(opened.reader, scope=scope, agent=agent)
        return replace(opened, writer=writer, reader=reader)

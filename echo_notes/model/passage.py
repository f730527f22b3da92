"""Passages: the indexed units that recall returns."""

from dataclasses import dataclass
from datetime import date

FACT = "fact"
NOTE = "note"
EPISODE = "episode"
MEMORY = "memory"
SUMMARY = "summary"
LAYERS = (FACT, NOTE, EPISODE, MEMORY, SUMMARY)


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A piece of the vault that can be found: a fact, an entry, a paragraph, a line of MEMORY.md, an episode.

    `id` is the fact id, else `path#Lline`. `text` is what is shown; `context` is indexed with it but not shown
    (entity names, heading path, date, neighbouring entries). `on` is the day the text is about, if known.
    `entity` is `kind/slug` or ""; `related` the entities it links to. `scope` and `owner_type` feed visibility;
    `protected` tells whether the provenance label is vouched for by the audit trail. `flagged` holds rule ids:
    what a fact's own record says, and what scanning the text found.
    """

    id: str
    layer: str
    path: str
    line: int
    text: str
    context: str = ""
    entity: str = ""
    related: tuple[str, ...] = ()
    category: str = ""
    key: str = ""
    status: str = "active"
    tags: tuple[str, ...] = ()
    on: date | None = None
    valid_from: date | None = None
    valid_until: date | None = None
    superseded_on: date | None = None
    superseded_by: str = ""
    provenance: str = ""
    scope: str = ""
    owner_type: str = "environment"
    session: str = ""
    importance: float = 0.5
    pinned: bool = False
    access_count: int = 0
    accessed_on: float = 0.0
    flagged: tuple[str, ...] = ()

    @property
    def tier(self) -> str:
        """The memory tier: episodic for episodes, archival for what is not active, else semantic."""
        if self.layer == EPISODE:
            return "episodic"
        return "semantic" if self.status == "active" else "archival"

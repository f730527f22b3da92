"""Facts: the atomic, dated statements in an entity's items.json."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any

from echo_notes.model.entity import EntityRef

ACTIVE = "active"
SUPERSEDED = "superseded"
ARCHIVED = "archived"
STATUSES = (ACTIVE, SUPERSEDED, ARCHIVED)

DEFAULT_CATEGORIES = ("relationship", "milestone", "status", "preference")

USER = "user"
ENVIRONMENT = "environment"

USER_STATED = "user_stated"
CONSOLIDATED = "consolidated"
MODEL_INFERRED = "model_inferred"
LEGACY = "legacy"

SCOPE_OWNER = "owner"
SCOPE_GLOBAL = "global"

CHANGED = "changed"
CORRECTED = "corrected"
CONTRADICTION = "contradiction"

ERASED_TEXT = "[erased]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """One record of items.json or archive.json, read leniently; `record` is the JSON object as it stands on disk.

    `status` is one of STATUSES where the file's word is known, else the file's word. `provenance` is the file's
    word, `""` where there is none. Times are aware UTC; `timestamp` is a local day. `line` is the 1-based line on which
    the record starts, `path` its file relative to the vault; an unwritten fact has line 0.
    """

    id: str
    text: str
    entity: EntityRef
    category: str = "status"
    timestamp: date | None = None
    source: str = "conversation"
    status: str = ACTIVE
    superseded_by: str | None = None
    key: str = ""
    type: str = ENVIRONMENT
    provenance: str = ""
    importance: float = 0.5
    pinned: bool = False
    tags: tuple[str, ...] = ()
    related: tuple[str, ...] = ()
    created_at: datetime | None = None
    updated_at: datetime | None = None
    last_accessed: datetime | None = None
    access_count: int = 0
    version: int = 1
    superseded_at: datetime | None = None
    superseded_reason: str = ""
    valid_from: date | None = None
    valid_until: date | None = None
    source_session: str = ""
    episode_id: str = ""
    scope: str = ""
    flagged: tuple[str, ...] = ()
    was: tuple[str, ...] = ()
    erased_at: datetime | None = None
    path: str = ""
    line: int = 0
    record: Mapping[str, Any] = field(default_factory=dict, compare=False, repr=False)

    @property
    def is_active(self) -> bool:
        """Whether the fact is current as far as its own record says."""
        return self.status == ACTIVE

    @property
    def tier(self) -> str:
        """`semantic` for an active fact, `archival` for a superseded or archived one."""
        return "semantic" if self.status == ACTIVE else "archival"

"""Who may see what: the audience and scope rules, in one function that every surface asks before ranking.

Visibility depends on a handful of traits only, so an index stores them as one token a passage; a query asks `visible`
once for each distinct token instead of once for each passage.
"""

from dataclasses import astuple, dataclass

from echo_notes.model.fact import (
    ACTIVE,
    ARCHIVED,
    LEGACY,
    SCOPE_GLOBAL,
    SCOPE_OWNER,
    SUPERSEDED,
    USER,
    USER_STATED,
    Fact,
)
from echo_notes.model.passage import EPISODE, FACT

SNAPSHOT = "snapshot"
RETRIEVAL = "retrieval"
TOOL = "tool"
ADMIN = "admin"
AUDIENCES = (SNAPSHOT, RETRIEVAL, TOOL, ADMIN)

_STATUS_AUDIENCES = {
    ACTIVE: frozenset(AUDIENCES),
    ARCHIVED: frozenset([RETRIEVAL, ADMIN]),
    SUPERSEDED: frozenset([ADMIN]),
}
_SEPARATOR = "\x1f"


@dataclass(frozen=True, slots=True)
class Reader:
    """Who asks: an audience, the scope it names (None: the person's own terminal), and whether it is a program."""

    audience: str = RETRIEVAL
    scope: str | None = None
    agent: bool = False


PERSON = Reader()
PERSON_ADMIN = Reader(audience=ADMIN)


@dataclass(frozen=True, slots=True)
class Traits:
    """What visibility depends on. `transient` holds only for task state from an inferred source."""

    layer: str = FACT
    status: str = ACTIVE
    scope: str = ""
    type: str = "environment"
    session: str = ""
    flagged: bool = False
    transient: bool = False
    contested: bool = False

    def token(self) -> str:
        """Return the traits as one string, for an index."""
        return _SEPARATOR.join(str(int(part)) if isinstance(part, bool) else part for part in astuple(self))

    @classmethod
    def parse(cls, token: str) -> "Traits":
        """Return the traits that `token` wrote."""
        layer, status, scope, kind, session, flagged, transient, contested = token.split(_SEPARATOR)
        return cls(layer, status, scope, kind, session, flagged == "1", transient == "1", contested == "1")


def is_inferred(provenance: str) -> bool:
    """Return whether a label says that a program worded the fact.

    Never what a person stated, nor what has no label or came in from elsewhere: nobody says that a program worded that.
    """
    return provenance not in {USER_STATED, LEGACY, ""}


def visible(traits: Traits, reader: Reader) -> bool:
    """Return whether this reader may see a passage with these traits. Unknown words fail closed."""
    if traits.flagged and reader.agent:
        return False
    if not _in_scope(traits, reader.scope):
        return False
    if reader.audience == ADMIN:
        return True
    if traits.contested or traits.transient:
        return False
    return reader.audience in _STATUS_AUDIENCES.get(traits.status, frozenset())


def is_unowned(fact: Fact) -> bool:
    """Return whether a fact is about the owner and says no scope: no scope sees it until the person adopts it."""
    return fact.type == USER and not fact.scope


def _in_scope(traits: Traits, scope: str | None) -> bool:
    if scope is None:
        return True
    if traits.layer == FACT and traits.type == USER and not traits.scope:
        return False
    if scope == SCOPE_OWNER:
        return True
    if traits.scope == SCOPE_GLOBAL:
        return True
    if traits.layer == FACT:
        return traits.scope == scope if traits.scope else traits.type != USER
    return traits.layer == EPISODE and traits.session == scope

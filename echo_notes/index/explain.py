"""Why a passage is not among the hits, in the order in which the rules are asked."""

from collections.abc import Iterator

from echo_notes.guard.eligibility import ADMIN, RETRIEVAL, Reader, visible
from echo_notes.index.filters import reader_of
from echo_notes.index.lexical import Lexical, traits_of
from echo_notes.index.results import SearchRequest
from echo_notes.model.fact import ARCHIVED, SUPERSEDED
from echo_notes.model.passage import Passage


def why_declined(passage: Passage, request: SearchRequest, lexical: Lexical) -> str:
    """Return which rule kept a passage from the hits of a request."""
    if passage.id in request.exclude_ids:
        return "in an open contradiction"
    return next(_reasons(passage, reader_of(request), lexical), "below the floor, or below the hits shown")


def _reasons(passage: Passage, reader: Reader, lexical: Lexical) -> Iterator[str]:
    if passage.status == SUPERSEDED and reader.audience != ADMIN:
        yield f"superseded by {passage.superseded_by}" if passage.superseded_by else "superseded"
    if passage.status == ARCHIVED and reader.audience not in {ADMIN, RETRIEVAL}:
        yield "archived"
    if passage.flagged and reader.agent:
        yield f"flagged: {', '.join(passage.flagged)}"
    if not visible(traits_of(passage, transient=False), reader):
        yield "out of scope"
    if reader.audience != ADMIN and lexical.is_transient(passage.id):
        yield "transient state from an inferred source"

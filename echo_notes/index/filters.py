"""What a request lets through, as a filter both arms apply before they rank anything."""

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from echo_notes.guard.eligibility import ADMIN, RETRIEVAL, Reader, Traits, visible
from echo_notes.index.lexical import Lexical
from echo_notes.index.results import SearchRequest

if TYPE_CHECKING:
    import tantivy


class Filter(NamedTuple):
    """A filter in the two forms the arms take: a query, and rows. `allowed` None lets all rows in but the excluded."""

    query: "tantivy.Query | None"
    allowed: frozenset[int] | None
    excluded: frozenset[int]


def build_filter(request: SearchRequest, tokens: Iterable[str], lexical: Lexical) -> Filter:
    """Return the filter of a request: what the reader may see, and what the request asks for."""
    from tantivy import Occur, Query

    reader = reader_of(request)
    hidden = [token for token in tokens if not visible(Traits.parse(token), reader)]
    without: list[tantivy.Query] = []
    if hidden:
        without.append(lexical.facet("seen", hidden))
    if request.exclude_ids:
        without.append(lexical.facet("id", sorted(request.exclude_ids)))
    wanted = list(_wanted(request, lexical))
    if not wanted and not without:
        return Filter(None, None, frozenset())
    base = wanted or [Query.all_query()]
    query = Query.boolean_query([*((Occur.Must, part) for part in base), *((Occur.MustNot, part) for part in without)])
    if wanted:
        return Filter(query, frozenset(lexical.rows(query)), frozenset())
    return Filter(query, None, frozenset(row for part in without for row in lexical.rows(part)))


def reader_of(request: SearchRequest) -> Reader:
    """Return who reads: asking for other statuses, or for a day in the past, is the person's look behind the scenes."""
    reader = request.reader
    if (request.statuses or request.as_of) and reader.audience == RETRIEVAL and not reader.agent:
        return replace(reader, audience=ADMIN)
    return reader


def _wanted(request: SearchRequest, lexical: Lexical) -> "Iterable[tantivy.Query]":
    facets = {
        "entity": request.entities,
        "kind": tuple(kind.casefold() for kind in request.kinds),
        "category": tuple(category.casefold() for category in request.categories),
        "tag": tuple(tag.casefold().lstrip("#") for tag in request.tags),
        "layer": request.layers,
        "tier": request.tiers,
        "status": request.statuses,
    }
    for name, values in facets.items():
        if values:
            yield lexical.facet(name, values)
    if request.since or request.until:
        since = request.since.toordinal() if request.since else None
        yield lexical.days("day", since, request.until.toordinal() - 1 if request.until else None)
    if request.as_of:
        day = request.as_of.toordinal()
        yield lexical.days("holds_from", None, day)
        yield lexical.days("holds_until", day + 1, None)

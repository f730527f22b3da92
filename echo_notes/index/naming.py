"""Entity-aware recall: a query that names an entity raises its facts, and less so those of its relations."""

from collections.abc import Mapping

from echo_notes.index.catalogue import Catalogue
from echo_notes.index.lexical import Lexical

DIRECT = 0.15
"""What naming an entity adds to the fused score (0..1) of its own passages; chosen by tests.evals.hops."""
RELATED = 0.07
"""The same for the passages of entities one relation away; half of it again for each further hop."""
_MOST_READ = 300


def raises(query: str, hops: int, catalogue: Catalogue, lexical: Lexical) -> Mapping[int, float]:
    """Return what is added to the score of each row, for the entities that a query names in any of their spellings."""
    if hops < 1 or not catalogue.entities:
        return {}
    from echo_notes.guard.mentions import find_mentions

    mentions = find_mentions(query, catalogue.by_name())
    named = {str(mention.found) for mention in mentions if mention.found is not None}
    found: dict[int, float] = {}
    seen: set[str] = set()
    bonus = DIRECT
    for hop in range(hops + 1):
        fresh = named - seen
        if not fresh:
            break
        rows = lexical.rows(lexical.facet("entity", sorted(fresh)))
        for row in rows:
            found.setdefault(row, bonus)
        seen |= fresh
        bonus = RELATED / 2**hop
        if hop < hops:
            linking = lexical.rows(lexical.facet("related", sorted(fresh)))
            for row in linking:
                found.setdefault(row, bonus)
            named = _relations([*sorted(rows), *sorted(linking)][:_MOST_READ], lexical)
    return found


def _relations(rows: list[int], lexical: Lexical) -> set[str]:
    """Return the entities that these passages are of or link to."""
    refs: set[str] = set()
    for address in lexical.addresses(rows).values():
        passage = lexical.load(address).passage
        refs.update([passage.entity, *passage.related])
    return refs - {""}

"""Entity-aware recall: a query that names an entity raises its facts, and less so those of its relations."""

from collections.abc import Mapping

from echo_notes.index.analysis import is_unspaced
from echo_notes.index.catalogue import Catalogue
from echo_notes.index.lexical import Lexical
from echo_notes.index.stopwords import ENGLISH
from echo_notes.model.entity import EntityRef
from echo_notes.model.names import fold_name

DIRECT = 0.2
"""What naming an entity adds to the fused score (0..1) of its own passages; chosen by tests.evals.hops."""
RELATED = 0.15
"""The same for the passages of entities one relation away; half of it again for each further hop."""
_MOST_READ = 300
_SELF = frozenset(["i", "me", "my", "mine", "myself"])


def raises(query: str, hops: int, catalogue: Catalogue, lexical: Lexical, *, owner: str = "") -> Mapping[int, float]:
    """Return what is added to the score of each row, for the entities that a query names in any of their spellings.

    `owner`: the entity that a question about “me” or “我” is about, `kind/slug`.
    """
    if hops < 1 or not catalogue.entities:
        return {}
    named = {str(ref) for ref in named_in(query, catalogue.by_name())}
    if owner and speaks_of_self(query):
        named.add(owner)
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


def speaks_of_self(query: str) -> bool:
    """Return whether the one who asks is in the question: as `I`, `me` or `my`, or as `我`."""
    return "我" in query or bool(_SELF & set(fold_name(query).replace("'", " ").replace("’", " ").split()))


def named_in(query: str, names: Mapping[str, EntityRef]) -> set[EntityRef]:
    """Return the entities of which a folded name stands in the query: as a word, or anywhere in scripts without spaces.

    A name inside a longer one that is there too does not count, nor does one that is a word like `will` or `may`.
    """
    folded = f" {fold_name(query)} "
    found = [
        name
        for name in names
        if name in folded
        and (len(name) > 1 or not name.isascii())
        and _stands_alone(name, folded)
        and name not in ENGLISH
    ]
    return {names[name] for name in found if not any(name != other and name in other for other in found)}


def _stands_alone(name: str, folded: str) -> bool:
    if is_unspaced(name):
        return True
    at = folded.find(name)
    while at >= 0:
        if not (folded[at - 1].isalnum() or folded[at + len(name)].isalnum()):
            return True
        at = folded.find(name, at + 1)
    return False


def _relations(rows: list[int], lexical: Lexical) -> set[str]:
    """Return the entities that these passages are of or link to."""
    refs: set[str] = set()
    for address in lexical.addresses(rows).values():
        passage = lexical.load(address).passage
        refs.update([passage.entity, *passage.related])
    return refs - {""}

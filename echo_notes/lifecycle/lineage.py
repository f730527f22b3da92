"""`history`: who replaced whom, when, why and by which path; cycles and dangling links are named, never followed."""

from dataclasses import dataclass

from echo_notes.files.audit import AuditTrail
from echo_notes.files.decisions import load_decisions
from echo_notes.guard.keys import derive_key
from echo_notes.guard.rejected import Decision
from echo_notes.lifecycle.entities import get_entity, load_entities
from echo_notes.lifecycle.facts import get_fact, load_facts
from echo_notes.lifecycle.opened import OpenVault
from echo_notes.lifecycle.sight import Sight
from echo_notes.model.entity import Entity
from echo_notes.model.errors import NotFoundError
from echo_notes.model.fact import Fact

_TOUCHING = frozenset(
    ["retire", "pin", "unpin", "archive", "restore", "erase", "adopt", "check", "undo", "rekey", "decay"]
)
"""Operations on a fact that was there before."""


@dataclass(frozen=True, slots=True)
class Version:
    """One fact in a lineage, how deep it stands below the newest, and the write path that made it ("" if unknown)."""

    fact: Fact
    depth: int
    path: str
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Lineage:
    """A chain of versions, newest first; where two facts were replaced by one, both stand below it."""

    versions: tuple[Version, ...]


@dataclass(frozen=True, slots=True)
class HistoryView:
    """The lineages of an entity, of one of its keys, or of one fact, and the decisions made about it."""

    entity: Entity
    lineages: tuple[Lineage, ...]
    decisions: tuple[Decision, ...]


def history(opened: OpenVault, what: str, key: str = "") -> HistoryView:
    """Return how an entity's facts (or those of one key), or one fact, came to be what they are."""
    entities = load_entities(opened)
    focus = ""
    try:
        located = get_fact(opened, what, entities)
        entity, focus = located.entity, located.fact.id
    except NotFoundError:
        entity = get_entity(opened, what, entities)
    sight = Sight.of(opened)
    every = load_facts(opened, entity)
    facts = sight.facts(every, every_status=True)
    lineages = draw(facts, _paths_of(opened, facts))
    if focus:
        lineages = tuple(one for one in lineages if any(version.fact.id == focus for version in one.versions))
    if key:
        lineages = tuple(one for one in lineages if any(_key(v.fact, entity) == key for v in one.versions))
        if not lineages:
            known = sorted({_key(fact, entity) for fact in facts} - {""})
            fix = f"It has {', '.join(known)}." if known else "None of its facts has a key."
            raise NotFoundError(f"{entity.ref} has no fact with the key {key!r}", fix=fix)
    hidden = {fact.id for fact in every} - {fact.id for fact in facts}
    decisions = tuple(
        one
        for one in load_decisions(opened.root)
        if one.entity == str(entity.ref) and one.fact not in hidden and _may_know(sight, one, facts)
    )
    return HistoryView(entity, lineages, decisions)


def draw(facts: tuple[Fact, ...], paths: dict[str, str]) -> tuple[Lineage, ...]:
    """Return the lineages among these facts: each starts at a fact that nothing here replaced."""
    by_id = {fact.id: fact for fact in facts}
    below: dict[str, list[Fact]] = {}
    for fact in facts:
        if fact.superseded_by in by_id:
            below.setdefault(str(fact.superseded_by), []).append(fact)
    seen: set[str] = set()
    lineages = []
    roots = [fact for fact in facts if fact.superseded_by not in by_id]
    for root in [*roots, *(fact for fact in facts if fact not in roots)]:
        if root.id in seen:
            continue
        versions: list[Version] = []
        stack = [(root, 0)]
        while stack:
            fact, depth = stack.pop()
            if fact.id in seen:
                continue
            seen.add(fact.id)
            versions.append(Version(fact, depth, paths.get(fact.id, ""), _problem(fact, by_id, root)))
            stack.extend((older, depth + 1) for older in below.get(fact.id, ()))
        lineages.append(Lineage(tuple(versions)))
    return tuple(lineages)


def _problem(fact: Fact, by_id: dict[str, Fact], root: Fact) -> str:
    if fact.superseded_by and fact.superseded_by not in by_id:
        return f"superseded by {fact.superseded_by}, which is not one of its facts"
    if fact is root and fact.superseded_by:
        return f"superseded by {fact.superseded_by}, which leads back to it"
    return ""


def _paths_of(opened: OpenVault, facts: tuple[Fact, ...]) -> dict[str, str]:
    """Return the write path that made each fact; a fact made by hand, or elsewhere, has none."""
    wanted = {fact.id for fact in facts}
    paths: dict[str, str] = {}
    for line in AuditTrail(opened.root).iter_lines():
        if line["ok"] and line["target"] in wanted and line["op"] not in _TOUCHING:
            paths.setdefault(str(line["target"]), str(line["path"]))
    return paths


def _may_know(sight: Sight, decision: Decision, facts: tuple[Fact, ...]) -> bool:
    """Return whether the reader may see a decision: one about a fact that it sees, or that is gone from its scope."""
    if not (sight.reads_notes or any(fact.id == decision.fact for fact in facts)):
        return False
    return sight.may_read(decision.statement)


def _key(fact: Fact, entity: Entity) -> str:
    derived = derive_key(fact.text, entity.names())
    return fact.key or (derived.key if derived else "")

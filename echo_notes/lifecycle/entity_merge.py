"""`entity merge`: two entities that are one in the world become one here; nothing of either is lost."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from echo_notes.files.change import Change, ChangeResult, FactLine
from echo_notes.files.items import REMOVE, ItemsFile
from echo_notes.files.layout import ARCHIVE, ITEMS, REVIEW, SUMMARY
from echo_notes.files.records import ALIASES, find_field
from echo_notes.files.review import Review
from echo_notes.files.summary import parse_summary
from echo_notes.files.textfile import TextFile, dump_text
from echo_notes.guard.gate import Proposal
from echo_notes.index.manifest import walk_vault
from echo_notes.lifecycle.entities import load_entities
from echo_notes.lifecycle.entity import get_known, guard_entity, plan_names
from echo_notes.lifecycle.entity_rename import vault_files
from echo_notes.lifecycle.facts import next_id, traits_of
from echo_notes.lifecycle.opened import OpenVault
from echo_notes.lifecycle.references import Followed, Move, follow, moved_edges
from echo_notes.model.entity import Entity
from echo_notes.model.errors import ConflictError, UnreadableError, UsageError
from echo_notes.model.fact import Fact
from echo_notes.model.names import fold_name

_OP = "entity.merge"
_OWN_KEYS = frozenset(["name", "kind", "aliases", "tags", "synthesized"])


@dataclass(frozen=True, slots=True)
class Merged:
    """The entity that is left, what went into it, the ids that had to change (old → new), and the change."""

    entity: Entity
    merged: Entity
    facts: tuple[str, ...]
    renumbered: Mapping[str, str]
    followed: Followed
    change: ChangeResult


@dataclass(slots=True)
class _Ids:
    """The ids that are taken where the facts go (and were `before`), and those that a fact had to give up."""

    taken: set[str]
    prefix: str
    number: int
    renumbered: dict[str, str] = field(default_factory=dict)
    before: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        self.before = frozenset(self.taken)

    def place(self, fact: Fact, *, stated: bool) -> str:
        """Return the id that a fact gets: its own, or the next free one."""
        if stated and fact.id not in self.taken:
            self.taken.add(fact.id)
            return fact.id
        new = f"{self.prefix}-{self.number:03d}"
        self.number += 1
        self.taken.add(new)
        if stated:
            self.renumbered.setdefault(fact.id, new)
        return new


def merge(opened: OpenVault, source: str, target: str, *, rewrite_links: bool = False) -> Merged:
    """Put one entity's facts, text, names and decisions into another, and remove its folder.

    Ids stay; one that the other has too gets the next number, the old one in `was`. No fact keeps an edge to itself.
    """
    with opened.change(_OP) as change:
        entities = load_entities(opened)
        old, kept = get_known(opened, source, entities), get_known(opened, target, entities)
        if old.ref == kept.ref:
            raise UsageError(f"{source} and {target} are the same entity, {old.ref}", fix="Name two different ones.")
        guard_entity(change, opened, old, _OP)
        names = (*kept.aliases, old.name, *old.aliases, old.ref.slug)
        entity = Entity(kept.ref, kept.name, kept.folder, _united(names, kept), (*kept.tags, *old.tags))
        first = int(next_id(change, kept.ref, entities).rpartition("-")[2])
        ids = _Ids(_taken(change, kept), kept.ref.slug, first)
        facts = _merge_facts(change, old, kept, ids)
        _drop_edges(change, old, kept, facts)
        plan_names(change, kept, entity, op=_OP, tags=old.tags)
        _merge_text(change, old, kept)
        moved = _move_rest(change, opened, old, kept)
        paths = [path for path in walk_vault(opened.root).files if not path.startswith(f"{old.folder}/")]
        followed = follow(change, opened, Move(old, entity, _OP, [*paths, *moved], rewrite_links))
        _renumber_review(change, frozenset([*ids.renumbered, *facts]), ids)
        change.subject = f"entity merge: {old.ref} -> {kept.ref}"
        change.body = [*(f"{was} -> {now}" for was, now in ids.renumbered.items()), *facts]
    return Merged(entity, old, facts, ids.renumbered, followed, change.result)


def _united(names: Iterable[str], kept: Entity) -> tuple[str, ...]:
    seen = {fold_name(kept.name), fold_name(kept.ref.slug)} - {fold_name(one) for one in kept.aliases}
    united = []
    for name in names:
        if fold_name(name) not in seen:
            seen.add(fold_name(name))
            united.append(name)
    return tuple(united)


def _taken(change: Change, entity: Entity) -> set[str]:
    return {fact.id for name in (ITEMS, ARCHIVE) for fact in change.items(f"{entity.folder}/{name}", entity.ref).facts}


def _merge_facts(change: Change, old: Entity, kept: Entity, ids: _Ids) -> tuple[str, ...]:
    """Plan the facts of both files where they go; ids are given first, so that links among them can follow."""
    plans = []
    for name in (ITEMS, ARCHIVE):
        path = f"{old.folder}/{name}"
        raw = change.read(path)
        if raw is None:
            continue
        source = change.items(path, old.ref)
        if raw.strip() and any(problem.code == "shape" for problem in source.problems):
            problem = next(problem for problem in source.problems if problem.code == "shape")
            raise ConflictError(problem.message, where=f"{path}:{problem.line}", fix="First: echo-notes check --fix")
        placed = [(fact, ids.place(fact, stated=bool(fact.record.get("id")))) for fact in source.facts]
        plans.append((name, path, placed))
    for name, path, placed in plans:
        _plan_facts(change, f"{kept.folder}/{name}", placed, (old, kept), ids.renumbered)
        change.put_facts(path, None, _OP, ())
    return tuple(fact_id for _, _, placed in plans for _, fact_id in placed)


def _plan_facts(
    change: Change,
    path: str,
    placed: list[tuple[Fact, str]],
    ends: tuple[Entity, Entity],
    renumbered: Mapping[str, str],
) -> None:
    old, kept = ends
    items = change.items(path, kept.ref)
    lines = []
    for fact, fact_id in placed:
        record = _moved_record(fact, fact_id, old, kept, renumbered)
        changed = record != _with_standard_names(fact)
        label = change.keep_label(fact)
        items = items.add(record)
        if changed or not change.knows(fact.id):
            lines.append((fact_id, label))
    by_id = {fact.id: fact for fact in items.facts}
    change.put_facts(path, items.dump(), _OP, [FactLine(by_id[fact_id], label) for fact_id, label in lines])


def _moved_record(fact: Fact, fact_id: str, old: Entity, kept: Entity, renumbered: Mapping[str, str]) -> dict[str, Any]:
    record = _with_standard_names(fact)
    if fact_id != record.get("id"):
        record = {"id": fact_id, **{key: value for key, value in record.items() if key != "id"}}
        if fact.record.get("id"):
            record["was"] = [*fact.was, fact.id]
    if successor := renumbered.get(fact.superseded_by or ""):
        record["supersededBy"] = successor
    edges = moved_edges(replace(fact, entity=kept.ref), old.ref, kept.ref)
    if edges != fact.related:
        record["relatedEntities"] = list(edges)
        if not edges:
            del record["relatedEntities"]
    return record


def _with_standard_names(fact: Fact) -> dict[str, Any]:
    names = {key: name for name in ALIASES if (key := find_field(fact.record, name))}
    return {names.get(key, key): value for key, value in fact.record.items()}


def _drop_edges(change: Change, old: Entity, kept: Entity, moved: Iterable[str]) -> None:
    """Plan the kept entity's own facts without edges to what is now itself."""
    skip = set(moved)
    for name in (ITEMS, ARCHIVE):
        path = f"{kept.folder}/{name}"
        items: ItemsFile = change.items(path, kept.ref)
        lines = []
        for fact in items.facts:
            wanted = moved_edges(fact, old.ref, kept.ref)
            if fact.id in skip or wanted == fact.related:
                continue
            change.check(Proposal(op=_OP, target=fact.id, standing=change.standing_of(fact), traits=traits_of(fact)))
            label = change.keep_label(fact)
            items = items.set(fact.id, {"relatedEntities": list(wanted) or REMOVE})
            lines.append(FactLine(items.get(fact.id), label))
        if lines:
            change.put_facts(path, items.dump(), _OP, lines)


def _renumber_review(change: Change, moved: frozenset[str], ids: _Ids) -> None:
    """Plan review.json with the new ids of facts that had to give up theirs.

    A contradiction is between two facts of one entity: where both ids were the merged one's, it is about its facts.
    """
    raw = change.read(REVIEW)
    if raw is None or not ids.renumbered:
        return
    try:
        review = before = Review.parse(raw)
    except UnreadableError:
        return
    for entry in before.entries:
        if not entry.pair <= moved or entry.pair <= ids.before:
            continue
        sides = {"entryA": entry.entry_a, "entryB": entry.entry_b}
        changes = {side: ids.renumbered[one] for side, one in sides.items() if one in ids.renumbered}
        if changes:
            review = review.set(entry.id, changes)
    if review is not before:
        change.put(REVIEW, review.dump(), Proposal(op=_OP, target=REVIEW), kind="review")


def _merge_text(change: Change, old: Entity, kept: Entity) -> None:
    """Plan the person's text of one summary at the end of the other's, under a heading."""
    source = change.read_text(f"{old.folder}/{SUMMARY}")
    if source is None:
        return
    text = "\n\n".join(_kept_text(source, old))
    path = f"{kept.folder}/{SUMMARY}"
    target = change.read_text(path)
    if text and target is not None:
        end = target.newline
        added = f"## From {old.name}\n\n{text}\n".replace("\n", end)
        gap = "" if target.text.endswith(end * 2) else end if target.text.endswith("\n") else end * 2
        data = dump_text(f"{target.text}{gap}{added}", bom=target.bom)
        change.put(path, data, Proposal(op=_OP, target=path))
    change.put_facts(f"{old.folder}/{SUMMARY}", None, _OP, ())


def _kept_text(source: TextFile, old: Entity) -> Iterator[str]:
    """Yield what a summary holds that no program can make again, LF newlines; the plain title is not worth keeping."""
    parsed = parse_summary(source.text.replace("\r\n", "\n"))
    extra = {key for key in parsed.front.values if key not in _OWN_KEYS}
    if parsed.front.present and (extra or parsed.front.problem or "#" in parsed.front.block):
        yield f"```yaml\n{parsed.front.block.rstrip()}\n```"
    texts = [part.text for part in parsed.parts]
    if parsed.region is not None and not parsed.region_digest_ok:
        texts.append(parsed.region)
    for text in texts:
        clean = text.strip("\n")
        if clean.strip() and clean.strip() != f"# {old.name}":
            yield clean.rstrip().replace("<!-- echo:", "&lt;!-- echo:")


def _move_rest(change: Change, opened: OpenVault, old: Entity, kept: Entity) -> list[str]:
    """Plan every other file of the folder in the kept entity's, under a free name, and return the new paths."""
    moved = []
    for path in vault_files(opened, old.folder):
        inside = path.removeprefix(f"{old.folder}/")
        if inside in {ITEMS, ARCHIVE, SUMMARY}:
            continue
        target = _free(change, f"{kept.folder}/{inside}", old.ref.slug)
        change.put(target, change.read(path), Proposal(op=_OP, target=target), kind="entity")
        change.put_facts(path, None, _OP, ())
        moved.append(target)
    return moved


def _free(change: Change, path: str, slug: str) -> str:
    folder, _, name = path.rpartition("/")
    stem, dot, end = name.rpartition(".")
    candidate, number = path, 1
    while change.read(candidate) is not None:
        mark = f"-{slug}" if number == 1 else f"-{slug}-{number}"
        candidate = f"{folder}/{stem}{mark}{dot}{end}" if dot else f"{folder}/{name}{mark}"
        number += 1
    return candidate

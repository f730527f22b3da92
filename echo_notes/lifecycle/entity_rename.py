"""`entity rename`: another display name, the old one kept as an alias, and the folder moved along with all it holds."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from echo_notes.files.change import Change, ChangeResult, FactLine
from echo_notes.files.layout import ARCHIVE, AREAS, ITEMS, SUMMARY
from echo_notes.files.textfile import dump_text
from echo_notes.guard.gate import Proposal
from echo_notes.index.manifest import walk_vault
from echo_notes.lifecycle.entities import find_kind, load_entities, new_entity
from echo_notes.lifecycle.entity import get_known, guard_entity, plan_names
from echo_notes.lifecycle.opened import OpenVault
from echo_notes.lifecycle.references import Followed, Move, follow
from echo_notes.model.entity import Entity, EntityRef
from echo_notes.model.errors import ConflictError, UsageError
from echo_notes.model.names import fold, fold_name, slugify

_OP = "entity.rename"


@dataclass(frozen=True, slots=True)
class Renamed:
    """An entity before and after, what followed it, and the change."""

    old: Entity
    new: Entity
    followed: Followed
    change: ChangeResult


def rename(
    opened: OpenVault, name: str, new_name: str, *, slug: str = "", keep_slug: bool = False, rewrite_links: bool = False
) -> Renamed:
    """Give an entity another name (`kind/name` moves it to another kind), and its folder the slug of that name.

    The old name, and the old slug if no name has it, stay as aliases; fact ids stay. ConflictError where another entity
    has the name. `slug` sets the folder's name, `keep_slug` leaves it, `rewrite_links` changes a person's links too.
    """
    with opened.change(_OP) as change:
        entities = load_entities(opened)
        old = get_known(opened, name, entities)
        new = _renamed(opened, old, new_name, entities, slug=slug, keep_slug=keep_slug)
        if _is_same_folder(opened, old, new):
            new = replace(new, ref=old.ref, folder=old.folder)
        guard_entity(change, opened, old, _OP)
        paths = list(walk_vault(opened.root).files)
        if new.folder != old.folder:
            paths = [
                *(path for path in paths if not path.startswith(f"{old.folder}/")),
                *_move_folder(change, opened, old, new),
            ]
        plan_names(change, old, new, op=_OP)
        if rewrite_links:
            _retitle(change, old, new)
        followed = follow(change, opened, Move(old, new, _OP, paths, rewrite_links))
        change.subject = (
            f"entity rename: {old.ref} -> {new.ref}" if old.ref != new.ref else f"entity rename: {old.ref}: {new.name}"
        )
        change.body = [f"{old.name} -> {new.name}", *followed.facts]
    return Renamed(old, new, followed, change.result)


def vault_files(opened: OpenVault, folder: str) -> Iterator[str]:
    """Yield every file in an entity's folder; ConflictError for a symbolic link, which nothing here may follow."""
    for path in sorted((opened.root / folder).rglob("*")):
        relative = opened.layout.relative(path)
        if path.is_symlink():
            raise ConflictError("is a symbolic link", where=relative, fix="Put the file itself in place of the link.")
        if path.is_file():
            yield relative


def moved_lines(change: Change, path: str, ref: EntityRef) -> list[FactLine]:
    """Return audit lines for the facts of a file that no line knows yet, so that their ids are never given again."""
    facts = change.items(path, ref).facts
    return [FactLine(fact, change.keep_label(fact)) for fact in facts if not change.knows(fact.id)]


def _renamed(
    opened: OpenVault, old: Entity, text: str, entities: Sequence[Entity], *, slug: str, keep_slug: bool
) -> Entity:
    kind, name = _split(opened, old, text)
    others = [entity for entity in entities if entity.ref != old.ref]
    folded = fold_name(name)
    for other in others:
        if other.ref.kind == kind and folded in other.folded_names():
            raise ConflictError(
                f"{name!r} is a name of {other.ref}",
                fix=f"If they are the same: echo-notes entity merge {old.ref} {other.ref}",
            )
    fresh = new_entity(kind, name, others)
    ref = EntityRef(kind, old.ref.slug) if keep_slug or fold_name(fresh.name) == fold_name(old.name) else fresh.ref
    if slug:
        ref = EntityRef(kind, _given_slug(slug, kind, others))
    elif any(other.ref == ref for other in others):
        ref = fresh.ref
    names = (*old.aliases, old.name, old.ref.slug)
    aliases = tuple(_unlike(names, (fresh.name, ref.slug), keep=old.aliases))
    return Entity(ref, fresh.name, _new_folder(old, ref), aliases, old.tags)


def _split(opened: OpenVault, old: Entity, text: str) -> tuple[str, str]:
    """Return kind and name of the new name; only a kind that the vault has is read as one, `R&D/EU` is a name."""
    head, slash, rest = text.partition("/")
    kinds = {fold(kind) for kind in (*opened.settings.kinds, *opened.layout.kinds_on_disk())}
    if slash and rest and fold(head) in kinds:
        return find_kind(opened, head), rest
    return old.ref.kind, text


def _given_slug(slug: str, kind: str, others: Sequence[Entity]) -> str:
    clean = slugify(slug)
    if not clean:
        raise UsageError(f"{slug!r} cannot name a folder", fix="Use letters or digits.")
    for other in others:
        if other.ref.kind == kind and fold(other.ref.slug) == fold(clean):
            raise ConflictError(f"{other.ref} is there already", fix="Choose another --slug.")
    return clean


def _unlike(names: Sequence[str], taken: Sequence[str], keep: Sequence[str]) -> Iterator[str]:
    """Yield the names, each once; one that only repeats a taken name goes, unless it was an alias all along."""
    seen = {fold_name(name) for name in taken}
    kept = {fold_name(name) for name in keep} - {fold_name(taken[0])}
    for name in names:
        folded = fold_name(name)
        if folded not in seen or folded in kept:
            kept.discard(folded)
            seen.add(folded)
            yield name


def _new_folder(old: Entity, ref: EntityRef) -> str:
    if ref == old.ref:
        return old.folder
    if ref.kind == old.ref.kind:
        return f"{old.folder.rpartition('/')[0]}/{ref.slug}"
    return f"{AREAS}/{ref.kind}/{ref.slug}"


def _move_folder(change: Change, opened: OpenVault, old: Entity, new: Entity) -> list[str]:
    """Plan every file of the old folder at its new place, and return the new paths."""
    if (opened.root / new.folder).exists():
        raise ConflictError("is there already", where=new.folder, fix="Choose another folder: --slug NAME")
    moved = []
    for path in vault_files(opened, old.folder):
        target = f"{new.folder}{path.removeprefix(old.folder)}"
        data = change.read(path)
        if path in {f"{old.folder}/{name}" for name in (ITEMS, ARCHIVE, SUMMARY)}:
            lines = [] if path.endswith(SUMMARY) else moved_lines(change, path, old.ref)
            change.put_facts(target, data, _OP, lines)
        else:
            change.put(target, data, Proposal(op=_OP, target=target), kind="entity")
        change.put_facts(path, None, _OP, ())
        moved.append(target)
    return moved


def _is_same_folder(opened: OpenVault, old: Entity, new: Entity) -> bool:
    """Return whether two names are one folder on this disk, which may not tell `Zoe` from `zoe`: then it stays."""
    one, other = opened.root / old.folder, opened.root / new.folder
    return old.ref.kind == new.ref.kind and one.exists() and other.exists() and one.samefile(other)


def _retitle(change: Change, old: Entity, new: Entity) -> None:
    """Plan the first heading of a summary with the new name, where it is exactly the old one."""
    path = f"{new.folder}/{SUMMARY}"
    source = change.read_text(path)
    if source is None:
        return
    lines = source.text.split("\n")
    at = next((number for number, line in enumerate(lines) if line.startswith("# ")), None)
    if at is not None and lines[at].strip() == f"# {old.name}":
        lines[at] = lines[at].replace(f"# {old.name}", f"# {new.name}")
        change.put(path, dump_text("\n".join(lines), bom=source.bom), Proposal(op=_OP, target=path))

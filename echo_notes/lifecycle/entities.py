"""Which entity is meant: finding one by any of its names, and planning a new one."""

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from echo_notes.files.change import Change
from echo_notes.files.layout import AREAS, ITEMS, SUMMARY
from echo_notes.files.summary import new_summary
from echo_notes.files.templates import load_template
from echo_notes.guard.gate import Proposal
from echo_notes.lifecycle.opened import OpenVault
from echo_notes.model.entity import Entity, EntityRef
from echo_notes.model.errors import ConflictError, EchoError, NotFoundError, UnreadableError, UsageError
from echo_notes.model.names import fold, fold_name, slugify

_SINGULARS = {"person": "people", "company": "companies", "project": "projects", "place": "places"}
_MAX_NAME = 300


@dataclass(frozen=True, slots=True)
class Target:
    """The entity that a write is about, and whether the write makes it."""

    entity: Entity
    is_new: bool


def load_entities(opened: OpenVault, errors: list[EchoError] | None = None) -> tuple[Entity, ...]:
    """Return every entity of the vault, in the order of `kind/slug`; folders that may not be read go to `errors`."""
    from echo_notes.index.catalogue import Catalogue
    from echo_notes.index.manifest import walk_vault

    walk = walk_vault(opened.root)
    if errors is not None:
        away = [path for path in walk.unreadable if path.split("/")[0] == AREAS.split("/")[0]]
        errors += [UnreadableError("may not be read", path=path, fix=f"chmod u+rwx {path}") for path in away]
    return Catalogue(opened.root).refresh(walk)


def find_kind(opened: OpenVault, word: str) -> str:
    """Return the kind that a word names, ignoring case and number; UsageError with the choices otherwise."""
    kinds = tuple(dict.fromkeys([*opened.settings.kinds, *opened.layout.kinds_on_disk()]))
    folded = fold(word)
    for kind in kinds:
        if folded in {fold(kind), fold(kind).removesuffix("s")}:
            return kind
    if _SINGULARS.get(folded) in kinds:
        return _SINGULARS[folded]
    raise UsageError(
        f"no kind is called {word!r}", fix=f"Choose {', '.join(kinds)}, or add it to `kinds` in echo.yaml."
    )


def get_entity(opened: OpenVault, text: str, entities: Sequence[Entity] | None = None) -> Entity:
    """Return the entity that a reader names: ref, slug, name, alias, or a unique prefix of one.

    NotFoundError with the nearest names; ConflictError with the choices where several fit.
    """
    known = load_entities(opened) if entities is None else entities
    kind, name = _split(opened, text)
    pool = [entity for entity in known if kind in {"", entity.ref.kind}]
    found = _by_name(pool, kind, name) or _by_prefix(pool, name)
    if len(found) == 1:
        return found[0]
    if found:
        raise ambiguous(text, found)
    raise _unknown(text, name, known)


def target_for_writing(opened: OpenVault, text: str, entities: Sequence[Entity]) -> Target:
    """Return the entity that a write names: an existing one by ref, slug, name or alias, or a new `kind/name`."""
    kind, name = _split(opened, text)
    pool = [entity for entity in entities if kind in {"", entity.ref.kind}]
    found = _by_name(pool, kind, name)
    if len(found) > 1:
        raise ambiguous(text, found)
    if found:
        return Target(found[0], is_new=False)
    if not kind:
        raise _unknown(text, name, entities, writing=True)
    return Target(new_entity(kind, name, entities), is_new=True)


def new_entity(kind: str, name: str, entities: Iterable[Entity]) -> Entity:
    """Return an entity for a name that none has: its slug is free, and its folder is where the format puts it."""
    clean = " ".join(unicodedata.normalize("NFC", name).split())
    if not clean or len(clean) > _MAX_NAME or any(unicodedata.category(char) == "Cc" for char in clean):
        raise UsageError(f"{name[:40]!r} cannot be a name", fix=f"Use 1 to {_MAX_NAME} printable characters.")
    base = slugify(clean) or "-".join(f"u{ord(char):x}" for char in clean[:8] if not char.isspace())
    taken = {fold(entity.ref.slug) for entity in entities if entity.ref.kind == kind}
    slug, number = base, 2
    while fold(slug) in taken:
        slug, number = f"{base}-{number}", number + 1
    return Entity(EntityRef(kind, slug), clean, f"{AREAS}/{kind}/{slug}")


def plan_entity(change: Change, opened: OpenVault, entity: Entity) -> None:
    """Plan the folder of a new entity: summary.md from the template, and an empty items.json."""
    text = new_summary(entity.name, entity.ref.kind, aliases=entity.aliases, template=load_template("summary.md"))
    texts = {"name": entity.name, "alias": "\n".join(entity.aliases)}
    proposal = Proposal(op="entity", target=str(entity.ref), texts={k: v for k, v in texts.items() if v})
    change.put(f"{entity.folder}/{SUMMARY}", text.encode(), proposal, kind="entity")
    if change.read(items_path(entity)) is None:
        change.put(items_path(entity), b"[]\n", Proposal(op="entity", target=str(entity.ref)), kind="entity")
    opened.layout.path(entity.folder)


def items_path(entity: Entity) -> str:
    """Return the path of an entity's items.json."""
    return f"{entity.folder}/{ITEMS}"


def _split(opened: OpenVault, text: str) -> tuple[str, str]:
    """Return (kind or "", name) of what a person typed; a link path or a trailing summary is understood too."""
    clean = text.strip()
    if clean.startswith("[[") and clean.endswith("]]"):
        clean = clean[2:-2].partition("|")[0].strip()
    clean = clean.removeprefix(f"{AREAS}/").removesuffix("/summary.md").removesuffix("/summary").rstrip("/")
    head, slash, name = clean.partition("/")
    if not slash:
        return "", _require_name(text, clean)
    kinds = {fold(kind) for kind in (*opened.settings.kinds, *opened.layout.kinds_on_disk(), *_SINGULARS)}
    if fold(head) not in kinds and fold(head) + "s" not in kinds:
        if ".." in clean.split("/") or clean.startswith("/"):
            raise UsageError(f"{text!r} is no entity", fix="Write kind/name, for example people/ada.")
        return find_kind(opened, head), name
    return find_kind(opened, head), _require_name(text, name)


def _require_name(text: str, name: str) -> str:
    if not name or name in {".", ".."} or name.startswith(("../", "/")):
        raise UsageError(f"{text!r} is no entity", fix="Write kind/name, for example people/ada.")
    return name


def _by_name(pool: Iterable[Entity], kind: str, name: str) -> list[Entity]:
    """Return who has a name; `kind/slug`, letter for letter, is one folder even beside a twin that folds the same."""
    wanted = fold_name(name)
    found = [entity for entity in pool if wanted in entity.folded_names()]
    if len(found) > 1 and kind:
        found = [entity for entity in found if entity.ref.slug == name] or found
    if len(found) > 1:
        exact = [entity for entity in found if fold_name(entity.ref.slug) == wanted or fold(name) == fold(entity.name)]
        return exact if len(exact) == 1 else found
    return found


def _by_prefix(pool: Iterable[Entity], name: str) -> list[Entity]:
    wanted = fold_name(name)
    return [entity for entity in pool if any(known.startswith(wanted) for known in entity.folded_names())]


def ambiguous(text: str, found: Sequence[Entity]) -> ConflictError:
    """Return the error for a name that several entities have, with the choices."""
    names = ", ".join(str(entity.ref) for entity in found[:8])
    return ConflictError(f"{text!r} could be {names}", fix="Name one of them as kind/slug.")


def _unknown(text: str, name: str, entities: Sequence[Entity], *, writing: bool = False) -> NotFoundError:
    from difflib import get_close_matches

    table = {known: entity for entity in entities for known in entity.folded_names()}
    near = dict.fromkeys(str(table[match].ref) for match in get_close_matches(fold_name(name), table, n=3, cutoff=0.75))
    hint = f"Did you mean {', '.join(near)}? " if near else ""
    if writing:
        return NotFoundError(f"no entity is called {text!r}", fix=f"{hint}To make one, name its kind: people/{name}")
    return NotFoundError(f"no entity is called {text!r}", fix=f"{hint}List them: echo-notes ls")

"""`entity new`, `entity alias` and `entity link`: making an entity, giving it names, and joining two of them."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from echo_notes.files.change import Change, ChangeResult
from echo_notes.files.frontmatter import splice
from echo_notes.files.layout import SUMMARY
from echo_notes.files.summary import new_summary, parse_summary
from echo_notes.files.templates import load_template
from echo_notes.files.textfile import dump_text
from echo_notes.guard.gate import Proposal
from echo_notes.guard.keys import default_category, derive_key
from echo_notes.guard.values import normalise_statement
from echo_notes.lifecycle.entities import items_path, load_entities, plan_entity, target_for_writing
from echo_notes.lifecycle.facts import load_facts, next_id, plan_new, traits_of
from echo_notes.lifecycle.opened import OpenVault
from echo_notes.model.entity import Entity
from echo_notes.model.errors import NotFoundError, RefusedError, UnreadableError, UsageError
from echo_notes.model.fact import SCOPE_OWNER, USER, Fact
from echo_notes.model.names import fold_name

_RELATIONSHIP = "relationship"
_PLAIN_RELATION = "is connected with"


@dataclass(frozen=True, slots=True)
class Named:
    """An entity as it stands after a change of its names; `shared`: refs that answer to one of the new names too."""

    entity: Entity
    added: tuple[str, ...]
    removed: tuple[str, ...]
    is_new: bool
    shared: tuple[str, ...] = ()
    change: ChangeResult = field(default_factory=ChangeResult)


@dataclass(frozen=True, slots=True)
class Linked:
    """The fact that joins two entities, and whether it was there already."""

    fact: Fact
    known: bool
    change: ChangeResult


def new(opened: OpenVault, name: str, aliases: Sequence[str] = ()) -> Named:
    """Make an entity, `kind/name`; one that is there already only gets the aliases it does not have."""
    with opened.change("entity.new") as change:
        entities = load_entities(opened)
        target = target_for_writing(opened, name, entities)
        if target.is_new:
            extra = _fresh(aliases, target.entity)
            entity = with_aliases(target.entity, extra)
            named = Named(entity, extra, (), is_new=True, shared=_shared(change, entity, entity.names(), entities))
            plan_entity(change, opened, entity)
            change.subject = f"entity: {entity.ref}"
        else:
            named = _add_aliases(change, target.entity, aliases, entities, op="entity.new")
    return replace(named, change=change.result)


def alias(opened: OpenVault, name: str, aliases: Sequence[str]) -> Named:
    """Give an entity more names to be found by."""
    with opened.change("entity.alias") as change:
        entities = load_entities(opened)
        entity = get_known(opened, name, entities)
        named = _add_aliases(change, entity, aliases, entities, op="entity.alias")
    return replace(named, change=change.result)


def unalias(opened: OpenVault, name: str, aliases: Sequence[str]) -> Named:
    """Take names from an entity; NotFoundError for one that it does not have as an alias."""
    with opened.change("entity.alias") as change:
        entities = load_entities(opened)
        entity = get_known(opened, name, entities)
        wanted = {fold_name(one): one for one in aliases}
        known = {fold_name(one) for one in entity.aliases}
        if missing := [one for folded, one in wanted.items() if folded not in known]:
            has = f"It has {', '.join(entity.aliases)}." if entity.aliases else "It has no alias."
            raise NotFoundError(f"{entity.ref} has no alias {missing[0]!r}", fix=has)
        guard_entity(change, opened, entity, "entity.alias")
        kept = tuple(one for one in entity.aliases if fold_name(one) not in wanted)
        gone = tuple(one for one in entity.aliases if fold_name(one) in wanted)
        plan_names(change, entity, with_aliases(entity, kept), op="entity.alias")
        change.subject = f"entity alias: {entity.ref}: without {', '.join(gone)}"
    return Named(with_aliases(entity, kept), (), gone, is_new=False, change=change.result)


def link(opened: OpenVault, one: str, other: str, relation: str = "") -> Linked:
    """Join two entities by a relationship fact about the first that names the second: facts carry the graph's edges.

    The same statement said twice adds nothing.
    """
    with opened.change("entity.link") as change:
        entities = load_entities(opened)
        subject, related = (get_known(opened, name, entities) for name in (one, other))
        if subject.ref == related.ref:
            raise UsageError(f"{one} and {other} are the same entity, {subject.ref}", fix="Name two different ones.")
        text = " ".join(f"{subject.name} {relation or _PLAIN_RELATION} {related.name}".split())
        if known := _find_link(change, subject, related, text):
            return Linked(known, known=True, change=ChangeResult())
        draft = _link_fact(opened, subject, related, text, next_id(change, subject.ref, entities))
        stored, _ = plan_new(change, subject, draft, op="entity.link")
        change.subject = f"entity link: {subject.ref} - {related.ref}"
        change.body = [stored.id]
    return Linked(stored, known=False, change=change.result)


def get_known(opened: OpenVault, name: str, entities: Sequence[Entity]) -> Entity:
    """Return the entity that a writer names in full (no prefixes); NotFoundError, or ConflictError if several fit."""
    target = target_for_writing(opened, name, entities)
    if target.is_new:
        raise NotFoundError(f"no entity is called {name!r}", fix=f"Make it first: echo-notes entity new {name}")
    return target.entity


def with_aliases(entity: Entity, aliases: Sequence[str]) -> Entity:
    """Return an entity with these aliases, the others gone."""
    return Entity(entity.ref, entity.name, entity.folder, tuple(aliases), entity.tags)


def guard_entity(change: Change, opened: OpenVault, entity: Entity, op: str) -> None:
    """Ask the gate whether this writer may touch every fact of an entity; RefusedError names one that it may not."""
    for fact in load_facts(opened, entity):
        change.check(Proposal(op=op, target=fact.id, standing=change.standing_of(fact), traits=traits_of(fact)))


def plan_names(change: Change, before: Entity, after: Entity, *, op: str, tags: Sequence[str] = ()) -> None:
    """Plan the front matter of a summary, at the later entity's folder, with what differs in name, kind and aliases.

    Everything else of the file stays; UnreadableError names the line of front matter that cannot be edited.
    """
    path = f"{after.folder}/{SUMMARY}"
    source = change.read_text(path)
    texts = {"name": after.name, "alias": "\n".join(after.aliases)}
    proposal = Proposal(op=op, target=str(after.ref), texts={name: text for name, text in texts.items() if text})
    if source is None:
        text = new_summary(after.name, after.ref.kind, load_template("summary.md"), aliases=after.aliases)
        change.put(path, text.encode(), proposal, kind="entity")
        return
    parsed = parse_summary(source.text)
    changes: dict[str, object] = {}
    if after.name != (parsed.name or before.ref.slug):
        changes["name"] = after.name
    if after.ref.kind != before.ref.kind:
        changes["kind"] = after.ref.kind
    if after.aliases != parsed.aliases:
        changes["aliases"] = list(after.aliases)
    if added := [tag for tag in tags if tag not in parsed.tags]:
        changes["tags"] = [*parsed.tags, *added]
    text = _spliced(source.text, changes, path)
    change.put(path, dump_text(text, bom=source.bom), proposal, kind="entity")


def _spliced(text: str, changes: dict[str, object], path: str) -> str:
    try:
        return splice(text, changes)
    except UnreadableError as error:
        raise UnreadableError(error.what, path=path, line=error.line, column=error.column, fix=error.fix) from None


def _add_aliases(
    change: Change, entity: Entity, aliases: Sequence[str], entities: Sequence[Entity], *, op: str
) -> Named:
    extra = _fresh(aliases, entity)
    shared = _shared(change, entity, extra, entities)
    after = with_aliases(entity, (*entity.aliases, *extra))
    if extra:
        plan_names(change, entity, after, op=op)
    change.subject = f"entity alias: {entity.ref}: {', '.join(extra)}"
    return Named(after, extra, (), is_new=False, shared=shared)


def _fresh(aliases: Sequence[str], entity: Entity) -> tuple[str, ...]:
    """Return the aliases, tidied, that the entity does not answer to yet."""
    known = set(entity.folded_names())
    fresh = []
    for text in aliases:
        clean = " ".join(text.split())
        if not fold_name(clean):
            raise UsageError(f"{text!r} cannot be an alias", fix="Use a name with letters or digits.")
        if fold_name(clean) not in known:
            known.add(fold_name(clean))
            fresh.append(clean)
    return tuple(fresh)


def _shared(change: Change, entity: Entity, names: Sequence[str], entities: Sequence[Entity]) -> tuple[str, ...]:
    """Return the other entities that answer to one of these names; a program may not make a name ambiguous."""
    wanted = {fold_name(name) for name in names}
    shared = tuple(str(one.ref) for one in entities if one.ref != entity.ref and wanted & one.folded_names())
    if shared and not change.actor.is_person:
        raise RefusedError(
            f"refused to name {entity.ref}: {', '.join(shared)} answers to that name already", reason="provenance",
            op="entity", target=str(entity.ref), fix="Only the person may let two entities share a name.",
        )  # fmt: skip
    return shared


def _find_link(change: Change, subject: Entity, related: Entity, text: str) -> Fact | None:
    names = subject.names()
    said = normalise_statement(text, names)
    for fact in change.items(items_path(subject), subject.ref).facts:
        if fact.is_active and str(related.ref) in fact.related and normalise_statement(fact.text, names) == said:
            return fact
    return None


def _link_fact(opened: OpenVault, subject: Entity, related: Entity, text: str, fact_id: str) -> Fact:
    categories = opened.settings.categories
    derived = derive_key(text, subject.names())
    is_owner = str(subject.ref) == opened.settings.owner
    return Fact(
        id=fact_id, text=text, entity=subject.ref,
        category=_RELATIONSHIP if _RELATIONSHIP in categories else default_category(text, categories),
        timestamp=opened.today, key=derived.key if derived else "", type=USER if is_owner else "environment",
        related=(str(related.ref),), created_at=opened.now, scope=opened.writer.scope or SCOPE_OWNER,
    )  # fmt: skip

"""`remember` and `observe`: one statement, or many, becomes facts about entities, or entries of today's note."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import date

from echo_notes.files.change import Change, ChangeResult
from echo_notes.guard.conflict import LIKELY, compare
from echo_notes.guard.keys import default_category, derive_key, key_group
from echo_notes.guard.mentions import subject_of
from echo_notes.guard.scan import strip_invisible
from echo_notes.guard.values import normalise_statement
from echo_notes.lifecycle.entities import (
    Target,
    ambiguous,
    items_path,
    load_entities,
    new_entity,
    plan_entity,
    target_for_writing,
)
from echo_notes.lifecycle.facts import next_id, plan_new
from echo_notes.lifecycle.notes import plan_entry
from echo_notes.lifecycle.opened import OpenVault
from echo_notes.model.entity import Entity, EntityRef
from echo_notes.model.errors import EchoError, UsageError
from echo_notes.model.fact import ENVIRONMENT, SCOPE_OWNER, USER, Fact

AS_FACT = "fact"
AS_NOTE = "note"


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """What a person or program wants kept, with everything they said about it; "" and None mean not said."""

    text: str
    about: str = ""
    category: str = ""
    key: str = ""
    tags: tuple[str, ...] = ()
    importance: float | None = None
    pinned: bool = False
    on: date | None = None
    valid_from: date | None = None
    valid_until: date | None = None
    type: str = ""
    source: str = "conversation"
    scope: str = ""


@dataclass(frozen=True, slots=True)
class Remembered:
    """What became of one statement: a new fact, one that was known already, or an entry in a note.

    `id` is the fact's id (of the known one, if it was), "" for a note; `rivals`: active facts that may say otherwise.
    """

    stored_as: str
    id: str
    entity: str
    path: str
    text: str
    known: bool = False
    made_entity: bool = False
    rivals: tuple[Fact, ...] = ()


@dataclass(frozen=True, slots=True)
class Outcome:
    """What `remember` did: one result a statement, and the change that holds them."""

    results: tuple[Remembered, ...]
    change: ChangeResult


@dataclass(slots=True)
class Batch:
    """The entities that a batch of statements has found or made so far."""

    entities: list[Entity]
    made: set[EntityRef] = field(default_factory=set)

    def names(self) -> dict[str, tuple[Entity, ...]]:
        """Return the entities by each of their folded names."""
        table: dict[str, tuple[Entity, ...]] = {}
        for entity in self.entities:
            for name in entity.folded_names():
                table[name] = (*table.get(name, ()), entity)
        return table


def remember(opened: OpenVault, statements: Sequence[Statement], *, verb: str = "remember") -> Outcome:
    """Store the statements in one change; one refusal refuses all, and names the line."""
    if not statements:
        raise UsageError("there is nothing to remember", fix='For example: echo-notes remember "Ada prefers green tea"')
    batch = Batch(list(load_entities(opened)))
    results = []
    with opened.change(verb) as change:
        for number, statement in enumerate(statements, 1):
            try:
                results.append(plan_statement(change, opened, statement, batch, verb))
            except EchoError as error:
                if len(statements) > 1:
                    error.where = f"line {number}" + (f", {error.where}" if error.where else "")
                raise
        change.subject = _subject(verb, results)
        change.body = [result.id for result in results if result.id and not result.known]
    return Outcome(tuple(results), change.result)


def plan_statement(change: Change, opened: OpenVault, said: Statement, batch: Batch, verb: str) -> Remembered:
    """Plan one statement as a fact, or as an entry of today's note where it names no one that we know."""
    text = said.text.strip()
    if change.actor.strip_invisible:
        text = strip_invisible(text, joiners=opened.settings.joiners)
    if not text:
        raise UsageError("the statement is empty", fix='For example: echo-notes remember "Ada prefers green tea"')
    statement = replace(said, text=text)
    target, related = _find_subject(opened, statement, batch)
    if target is None:
        path = plan_entry(change, opened, text, op=verb)
        return Remembered(AS_NOTE, "", "", path, text)
    entity = target.entity
    if target.is_new and entity.ref not in batch.made:
        plan_entity(change, opened, entity)
        batch.entities.append(entity)
        batch.made.add(entity.ref)
    draft = _draft(opened, statement, entity, related)
    facts = change.items(items_path(entity), entity.ref).facts
    if known := _find_known(draft, facts, entity):
        return Remembered(AS_FACT, known.id, str(entity.ref), known.path, text, known=True)
    draft = replace(draft, id=next_id(change, entity.ref, batch.entities))
    stored, _ = plan_new(change, entity, draft, op=verb)
    return Remembered(
        AS_FACT, stored.id, str(entity.ref), stored.path, text, made_entity=target.is_new,
        rivals=_rivals(stored, facts, entity),
    )  # fmt: skip


def _find_subject(opened: OpenVault, said: Statement, batch: Batch) -> tuple[Target | None, tuple[str, ...]]:
    """Return whom a statement is about, None for no one we know, and the other entities that it names.

    Without `about` it is the owner where the text says “I …”, else the entity that the text names first.
    """
    mentions = subject_of(said.text, batch.names())
    named = sorted((mention for mention in mentions if mention.found), key=lambda mention: mention.start)
    if said.about:
        target = target_for_writing(opened, said.about, batch.entities)
    elif mentions and mentions[0].owner:
        target = owner_target(opened, batch)
    elif named:
        found = named[0].found or ()
        if len(found) > 1:
            raise ambiguous(named[0].name, found)
        target = Target(found[0], is_new=False)
    else:
        return None, ()
    refs = dict.fromkeys(str(mention.found[0].ref) for mention in named if mention.found and len(mention.found) == 1)
    return target, tuple(ref for ref in refs if ref != str(target.entity.ref))


def owner_target(opened: OpenVault, batch: Batch) -> Target:
    """Return the entity that “I …” is about, or a new one; UsageError where the settings name none."""
    try:
        ref = EntityRef.parse(opened.settings.owner)
    except ValueError:
        raise UsageError(
            f"owner in echo.yaml is {opened.settings.owner!r}", fix="It takes kind/slug, for example people/me."
        ) from None
    for entity in batch.entities:
        if entity.ref == ref:
            return Target(entity, is_new=False)
    return Target(new_entity(ref.kind, ref.slug, batch.entities), is_new=True)


def _draft(opened: OpenVault, said: Statement, entity: Entity, related: tuple[str, ...]) -> Fact:
    if said.category and said.category not in opened.settings.categories:
        raise UsageError(
            f"no category is called {said.category!r}",
            fix=f"Choose {', '.join(opened.settings.categories)}, or add it to `categories` in echo.yaml.",
        )
    if said.type and said.type not in {USER, ENVIRONMENT}:
        raise UsageError(f"no type is called {said.type!r}", fix=f"Choose {USER} or {ENVIRONMENT}.")
    if said.importance is not None and not 0 <= said.importance <= 1:
        raise UsageError(f"importance {said.importance} is not in 0 to 1", fix="Give 0 for least, 1 for most.")
    if said.valid_from and said.valid_until and said.valid_until < said.valid_from:
        raise UsageError(
            f"it would hold from {said.valid_from} until {said.valid_until}, which is earlier",
            fix="Give --valid-from the first day, and --valid-until the last.",
        )
    derived = derive_key(said.text, entity.names())
    is_owner = str(entity.ref) == opened.settings.owner
    return Fact(
        id="", text=said.text, entity=entity.ref,
        category=said.category or default_category(said.text, opened.settings.categories),
        timestamp=said.on or opened.today, source=said.source, key=said.key or (derived.key if derived else ""),
        type=said.type or (USER if is_owner else ENVIRONMENT),
        importance=0.5 if said.importance is None else said.importance, pinned=said.pinned,
        tags=tuple(dict.fromkeys(tag.lstrip("#") for tag in said.tags)), related=related, created_at=opened.now,
        valid_from=said.valid_from, valid_until=said.valid_until,
        scope=said.scope or opened.writer.scope or SCOPE_OWNER,
    )  # fmt: skip


def _find_known(draft: Fact, facts: Sequence[Fact], entity: Entity) -> Fact | None:
    """Return the active fact that says the same for the same time."""
    names = entity.names()
    said = normalise_statement(draft.text, names)
    for fact in facts:
        if fact.is_active and normalise_statement(fact.text, names) == said and not _disjoint(draft, fact):
            return fact
    return None


def _disjoint(one: Fact, other: Fact) -> bool:
    """Return whether two facts are stated to hold at different times, with no day in common."""
    for first, second in ((one, other), (other, one)):
        if first.valid_until and second.valid_from and first.valid_until <= second.valid_from:
            return True
        if first.valid_until and not second.valid_from and second.timestamp and first.valid_until <= second.timestamp:
            return True
    return False


def _rivals(stored: Fact, facts: Sequence[Fact], entity: Entity) -> tuple[Fact, ...]:
    """Return the active facts that, by the rules that a pass goes by too, cannot be true beside the new one."""
    group = key_group(stored.key) if stored.key else ""
    if not group:
        return ()
    names = entity.names()
    rivals = []
    for fact in facts:
        derived = derive_key(fact.text, names)
        key = fact.key or (derived.key if derived else "")
        if fact.is_active and key and key_group(key) == group:
            verdict = compare(fact, stored, names)
            if verdict.is_conflict and verdict.confidence >= LIKELY:
                rivals.append(fact)
    return tuple(rivals)


def _subject(verb: str, results: Sequence[Remembered]) -> str:
    fresh = [result for result in results if not result.known]
    if len(fresh) == 1:
        return f"{verb}: {fresh[0].entity or fresh[0].path}: {shorten(fresh[0].text)}"
    return f"{verb}: {len(fresh)} statements"


def shorten(text: str, width: int = 60) -> str:
    """Return a text on one line, cut to a width with an ellipsis."""
    line = " ".join(text.split())
    return line if len(line) <= width else line[: width - 1].rstrip() + "…"

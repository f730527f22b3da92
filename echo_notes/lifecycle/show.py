"""`show`, `ls` and `timeline`: what the vault holds about an entity, a fact, a day, or everything."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

from echo_notes.files.layout import SUMMARY, iter_daily
from echo_notes.files.markdown import iter_blocks
from echo_notes.files.summary import parse_summary
from echo_notes.files.textfile import load_text
from echo_notes.guard.eligibility import visible
from echo_notes.lifecycle.contested import contested_ids
from echo_notes.lifecycle.entities import get_entity, load_entities
from echo_notes.lifecycle.facts import Located, get_fact, iter_facts, load_facts, traits_of
from echo_notes.lifecycle.opened import OpenVault
from echo_notes.model.dates import Span, parse_span
from echo_notes.model.entity import Entity
from echo_notes.model.errors import EchoError, NotFoundError, UsageError
from echo_notes.model.fact import Fact


@dataclass(frozen=True, slots=True)
class EntityView:
    """An entity as a reader may see it: its facts, those that link to it, its summary text, and what failed."""

    entity: Entity
    facts: tuple[Fact, ...]
    linked_from: tuple[Fact, ...]
    summary: str
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DayView:
    """A day: its notes as they are, and the facts dated to it."""

    span: Span
    notes: tuple[tuple[str, str], ...]
    facts: tuple[Fact, ...]


@dataclass(frozen=True, slots=True)
class EntityLine:
    """An entity in a list: how many facts a reader may see, how many are active, and the newest day among them."""

    entity: Entity
    active: int
    total: int
    newest: date | None


@dataclass(frozen=True, slots=True)
class Event:
    """Something dated: a fact that was stated, or an entry of a daily note."""

    on: date
    entity: str
    text: str
    source: str
    fact: Fact | None = None


def show(opened: OpenVault, what: str) -> EntityView | Located | DayView:
    """Return what a fact id, an entity or a date names; NotFoundError if it is none of them."""
    entities = load_entities(opened)
    try:
        located = get_fact(opened, what, entities)
    except NotFoundError:
        pass
    else:
        if _sees(opened, located.fact, contested_ids(opened)):
            return located
        raise NotFoundError(f"no fact has the id {what!r}", fix="It may belong to another scope.")
    try:
        span = parse_span(what, opened.today)
    except UsageError:
        return show_entity(opened, get_entity(opened, what, entities), entities)
    return show_day(opened, span, entities)


def show_entity(opened: OpenVault, entity: Entity, entities: Iterable[Entity]) -> EntityView:
    """Return an entity with every fact that the reader may see, and the facts of others that link to it."""
    held = contested_ids(opened)
    facts = tuple(fact for fact in load_facts(opened, entity) if _sees(opened, fact, held, every_status=True))
    errors: list[EchoError] = []
    others = (other for other in entities if other.ref != entity.ref)
    linked = tuple(
        one.fact
        for one in iter_facts(opened, others, errors)
        if one.fact.is_active and str(entity.ref) in one.fact.related and _sees(opened, one.fact, held)
    )
    summary = _summary_text(opened, entity) if opened.reader.scope in {None, "owner"} else ""
    return EntityView(entity, facts, linked, summary, tuple(str(error) for error in errors))


def show_day(opened: OpenVault, span: Span, entities: Iterable[Entity]) -> DayView:
    """Return the notes and the facts of a span of days."""
    notes = []
    if opened.reader.scope in {None, "owner"}:
        for day, path in iter_daily(opened.root):
            if span.start <= day < span.end:
                notes.append((path, load_text(opened.root / path).text))
    held = contested_ids(opened)
    facts = [
        one.fact
        for one in iter_facts(opened, entities, [])
        if one.fact.timestamp and span.start <= one.fact.timestamp < span.end and _sees(opened, one.fact, held)
    ]
    if not notes and not facts:
        raise NotFoundError(f"nothing is dated {span.start.isoformat()}", fix="List what there is: echo-notes timeline")
    return DayView(span, tuple(notes), tuple(facts))


def list_entities(opened: OpenVault, kind: str = "") -> tuple[tuple[EntityLine, ...], tuple[str, ...]]:
    """Return every entity (of one kind) with its counts, and the problems met on the way."""
    errors: list[EchoError] = []
    lines = []
    held = contested_ids(opened)
    for entity in load_entities(opened):
        if kind and entity.ref.kind != kind:
            continue
        facts = [one.fact for one in iter_facts(opened, [entity], errors)]
        seen = [fact for fact in facts if _sees(opened, fact, held, every_status=True)]
        if facts and not seen and opened.reader.scope:
            continue
        days = [fact.timestamp for fact in seen if fact.timestamp]
        active = sum(fact.is_active for fact in seen)
        lines.append(EntityLine(entity, active, len(seen), max(days, default=None)))
    return tuple(lines), tuple(str(error) for error in errors)


def timeline(opened: OpenVault, name: str = "", span: Span | None = None) -> tuple[tuple[Event, ...], tuple[str, ...]]:
    """Return what happened, oldest first: facts by their day, and the entries of daily notes."""
    entities = load_entities(opened)
    chosen = [get_entity(opened, name, entities)] if name else list(entities)
    errors: list[EchoError] = []
    held = contested_ids(opened)
    events = [
        Event(one.fact.timestamp, str(one.entity.ref), one.fact.text, f"{one.path}:{one.fact.line}", one.fact)
        for one in iter_facts(opened, chosen, errors)
        if one.fact.timestamp and _sees(opened, one.fact, held)
    ]
    if opened.reader.scope in {None, "owner"}:
        events.extend(_entries(opened, chosen if name else None, errors))
    events = [event for event in events if span is None or span.start <= event.on < span.end]
    return tuple(sorted(events, key=lambda event: (event.on, event.source))), tuple(str(error) for error in errors)


def _entries(opened: OpenVault, about: list[Entity] | None, errors: list[EchoError]) -> Iterable[Event]:
    from echo_notes.guard.mentions import find_mentions

    names = {name: str(entity.ref) for entity in about or () for name in entity.folded_names()}
    for day, path in iter_daily(opened.root):
        try:
            text = load_text(opened.root / path).text
        except EchoError as error:
            errors.append(error)
            continue
        for block in iter_blocks(text):
            if block.kind in {"entry", "paragraph"} and (about is None or find_mentions(block.text, names)):
                yield Event(day, "", block.text.lstrip("-*+ "), f"{path}:{block.line}")


def _sees(opened: OpenVault, fact: Fact, contested: frozenset[str], *, every_status: bool = False) -> bool:
    """Return whether the reader may see a fact; a listing of an entity shows every status that its scope may see."""
    from dataclasses import replace

    traits = traits_of(fact, contested=fact.id in contested)
    if every_status and not opened.reader.agent:
        return visible(traits, replace(opened.reader, audience="admin"))
    return visible(traits, opened.reader)


def _summary_text(opened: OpenVault, entity: Entity) -> str:
    try:
        text = load_text(opened.root / entity.folder / SUMMARY).text
    except FileNotFoundError:
        return ""
    parsed = parse_summary(text)
    return "\n".join(part.text for part in parsed.parts).strip()

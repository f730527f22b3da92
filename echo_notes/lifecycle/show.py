"""`show`, `ls` and `timeline`: what the vault holds about an entity, a fact, a day, or everything."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import date

from echo_notes.files.layout import SUMMARY, iter_daily
from echo_notes.files.markdown import iter_blocks
from echo_notes.files.summary import parse_summary
from echo_notes.files.textfile import load_text
from echo_notes.lifecycle.entities import get_entity, load_entities
from echo_notes.lifecycle.facts import Located, get_fact, iter_facts, load_facts
from echo_notes.lifecycle.opened import OpenVault
from echo_notes.lifecycle.sight import Sight
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
        if shown := Sight.of(opened).find(located.fact, every_status=not opened.reader.agent):
            return replace(located, fact=shown)
        raise NotFoundError(f"no fact has the id {what!r}", fix="It may belong to another scope.")
    try:
        span = parse_span(what, opened.today)
    except UsageError:
        return show_entity(opened, get_entity(opened, what, entities), entities)
    return show_day(opened, span, entities)


def show_entity(opened: OpenVault, entity: Entity, entities: Iterable[Entity]) -> EntityView:
    """Return an entity with every fact that the reader may see, and the facts of others that link to it."""
    sight = Sight.of(opened)
    facts = sight.facts(load_facts(opened, entity), every_status=not opened.reader.agent)
    errors: list[EchoError] = []
    others = (other for other in entities if other.ref != entity.ref)
    linked = sight.facts(
        one.fact
        for one in iter_facts(opened, others, errors)
        if one.fact.is_active and str(entity.ref) in one.fact.related
    )
    summary = _summary_text(opened, entity, sight) if sight.reads_notes else ""
    return EntityView(entity, facts, linked, summary, tuple(str(error) for error in errors))


def show_day(opened: OpenVault, span: Span, entities: Iterable[Entity]) -> DayView:
    """Return the notes and the facts of a span of days."""
    sight = Sight.of(opened)
    notes = notes_of(opened, span)
    facts = sight.facts(
        one.fact
        for one in iter_facts(opened, entities, [])
        if one.fact.timestamp and span.start <= one.fact.timestamp < span.end
    )
    if not notes and not facts:
        raise NotFoundError(f"nothing is dated {span.start.isoformat()}", fix="List what there is: echo-notes timeline")
    return DayView(span, notes, facts)


def notes_of(opened: OpenVault, span: Span) -> tuple[tuple[str, str], ...]:
    """Return the daily notes of a span as (path, what the reader may read of it)."""
    sight = Sight.of(opened)
    if not sight.reads_notes:
        return ()
    paths = [path for day, path in iter_daily(opened.root) if span.start <= day < span.end]
    return tuple((path, sight.readable(load_text(opened.root / path).text)) for path in paths)


def list_entities(opened: OpenVault, kind: str = "") -> tuple[tuple[EntityLine, ...], tuple[str, ...]]:
    """Return every entity (of one kind) with its counts, and the problems met on the way."""
    errors: list[EchoError] = []
    lines = []
    sight = Sight.of(opened)
    for entity in load_entities(opened, errors):
        if kind and entity.ref.kind != kind:
            continue
        facts = [one.fact for one in iter_facts(opened, [entity], errors)]
        seen = [fact for fact in facts if sight.may_see(fact, every_status=not opened.reader.agent)]
        if facts and not seen and opened.reader.scope:
            continue
        days = [fact.timestamp for fact in seen if fact.timestamp]
        active = sum(fact.is_active for fact in seen)
        lines.append(EntityLine(entity, active, len(seen), max(days, default=None)))
    return tuple(lines), tuple(str(error) for error in errors)


def timeline(opened: OpenVault, name: str = "", span: Span | None = None) -> tuple[tuple[Event, ...], tuple[str, ...]]:
    """Return what happened, oldest first: facts by their day, and the entries of daily notes."""
    errors: list[EchoError] = []
    entities = load_entities(opened, errors)
    chosen = [get_entity(opened, name, entities)] if name else list(entities)
    sight = Sight.of(opened)
    events = [
        Event(fact.timestamp, str(fact.entity), fact.text, f"{fact.path}:{fact.line}", fact)
        for fact in sight.facts(
            one.fact
            for one in iter_facts(opened, chosen, errors)
            if one.fact.timestamp and (span is None or span.start <= one.fact.timestamp < span.end)
        )
        if fact.timestamp
    ]
    if sight.reads_notes:
        entries = _entries(opened, chosen if name else None, errors)
        dated = (event for event in entries if span is None or span.start <= event.on < span.end)
        events.extend(event for event in dated if sight.may_read(event.text))
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


def _summary_text(opened: OpenVault, entity: Entity, sight: Sight) -> str:
    try:
        text = load_text(opened.root / entity.folder / SUMMARY).text
    except FileNotFoundError:
        return ""
    parsed = parse_summary(text)
    return sight.readable("\n".join(part.text for part in parsed.parts)).strip()

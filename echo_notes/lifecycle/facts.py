"""Facts on disk: finding one by its id, reading an entity's, giving out ids, and planning a change to one."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from echo_notes.files.change import Change
from echo_notes.files.items import ItemsFile, new_record
from echo_notes.files.layout import ARCHIVE, AREAS, ITEMS
from echo_notes.files.textfile import load_bytes
from echo_notes.guard.eligibility import Traits, is_inferred
from echo_notes.guard.gate import Passed, Proposal
from echo_notes.guard.keys import derive_key
from echo_notes.guard.rejected import Claim, Decision
from echo_notes.guard.transient import is_transient
from echo_notes.guard.values import normalise_statement, normalise_value
from echo_notes.lifecycle.entities import items_path, load_entities
from echo_notes.lifecycle.opened import OpenVault
from echo_notes.model.entity import Entity, EntityRef
from echo_notes.model.errors import ConflictError, EchoError, NotFoundError
from echo_notes.model.fact import LEGACY, Fact


@dataclass(frozen=True, slots=True)
class Located:
    """A fact, the entity it belongs to, and the file that holds it."""

    fact: Fact
    entity: Entity
    path: str


def load_items(opened: OpenVault, path: str, ref: EntityRef) -> ItemsFile:
    """Return a fact file as it is on disk, an empty one if there is none; UnreadableError if it cannot be parsed."""
    try:
        raw = load_bytes(opened.layout.path(path), shown=path)
    except FileNotFoundError:
        raw = b"[]\n"
    return ItemsFile.parse(raw, entity=ref, path=path, categories=opened.settings.categories)


def load_facts(opened: OpenVault, entity: Entity, *, archive: bool = True) -> tuple[Fact, ...]:
    """Return an entity's facts in file order, those of archive.json (as archived, if still active there) after them."""
    facts = load_items(opened, items_path(entity), entity.ref).facts
    if not archive:
        return facts
    kept = load_items(opened, f"{entity.folder}/{ARCHIVE}", entity.ref).facts
    return (*facts, *(replace(fact, status="archived") if fact.is_active else fact for fact in kept))


def iter_facts(opened: OpenVault, entities: Iterable[Entity], errors: list[EchoError]) -> Iterator[Located]:
    """Yield every fact of these entities; a file that cannot be read is added to `errors` and passed over."""
    for entity in entities:
        try:
            facts = load_facts(opened, entity)
        except EchoError as error:
            errors.append(error)
            continue
        for fact in facts:
            yield Located(fact, entity, fact.path)


def get_fact(opened: OpenVault, fact_id: str, entities: Sequence[Entity] | None = None) -> Located:
    """Return the fact that has this id, or had it before a merge; NotFoundError, or ConflictError if two claim it."""
    known = load_entities(opened) if entities is None else entities
    slug = fact_id.rpartition("-")[0]
    likely = [entity for entity in known if entity.ref.slug == slug]
    others = [entity for entity in known if entity.ref.slug != slug and _mentions(opened, entity, fact_id)]
    errors: list[EchoError] = []
    found = [one for one in iter_facts(opened, (*likely, *others), errors) if one.fact.id == fact_id]
    if not found:
        found = [one for one in iter_facts(opened, (*likely, *others), []) if fact_id in one.fact.was]
    if len(found) > 1:
        places = ", ".join(f"{one.path}:{one.fact.line}" for one in found)
        raise ConflictError(f"{fact_id} is claimed by {len(found)} facts: {places}", fix="echo-notes check --fix")
    if found:
        return found[0]
    if errors:
        raise errors[0]
    raise NotFoundError(
        f"no fact has the id {fact_id!r}", fix="Find it: echo-notes recall WORDS, or echo-notes show ENTITY"
    )


def claim_of(entity: Entity, text: str, key: str = "") -> Claim:
    """Return what a statement about an entity says, normalised: the key and value that its words show.

    Where they show none, they are a bare value of the key given. A key given besides does not hide what the words say.
    """
    names = entity.names()
    derived = derive_key(text, names)
    value = ""
    if derived:
        key, value = derived.key, normalise_value(derived.value)
    elif key:
        value = normalise_value(text)
    return Claim(str(entity.ref), key, value, normalise_statement(text, names))


def next_id(change: Change, ref: EntityRef, entities: Iterable[Entity]) -> str:
    """Return the next id for a slug: above every number that any entity of that slug, an archive or the audit used."""
    highest = change.highest_number(ref.slug)
    folders = {entity.folder for entity in entities if entity.ref.slug == ref.slug} | {f"{AREAS}/{ref.kind}/{ref.slug}"}
    for folder in folders:
        for name in (ITEMS, ARCHIVE):
            facts = change.items(f"{folder}/{name}", ref).facts
            numbers = (fact_id.removeprefix(f"{ref.slug}-") for fact in facts for fact_id in (fact.id, *fact.was))
            highest = max([highest, *(int(number) for number in numbers if number.isdecimal())])
    return f"{ref.slug}-{highest + 1:03d}"


def plan_new(change: Change, entity: Entity, fact: Fact, *, op: str) -> tuple[Fact, Passed]:
    """Plan one more fact in an entity's items.json, and return it as it will stand with what the gate let pass."""
    path = items_path(entity)
    items = change.items(path, entity.ref)
    labelled = replace(fact, provenance=change.actor.label, path=path)
    passed = change.check(
        Proposal(
            op=op, target=f"a fact about {entity.ref}", texts=texts_of(new_record(labelled)),
            traits=traits_of(labelled), claim=claim_of(entity, fact.text, fact.key),
            transient=is_inferred(change.actor.label) and is_transient(fact.text, fact.key, fact.tags),
        )
    )  # fmt: skip
    stored = replace(labelled, flagged=passed.flagged)
    change.put_checked(items.add(new_record(stored)), path, stored, op)
    if passed.overruled:
        change.decide(judge(change, entity, stored, "reinstated"))
    return stored, passed


def plan_edit(change: Change, located: Located, op: str, changes: Mapping[str, Any], *, label: str = "") -> Fact:
    """Plan new values for fields of a stored fact, if the gate lets this writer, and return it as it will stand."""
    fact = located.fact
    proposal = Proposal(
        op=op, target=fact.id, standing=change.standing_of(fact), traits=traits_of(fact),
        texts=texts_of({name: value for name, value in changes.items() if isinstance(value, str | list | tuple)}),
    )  # fmt: skip
    change.check(proposal)
    items = change.items(located.path, located.entity.ref).set(fact.id, changes)
    change.put_checked(items, located.path, fact, op, label=label or change.keep_label(fact))
    return items.get(fact.id)


def judge(change: Change, entity: Entity, fact: Fact, verdict: str) -> Decision:
    """Return the decision that this writer makes now on what a fact says."""
    claim = claim_of(entity, fact.text, fact.key)
    return Decision(
        at=change.stamp(), entity=claim.entity, key=claim.key, value=claim.value, statement=claim.statement,
        verdict=verdict, by=change.actor.label or LEGACY, fact=fact.id,
    )  # fmt: skip


def traits_of(fact: Fact, *, contested: bool = False) -> Traits:
    """Return what decides who may see a fact."""
    transient = is_inferred(fact.provenance) and is_transient(fact.text, fact.key, fact.tags)
    return Traits(
        status=fact.status, scope=fact.scope, type=fact.type, session=fact.source_session, flagged=bool(fact.flagged),
        transient=transient, contested=contested,
    )  # fmt: skip


def texts_of(record: Mapping[str, Any]) -> dict[str, str]:
    """Return every string of a record by field: what the scan has to see."""
    texts: dict[str, str] = {}
    for name, value in record.items():
        if isinstance(value, str):
            texts[name] = value
        elif isinstance(value, list | tuple):
            texts[name] = "\n".join(str(part) for part in value)
    return {name: text for name, text in texts.items() if text}


def _mentions(opened: OpenVault, entity: Entity, fact_id: str) -> bool:
    needle = fact_id.encode()
    for name in (ITEMS, ARCHIVE):
        try:
            if needle in (opened.root / entity.folder / name).read_bytes():
                return True
        except OSError:
            continue
    return False

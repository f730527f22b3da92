"""What a pass draws from text: durable statements become facts through the gate, one row at a time."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import TYPE_CHECKING

from echo_notes.files.change import Change
from echo_notes.files.layout import ARCHIVE, REVIEW
from echo_notes.files.review import Review
from echo_notes.guard.conflict import DUPLICATE, Said, compare
from echo_notes.guard.durable import Statement
from echo_notes.guard.keys import is_single_valued, key_group
from echo_notes.guard.rejected import Decision, find_rejection
from echo_notes.guard.values import normalise_statement
from echo_notes.lifecycle.contradict import Retirement, judge_facts, plan_retirement, plan_undecided
from echo_notes.lifecycle.entities import (
    Target,
    ambiguous,
    items_path,
    load_entities,
    plan_entity,
    target_for_writing,
)
from echo_notes.lifecycle.facts import claim_of, next_id, plan_new
from echo_notes.lifecycle.opened import OpenVault
from echo_notes.lifecycle.remember import Batch, owner_target
from echo_notes.model.entity import Entity, EntityRef
from echo_notes.model.errors import EchoError, NotFoundError, RefusedError, UnreadableError
from echo_notes.model.fact import ENVIRONMENT, MODEL_INFERRED, USER, Fact
from echo_notes.model.names import fold_name

if TYPE_CHECKING:
    from echo_notes.lifecycle.llm.proposals import Proposed

ADDED = "added"
KNOWN = "known"
REFUSED = "refused"
FAILED = "failed"

# Whom a field can only be about, so that a marked line about a new name makes an entity of the right kind.
_OF_PEOPLE = frozenset(
    ["age", "allergy", "alma-mater", "birth-year", "birthday", "birthplace", "child", "children", "diet", "employer",
     "father", "graduated", "hobby", "manager", "marital-status", "mother", "nationality", "nickname", "origin", "pet",
     "pronouns", "role", "school", "sibling", "spouse"]
)  # fmt: skip
_OF_COMPANIES = frozenset(["ceo", "employees", "founded"])
_LINK = re.compile(r"[\s*_-]*\[\[([^\[\]|#]+)")
_AT_NAME = re.compile(r"[\s*_-]*@\w")


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Where statements come from: the label that they may have at most, their day and source, and whose they are."""

    label: str
    day: date
    source: str
    scope: str
    session: str = ""
    episode: str = ""
    importance: float = 0.5


@dataclass(frozen=True, slots=True)
class Row:
    """What became of one statement. `id`: of the fact that now says it; `error` why there is none.

    `fresh`: a refusal that was not on record already.
    """

    outcome: str
    text: str
    source: str
    entity: str = ""
    id: str = ""
    error: EchoError | None = None
    fresh: bool = True


@dataclass(frozen=True, slots=True)
class Settled:
    """What became of the contradictions of new facts: superseded ones, pairs left for review, entities left alone."""

    retired: tuple[Retirement, ...] = ()
    undecided: tuple[tuple[str, str], ...] = ()
    held: tuple[str, ...] = ()
    problems: tuple[EchoError, ...] = ()


@dataclass(slots=True)
class Derivation:
    """The facts that one run of a pass adds in one change."""

    opened: OpenVault
    change: Change
    name: str
    batch: Batch
    decisions: tuple[Decision, ...]
    _statements: dict[EntityRef, dict[str, list[Fact]]] = field(default_factory=dict)
    _fresh: dict[EntityRef, set[str]] = field(default_factory=dict)
    _names: dict[str, tuple[Entity, ...]] = field(default_factory=dict)
    _numbers: dict[str, int] = field(default_factory=dict)

    @classmethod
    def begin(cls, opened: OpenVault, change: Change, name: str) -> "Derivation":
        """Return a derivation for a pass of this name; `change` is open."""
        return cls(opened, change, name, Batch(list(load_entities(opened))), change.decisions())

    @property
    def names(self) -> dict[str, tuple[Entity, ...]]:
        """The entities by each of their folded names, those that this run made included."""
        if not self._names:
            self._names = self.batch.names()
        return self._names

    def take(self, statement: Statement, origin: Origin) -> Row:
        """Add a fact for a statement unless it is known; what the gate refuses is recorded, and skipped.

        UnreadableError where the entity's file cannot be read: nothing may be added to that.
        """
        self.change.actor = self.opened.pass_actor(self.name, origin.label)
        try:
            return self._take(statement, origin)
        except RefusedError as error:
            fresh = self.change.pass_over(error)
            return Row(REFUSED, statement.text, origin.source, error=error, fresh=fresh)

    def _take(self, statement: Statement, origin: Origin) -> Row:
        try:
            target = self._target(statement)
        except EchoError as error:
            return Row(FAILED, statement.text, origin.source, error=error)
        entity = target.entity
        said = normalise_statement(statement.text, entity.names())
        known = self._find_known(entity, statement, origin)
        if known:
            return Row(KNOWN, statement.text, origin.source, str(entity.ref), known.id)
        draft = self._draft(statement, origin, entity)
        stored, _ = plan_new(self.change, entity, draft, op=self.name)
        self._numbers[entity.ref.slug] += 1
        if target.is_new and entity not in self.batch.entities:
            plan_entity(self.change, self.opened, entity)
            self.batch.entities.append(entity)
            self._names = {}
        self._of(entity).setdefault(said, []).append(stored)
        self._fresh.setdefault(entity.ref, set()).add(stored.id)
        return Row(ADDED, statement.text, origin.source, str(entity.ref), stored.id)

    def is_judged_wrong(self, statement: Statement) -> bool:
        """Return whether what a statement says was judged wrong before: nothing that a pass writes repeats it."""
        try:
            entity = self._target(statement).entity
        except EchoError:
            return False
        return find_rejection(claim_of(entity, statement.text, statement.key), self.decisions) is not None

    def nearly_says(self, entity: Entity | None, text: str) -> bool:
        """Return whether a program's fact about an entity (None: the owner) says nearly this, whatever became of it."""
        from echo_notes.lifecycle.llm.grounding import is_nearly

        target = owner_target(self.opened, self.batch).entity if entity is None else entity
        stored = (fact for facts in self._of(target).values() for fact in facts)
        return any(fact.provenance == MODEL_INFERRED and is_nearly(fact.text, text) for fact in stored)

    def settle(self) -> Settled:
        """Compare the new facts with the others of their entities, and plan what gives way.

        An entity that would lose more than its share of facts is left for `synthesize`, which asks.
        """
        retired: list[Retirement] = []
        undecided: list[tuple[str, str]] = []
        held: list[str] = []
        actor = self.change.actor
        try:
            for entity in [one for one in self.batch.entities if one.ref in self._fresh]:
                fresh = self._fresh[entity.ref]
                facts = self.change.items(items_path(entity), entity.ref).facts
                review = Review.parse(self.change.read(REVIEW))
                judgement = judge_facts(
                    entity, facts, self.change.standing_of, review,
                    today=self.opened.today, fresh=_is_in(fresh),
                )  # fmt: skip
                # What this run added it may retire again; only what was there before has the share's protection.
                before = tuple(one for one in judgement.retirements if one.loser.id not in fresh)
                leave = replace(judgement, retirements=before).exceeds(self.opened.settings.supersede_share)
                held += [str(entity.ref)] if leave else []
                retired += self._retire(entity, [one for one in judgement.retirements if not (leave and one in before)])
                self.change.actor = actor
                plan_undecided(self.change, judgement.undecided)
                undecided += [(pair.one.id, pair.other.id) for pair in judgement.undecided]
        except EchoError as error:
            return Settled(tuple(retired), tuple(undecided), tuple(held), (error,))
        finally:
            self.change.actor = actor
        return Settled(tuple(retired), tuple(undecided), tuple(held))

    def _retire(self, entity: Entity, retirements: Iterable[Retirement]) -> list[Retirement]:
        done = []
        for one in retirements:
            try:
                plan_retirement(self.change, self.opened, entity, one, by=self.name)
            except RefusedError as error:
                self.change.pass_over(error)
                continue
            done.append(one)
        return done

    def _target(self, statement: Statement) -> Target:
        if statement.owner:
            return owner_target(self.opened, self.batch)
        found = self.names.get(fold_name(statement.subject), ())
        if not found and isinstance(statement.found, tuple):
            found = statement.found
        if len(found) > 1:
            raise ambiguous(statement.subject, found)
        if found:
            return Target(found[0], is_new=False)
        return self._new_target(statement)

    def _new_target(self, statement: Statement) -> Target:
        """Return the entity that a marked line names for the first time, if the line says of which kind it is."""
        link = _LINK.match(statement.source)
        if link and "/" in link[1]:
            return target_for_writing(self.opened, link[1], self.batch.entities)
        kind = ""
        if statement.key in _OF_PEOPLE or statement.key.startswith("preference:") or _AT_NAME.match(statement.source):
            kind = "people"
        elif statement.key in _OF_COMPANIES:
            kind = "companies"
        if kind:
            return target_for_writing(self.opened, f"{kind}/{statement.subject}", self.batch.entities)
        raise NotFoundError(
            f"no entity is called {statement.subject!r}",
            fix=f"Make it, then run this again: echo-notes entity new KIND/{statement.subject}",
        )

    def _find_known(self, entity: Entity, statement: Statement, origin: Origin) -> Fact | None:
        """Return the fact that says this already, or said it on that day: an old note does not revive what changed."""
        names = entity.names()
        said = normalise_statement(statement.text, names)
        if find_rejection(claim_of(entity, statement.text, statement.key), self.decisions):
            return None  # what was judged wrong is for the gate to refuse, and on record
        for fact in self._of(entity).get(said, ()):
            if fact.is_active or self._covers(fact, origin.day):
                return fact
        stored = [fact for facts in self._of(entity).values() for fact in facts]
        for fact in stored:
            if fact.erased_at and fact.source == origin.source:
                return fact
            if _same_value(fact, statement, names):
                # More words under the same value say more, unless they are of a value that has had its day.
                if not fact.is_active and is_single_valued(fact.key) and self._covers(fact, origin.day):
                    return fact
                if fact.is_active and ("::" in statement.text or len(statement.text) <= len(fact.text)):
                    return fact
        return None

    def _covers(self, fact: Fact, day: date) -> bool:
        """Return whether a fact that is no longer active was stated, or given up, on that day or later."""
        gone = fact.superseded_at.astimezone(self.opened.now.tzinfo).date() if fact.superseded_at else None
        return any(known and known >= day for known in (fact.timestamp, gone))

    def _of(self, entity: Entity) -> dict[str, list[Fact]]:
        """Return an entity's facts, the archived ones too, by what they say."""
        if entity.ref not in self._statements:
            names = entity.names()
            table: dict[str, list[Fact]] = {}
            for path in (items_path(entity), f"{entity.folder}/{ARCHIVE}"):
                for fact in self.change.items(path, entity.ref).facts:
                    kept = replace(fact, status="archived") if path.endswith(ARCHIVE) and fact.is_active else fact
                    table.setdefault(normalise_statement(fact.text, names), []).append(kept)
            self._statements[entity.ref] = table
        return self._statements[entity.ref]

    def _next_id(self, ref: EntityRef) -> str:
        """Return the next id for a slug; after the first it is counted, not looked up, as nobody else writes now."""
        if ref.slug not in self._numbers:
            found = next_id(self.change, ref, self.batch.entities)
            self._numbers[ref.slug] = int(found.rpartition("-")[2])
        return f"{ref.slug}-{self._numbers[ref.slug]:03d}"

    def _draft(self, statement: Statement, origin: Origin, entity: Entity) -> Fact:
        settings = self.opened.settings
        category = statement.category if statement.category in settings.categories else settings.categories[0]
        others = [found[0] for found in statement.others if isinstance(found, tuple) and len(found) == 1]
        related = dict.fromkeys(str(other.ref) for other in others if other.ref != entity.ref)
        return Fact(
            id=self._next_id(entity.ref), text=statement.text, entity=entity.ref,
            category=category, timestamp=origin.day, source=origin.source, key=statement.key,
            type=USER if statement.owner or str(entity.ref) == settings.owner else ENVIRONMENT,
            importance=origin.importance, tags=statement.tags, related=tuple(related), created_at=self.opened.now,
            source_session=origin.session, episode_id=origin.episode, scope=origin.scope,
        )  # fmt: skip


def take_proposal(derivation: Derivation, proposed: "Proposed", origin: Origin, *, line: int = 1) -> Row | None:
    """Add the fact that a language model proposes; None where it says nearly what is known, or may not be added.

    In the model's words it ranks as its inference, whoever said the sentence that it rests on.
    """
    entity = proposed.entity
    if entity is not None and entity not in derivation.batch.entities:
        return None
    if proposed.worded:
        if derivation.nearly_says(entity, proposed.text):
            return None
        origin = replace(origin, label=MODEL_INFERRED)
    try:
        row = derivation.take(proposed.statement(derivation.names, line=line), origin)
    except UnreadableError:
        return None
    return row if row.outcome in {ADDED, KNOWN} else None


def _same_value(fact: Fact, statement: Statement, names: Sequence[str]) -> bool:
    """Return whether a fact has the same value under the same key as a statement, in whatever words."""
    if not (fact.key and statement.key) or key_group(fact.key) != key_group(statement.key):
        return False
    return compare(fact, Said(statement.text, statement.key), names).kind == DUPLICATE


def _is_in(ids: set[str]) -> Callable[[Fact], bool]:
    return lambda fact: fact.id in ids

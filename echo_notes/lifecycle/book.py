"""The facts of the whole vault during one synthesis: what may be told of each entity, and the summary that makes."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import date

from echo_notes.files.frontmatter import splice
from echo_notes.files.items import ItemsFile
from echo_notes.files.layout import ARCHIVE, REVIEW, SUMMARY
from echo_notes.files.review import CONTRADICTION, Review
from echo_notes.files.summary import Summary, new_summary, parse_summary, replace_region
from echo_notes.files.templates import load_template
from echo_notes.files.textfile import decode_text, dump_text, load_bytes
from echo_notes.guard.eligibility import SNAPSHOT, Reader, visible
from echo_notes.guard.provenance import Standing
from echo_notes.lifecycle.contradict import Judgement, Verify, judge_facts
from echo_notes.lifecycle.entities import get_entity, items_path, load_entities
from echo_notes.lifecycle.facts import traits_of
from echo_notes.lifecycle.llm.consult import Consultant
from echo_notes.lifecycle.llm.overview import Overviews
from echo_notes.lifecycle.opened import OpenVault
from echo_notes.lifecycle.region import Link, Material, changed_since, cite, plain, render_region, without_generated
from echo_notes.lifecycle.weekly import WeekFile, plan_weeks
from echo_notes.model.dates import parse_day
from echo_notes.model.entity import Entity, EntityRef
from echo_notes.model.errors import EchoError, UnreadableError
from echo_notes.model.fact import ACTIVE, ARCHIVED, SCOPE_OWNER, SUPERSEDED, Fact

Read = Callable[[str], bytes | None]

# Summaries are read by agents as well, so they hold what an agent in the owner's scope may see, and no more.
_READER = Reader(audience=SNAPSHOT, scope=SCOPE_OWNER, agent=True)
_NEWEST = 5


@dataclass(frozen=True, slots=True)
class Draft:
    """A summary as it should be. `moved`: a hand edit in the old region stands below it now; `made`: a new file."""

    path: str
    region: str
    data: bytes
    moved: bool
    made: bool


@dataclass(slots=True)
class Book:
    """Every entity with its facts, and the open contradictions; read once, and again in part under the lock."""

    opened: OpenVault
    entities: tuple[Entity, ...]
    overviews: Overviews
    facts: dict[EntityRef, tuple[Fact, ...]] = field(default_factory=dict)
    review: Review | None = None
    contested: frozenset[str] = frozenset()
    problems: list[EchoError] = field(default_factory=list)
    _broken: dict[EntityRef, EchoError] = field(default_factory=dict)
    _tellable: dict[str, bool] = field(default_factory=dict)
    _incoming: dict[str, list[tuple[Entity, str]]] | None = None
    _by_name: dict[str, Entity] = field(default_factory=dict)

    @classmethod
    def load(cls, opened: OpenVault, consultant: Consultant | None = None) -> "Book":
        """Return the book of a vault as it is on disk; `consultant`: the language model of this run."""
        problems: list[EchoError] = []
        entities = load_entities(opened, problems)
        overviews = Overviews(opened.layout, entities, consultant)
        book = cls(
            opened, entities, overviews, problems=problems, _by_name={str(entity.ref): entity for entity in entities}
        )
        for entity in book.entities:
            book.read_facts(entity, book.on_disk)
        book.read_review(book.on_disk)
        return book

    def on_disk(self, path: str) -> bytes | None:
        """Return the bytes of a vault file, None if there is none: what is read before the lock."""
        try:
            return load_bytes(self.opened.layout.path(path), shown=path)
        except (FileNotFoundError, NotADirectoryError):
            return None

    def read_facts(self, entity: Entity, read: Read) -> None:
        """Read an entity's facts again; files that cannot be read leave it without any, and are remembered."""
        self._incoming = None
        self._broken.pop(entity.ref, None)
        try:
            kept = self._parse(f"{entity.folder}/{ARCHIVE}", entity, read).facts
            facts = [
                *self._parse(items_path(entity), entity, read).facts,
                *(replace(fact, status=ARCHIVED) if fact.is_active else fact for fact in kept),
            ]
        except EchoError as error:
            self._broken[entity.ref] = error
            facts = []
        self.facts[entity.ref] = tuple(facts)

    def read_review(self, read: Read) -> None:
        """Read review.json again. One that cannot be read stops every retirement: it may hold a person's no."""
        self._incoming = None
        try:
            self.review = Review.parse(read(REVIEW))
            entries = [one for one in self.review.entries if one.is_open and one.kind == CONTRADICTION]
            self.contested = frozenset(fact_id for entry in entries if not entry.suspected for fact_id in entry.pair)
        except EchoError as error:
            self.review, self.contested = None, frozenset()
            self.problems.append(error)

    def choose(self, names: Sequence[str], since: date | None) -> list[Entity]:
        """Return the entities to look at: those named, or all; with `since` only those with something newer."""
        named = [get_entity(self.opened, name, self.entities) for name in names] or self.entities
        chosen = list(dict.fromkeys(named))
        self.problems += [self._broken[entity.ref] for entity in chosen if entity.ref in self._broken]
        return [one for one in chosen if one.ref not in self._broken and (since is None or self._is_new(one, since))]

    @contextmanager
    def noting(self) -> Iterator[None]:
        """Let an error of one entity be a problem of the run, so that the others go on."""
        try:
            yield
        except EchoError as error:
            self.problems.append(error)

    def judge(
        self, entity: Entity, standing_of: Callable[[Fact], Standing], read: Read, *, verify: Verify | None = None
    ) -> Judgement:
        """Return what becomes of an entity's contradictions.

        What the standing region says already, word for word, has been compared before. `verify`: see `judge_facts`.
        """
        if self.review is None:
            return Judgement()
        region = (read(f"{entity.folder}/{SUMMARY}") or b"").decode("utf-8", "replace")

        def fresh(fact: Fact) -> bool:
            return fact.valid_from is not None or f"{plain(fact.text)} {cite([fact.id])}" not in region

        return judge_facts(
            entity, self.facts[entity.ref], standing_of, self.review,
            today=self.opened.today, fresh=fresh, verify=verify,
        )  # fmt: skip

    def foresee(self, entity: Entity, judgement: Judgement) -> None:
        """Have the facts of an entity as they will be once a judgement is carried out."""
        self._incoming = None
        by_id = {one.loser.id: one for one in judgement.retirements}
        self.facts[entity.ref] = tuple(
            replace(
                fact, status=SUPERSEDED, superseded_by=by_id[fact.id].winner.id, superseded_at=self.opened.now,
                superseded_reason=by_id[fact.id].reason,
            )
            if fact.id in by_id
            else fact
            for fact in self.facts[entity.ref]
        )  # fmt: skip
        open_ = [one for one in judgement.undecided if not one.suspected]
        self.contested |= {fact.id for one in open_ for fact in (one.one, one.other)}

    def draft(self, entity: Entity, read: Read) -> Draft | None:
        """Return the summary that an entity should have, None if it has it or there is nothing to say.

        ConflictError for markers that make no region, UnreadableError for text or front matter that cannot be edited.
        """
        path = f"{entity.folder}/{SUMMARY}"
        raw = read(path)
        if raw is None:
            text = new_summary(entity.name, entity.ref.kind, load_template(SUMMARY), aliases=entity.aliases)
            parsed, bom = parse_summary(text), False
        else:
            source = decode_text(raw, path)
            text, parsed, bom = source.text, parse_summary(source.text), source.bom
        # What a scan finds is costly to know, so it is asked only where the text would change.
        for careful in (False, True):
            material = self._with_overview(entity, self._material(entity, careful=careful), parsed)
            if not _has_something(material, parsed):
                return None
            after, region, moved = self._place(entity, text, parsed, material)
            if after == text:
                return None
        try:
            after = splice(after, {"synthesized": self.opened.today})
        except UnreadableError as error:
            where = f"{error.line}:{error.column}"
            error.where, error.path = f"{path}:{where}", path
            raise
        return Draft(path, region, dump_text(after, bom=bom), moved, raw is None)

    def shown(self, entity: Entity) -> tuple[Fact, ...]:
        """Return the facts that an entity's summary may tell as current: active, visible, and nothing found in them."""
        return self._material(entity, careful=True).shown

    def weeks(self, read: Read) -> list[WeekFile]:
        """Return the weekly files that are missing or out of date."""
        told = [
            (entity, [fact for fact in self.facts[entity.ref] if self._may_be_past(fact) or self._is_shown(fact)])
            for entity in self.entities
        ]
        with self.noting():
            return plan_weeks(self.opened, told, read, self._is_harmless)
        return []

    def _place(self, entity: Entity, text: str, parsed: Summary, material: Material) -> tuple[str, str, bool]:
        """Return the summary with its new region, the region, and whether a hand edit was moved.

        What counts as changed is counted from the day the standing region counts from, so that a run with nothing new
        changes nothing; once there is something new, from the day of the last run.
        """
        told, since = changed_since(parsed.region or "")
        path = f"{entity.folder}/{SUMMARY}"
        if parsed.region and not parsed.region_digest_ok:
            edited = without_generated(parsed.region, self.facts[entity.ref], said=self.overviews.has_said)
            at = text.index(parsed.region, text.index("echo:begin summary"))
            text = text[:at] + edited + text[at + len(parsed.region) :]
        last = parse_day(parsed.front.values.get("synthesized")) if parsed.region is not None else None
        region = render_region(material, since if told else last)
        after, moved = replace_region(text, region, path=path)
        if after != text and told and last not in {None, since, self.opened.today}:
            region = render_region(material, last)
            after, moved = replace_region(text, region, path=path)
        return after, region, moved

    def _with_overview(self, entity: Entity, material: Material, parsed: Summary) -> Material:
        standing = parsed.region if parsed.region and parsed.region_digest_ok else ""
        told = self.overviews.current(entity, material.shown, standing)
        return replace(material, overview=told) if told else material

    def _material(self, entity: Entity, *, careful: bool) -> Material:
        facts = [fact for fact in self.facts[entity.ref] if not careful or self._is_harmless(fact)]
        newest = sorted(self.facts[entity.ref], key=lambda fact: (fact.timestamp or date.min, fact.id))[-_NEWEST:]
        return Material(
            shown=tuple(fact for fact in facts if self._is_shown(fact)),
            past=tuple(fact for fact in facts if self._may_be_past(fact)),
            links=self._links(entity, careful=careful),
            newest=tuple(fact.id for fact in newest),
            today=self.opened.today,
            zone=self.opened.now.tzinfo,
        )

    def _links(self, entity: Entity, *, careful: bool) -> tuple[Link, ...]:
        """Return the entities that this one's facts name, and those whose facts name it."""
        known = self._by_name
        ids: dict[str, list[str]] = {}
        for fact in self.facts[entity.ref]:
            if fact.related and self._is_shown(fact):
                for name in fact.related:
                    ids.setdefault(name, []).append(fact.id)
        for other, fact_id in self._find_incoming().get(str(entity.ref), ()):
            ids.setdefault(str(other.ref), []).append(fact_id)
        ids.pop(str(entity.ref), None)
        found = [Link(known[name], tuple(ids[name])) for name in sorted(ids) if name in known]
        return tuple(link for link in found if not careful or self._is_harmless_text(link.entity.name))

    def _find_incoming(self) -> dict[str, list[tuple[Entity, str]]]:
        if self._incoming is None:
            self._incoming = {}
            for entity in self.entities:
                for fact in self.facts[entity.ref]:
                    if fact.related and self._is_shown(fact):
                        for name in fact.related:
                            self._incoming.setdefault(name, []).append((entity, fact.id))
        return self._incoming

    def _is_shown(self, fact: Fact) -> bool:
        return bool(fact.text) and visible(traits_of(fact, contested=fact.id in self.contested), _READER)

    def _may_be_past(self, fact: Fact) -> bool:
        if fact.status not in {SUPERSEDED, ARCHIVED} or fact.erased_at or not fact.text:
            return False
        return visible(traits_of(replace(fact, status=ACTIVE), contested=fact.id in self.contested), _READER)

    def _is_harmless(self, fact: Fact) -> bool:
        """Return whether the scan has nothing against a fact's text: hand edits and pulled commits pass no gate."""
        return self._is_harmless_text(fact.text)

    def _is_harmless_text(self, text: str) -> bool:
        if text not in self._tellable:
            from echo_notes.guard.scan import scan_text

            self._tellable[text] = not scan_text(text, joiners=self.opened.settings.joiners)
        return self._tellable[text]

    def _is_new(self, entity: Entity, since: date) -> bool:
        zone = self.opened.now.tzinfo
        for fact in self.facts[entity.ref]:
            moments = (fact.created_at, fact.updated_at, fact.superseded_at)
            days = [moment.astimezone(zone).date() for moment in moments if moment]
            if any(day >= since for day in (*days, *([fact.timestamp] if fact.timestamp else []))):
                return True
        return False

    def _parse(self, path: str, entity: Entity, read: Read) -> ItemsFile:
        raw = read(path)
        return ItemsFile.parse(b"[]\n" if raw is None else raw, entity=entity.ref, path=path)


def _has_something(material: Material, parsed: Summary) -> bool:
    """Return whether there is a region to write: never one from nothing over one that says something."""
    if material.newest:
        return bool(material.shown or material.past or parsed.region)
    lines = (parsed.region or "").splitlines()
    return bool(material.links) and all(line.startswith(("## ", "- [[")) for line in lines if line.strip())

"""`stats`: how much there is, how it fades, what fades next, and what is recalled most; changes nothing."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice

from echo_notes.files.layout import EPISODES_DIR, iter_daily
from echo_notes.files.ticks import pending_uses
from echo_notes.lifecycle.contested import contested_ids
from echo_notes.lifecycle.entities import load_entities
from echo_notes.lifecycle.facts import iter_facts
from echo_notes.lifecycle.fading import Fading
from echo_notes.lifecycle.opened import OpenVault
from echo_notes.lifecycle.sight import Sight
from echo_notes.model.entity import Entity
from echo_notes.model.errors import EchoError
from echo_notes.model.fact import ACTIVE, LEGACY, STATUSES, SUPERSEDED, Fact
from echo_notes.model.forgetting import effective_importance

BANDS = (0.5, 0.25, 0.1, 0.05, 0.01, 0.0)
"""Lower ends of the bands in which facts are counted by their effective importance."""
_SHOWN = 10
_CURVE_DAYS = 8
"""Half-lives that a curve shows."""
_CURVE_POINTS = 73
_CURVES = (0, 3, 15)
_USUAL = 0.5


@dataclass(frozen=True, slots=True)
class FadesNext:
    """An active fact that age will archive: what is left of it, and in how many days that is too little."""

    fact: Fact
    effective: float
    days: float


@dataclass(frozen=True, slots=True)
class RecalledOften:
    """A fact, how often it was recalled, and when last."""

    fact: Fact
    count: int
    last_at: datetime | None


@dataclass(frozen=True, slots=True)
class Curve:
    """Effective importance by day, of a fact of importance 0.5 that was recalled so many times."""

    recalls: int
    points: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Stats:
    """Counts, the forgetting curve of this vault's settings, what fades next, and what is recalled most."""

    entities: Mapping[str, int]
    statuses: Mapping[str, int]
    provenance: Mapping[str, int]
    categories: Mapping[str, int]
    types: Mapping[str, int]
    bands: tuple[tuple[float, int], ...]
    pinned: int
    daily_notes: int
    episodes: int
    half_life: float
    archive_below: float
    forget_below: float
    curves: tuple[Curve, ...]
    fades_next: tuple[FadesNext, ...]
    recalled: tuple[RecalledOften, ...]
    problems: tuple[EchoError, ...] = ()


@dataclass(slots=True)
class _Tally:
    """What is counted on the way through the facts."""

    counts: dict[str, Counter[str]] = field(default_factory=dict)
    bands: Counter[float] = field(default_factory=Counter)
    fading: list[tuple[float, Fact, Entity]] = field(default_factory=list)
    recalled: list[Fact] = field(default_factory=list)

    def add(self, name: str, word: str) -> None:
        self.counts.setdefault(name, Counter())[word] += 1

    def of(self, name: str, first: Iterable[str] = ()) -> dict[str, int]:
        found = self.counts.get(name, Counter())
        return {**{word: found.get(word, 0) for word in first}, **dict(sorted(found.items()))}


def stats(opened: OpenVault) -> Stats:
    """Return the numbers of the vault, for what this reader may see."""
    problems: list[EchoError] = []
    sight = Sight.of(opened)
    fading = Fading.of(opened, pending_uses(opened.layout), contested_ids(opened))
    entities = load_entities(opened)
    tally = _Tally()
    for located in iter_facts(opened, entities, problems):
        if sight.may_see(located.fact, every_status=True):
            _count(tally, located.fact, located.entity, fading)
    settings = opened.settings
    episodes = opened.root / EPISODES_DIR
    notes = sight.reads_notes
    kinds = Counter(entity.ref.kind for entity in entities)
    return Stats(
        entities=dict(sorted(kinds.items())), statuses=tally.of("status", STATUSES),
        provenance=tally.of("provenance"), categories=tally.of("category"), types=tally.of("type"),
        bands=tuple((low, tally.bands.get(low, 0)) for low in BANDS), pinned=tally.of("pinned").get("pinned", 0),
        daily_notes=sum(1 for _ in iter_daily(opened.root)) if notes else 0,
        episodes=sum(1 for _ in episodes.glob("*.md")) if notes and episodes.is_dir() else 0,
        half_life=settings.importance_decay_days, archive_below=settings.archive_below,
        forget_below=settings.forget_below, curves=tuple(_curve(fading, recalls) for recalls in _CURVES),
        fades_next=_fades_next(opened, tally, fading, sight), recalled=_recalled(tally, fading, sight),
        problems=tuple(problems),
    )  # fmt: skip


def _count(tally: _Tally, fact: Fact, entity: Entity, fading: Fading) -> None:
    tally.add("status", fact.status)
    tally.add("provenance", fact.provenance or LEGACY)
    tally.add("category", fact.category)
    tally.add("type", fact.type)
    if fact.pinned:
        tally.add("pinned", "pinned")
    if fact.status != SUPERSEDED:
        effective = fading.effective(fact)
        tally.bands[next(low for low in BANDS if effective >= low)] += 1
    if fading.used(fact).access_count > 0:
        tally.recalled.append(fact)
    days = fading.days_left(fact) if fact.status == ACTIVE and fading.may_claim(fact.provenance) else None
    if days is not None:
        tally.fading.append((days, fact, entity))


def _fades_next(opened: OpenVault, tally: _Tally, fading: Fading, sight: Sight) -> tuple[FadesNext, ...]:
    """Return the facts that age archives first; what somebody vouches for who ranks higher stays, and is not there."""
    trail = opened.change("stats")
    ordered = sorted(tally.fading, key=lambda row: (row[0], row[1].id))
    rows = (
        FadesNext(shown, fading.effective(fact), days)
        for days, fact, entity in ordered
        if fading.may_fade(fact, entity)
        and fading.outranks(trail.standing_of(fact))
        and (shown := sight.find(fact, every_status=True))
    )
    return tuple(islice(rows, _SHOWN))


def _recalled(tally: _Tally, fading: Fading, sight: Sight) -> tuple[RecalledOften, ...]:
    def order(fact: Fact) -> tuple[int, float, str]:
        used = fading.used(fact)
        return -used.access_count, -(used.last_accessed.timestamp() if used.last_accessed else 0.0), fact.id

    rows = []
    for fact in sorted(tally.recalled, key=order):
        if shown := sight.find(fact, every_status=True):
            used = fading.used(fact)
            rows.append(RecalledOften(shown, used.access_count, used.last_accessed))
        if len(rows) == _SHOWN:
            break
    return tuple(rows)


def _curve(fading: Fading, recalls: int) -> Curve:
    step = fading.base_days * _CURVE_DAYS / (_CURVE_POINTS - 1)
    days = (step * number for number in range(_CURVE_POINTS))
    return Curve(
        recalls,
        tuple(
            (day, effective_importance(_USUAL, day, access_count=recalls, base_days=fading.base_days)) for day in days
        ),
    )

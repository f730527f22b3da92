"""What recall is asked and what it answers: the request, the hits with their scores, and what was left out."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime

from echo_notes.guard.eligibility import PERSON, Reader
from echo_notes.model.passage import Passage

FUSED = "fused"
LEXICAL = "lexical"
DENSE = "dense"
MODES = (FUSED, LEXICAL, DENSE)


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchRequest:
    """One question to the index.

    Filters are alternatives within a field and all hold across fields; empty means any. `entities` are `kind/slug`.
    `since` ≤ day the text is about < `until`. `as_of`: what held on that day. `statuses` or `as_of` let superseded
    facts in, for a reader who may see them. `exclude_ids`: passages never shown (facts in an open contradiction).
    `hops`: how far a named entity's raise reaches (0: not at all). `now` ages the facts; None leaves age out.
    """

    query: str
    k: int = 10
    mode: str = FUSED
    entities: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    layers: tuple[str, ...] = ()
    tiers: tuple[str, ...] = ()
    statuses: tuple[str, ...] = ()
    since: date | None = None
    until: date | None = None
    as_of: date | None = None
    reader: Reader = PERSON
    exclude_ids: frozenset[str] = frozenset()
    hops: int = 1
    decay: bool = True
    rerank: bool = True
    floor: bool = True
    now: datetime | None = None
    explain: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Scores:
    """How a hit came by its place. Ranks count from 1; None where that arm or stage had no say.

    `coverage`: the share of the query's weight that the passage and its surroundings hold. `entity`: what naming its
    entity added to `fused`. `factor`: what age and archiving multiplied the score by.
    """

    lexical_rank: int | None = None
    dense_rank: int | None = None
    cosine: float | None = None
    coverage: float = 0.0
    fused: float = 0.0
    entity: float = 0.0
    rerank: float | None = None
    effective_importance: float = 0.5
    factor: float = 1.0


@dataclass(frozen=True, slots=True)
class Hit:
    """A passage that answers, its final score, and which words of the query it holds."""

    passage: Passage
    score: float
    scores: Scores
    matched: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Declined:
    """A passage that would have answered, and why it is not among the hits."""

    passage: Passage
    reason: str


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The answer: hits best first; what was declined (with `explain`); what was left out and why; milliseconds."""

    hits: tuple[Hit, ...] = ()
    declined: tuple[Declined, ...] = ()
    degraded: tuple[str, ...] = ()
    took_ms: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RefreshReport:
    """What a refresh did: files read again and files gone, (path, what is wrong) pairs, and what it had to leave."""

    changed: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    problems: tuple[tuple[str, str], ...] = ()
    degraded: tuple[str, ...] = ()
    took_ms: float = 0.0


def midnight(day: date) -> datetime:
    """Return the start of a day, UTC."""
    return datetime(day.year, day.month, day.day, tzinfo=UTC)

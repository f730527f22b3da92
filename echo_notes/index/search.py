"""One recall: filter, both arms, fusion, gate, rerank, forgetting weight, top k."""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TypeVar

from echo_notes.guard.eligibility import ADMIN
from echo_notes.index.analysis import is_unspaced, query_terms
from echo_notes.index.catalogue import Catalogue
from echo_notes.index.embed import Embedder, EmbedderError
from echo_notes.index.filters import Filter, build_filter
from echo_notes.index.fusion import Arms, fuse
from echo_notes.index.lexical import Found, Lexical, Stored
from echo_notes.index.manifest import Manifest
from echo_notes.index.naming import raises
from echo_notes.index.relevance import (
    Evidence,
    Weighed,
    answers,
    bar_of,
    discriminative,
    gather,
    is_question,
    passes,
    weigh,
)
from echo_notes.index.results import DENSE, LEXICAL, Declined, Hit, Scores, SearchRequest, SearchResult
from echo_notes.index.vectors import Cosines, Segment, Vectors
from echo_notes.model.fact import ARCHIVED
from echo_notes.model.forgetting import day_number, effective_importance, is_exempt
from echo_notes.model.passage import Passage
from echo_notes.model.settings import Settings

_T = TypeVar("_T")

POOL = 200
"""Candidates each arm brings at least; ten times the hits asked for, if that is more."""
LOADED = 30
LOADED_FACTOR = 3
"""Of those that pass the gate, this many (times the hits asked for) are read, reranked and aged."""
ARCHIVED_FACTOR = 0.7


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A row on its way to becoming a hit."""

    row: int
    stored: Stored
    scores: Scores
    score: float
    matched: tuple[str, ...]


class Search:
    """A request against an open index."""

    def __init__(
        self,
        request: SearchRequest,
        settings: Settings,
        *,
        folder: Path,
        manifest: Manifest,
        lexical: Lexical,
        catalogue: Catalogue,
        embedder: Embedder | None,
        models_dir: Path | None = None,
    ) -> None:
        self._request = request
        self._settings = settings
        self._folder = folder
        self._manifest = manifest
        self._lexical = lexical
        self._catalogue = catalogue
        self._embedder = embedder
        self._models_dir = models_dir
        self._degraded: list[str] = []
        self._took = {"lexical": 0.0, "dense": 0.0, "rerank": 0.0}
        self._pool = max(POOL, 10 * request.k)

    def run(self) -> SearchResult:
        """Return the hits, best first."""
        start = time.perf_counter()
        found = self._timed("lexical", self._search_lexical)
        cosines = self._timed("dense", self._search_dense)
        arms = self._arms(found, cosines)
        candidates = self._candidates(arms, {item.row: item for item in found})
        if self._request.floor and not self._has_answer(candidates):
            candidates = []
        candidates = self._timed("rerank", lambda: self._rerank(candidates))
        hits = self._weigh_age(candidates)[: self._request.k]
        self._took["total"] = (time.perf_counter() - start) * 1000
        declined = self._declined(hit.passage.id for hit in hits) if self._request.explain else ()
        return SearchResult(tuple(hits), declined, tuple(self._degraded), self._took)

    def _search_lexical(self) -> list[Found]:
        if self._request.mode == DENSE:
            return []
        return self._lexical.search((item.term for item in self._weighed), self._filter.query, self._pool)

    def _search_dense(self) -> Cosines | None:
        embedder = self._embedder
        if embedder is None or self._request.mode == LEXICAL:
            return None
        try:
            segments = [Segment.from_record(record) for record in self._manifest.segments]
            vectors = Vectors(self._folder, embedder.model_id, segments)
            if not vectors.count or not vectors.is_whole():
                if vectors.count:
                    self._degraded.append("the vectors are damaged; make them again with: echo-notes reindex")
                return None
            query = embedder.embed([self._request.query], query=True)
        except EmbedderError as error:
            self._degraded.append(str(error))
            return None
        if len(query) != vectors.segments[0].dim or not any(query):
            return None
        return vectors.score(query, self._filter.allowed, self._filter.excluded | self._manifest.dead_rows())

    def _arms(self, found: Sequence[Found], cosines: Cosines | None) -> Arms:
        lexical = {item.row: item.score for item in found}
        if cosines is None:
            return Arms(lexical, {}, 0.0, 0.0, self._lexical.count)
        dense = cosines.of(lexical) | dict(cosines.top(self._pool))
        return Arms(lexical, dense, cosines.low, cosines.high, self._lexical.count)

    def _candidates(self, arms: Arms, found: Mapping[int, Found]) -> list[_Candidate]:
        """Return the rows that pass the gate, with their passages, best first."""
        fused = fuse(arms, self._settings.recall_fusion)
        owner = self._settings.owner
        raised = raises(self._request.query, self._request.hops, self._catalogue, self._lexical, owner=owner)
        order = sorted(fused, key=lambda row: (-fused[row] - raised.get(row, 0.0), row))
        evidence = self._evidence(order)
        order = [row for row in order if not self._request.floor or passes(evidence.get(row), arms.cosines.get(row))]
        order = order[: max(LOADED, LOADED_FACTOR * self._request.k)]
        places = {row: found[row].address for row in order if row in found}
        places |= self._lexical.addresses([row for row in order if row not in places])
        lexical_ranks = {row: rank for rank, row in enumerate(arms.lexical, 1)}
        dense_order = sorted(arms.cosines, key=lambda row: -arms.cosines[row])
        dense_ranks = {row: rank for rank, row in enumerate(dense_order, 1)}
        candidates = []
        for row in order:
            if row not in places:  # its file changed, and its vector waits to be swept
                continue
            scores = Scores(
                lexical_rank=lexical_ranks.get(row),
                dense_rank=dense_ranks.get(row),
                cosine=arms.cosines.get(row),
                coverage=evidence[row].coverage if row in evidence else 0.0,
                fused=fused[row],
                entity=raised.get(row, 0.0),
            )
            matched = evidence[row].matched if row in evidence else ()
            score = scores.fused + scores.entity
            candidates.append(_Candidate(row, self._lexical.load(places[row]), scores, score, matched))
        return candidates

    def _evidence(self, rows: Sequence[int]) -> Mapping[int, Evidence]:
        return gather(self._telling, rows, self._lexical)

    def _has_answer(self, candidates: Iterable[_Candidate]) -> bool:
        """Return whether any candidate answers the query; a vault that has no answer gives none."""
        if not is_question(self._telling):
            return True
        unspaced = is_unspaced(self._request.query)
        bar = bar_of(self._request.query, self._telling, self._lexical.count, unspaced=unspaced)
        return any(
            answers(
                item.scores.coverage,
                item.scores.cosine,
                bar,
                same_script=is_unspaced(item.stored.passage.text) == unspaced,
            )
            for item in candidates
        )

    def _rerank(self, candidates: list[_Candidate]) -> list[_Candidate]:
        """Return the candidates, the first `rerankTopK` in the cross-encoder's order, the rest below as they were."""
        settings = self._settings
        asked = self._request.rerank and settings.rerank_enabled and settings.rerank_model
        if not (asked and candidates and self._models_dir):
            return candidates
        from echo_notes.index.rerank import RerankError, order_by, score_texts, squash

        first, rest = candidates[: settings.rerank_top_k], candidates[settings.rerank_top_k :]
        try:
            scores = score_texts(
                self._request.query, [item.stored.passage.text for item in first], settings, self._models_dir
            )
        except RerankError as error:
            self._degraded.append(str(error))
            return candidates
        # Above every fused score, so that age, which comes next, cannot mix the two kinds of number.
        above = max(item.score for item in candidates)
        reordered = [
            replace(first[at], score=above + squash(scores[at]), scores=replace(first[at].scores, rerank=scores[at]))
            for at in order_by(scores, settings.rerank_min_score)
        ]
        return [*reordered, *rest]

    def _weigh_age(self, candidates: Iterable[_Candidate]) -> list[Hit]:
        """Return the candidates as hits, multiplied by what age left of their importance, best first."""
        hits = []
        weight = self._settings.forgetting_weight if self._request.decay else 0.0
        for item in candidates:
            passage = item.stored.passage
            effective = self._effective(passage)
            factor = 1 - weight + weight * effective
            if passage.status == ARCHIVED and self._request.decay:
                factor *= ARCHIVED_FACTOR
            scores = replace(item.scores, effective_importance=effective, factor=factor)
            hits.append(Hit(passage, item.score * factor, scores, item.matched))
        best: dict[str, Hit] = {}
        for hit in sorted(hits, key=lambda hit: -hit.score):
            best.setdefault(hit.passage.id, hit)  # pieces of one long line are one hit
        return list(best.values())

    def _effective(self, passage: Passage) -> float:
        now = self._request.now
        idle = day_number(now) - passage.accessed_on if now and passage.accessed_on else 0.0
        return effective_importance(
            passage.importance,
            idle,
            access_count=passage.access_count,
            base_days=self._settings.importance_decay_days,
            exempt=now is None or is_exempt(passage.owner_type, pinned=passage.pinned),
        )

    def _declined(self, shown: Iterable[str]) -> tuple[Declined, ...]:
        """Return what would have been among the hits, but for one of the rules, and which rule that was.

        Another scope's facts, and what is flagged where a program asks, stay out of this too.
        """
        from echo_notes.index.explain import why_declined

        request = self._request
        reader = replace(request.reader, audience=ADMIN)
        wide = replace(request, reader=reader, exclude_ids=frozenset(), floor=False, explain=False, rerank=False)
        others = Search(
            replace(wide, k=2 * request.k),
            self._settings,
            folder=self._folder,
            manifest=self._manifest,
            lexical=self._lexical,
            catalogue=self._catalogue,
            embedder=self._embedder,
        )
        known = set(shown)
        found = [hit.passage for hit in others.run().hits if hit.passage.id not in known][: request.k]
        return tuple(Declined(passage, why_declined(passage, request, self._lexical)) for passage in found)

    @cached_property
    def _weighed(self) -> list[Weighed]:
        return weigh(query_terms(self._request.query), self._lexical)

    @cached_property
    def _telling(self) -> list[Weighed]:
        return discriminative(self._weighed, self._lexical.count)

    @cached_property
    def _filter(self) -> Filter:
        return build_filter(self._request, self._manifest.tokens, self._lexical)

    def _timed(self, name: str, work: Callable[[], _T]) -> _T:
        start = time.perf_counter()
        result = work()
        self._took[name] += (time.perf_counter() - start) * 1000
        return result

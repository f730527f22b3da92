"""Rank scores and their bootstrap intervals."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log2
from random import Random

RESAMPLES = 1000
CUTS = (1, 5, 10)


@dataclass(frozen=True, slots=True)
class Score:
    """The scores of one question: share of gold in the first 1, 5, 10; reciprocal rank; nDCG (both at 10)."""

    recall: tuple[float, float, float]
    reciprocal_rank: float
    ndcg: float


def score_ranking(ranking: Sequence[str], gold: frozenset[str]) -> Score:
    """Return the scores of ids in ranked order against the set that answers."""
    recall = tuple(len(gold.intersection(ranking[:cut])) / len(gold) for cut in CUTS)
    first = next((rank for rank, found in enumerate(ranking[:10], 1) if found in gold), 0)
    gain = sum(1 / log2(rank + 1) for rank, found in enumerate(ranking[:10], 1) if found in gold)
    best = sum(1 / log2(rank + 1) for rank in range(1, min(10, len(gold)) + 1))
    return Score((recall[0], recall[1], recall[2]), 1 / first if first else 0.0, gain / best)


def mean(values: Sequence[float]) -> float:
    """Return the mean, 0 of nothing."""
    return sum(values) / len(values) if values else 0.0


def interval(values: Sequence[float], seed: int = 7) -> tuple[float, float]:
    """Return the 95 % percentile bootstrap interval of the mean over questions."""
    if not values:
        return 0.0, 0.0
    random = Random(seed)  # noqa: S311 (resampling, not secrets)
    count = len(values)
    means = sorted(sum(random.choices(values, k=count)) / count for _ in range(RESAMPLES))
    return means[int(0.025 * RESAMPLES)], means[int(0.975 * RESAMPLES) - 1]


def difference(ours: Sequence[float], theirs: Sequence[float]) -> tuple[float, float, float]:
    """Return the mean difference question by question, and its 95 % paired bootstrap interval."""
    pairs = [mine - other for mine, other in zip(ours, theirs, strict=True)]
    return (mean(pairs), *interval(pairs))

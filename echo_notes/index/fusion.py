"""Joins the two rankings into one score: reciprocal ranks, z-scores, or the convex mix that measured best."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import sqrt

RRF_K = 60
LEXICAL_SHARE = 0.5
"""Weight of the lexical arm in the convex mix; .4 to .6 are equal within noise on every set (tests/evals/README.md)."""


@dataclass(frozen=True, slots=True)
class Arms:
    """What both arms say of one query.

    `lexical`: BM25 scores of the rows that matched; `cosines`: of the candidates of either arm, with the lowest and
    highest over all rows that may take part; `count`: how many may.
    """

    lexical: Mapping[int, float]
    cosines: Mapping[int, float]
    low: float
    high: float
    count: int

    def rows(self) -> set[int]:
        """Return every candidate."""
        return set(self.lexical) | set(self.cosines)


def fuse(arms: Arms, method: str) -> dict[int, float]:
    """Return the fused score, never negative, of each candidate. `method`: auto, convex, zsum or rrf.

    With one arm silent (no term matched, or no vector to compare) the other one decides alone.
    """
    if method == "rrf":
        return reciprocal_ranks(arms)
    if method == "zsum":
        return z_sum(arms)
    return convex(arms)


def reciprocal_ranks(arms: Arms) -> dict[int, float]:
    """Return the sum of 1 / (60 + rank) over the arms that rank a row, as the seeds define it."""
    scores = dict.fromkeys(arms.rows(), 0.0)
    for arm in (arms.lexical, arms.cosines):
        for rank, row in enumerate(sorted(arm, key=lambda row: (-arm[row], row)), 1):
            scores[row] += 1 / (RRF_K + rank)
    return scores


def convex(arms: Arms, share: float = LEXICAL_SHARE) -> dict[int, float]:
    """Return share × BM25 / its maximum + (1 − share) × cosine scaled to 0..1 between the vault's lowest and highest.

    The lowest counts as 0 at most: where a filter leaves two alike, one of them is not as bad as can be.
    """
    best = max(arms.lexical.values(), default=0.0)
    low = min(arms.low, 0.0)
    spread = arms.high - low
    if not arms.cosines or spread <= 0:
        share = 1.0
    elif best <= 0:
        share = 0.0
    scores = {}
    for row in arms.rows():
        lexical = arms.lexical.get(row, 0.0) / best if best > 0 else 0.0
        dense = (arms.cosines[row] - low) / spread if spread > 0 and row in arms.cosines else 0.0
        scores[row] = share * lexical + (1 - share) * max(0.0, dense)
    return scores


def z_sum(arms: Arms) -> dict[int, float]:
    """Return the sum of both arms' z-scores, shifted so that what neither arm speaks for has 0."""
    lexical = _deviations(arms.lexical, arms.count, 0.0)
    dense = _deviations(arms.cosines, len(arms.cosines), arms.low)
    return {row: max(0.0, lexical.get(row, 0.0) + dense.get(row, 0.0)) for row in arms.rows()}


def _deviations(values: Mapping[int, float], count: int, floor: float) -> dict[int, float]:
    """Return (value − floor) / standard deviation over `count` rows, of which those not in `values` are at 0."""
    if not values:
        return {}
    count = max(count, len(values))
    mean = sum(values.values()) / count
    variance = sum((value - mean) ** 2 for value in values.values()) + (count - len(values)) * mean * mean
    deviation = sqrt(variance / count)
    return {row: (value - floor) / deviation for row, value in values.items()} if deviation > 0 else {}

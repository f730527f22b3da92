"""Recall measured: `python -m tests.evals.retrieval DIR` builds vaults from the data and ranks through the index."""

import argparse
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from echo_notes.guard.eligibility import PERSON
from echo_notes.index import lexical, passages
from echo_notes.index.results import SearchRequest
from echo_notes.index.store import Index
from echo_notes.model.settings import Settings
from tests.evals.baselines import grep_ranker, tantivy_ranker
from tests.evals.scoring import Score, difference, interval, mean, score_ranking
from tests.evals.vaults import Haystack, Question, check_places, load_haystacks, write_vault

ADVERSARIAL = "adversarial"
DEPTH = 10
DEFAULT = "shipped default"


@dataclass(frozen=True, slots=True)
class Variant:
    """A way to recall: mode, fusion, forgetting weight (None: the shipped one), with or without surroundings."""

    name: str
    mode: str = "fused"
    fusion: str = "auto"
    weight: float | None = None
    context: bool = True
    aged: bool = True
    floor: bool = True


VARIANTS = (
    Variant(DEFAULT),
    Variant("lexical arm", mode="lexical"),
    Variant("dense arm", mode="dense"),
    Variant("convex", fusion="convex"),
    Variant("z-sum", fusion="zsum"),
    Variant("RRF k=60 (seeds)", fusion="rrf"),
    Variant("no floor", floor=False),
    Variant("no forgetting", aged=False),
    Variant("forgetting w=1 (seeds)", weight=1.0),
    Variant("no context: fused", context=False),
    Variant("no context: lexical", mode="lexical", context=False),
    Variant("no context: dense", mode="dense", context=False),
)


@dataclass(frozen=True, slots=True)
class Row:
    """The score of one question under one variant, and whether anything that must stay away was returned."""

    set_name: str
    variant: str
    category: str
    score: Score
    leaked: bool = False


def main() -> None:
    """Run the evaluation and print its tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, help="folder that holds retrieval/*.jsonl, or the .jsonl files themselves")
    parser.add_argument("--only", default="", help="sets whose name contains this")
    parser.add_argument("--variant", action="append", help="variants to run (default: all)")
    options = parser.parse_args()
    folder = options.data / "retrieval" if (options.data / "retrieval").is_dir() else options.data
    chosen = [v for v in VARIANTS if not options.variant or v.name in options.variant]
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as work:
        for number, haystack in enumerate(load_haystacks(folder)):
            if options.only in haystack.set_name:
                rows += run_haystack(haystack, Path(work) / str(number), chosen)
    print_tables(rows)


def run_haystack(haystack: Haystack, root: Path, variants: Sequence[Variant]) -> list[Row]:
    """Return the scores of every variant and baseline on one haystack."""
    write_vault(haystack, root)
    check_places(haystack)
    asked = [question for question in haystack.questions if question.gold and question.category != ADVERSARIAL]
    rows: list[Row] = []
    for context in (True, False):
        todo = [variant for variant in variants if variant.context is context]
        if todo:
            with surroundings(on=context):
                index = Index(root, Settings())
                index.rebuild()
                for variant in todo:
                    rows += run_variant(haystack, index, variant, asked)
    if len(variants) == len(VARIANTS):
        rows += _run_baselines(haystack, asked)
    return rows


def run_variant(haystack: Haystack, index: Index, variant: Variant, asked: Sequence[Question]) -> Iterator[Row]:
    """Yield the scores of one variant."""
    settings = replace(Settings(), recall_fusion=variant.fusion)
    if variant.weight is not None:
        settings = replace(settings, forgetting_weight=variant.weight)
    index.settings = settings
    sessions: dict[str, str] = {str(text["id"]): str(text.get("session")) for text in haystack.corpus}
    for question in asked:
        ranking = recall(haystack, index, variant, question, DEPTH)
        leaked = bool(question.excluded.intersection(ranking))
        score = score_ranking(ranking, question.gold)
        yield Row(haystack.set_name, variant.name, question.category, score, leaked)
        if haystack.is_chat:
            deep = recall(haystack, index, variant, question, 5 * DEPTH)
            by_session = list(dict.fromkeys(sessions[found] for found in deep))
            wanted = frozenset(sessions[gold] for gold in question.gold if gold in sessions)
            if wanted:
                score = score_ranking(by_session, wanted)
                yield Row(f"{haystack.set_name} sessions", variant.name, question.category, score)


def recall(haystack: Haystack, index: Index, variant: Variant, question: Question, k: int) -> list[str]:
    """Return the ids of the texts that a recall finds, through `path:line`."""
    request = SearchRequest(
        query=question.text,
        k=k,
        mode=variant.mode,
        decay=variant.aged,
        floor=variant.floor,
        now=haystack.now if variant.aged else None,
        reader=replace(PERSON, scope=question.scope),
    )
    result = index.search(request)
    places = (f"{hit.passage.path}:{hit.passage.line}" for hit in result.hits)
    return [haystack.place[place] for place in places if place in haystack.place]


class surroundings:  # noqa: N801 (reads as the `with` statement it is for)
    """Turns what stands around a passage off while an index is built and asked: the ablation of the context."""

    def __init__(self, *, on: bool) -> None:
        self._on = on
        self._kept = (passages.NEIGHBOURS, lexical.FIELD_WEIGHTS["window"])

    def __enter__(self) -> None:
        """Switch."""
        if not self._on:
            passages.NEIGHBOURS = 0
            lexical.FIELD_WEIGHTS["window"] = 0.0

    def __exit__(self, *_: object) -> None:
        """Switch back."""
        passages.NEIGHBOURS, lexical.FIELD_WEIGHTS["window"] = self._kept


def _run_baselines(haystack: Haystack, asked: Sequence[Question]) -> Iterator[Row]:
    rankers = {
        "Tantivy default": tantivy_ranker(haystack, "default"),
        "Tantivy en_stem": tantivy_ranker(haystack, "en_stem"),
        "Tantivy en_stem + stop": tantivy_ranker(haystack, "en_stem", drop_stop_words=True),
        "grep, ranked": grep_ranker(haystack),
    }
    for name, rank in rankers.items():
        for question in asked:
            yield Row(haystack.set_name, name, question.category, score_ranking(rank(question.text), question.gold))


def print_tables(rows: Sequence[Row]) -> None:
    """Print each set with its variants, the paired differences to the default, and the default's categories."""
    for set_name in dict.fromkeys(row.set_name for row in rows):
        here = [row for row in rows if row.set_name == set_name]
        names = list(dict.fromkeys(row.variant for row in here))
        default = _recall5(here, DEFAULT)
        print(f"\n## {set_name} ({len(default) or len(_recall5(here, names[0]))} questions)")
        print(f"{'':26} R@1   R@5   [95 %]         R@10  MRR   nDCG  R@5 against the default, paired")
        for name in names:
            _print_line(name, [row for row in here if row.variant == name], default)
        categories = list(dict.fromkeys(row.category for row in here))
        for category in categories if len(categories) > 1 else ():
            mine = [
                row for row in here if row.category == category and row.variant == (DEFAULT if default else names[0])
            ]
            _print_line(f"  {category}", mine, [])


def _recall5(rows: Sequence[Row], variant: str) -> list[float]:
    return [row.score.recall[1] for row in rows if row.variant == variant]


def _print_line(name: str, rows: Sequence[Row], default: Sequence[float]) -> None:
    fives = [row.score.recall[1] for row in rows]
    low, high = interval(fives)
    line = f"{name:26} {mean([r.score.recall[0] for r in rows]):.3f} {mean(fives):.3f} [{low:.3f} {high:.3f}]  "
    line += f"{mean([r.score.recall[2] for r in rows]):.3f} {mean([r.score.reciprocal_rank for r in rows]):.3f} "
    line += f"{mean([r.score.ndcg for r in rows]):.3f}"
    if default and len(default) == len(fives) and name != DEFAULT:
        gain, low, high = difference(fives, default)
        line += f" {gain:+.3f} [{low:+.3f} {high:+.3f}]"
    leaks = sum(row.leaked for row in rows)
    print(line + (f"  {leaks} must_exclude returned" if leaks else ""))


if __name__ == "__main__":
    main()

"""Precision and recall of the contradiction rules: `python -m tests.evals.contradiction DIR [--split dev|test|all]`.

DIR holds `pairs_dev.jsonl` (a, b, label, lang, source); each pair is taken as two facts of one entity.
"""

import argparse
import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from echo_notes.guard.conflict import Said, Verdict, compare

DATA = Path(__file__).parent / "data"
_CONFLICTS = {"update", "contradiction"}
_THRESHOLDS = (0.6, 0.7, 0.8, 0.85, 0.9)


def read_rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]


def judge(row: dict[str, Any]) -> Verdict:
    return compare(Said(row["a"]), Said(row["b"]), row.get("names", ()))


def rates(rows: Iterable[tuple[dict[str, Any], Verdict]], threshold: float) -> tuple[float, float, int, int]:
    """Return precision, recall, right conflicts and wrong ones at a confidence threshold."""
    right = wrong = wanted = 0
    for row, verdict in rows:
        conflict = row["label"] in _CONFLICTS
        found = verdict.is_conflict and verdict.confidence >= threshold
        wanted += conflict
        right += conflict and found
        wrong += found and not conflict
    return right / max(1, right + wrong), right / max(1, wanted), right, wrong


def report(name: str, rows: list[dict[str, Any]]) -> None:
    judged = [(row, judge(row)) for row in rows]
    print(f"{name} ({len(rows)} pairs)")
    for threshold in _THRESHOLDS:
        precision, recall, right, wrong = rates(judged, threshold)
        print(
            f"  confidence ≥ {threshold:.2f}: precision {precision:.3f}  recall {recall:.3f}  "
            f"({right} right, {wrong} wrong)"
        )


def show_misses(rows: list[dict[str, Any]]) -> None:
    for row in rows:
        verdict = judge(row)
        if verdict.is_conflict != (row["label"] in _CONFLICTS):
            kinds = f"{row['label']:13} {verdict.kind:13} {verdict.confidence:.2f}"
            print(f"  {kinds} {row['a']} | {row['b']} ({verdict.why})")


def confusion(rows: list[dict[str, Any]]) -> None:
    counts = Counter((row["label"], judge(row).kind) for row in rows)
    kinds = ["update", "contradiction", "duplicate", "compatible"]
    print("  label → verdict  " + "  ".join(f"{kind:>13}" for kind in kinds))
    for label in kinds:
        print(f"  {label:15}  " + "  ".join(f"{counts[label, kind]:>13}" for kind in kinds))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("dir", type=Path, nargs="?", help="folder of pairs_dev.jsonl")
    parser.add_argument("--split", choices=["dev", "test", "all"], default="all")
    parser.add_argument("--misses", action="store_true", help="print what went wrong (never with the test split)")
    args = parser.parse_args()
    own = read_rows(DATA / "pairs.jsonl")
    for split in ("dev", "test") if args.split == "all" else (args.split,):
        rows = [row for row in own if row["split"] == split]
        report(f"own pairs, {split}", rows)
        confusion(rows)
        if args.misses and split == "dev":
            show_misses(rows)
    if args.dir:
        rows = read_rows(args.dir / "pairs_dev.jsonl")
        for lang in ("en", "zh"):
            report(f"given pairs, {lang}", [row for row in rows if row["lang"] == lang])
        for source in sorted({row["source"] for row in rows}):
            part = [row for row in rows if row["source"] == source]
            report(f"given pairs, {source}", part)
            if args.misses:
                show_misses(part)


if __name__ == "__main__":
    main()

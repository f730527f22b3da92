"""Extraction rates on labelled daily-note lines: `python -m tests.evals.extraction [--split dev|test|all]`."""

import argparse
import json
from collections import defaultdict
from pathlib import Path
from typing import Any

from echo_notes.guard.durable import Statement, durable_statements
from echo_notes.model.names import fold_name

DATA = Path(__file__).parent / "data"


def load_names() -> dict[str, str]:
    """Return folded names and the entities they stand for."""
    entities = json.loads((DATA / "extraction_names.json").read_text(encoding="utf-8"))
    return {fold_name(name): ref for ref, names in entities.items() for name in names}


def load_lines(split: str) -> list[dict[str, Any]]:
    lines = (DATA / "extraction.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    return [row for row in rows if split in {"all", row["split"]}]


def is_right(row: dict[str, Any], found: list[Statement]) -> bool:
    """Return whether a line gave what its label says: one statement, marked where it is, or none."""
    if row["label"] == "rest":
        return not found
    return len(found) >= 1


def measure(split: str, *, misses: bool = False) -> dict[str, float]:
    """Return the rates: marked and unmarked lines found, false facts on the rest, right categories of those found."""
    names = load_names()
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for row in load_lines(split):
        found = durable_statements(row["text"], names)
        right = is_right(row, found)
        for group in (row["label"], f"{row['label']} {row['lang']}"):
            counts[group][0] += right
            counts[group][1] += 1
        if found and row.get("category"):
            counts["category"][0] += found[0].category == row["category"]
            counts["category"][1] += 1
        if misses and not right:
            print(f"  {row['label']:8} {row['lang']} {row.get('kind', '')} {row['text']!r} -> {found}")
    rates = {group: hits / total for group, (hits, total) in sorted(counts.items())}
    for group, (hits, total) in sorted(counts.items()):
        name = f"{group} (false facts {total - hits})" if group.startswith("rest") else group
        print(f"{name:34} {hits:4}/{total:<4} {hits / total:.3f}")
    return rates


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--split", choices=["dev", "test", "all"], default="all")
    parser.add_argument("--misses", action="store_true", help="print what went wrong (never with the test split)")
    args = parser.parse_args()
    for split in ("dev", "test") if args.split == "all" else (args.split,):
        print(f"== {split}")
        measure(split, misses=args.misses and split == "dev")


if __name__ == "__main__":
    main()

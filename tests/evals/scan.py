"""Measures the scan: block and false-positive rates per source and language, with intervals, beside a keyword list.

    python -m tests.evals.scan DIR [--misses]

DIR holds `*.jsonl` with `text`, `label` (1 attack, 0 benign), `lang` and `source`; the project's own Chinese
sets are added. A row with `split: test` counts and is never shown.
"""

import argparse
import json
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import sqrt
from pathlib import Path
from typing import Any

from echo_notes.guard.scan import Finding, scan_text

OWN_DIR = Path(__file__).parent / "data"
OWN_SETS = ("zh_attacks.jsonl", "zh_lookalikes.jsonl")
KEYWORDS = (
    "ignore previous", "ignore all", "disregard", "system prompt", "jailbreak", "developer mode", "you are now",
    "do anything now", "忽略", "系统提示词", "无视", "越狱",
)  # fmt: skip
_Z = 1.96  # 95 %


@dataclass(slots=True)
class Tally:
    """How many texts of a source were seen, how many the scan and the keyword list block, and which it got wrong."""

    seen: int = 0
    blocked: int = 0
    keywords: int = 0
    wrong: list[tuple[str, tuple[Finding, ...]]] = field(default_factory=list)


def wilson(hits: int, total: int) -> tuple[float, float]:
    """Return the 95 % Wilson score interval of a share (Wilson 1927)."""
    if not total:
        return 0.0, 1.0
    share, z2 = hits / total, _Z * _Z
    middle = (share + z2 / (2 * total)) / (1 + z2 / total)
    half = _Z * sqrt(share * (1 - share) / total + z2 / (4 * total * total)) / (1 + z2 / total)
    return max(0.0, middle - half), min(1.0, middle + half)


def iter_rows(directory: Path) -> Iterator[dict[str, Any]]:
    """Yield the rows of every file of a directory that has labels, then of the project's own sets."""
    for path in [*sorted(directory.glob("*.jsonl")), *(OWN_DIR / name for name in OWN_SETS)]:
        for line in path.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            if "label" in row and "text" in row:
                yield row


def measure(directory: Path) -> tuple[dict[tuple[int, str, str], Tally], float]:
    """Return a tally for each label, source and language, and the mean milliseconds of a scan."""
    tallies: dict[tuple[int, str, str], Tally] = defaultdict(Tally)
    started, count = time.perf_counter(), 0
    for row in iter_rows(directory):
        found = scan_text(row["text"])
        source = row["source"] + (f" ({row['split']})" if "split" in row else "")
        tally = tallies[row["label"], source, row["lang"]]
        tally.seen += 1
        tally.blocked += bool(found)
        tally.keywords += any(word in row["text"].lower() for word in KEYWORDS)
        if bool(found) != bool(row["label"]) and row.get("split") != "test":
            tally.wrong.append((row["text"], found))
        count += 1
    return tallies, (time.perf_counter() - started) * 1000 / max(1, count)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("directory", type=Path)
    parser.add_argument("--misses", action="store_true", help="show what was got wrong, except of a test split")
    options = parser.parse_args()
    tallies, mean_ms = measure(options.directory)
    for label, title in ((1, "attacks: share blocked"), (0, "benign: share blocked (false positives)")):
        print(f"\n{title:52} {'lang':4} {'n':>5} {'scan':>7} {'95 % interval':>16} {'12 keywords':>12}")
        chosen = {key: tally for key, tally in tallies.items() if key[0] == label}
        for (_, source, lang), tally in chosen.items():
            _print_row(source, lang, tally)
        for source in dict.fromkeys(key[1] for key in chosen):
            parts = [tally for key, tally in chosen.items() if key[1] == source]
            if len(parts) > 1:
                total = Tally(
                    *(sum(values) for values in zip(*((p.seen, p.blocked, p.keywords) for p in parts), strict=True))
                )
                _print_row(source, "all", total)
    print(f"\nmean {mean_ms:.3f} ms a text")
    if options.misses:
        for (label, source, lang), tally in tallies.items():
            for text, found in tally.wrong:
                rules = ", ".join(f"{one.rule} “{text[one.start : one.end]}”" for one in found)
                print(f"[{label} {source} {lang}] {text!r} {rules}")


def _print_row(source: str, lang: str, tally: Tally) -> None:
    low, high = wilson(tally.blocked, tally.seen)
    share, keywords = tally.blocked / tally.seen, tally.keywords / tally.seen
    print(f"{source[:52]:52} {lang:4} {tally.seen:5} {share:7.1%} {low:7.1%} –{high:7.1%} {keywords:12.1%}")


if __name__ == "__main__":
    main()

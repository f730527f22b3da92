"""Compiles the scan rules that people read (YAML, tables) into the one JSON file that the program loads.

Run `python -m tools.compile_scan_rules` after editing a file in echo_notes/guard/rules; a test notices a forgotten run.
"""

import json
from typing import Any

import yaml

from echo_notes.guard.rulefile import compile_rules, parse_table
from echo_notes.guard.ruleset import COMPILED_PATH, RULES_DIR


def load_sources() -> list[tuple[str, dict[str, Any]]]:
    """Return the packaged rule files as name and content, in order of their names."""
    return [(path.stem, yaml.safe_load(path.read_text(encoding="utf-8"))) for path in sorted(RULES_DIR.glob("*.yaml"))]


def load_fold() -> dict[str, str]:
    """Return the folding table: confusables, then traditional characters."""
    return {
        look: plain
        for name in ("confusables.txt", "traditional.txt")
        for look, plain in parse_table((RULES_DIR / name).read_text(encoding="utf-8")).items()
    }


def compile_packaged() -> bytes:
    """Return what `compiled.json` should hold."""
    fold = load_fold()
    data = {"fold": fold, **compile_rules(load_sources(), fold)}
    return (json.dumps(data, ensure_ascii=False, separators=(",", ":")) + "\n").encode()


if __name__ == "__main__":
    COMPILED_PATH.write_bytes(compile_packaged())
    print(f"wrote {COMPILED_PATH.name}")

"""Compiles the scan rules that people read (YAML, tables) into the JSON that the program loads.

Run `python -m tools.compile_scan_rules` after editing a file in echo_notes/guard/rules; a test notices a forgotten run.
"""

import json
from pathlib import Path
from typing import Any

import yaml

from echo_notes.guard.rulefile import compile_rules, parse_table
from echo_notes.guard.ruleset import CLASSES_PATH, COMPILED_PATH, RULES_DIR


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


def compile_packaged() -> dict[Path, bytes]:
    """Return the compiled files and what each should hold."""
    fold = load_fold()
    compiled, classes = compile_rules(load_sources(), fold)
    return {COMPILED_PATH: _dump({"fold": fold, **compiled}), CLASSES_PATH: _dump(classes)}


def _dump(data: Any) -> bytes:
    return (json.dumps(data, ensure_ascii=False, separators=(",", ":")) + "\n").encode()


if __name__ == "__main__":
    for path, content in compile_packaged().items():
        path.write_bytes(content)
        print(f"wrote {path.name}")

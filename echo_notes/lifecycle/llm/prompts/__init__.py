"""The prompts: instructions as text files, and the JSON schema of each answer beside them."""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any


@cache
def load_prompt(name: str) -> tuple[str, Mapping[str, Any]]:
    """Return the instructions of a prompt, and its answer's schema."""
    folder = Path(__file__).parent
    instructions = (folder / f"{name}.md").read_text(encoding="utf-8").strip()
    schema: Mapping[str, Any] = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
    return instructions, schema

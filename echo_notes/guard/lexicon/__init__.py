"""Rule data of the statement rules, read once a process; JSON, because it loads in a millisecond."""

import json
from functools import cache
from pathlib import Path
from typing import Any


@cache
def load_lexicon(name: str) -> Any:
    """Return the parsed content of a packaged rule file, `keys` for `keys.json`."""
    return json.loads((Path(__file__).parent / f"{name}.json").read_text(encoding="utf-8"))


@cache
def word_set(name: str) -> frozenset[str]:
    """Return one of the word lists of words.json."""
    return frozenset(load_lexicon("words")[name])


@cache
def longest_first(name: str) -> tuple[str, ...]:
    """Return one of the word lists of words.json, longest entries first."""
    return tuple(sorted(load_lexicon("words")[name], key=len, reverse=True))

"""What is unusual in an items.json: everything that is read as it is, and that `check --fix` would put right."""

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from echo_notes.files.records import iter_misfits, record_id

Row = tuple[int, str, Any]  # line, text and value of an element of the array


@dataclass(frozen=True, slots=True)
class Problem:
    """Something to put right: its 1-based line, what it is, and the fact and field it is about, where there are such.

    `code` is a word to select by: shape, id, duplicate, misfit, category, json.
    """

    line: int
    message: str
    code: str
    fact: str = ""
    field: str = ""


def find_problems(
    rows: Sequence[Row], slug: str, *, wrapper: str, categories: Sequence[str], empty_file: bool
) -> tuple[Problem, ...]:
    """Return every problem of a file's elements, in file order."""
    found = []
    if empty_file:
        found.append(Problem(1, "the file is empty; an entity without facts holds []", "shape"))
    if wrapper:
        found.append(Problem(1, f'the facts stand inside an object, under "{wrapper}", not in a plain list', "shape"))
    seen: set[str] = set()
    for line, text, value in rows:
        if isinstance(value, dict):
            found += _in_record((line, text, value), slug, categories, seen)
        else:
            found.append(Problem(line, f"not a fact: {text[:40]}", "shape"))
    return tuple(found)


def _in_record(row: Row, slug: str, categories: Sequence[str], seen: set[str]) -> Iterator[Problem]:
    line, text, record = row
    fact_id = record_id(record)
    for field, wrong in iter_misfits(record):
        yield Problem(line, f"{fact_id or 'a fact'} {wrong}", "id" if field == "id" else "misfit", fact_id, field)
    if fact_id and fact_id in seen:
        yield Problem(line, f"{fact_id} is the id of an earlier fact too", "duplicate", fact_id, "id")
    elif fact_id and not (fact_id.startswith(f"{slug}-") and re.fullmatch(r"\d{3,}", fact_id[len(slug) + 1 :])):
        yield Problem(line, f"{fact_id} is not an id of this folder ({slug}-NNN)", "id", fact_id, "id")
    seen.add(fact_id)
    category = record.get("category")
    if categories and isinstance(category, str) and category not in categories:
        message = f"{fact_id or 'a fact'} has category {category!r}, not one of {', '.join(categories)}"
        yield Problem(line, message, "category", fact_id, "category")
    for wrong in _odd_json(text):
        yield Problem(line, f"{fact_id or 'a fact'} {wrong}", "json", fact_id)


def _odd_json(text: str) -> list[str]:
    """Return what a stricter JSON reader would object to: keys that stand twice, numbers that are none."""
    odd: list[str] = []

    def pairs(members: list[tuple[str, Any]]) -> dict[str, Any]:
        value = dict(members)
        if len(value) != len(members):
            twice = [key for key, times in Counter(key for key, _ in members).items() if times > 1]
            odd.append(f"has the key {twice[0]!r} more than once")
        return value

    def constant(word: str) -> None:
        odd.append(f"holds {word}, which is not JSON")

    json.loads(text, object_pairs_hook=pairs, parse_constant=constant, parse_int=len)
    return odd

"""Whose change a commit was, and which facts it wrote: what its own audit lines say."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from echo_notes.files.history import Commit, History
from echo_notes.guard.provenance import BY_HAND, rank
from echo_notes.model.fact import USER_STATED

_PERSON = "person"


@dataclass(frozen=True, slots=True)
class Authorship:
    """The rank of a change, and how many times it wrote each fact."""

    rank: int
    writes: Mapping[str, int]


def authorship_of(history: History, commit: Commit, audit_paths: Sequence[str]) -> Authorship:
    """Return who made a commit: the highest rank among the audit lines it added, the person's where there are none."""
    lines = [line for path in audit_paths for line in _added(history, commit, path) if line.get("ok")]
    ranks = [_rank_of(line) for line in lines]
    writes = Counter(str(line.get("target")) for line in lines if line.get("digest"))
    return Authorship(max(ranks, default=rank(USER_STATED)), writes)


def _rank_of(line: dict[str, Any]) -> int:
    label = str(line.get("provenance", ""))
    if line.get("actor") == _PERSON or label == BY_HAND:
        return rank(USER_STATED)
    return rank(label)


def _added(history: History, commit: Commit, path: str) -> Iterator[dict[str, Any]]:
    before = (history.read(f"{commit.id}^", path) or b"").splitlines()
    after = (history.read(commit.id, path) or b"").splitlines()
    fresh = after[len(before) :] if after[: len(before)] == before else after
    for raw in fresh:
        try:
            line = json.loads(raw)
        except ValueError:
            continue
        if isinstance(line, dict):
            yield line

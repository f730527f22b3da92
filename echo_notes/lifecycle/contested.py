"""Which facts stand in an open contradiction: nobody is served one until it is decided."""

import json

from echo_notes.files.layout import REVIEW
from echo_notes.lifecycle.opened import OpenVault


def contested_ids(opened: OpenVault) -> frozenset[str]:
    """Return the ids of the facts in open contradictions; an unreadable review.json (`check` names it) hides none."""
    try:
        raw = json.loads((opened.root / REVIEW).read_bytes())
    except (OSError, ValueError):
        return frozenset()
    ids: set[str] = set()
    for entry in raw if isinstance(raw, list) else ():
        if not isinstance(entry, dict) or entry.get("suspected") is True:
            continue  # a model's suspicion alone takes nothing out of sight
        if entry.get("kind") == "contradiction" and not entry.get("resolvedAt"):
            ids |= {str(entry.get(side)) for side in ("entryA", "entryB") if entry.get(side)}
    return frozenset(ids)

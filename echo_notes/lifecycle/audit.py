"""`audit`: what was written and what was refused, by whom, by which path, and why; how often the gate says no."""

from collections import Counter
from dataclasses import dataclass
from datetime import date
from typing import Any

from echo_notes.files.audit import AuditTrail
from echo_notes.lifecycle.opened import OpenVault
from echo_notes.model.dates import parse_instant

Line = dict[str, Any]


@dataclass(frozen=True, slots=True)
class AuditStats:
    """How many writes were allowed and refused, in all, and the refusals by write path and by reason."""

    allowed: int
    refused: int
    by_path: tuple[tuple[str, int, int], ...]
    by_reason: tuple[tuple[str, int], ...]


def audit(opened: OpenVault, *, refused: bool = False, since: date | None = None) -> tuple[Line, ...]:
    """Return the lines of the audit trail, oldest first; only refusals, or only those since a local day, if asked."""
    lines = [line for line in AuditTrail(opened.root).iter_lines() if not (refused and line["ok"])]
    if since is not None:
        zone = opened.now.tzinfo
        moments = ((parse_instant(line.get("at")), line) for line in lines)
        lines = [line for moment, line in moments if moment and moment.astimezone(zone).date() >= since]
    return tuple(sorted(lines, key=lambda line: (str(line.get("at", "")), line.get("seq", 0))))


def audit_stats(lines: tuple[Line, ...]) -> AuditStats:
    """Return the counts of these lines; paths as (path, allowed, refused), most refusals first."""
    allowed = Counter(str(line["path"]) for line in lines if line["ok"])
    refused = Counter(str(line["path"]) for line in lines if not line["ok"])
    reasons = Counter(str(line["reason"]) for line in lines if not line["ok"])
    paths = sorted({*allowed, *refused}, key=lambda path: (-refused[path], -allowed[path], path))
    return AuditStats(
        allowed.total(), refused.total(), tuple((path, allowed[path], refused[path]) for path in paths),
        tuple(reasons.most_common()),
    )  # fmt: skip

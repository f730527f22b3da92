"""How facts look: one line each for people, one object each for programs."""

from typing import TYPE_CHECKING, Any

from echo_notes.cli.output import CYAN, DIM, YELLOW, one_line, paint

if TYPE_CHECKING:
    from echo_notes.model.fact import Fact


def fact_record(fact: "Fact") -> dict[str, Any]:
    """Return a fact as every command's JSON shows it."""
    return {
        "id": fact.id, "entity": str(fact.entity), "text": fact.text, "category": fact.category,
        "status": fact.status, "tier": fact.tier, "timestamp": fact.timestamp.isoformat() if fact.timestamp else None,
        "source": fact.source, "superseded_by": fact.superseded_by, "key": fact.key or None, "type": fact.type,
        "provenance": fact.provenance or "legacy", "importance": fact.importance, "pinned": fact.pinned,
        "tags": list(fact.tags), "related": list(fact.related), "version": fact.version,
        "superseded_reason": fact.superseded_reason or None,
        "valid_from": fact.valid_from.isoformat() if fact.valid_from else None,
        "valid_until": fact.valid_until.isoformat() if fact.valid_until else None, "scope": fact.scope or None,
        "flagged": list(fact.flagged), "path": fact.path, "line": fact.line,
    }  # fmt: skip


def fact_line(fact: "Fact") -> str:
    """Return a fact on one line: id, day, text, and what is special about it."""
    marks = [
        mark
        for mark, on in (("pinned", fact.pinned), (fact.status, not fact.is_active), ("flagged", fact.flagged))
        if on
    ]
    if fact.superseded_by:
        marks.append(f"by {one_line(fact.superseded_by)}")
    day = fact.timestamp.isoformat() if fact.timestamp else "undated"
    end = f"  {paint('[' + ', '.join(marks) + ']', YELLOW)}" if marks else ""
    text = one_line(fact.text)
    body = paint(text, DIM) if not fact.is_active else text
    return f"{paint(one_line(fact.id), CYAN)}  {paint(day, DIM)}  {body}{end}"

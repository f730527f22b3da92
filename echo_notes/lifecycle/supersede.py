"""`supersede` (the world moved) and `correct` (it was wrong): a newer statement takes an older one's place."""

from dataclasses import dataclass, replace

from echo_notes.files.change import Change, ChangeResult
from echo_notes.guard.gate import Proposal
from echo_notes.guard.keys import derive_key
from echo_notes.guard.mentions import find_mentions
from echo_notes.guard.rejected import WRONG, Decision
from echo_notes.guard.scan import strip_invisible
from echo_notes.guard.values import normalise_statement
from echo_notes.lifecycle.entities import load_entities
from echo_notes.lifecycle.facts import Located, claim_of, get_fact, judge, next_id, plan_edit, plan_new, traits_of
from echo_notes.lifecycle.opened import OpenVault
from echo_notes.lifecycle.remember import shorten
from echo_notes.model.entity import Entity
from echo_notes.model.errors import ConflictError, UsageError
from echo_notes.model.fact import CHANGED, CORRECTED, SCOPE_OWNER, SUPERSEDED, USER, Fact


@dataclass(frozen=True, slots=True)
class Superseded:
    """The older fact as it stands now, the newer one, and the change that made them."""

    old: Fact
    new: Fact
    change: ChangeResult


def supersede(opened: OpenVault, fact_id: str, text: str) -> Superseded:
    """Replace a fact because the world moved: the old value stays in the history and may return."""
    return _replace(opened, fact_id, text, op="supersede", reason=CHANGED)


def correct(opened: OpenVault, fact_id: str, text: str) -> Superseded:
    """Replace a fact because it was wrong: a decision keeps the old value from returning, however it comes."""
    return _replace(opened, fact_id, text, op="correct", reason=CORRECTED)


def _replace(opened: OpenVault, fact_id: str, text: str, *, op: str, reason: str) -> Superseded:
    entities = load_entities(opened)
    with opened.change(op) as change:
        located = get_fact(opened, fact_id, entities)
        words = text.strip()
        if change.actor.strip_invisible:
            words = strip_invisible(words, joiners=opened.settings.joiners)
        _check_replaceable(located, words)
        guard(change, located, op, words)
        if op == "correct":
            change.decide(_judge_wrong(change, located, words))
        new = plan_successor(change, opened, located, words, entities, op=op)
        old = retire(change, located, new.id, reason)
        change.subject = f"{op}: {located.entity.ref}: {shorten(words)}"
        change.body = [f"{old.id} -> {new.id}"]
    return Superseded(old, new, change.result)


def guard(change: Change, located: Located, op: str, text: str) -> None:
    """Ask the gate whether this writer may replace a fact at all."""
    held = change.standing_of(located.fact)
    change.check(
        Proposal(op=op, target=located.fact.id, standing=held, traits=traits_of(located.fact), texts={"fact": text})
    )


def plan_successor(
    change: Change, opened: OpenVault, located: Located, text: str, entities: tuple[Entity, ...], *, op: str
) -> Fact:
    """Plan the newer version of a fact: everything carries over but text, dates and counters."""
    old = located.fact
    scope = old.scope or (SCOPE_OWNER if old.type == USER else "")
    draft = replace(
        old,
        id=next_id(change, located.entity.ref, entities),
        text=text,
        status="active",
        superseded_by=None,
        timestamp=opened.today,
        source="conversation",
        created_at=opened.now,
        updated_at=None,
        last_accessed=None,
        access_count=0,
        version=old.version + 1,
        superseded_at=None,
        superseded_reason="",
        valid_from=None,
        valid_until=None,
        key=_successor_key(located, text),
        scope=scope,
        related=_successor_links(located, text, entities),
        flagged=(),
        was=(),
        record={},
        line=0,
    )
    stored, _ = plan_new(change, located.entity, draft, op=op)
    return stored


def retire(change: Change, located: Located, successor: str, reason: str) -> Fact:
    """Plan the older fact as superseded by another."""
    changes = {
        "status": SUPERSEDED, "supersededBy": successor, "supersededAt": change.stamp(), "supersededReason": reason,
    }  # fmt: skip
    return plan_edit(change, located, "retire", changes)


def _check_replaceable(located: Located, text: str) -> None:
    fact = located.fact
    if not text:
        raise UsageError("the new text is empty", fix=f'For example: echo-notes supersede {fact.id} "…"')
    if fact.status == SUPERSEDED:
        newest = fact.superseded_by or "another fact"
        raise ConflictError(f"{fact.id} was superseded by {newest} already", fix=f"echo-notes history {fact.id}")
    names = located.entity.names()
    if normalise_statement(fact.text, names) == normalise_statement(text, names):
        raise UsageError(f"{fact.id} says that already", fix="Nothing was changed.")


def _successor_key(located: Located, text: str) -> str:
    """Return the key that carries over: the one a person gave, or, where both texts say their own, the newer one's."""
    names = located.entity.names()
    old, new = derive_key(located.fact.text, names), derive_key(text, names)
    if new and (not located.fact.key or (old and old.key == located.fact.key)):
        return new.key
    return located.fact.key


def _successor_links(located: Located, text: str, entities: tuple[Entity, ...]) -> tuple[str, ...]:
    """Return the edges of the newer fact: those its text names, and those of the older one that no text named."""
    names = {name: str(entity.ref) for entity in entities for name in entity.folded_names()}
    before, after = (
        [mention.found for mention in find_mentions(words, names) if mention.found]
        for words in (located.fact.text, text)
    )
    kept = (ref for ref in located.fact.related if ref not in before)
    return tuple(dict.fromkeys(ref for ref in (*after, *kept) if ref != str(located.entity.ref)))


def _judge_wrong(change: Change, located: Located, text: str) -> Decision:
    """Return the decision that a fact was wrong: its value too, unless the newer text keeps that and mends the rest."""
    decision = judge(change, located.entity, located.fact, WRONG)
    newer = claim_of(located.entity, text, decision.key)
    return replace(decision, value="") if newer.value == decision.value else decision

"""`pin`, `unpin`, `archive`, `restore`, `erase`, `adopt`: changes to what a fact is, not to what it says."""

import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from echo_notes.files.change import Change, ChangeResult
from echo_notes.files.items import REMOVE
from echo_notes.files.layout import ARCHIVE
from echo_notes.guard.eligibility import is_unowned
from echo_notes.guard.provenance import standing
from echo_notes.lifecycle.entities import get_entity, load_entities
from echo_notes.lifecycle.erasing import find_left, plan_regions
from echo_notes.lifecycle.facts import Located, get_fact, load_facts, plan_edit
from echo_notes.lifecycle.moving import archive_path, plan_move
from echo_notes.lifecycle.opened import OpenVault
from echo_notes.model.entity import Entity
from echo_notes.model.errors import ConflictError, NotFoundError, RefusedError
from echo_notes.model.fact import ACTIVE, ARCHIVED, ERASED_TEXT, SCOPE_OWNER, SUPERSEDED, USER_STATED, Fact


@dataclass(frozen=True, slots=True)
class Marked:
    """The facts a verb changed, those that were so already, the change, and where an erased text still stands."""

    facts: tuple[Fact, ...]
    unchanged: tuple[Fact, ...]
    change: ChangeResult
    left: tuple[str, ...] = ()


def pin(opened: OpenVault, fact_ids: Sequence[str]) -> Marked:
    """Keep facts from fading and always in the context block."""
    return _mark(opened, fact_ids, "pin", lambda fact: {} if fact.pinned else {"pinned": True})


def unpin(opened: OpenVault, fact_ids: Sequence[str]) -> Marked:
    """Let facts fade like others."""
    return _mark(opened, fact_ids, "unpin", lambda fact: {"pinned": REMOVE} if fact.pinned else {})


def archive(opened: OpenVault, fact_ids: Sequence[str]) -> Marked:
    """Put facts aside: still found, at reduced weight."""

    def changes(fact: Fact) -> Mapping[str, Any]:
        if fact.status == SUPERSEDED:
            raise ConflictError(f"{fact.id} is superseded", fix=f"See echo-notes history {fact.id}")
        return {} if fact.status == ARCHIVED else {"status": ARCHIVED}

    return _mark(opened, fact_ids, "archive", changes)


def restore(opened: OpenVault, fact_ids: Sequence[str]) -> Marked:
    """Make archived facts active again, as if just looked up."""

    def changes(fact: Fact) -> Mapping[str, Any]:
        if fact.status == SUPERSEDED:
            raise ConflictError(
                f"{fact.id} was superseded by {fact.superseded_by}",
                fix=f'To make it current again: echo-notes supersede {fact.superseded_by} "{fact.text}"',
            )
        if fact.erased_at:
            raise ConflictError(f"{fact.id} was erased", fix="Its text is not in the vault any more.")
        here = fact.status == ACTIVE and not fact.path.endswith(ARCHIVE)
        return {} if here else {"status": ACTIVE, "lastAccessed": opened.now}

    return _mark(opened, fact_ids, "restore", changes)


def erase(opened: OpenVault, fact_ids: Sequence[str]) -> Marked:
    """Take a fact's text out of the vault for good; its record stays.

    Generated regions lose the lines that rest on it, the index is dropped; what still holds the text is named.
    """
    texts: list[str] = []

    def changes(fact: Fact) -> Mapping[str, Any]:
        if fact.erased_at:
            return {}
        texts.append(fact.text)
        gone = {name: REMOVE for name in ("key", "tags", "relatedEntities") if name in fact.record}
        return {"fact": ERASED_TEXT, "status": ARCHIVED if fact.is_active else fact.status,
                "erasedAt": opened.now, **gone}  # fmt: skip

    done = _mark(opened, fact_ids, "erase", changes, also=lambda change, facts: plan_regions(change, opened, facts))
    if not texts or opened.writer.dry_run:
        return done
    shutil.rmtree(opened.layout.index_dir, ignore_errors=True)
    return replace(done, left=find_left(opened, texts))


def adopt(opened: OpenVault, names: Sequence[str]) -> Marked:
    """Raise legacy, unowned or hand-labelled facts to the person's own word, after looking."""
    with opened.change("adopt") as change:
        if not change.actor.is_person:
            raise RefusedError(
                "refused to adopt: only the person may vouch for facts", reason="provenance", op="adopt",
                target=" ".join(names), fix="Run it from your own shell.",
            )  # fmt: skip
        done, same = [], []
        for located in adoptable(change, opened, names):
            fact = located.fact
            label = change.standing_of(fact)
            if label.claims == label.protects and fact.provenance == USER_STATED and not is_unowned(fact):
                same.append(fact)
                continue
            changes: dict[str, Any] = {"provenance": USER_STATED, "updatedAt": opened.now}
            if not fact.scope:
                changes["scope"] = SCOPE_OWNER
            done.append(plan_edit(change, located, "adopt", changes, label=USER_STATED))
        change.subject = f"adopt: {len(done)} facts" if len(done) != 1 else f"adopt: {done[0].id}"
        change.body = [fact.id for fact in done]
    return Marked(tuple(done), tuple(same), change.result)


def adoptable(change: Change, opened: OpenVault, names: Sequence[str]) -> list[Located]:
    """Return the facts that fact ids and entity names stand for; of an entity, those that nobody vouches for."""
    entities = load_entities(opened)
    found: list[Located] = []
    for name in names:
        try:
            found.append(get_fact(opened, name, entities))
        except NotFoundError:
            entity = get_entity(opened, name, entities)
            for fact in load_facts(opened, entity):
                held = change.standing_of(fact)
                unvouched = held.by_hand or held == standing("", audited=None, known=False)
                if (unvouched or is_unowned(fact)) and fact.is_active:
                    found.append(Located(fact, entity, fact.path))
    return found


def _in_place(change: Change, entity: Entity, fact: Fact, op: str) -> Fact:
    """Return a fact where it belongs: an active one is not left in archive.json, where it would count as archived."""
    if fact.path != archive_path(entity) or not fact.is_active:
        return fact
    return next(iter(plan_move(change, entity, [fact.id], op, back=True)), fact)


def _mark(
    opened: OpenVault,
    fact_ids: Sequence[str],
    op: str,
    changes: Callable[[Fact], Mapping[str, Any]],
    *,
    also: Callable[[Change, Sequence[Fact]], None] | None = None,
) -> Marked:
    entities = load_entities(opened)
    with opened.change(op) as change:
        done, same = [], []
        for fact_id in dict.fromkeys(fact_ids):
            located = get_fact(opened, fact_id, entities)
            located = replace(located, fact=change.items(located.path, located.entity.ref).get(located.fact.id))
            wanted = changes(located.fact)
            if wanted:
                done.append(_in_place(change, located.entity, plan_edit(change, located, op, wanted), op))
            else:
                same.append(located.fact)
        if also and done:
            also(change, done)
        change.subject = f"{op}: {', '.join(fact.id for fact in done[:5])}"
    return Marked(tuple(done), tuple(same), change.result)

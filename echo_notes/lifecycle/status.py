"""`status`: what state a vault is in: counts, what waits, what is stale, what needs a person."""

from dataclasses import dataclass

from echo_notes.files.audit import AuditTrail
from echo_notes.files.layout import AUDIT_DIR, iter_daily
from echo_notes.files.pending import load_pending, untouched
from echo_notes.files.records import digest_record
from echo_notes.guard.eligibility import is_unowned
from echo_notes.guard.provenance import BY_HAND
from echo_notes.index.manifest import walk_vault
from echo_notes.lifecycle.check_state import flagged_passages
from echo_notes.lifecycle.contested import contested_ids
from echo_notes.lifecycle.entities import load_entities
from echo_notes.lifecycle.facts import iter_facts
from echo_notes.lifecycle.opened import OpenVault
from echo_notes.lifecycle.review import load_review
from echo_notes.lifecycle.runs import LastRun, last_runs
from echo_notes.model.errors import EchoError, GitFailedError
from echo_notes.model.fact import STATUSES

_NOBODY = frozenset([None, BY_HAND])


@dataclass(frozen=True, slots=True)
class VaultStatus:
    """Counts by kind and status, and what waits: commits, contradictions, an interrupted change, unreadable files.

    `waiting`: entries of review.json; `unowned`: facts about the owner that no scope sees; `by_hand`: facts that were
    changed or labelled by hand; `flagged`: what is hidden from programs, by fact id or path#Lline. The ids are the
    person's to see: another reader gets none, and the numbers in `counts`. `passes`: when each pass last ran.
    """

    entities: dict[str, int]
    facts: dict[str, int]
    daily_notes: int
    pending_commits: int
    contested: int
    waiting: int
    counts: dict[str, int]
    flagged: tuple[str, ...]
    by_hand: tuple[str, ...]
    unowned: tuple[str, ...]
    interrupted: bool
    uncommitted: tuple[str, ...]
    problems: tuple[str, ...]
    passes: tuple[LastRun, ...] = ()


def status(opened: OpenVault) -> VaultStatus:
    """Return the state of the vault; reads every fact file, changes nothing."""
    errors: list[EchoError] = []
    entities = load_entities(opened, errors)
    facts = dict.fromkeys(STATUSES, 0)
    labels = AuditTrail(opened.root).labels()
    written = {fact_id for fact_id, _ in labels}
    by_hand, unowned = [], []
    for located in iter_facts(opened, entities, errors):
        fact = located.fact
        facts[fact.status] = facts.get(fact.status, 0) + 1
        if fact.is_active and is_unowned(fact):
            unowned.append(fact.id)
        if (fact.provenance or fact.id in written) and labels.get((fact.id, digest_record(fact.record))) in _NOBODY:
            by_hand.append(fact.id)
    hidden = flagged_passages(opened, walk_vault(opened.root))
    lists = {"flagged": [passage.id for passage in hidden], "by_hand": by_hand, "unowned": unowned}
    counts = {name: len(ids) for name, ids in lists.items()}
    if opened.reader.agent or opened.reader.scope:
        lists = {name: [] for name in lists}
    kinds: dict[str, int] = {}
    for entity in entities:
        kinds[entity.ref.kind] = kinds.get(entity.ref.kind, 0) + 1
    uncommitted: tuple[str, ...] = ()
    try:
        waiting = {path for entry in load_pending(opened.layout) for path in untouched(opened.layout, entry)}
        dirty = opened.history().dirty(["."])
        uncommitted = tuple(p for p in dirty if p not in waiting and not p.startswith((".echo/", f"{AUDIT_DIR}/")))
    except GitFailedError as error:
        errors.append(error)
    return VaultStatus(
        entities=kinds, facts=facts, daily_notes=sum(1 for _ in iter_daily(opened.root)),
        pending_commits=len(load_pending(opened.layout)), contested=len(contested_ids(opened)),
        waiting=_count_waiting(opened, errors), counts=counts,
        flagged=tuple(lists["flagged"]), by_hand=tuple(lists["by_hand"]), unowned=tuple(lists["unowned"]),
        interrupted=(opened.layout.state_dir / "journal" / "plan.json").exists(), uncommitted=uncommitted,
        passes=last_runs(opened),
        problems=tuple(f"{error.where}: {error.what}" if error.where else error.what for error in errors),
    )  # fmt: skip


def _count_waiting(opened: OpenVault, errors: list[EchoError]) -> int:
    try:
        return sum(entry.is_open for entry in load_review(opened).entries)
    except EchoError as error:
        errors.append(error)
        return 0

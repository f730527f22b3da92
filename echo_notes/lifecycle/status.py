"""`status`: what state a vault is in: counts, what waits, what is stale, what needs a person."""

from dataclasses import dataclass

from echo_notes.files.layout import AUDIT_DIR, iter_daily
from echo_notes.files.pending import load_pending
from echo_notes.lifecycle.contested import contested_ids
from echo_notes.lifecycle.entities import load_entities
from echo_notes.lifecycle.facts import iter_facts
from echo_notes.lifecycle.opened import OpenVault
from echo_notes.lifecycle.runs import LastRun, last_runs
from echo_notes.model.errors import EchoError, GitFailedError
from echo_notes.model.fact import STATUSES


@dataclass(frozen=True, slots=True)
class VaultStatus:
    """Counts by kind and status, and what waits: commits, contradictions, an interrupted change, unreadable files.

    `passes`: when each pass last ran.
    """

    entities: dict[str, int]
    facts: dict[str, int]
    daily_notes: int
    pending_commits: int
    contested: int
    flagged: tuple[str, ...]
    interrupted: bool
    uncommitted: tuple[str, ...]
    problems: tuple[str, ...]
    passes: tuple[LastRun, ...] = ()


def status(opened: OpenVault) -> VaultStatus:
    """Return the state of the vault; reads every fact file, changes nothing."""
    errors: list[EchoError] = []
    entities = load_entities(opened, errors)
    facts = dict.fromkeys(STATUSES, 0)
    flagged = []
    for located in iter_facts(opened, entities, errors):
        facts[located.fact.status] = facts.get(located.fact.status, 0) + 1
        if located.fact.flagged:
            flagged.append(located.fact.id)
    kinds: dict[str, int] = {}
    for entity in entities:
        kinds[entity.ref.kind] = kinds.get(entity.ref.kind, 0) + 1
    uncommitted: tuple[str, ...] = ()
    try:
        uncommitted = tuple(
            path for path in opened.history().dirty(["."]) if not path.startswith((".echo/", f"{AUDIT_DIR}/"))
        )
    except GitFailedError as error:
        errors.append(error)
    return VaultStatus(
        entities=kinds, facts=facts, daily_notes=sum(1 for _ in iter_daily(opened.root)),
        pending_commits=len(load_pending(opened.layout)), contested=len(contested_ids(opened)), flagged=tuple(flagged),
        interrupted=(opened.layout.state_dir / "journal" / "plan.json").exists(), uncommitted=uncommitted,
        passes=last_runs(opened),
        problems=tuple(f"{error.where}: {error.what}" if error.where else error.what for error in errors),
    )  # fmt: skip

"""`check` of what Echo Notes keeps about its own work: audit, decisions, review, backlog, journal, index, settings."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from echo_notes.files.audit import AuditTrail, broken_chains
from echo_notes.files.decisions import unreadable_lines
from echo_notes.files.layout import AUDIT_DIR, DECISIONS, MARKER, REVIEW
from echo_notes.files.pending import load_pending
from echo_notes.files.records import digest_record
from echo_notes.guard.eligibility import is_unowned
from echo_notes.index.manifest import Walk
from echo_notes.lifecycle.check_facts import FactFile
from echo_notes.lifecycle.findings import ERROR, INFO, WARNING, Finding, unreadable
from echo_notes.lifecycle.opened import OpenVault
from echo_notes.model.errors import EchoError, GitFailedError
from echo_notes.model.fact import Fact
from echo_notes.model.passage import FACT, Passage

_INDEX = ".echo/index"
_STATE = ".echo/state"
_SHOWN = 3
_TAKING = frozenset(["undo", "gc"])
"""Operations whose line without a digest says that a fact was taken away."""


def check_state(opened: OpenVault, walk: Walk) -> Iterator[Finding]:
    """Yield what is wrong with the records that the program keeps, and what waits."""
    for problem in opened.loaded.problems:
        yield Finding(severity=WARNING, path=MARKER, code="setting", message=problem)
    for path, line, what in broken_chains(opened.root):
        message = f"this line {what}; the audit trail was changed by hand or merged"
        yield Finding(severity=ERROR, path=path, line=line, code="audit-chain", message=message)
    yield from _check_removed(opened)
    for line in unreadable_lines(opened.root):
        yield Finding(severity=WARNING, path=DECISIONS, line=line, code="decision", message="is no decision")
    yield from _check_review(opened)
    yield from _check_waiting(opened)
    yield from _check_index(opened, walk)
    for folder, why in walk.unreadable.items():
        yield Finding(severity=ERROR, path=folder, code="unreadable", message=why.lower(), status=6)
    for path in walk.links:
        yield Finding(severity=INFO, path=path, code="link", message="is a symbolic link, which is not followed")


def _check_removed(opened: OpenVault) -> Iterator[Finding]:
    """Yield where lines of the audit trail are gone: a chain cannot miss its own end, or a file that is not there."""
    for path, commit in opened.history().shrunk(AUDIT_DIR):
        if commit:
            message = f"lines were removed in {commit}; what stood there: git show {commit} -- {path}"
        else:
            message = f"lines were removed or altered since the last commit; to put them back: git checkout -- {path}"
        yield Finding(severity=ERROR, path=path, code="audit-removed", message=message)


def check_vouched(opened: OpenVault, files: Sequence[FactFile]) -> Iterator[Finding]:
    """Yield, for information, the facts that the gate wrote and that differ now, or that state a label of their own."""
    labels = AuditTrail(opened.root).labels()
    written = {fact_id for fact_id, _ in labels}
    present: set[str] = set()
    for file in files:
        for fact in file.items.facts:
            present |= {fact.id, *fact.was}
            if fact.is_active and is_unowned(fact):
                yield _unowned(file, fact)
            if (fact.id, digest_record(fact.record)) in labels:
                continue
            if fact.id in written:
                what = "was changed by hand since Echo Notes wrote it"
            elif fact.provenance:
                what = f"is labelled {fact.provenance}, and not by Echo Notes"
            else:
                continue
            yield _by_hand(file, fact, what)
    yield from _missing(opened, present)


def _by_hand(file: FactFile, fact: Fact, what: str) -> Finding:
    return Finding(
        severity=INFO, path=file.path, line=fact.line, code="by-hand", fact=fact.id,
        message=f"{fact.id} {what}; to vouch for it: echo-notes adopt {fact.id}",
    )  # fmt: skip


def _unowned(file: FactFile, fact: Fact) -> Finding:
    return Finding(
        severity=INFO, path=file.path, line=fact.line, code="unowned", fact=fact.id,
        message=f"{fact.id} is about the owner and has no scope, so no program sees it; to own it: echo-notes adopt "
        f"{fact.id}",
    )  # fmt: skip


def check_flagged(opened: OpenVault, walk: Walk) -> Iterator[Finding]:
    """Yield what the scan objects to: for information where a person stored it so, a warning where nobody was asked."""
    labels = AuditTrail(opened.root).labels()
    for passage in flagged_passages(opened, walk):
        fact = passage.id if passage.layer == FACT else ""
        asked = bool(fact) and any(fact == fact_id for fact_id, _ in labels)
        name = f"{fact} " if fact else ""
        yield Finding(
            severity=INFO if asked else WARNING, path=passage.path, line=passage.line, code="flagged", fact=fact,
            message=f"{name}reads like an attack or a secret ({', '.join(passage.flagged)}); no program is shown it",
        )  # fmt: skip


def flagged_passages(opened: OpenVault, walk: Walk) -> list[Passage]:
    """Return every passage that is hidden from programs."""
    from echo_notes.index.store import Index

    rules = tuple(Path(path).expanduser() for path in opened.settings.scan_rules)
    return Index(opened.root, opened.settings, own_rules=rules).flagged(walk)


def _missing(opened: OpenVault, present: set[str]) -> Iterator[Finding]:
    """Yield the facts that the gate wrote, and nobody took away through it, and that are gone."""
    last: dict[str, bool] = {}
    for line in AuditTrail(opened.root).iter_lines():
        # A path is no fact: what its digest tells is the text that entered it.
        if line["ok"] and "/" not in str(line["target"]) and (line["digest"] or line["op"] in _TAKING):
            last[str(line["target"])] = bool(line["digest"])
    for fact_id, stands in last.items():
        if stands and fact_id not in present:
            message = f"{fact_id} was written, and is in no file now; git log -S{fact_id} finds it"
            yield Finding(severity=INFO, path=AUDIT_DIR, code="missing", fact=fact_id, message=message)


def _check_review(opened: OpenVault) -> Iterator[Finding]:
    from echo_notes.files.review import Review

    try:
        Review.parse((opened.root / REVIEW).read_bytes())
    except FileNotFoundError:
        return
    except EchoError as error:
        yield unreadable(error, REVIEW)


def _check_waiting(opened: OpenVault) -> Iterator[Finding]:
    for entry in load_pending(opened.layout):
        message = f"waits for its commit: {entry.subject}; the next command that writes commits it"
        yield Finding(severity=WARNING, path=f"{_STATE}/pending.json", code="pending", message=message)
    if (opened.layout.state_dir / "journal" / "plan.json").exists():
        message = "a change was interrupted; the next command that writes finishes it or rolls it back"
        yield Finding(severity=WARNING, path=f"{_STATE}/journal", code="interrupted", message=message)
    if opened.history().find_work_tree() is None:
        message = "the vault is not under git, so nothing has a history; put it there: git init"
        yield Finding(severity=WARNING, path=".", code="git", message=message)


def _check_index(opened: OpenVault, walk: Walk) -> Iterator[Finding]:
    """Yield how far the index is behind: what was edited by hand counts as a warning, our own writes as information."""
    from echo_notes.index.store import Index

    behind = Index(opened.root, opened.settings).behind(walk)
    if behind is None:
        message = f"there is none yet for {len(walk.files)} files; the next recall makes it"
        yield Finding(severity=INFO, path=_INDEX, code="index", message=message)
        return
    stale = (*behind.changed, *behind.removed)
    if not stale:
        return
    by_hand = _uncommitted(opened, stale)
    shown = ", ".join((by_hand or stale)[:_SHOWN]) + (" …" if len(by_hand or stale) > _SHOWN else "")
    yield Finding(
        severity=WARNING if by_hand else INFO, path=_INDEX, code="stale-index",
        message=f"is stale: {len(behind.changed)} of {len(walk.files)} files on disk changed or are new since it was "
        f"made, {len(behind.removed)} are gone ({shown}); the next recall refreshes it",
    )  # fmt: skip


def _uncommitted(opened: OpenVault, paths: Sequence[str]) -> tuple[str, ...]:
    try:
        return opened.history().dirty(paths)
    except GitFailedError:
        return tuple(paths)

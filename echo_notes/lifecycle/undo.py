"""`undo`: a new change that puts back what the last one replaced, and withdraws the decisions it made."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher

from echo_notes.files.change import Change, ChangeResult
from echo_notes.files.decisions import parse_decisions
from echo_notes.files.history import Commit, History
from echo_notes.files.layout import ARCHIVE, AUDIT_DIR, DECISIONS, ITEMS, MARKER
from echo_notes.files.pending import load_pending
from echo_notes.files.settle import commit_backlog
from echo_notes.guard.gate import Proposal
from echo_notes.guard.provenance import Standing
from echo_notes.guard.rejected import WITHDRAWN, Claim, Decision, find_rejection
from echo_notes.lifecycle.opened import OpenVault
from echo_notes.lifecycle.undo_facts import Versions, restore_facts
from echo_notes.lifecycle.undo_rank import Authorship, authorship_of
from echo_notes.model.errors import ConflictError, NotFoundError

TRAILER_PATH = "Echo-Path"
TRAILER_UNDOES = "Undoes"

_OP = "undo"
_RECENT = 200
_REVERTS = re.compile(r"This reverts commit ([0-9a-f]{40})")


@dataclass(frozen=True, slots=True)
class Undone:
    """The commit that was undone, how many of its decisions were withdrawn, and the change that did it."""

    commit: Commit
    withdrawn: tuple[Decision, ...]
    change: ChangeResult


class ErasedError(ConflictError):
    """The last change took a text out of the vault for good; taking that back needs an explicit yes."""


def undo(opened: OpenVault, *, restore_erased: bool = False) -> Undone:
    """Take back the newest change that Echo Notes made and that is not taken back yet; said again, the one before it.

    Later edits elsewhere in the same files stay. ConflictError names a file in which they overlap; NotFoundError where
    nothing is left to undo; RefusedError where the change was made by someone of higher rank; ErasedError where it was
    to erase, unless `restore_erased`.
    """
    with opened.change(_OP) as change:
        history = opened.history()
        history.require()
        _commit_waiting(opened)
        withdrawn: tuple[Decision, ...] = ()
        for commit in undoable(history):
            withdrawn, unerased = _plan(change, opened, history, commit)
            if not change.is_empty:
                break
        else:
            raise NotFoundError("no change by Echo Notes is left to undo", fix="See what there is: git log --stat")
        if unerased and not restore_erased:
            raise ErasedError(
                f"would bring back the text of what was erased: {', '.join(unerased)}",
                fix="If it may exist after all: echo-notes undo --yes",
            )
        change.subject = f"undo: {commit.subject}"
        change.body = [f"takes back {commit.id[:10]}"]
        change.trailers = [f"{TRAILER_UNDOES}: {commit.id}"]
    return Undone(commit, withdrawn, change.result)


def undoable(history: History) -> Iterator[Commit]:
    """Yield the program's own commits that are not taken back yet, newest first; undo itself is not undone."""
    seen = 0
    for limit in (_RECENT, 0):
        commits = history.log(limit=limit)
        undone = {commit.trailers[TRAILER_UNDOES] for commit in commits if TRAILER_UNDOES in commit.trailers}
        undone |= {match[1] for commit in commits for match in _REVERTS.finditer(commit.body)}
        for commit in commits[seen:]:
            if TRAILER_PATH in commit.trailers and TRAILER_UNDOES not in commit.trailers and commit.id not in undone:
                yield commit
        seen = len(commits)
        if seen < _RECENT:
            return


def _commit_waiting(opened: OpenVault) -> None:
    """Commit what git refused earlier, so that it can be found; a dry run must not, and says so."""
    if not load_pending(opened.layout):
        return
    if opened.writer.dry_run:
        raise ConflictError(
            "a change waits for its commit, and would be undone first", fix="Commit it: run any command that writes."
        )
    commit_backlog(opened.context())


def _plan(
    change: Change, opened: OpenVault, history: History, commit: Commit
) -> tuple[tuple[Decision, ...], tuple[str, ...]]:
    """Plan a commit taken back, and return the decisions withdrawn and the ids of facts that are erased no more."""
    paths = history.changed_in(commit.id)
    author = authorship_of(history, commit, [path for path in paths if path.startswith(f"{AUDIT_DIR}/")])
    change.check(Proposal(op=_OP, target=commit.subject, standing=Standing(author.rank, author.rank)))
    if MARKER in paths and history.read(f"{commit.id}^", MARKER) is None:
        raise NotFoundError(
            "the change that made this vault is the only one left",
            fix=f"It is not undone; to be rid of the vault, remove its folder: {opened.root}",
        )
    unerased: list[str] = []
    for path in paths:
        if path == DECISIONS or path.startswith((f"{AUDIT_DIR}/", ".echo/")):
            continue
        unerased += _restore(change, history, author, _versions(change, history, commit, path))
    return _withdraw(change, history, commit) if DECISIONS in paths else (), tuple(unerased)


def _versions(change: Change, history: History, commit: Commit, path: str) -> Versions:
    now = change.read(path)
    earlier, undone = history.read(f"{commit.id}^", path), history.read(commit.id, path)
    if now is not None and now.count(b"\r\n") == now.count(b"\n") > 0:
        earlier, undone = _as_checked_out(earlier), _as_checked_out(undone)
    return Versions(path, earlier, undone, now)


def _as_checked_out(data: bytes | None) -> bytes | None:
    """Return what git stores as a file with CRLF has it: `core.autocrlf` keeps the two apart."""
    return data if data is None or b"\r\n" in data else data.replace(b"\n", b"\r\n")


def _restore(change: Change, history: History, author: Authorship, versions: Versions) -> tuple[str, ...]:
    if versions.now == versions.earlier:
        return ()
    if versions.path.rpartition("/")[2] in {ITEMS, ARCHIVE}:
        return restore_facts(change, versions, author.writes, op=_OP)
    data = versions.earlier if versions.now == versions.undone else _merged(history, versions)
    change.put(versions.path, data, Proposal(op=_OP, target=versions.path))
    return ()


def _merged(history: History, versions: Versions) -> bytes:
    """Return the file as it is now, without what the change did to it; ConflictError where both touch a line."""
    if versions.now is None or versions.undone is None or versions.earlier is None:
        what = "was removed" if versions.now is None else "was edited"
        raise ConflictError(
            f"{what} since that change", where=versions.path, fix="Settle it in an editor; see: git log -p -- FILE"
        )
    merged = history.merge_bytes(mine=versions.now, base=versions.undone, theirs=versions.earlier)
    if merged is None:
        merged = without_lines(versions.now, versions.undone, versions.earlier)
    if merged is None:
        raise ConflictError(
            "was edited since in the same lines", where=versions.path,
            fix="Take it back by hand; see: git log -p -- FILE",
        )  # fmt: skip
    return merged


def without_lines(now: bytes, undone: bytes, earlier: bytes) -> bytes | None:
    """Return the file without the runs of lines that a change put in, None if it did more or a run is not there once.

    git calls it a conflict where a line was added right behind them; nothing about that is unclear.
    """
    old, new, lines = (data.splitlines(keepends=True) for data in (earlier, undone, now))
    for tag, _, _, start, end in reversed(SequenceMatcher(None, old, new, autojunk=False).get_opcodes()):
        if tag == "equal":
            continue
        run = new[start:end]
        places = [at for at in range(len(lines) - len(run) + 1) if lines[at : at + len(run)] == run]
        if tag != "insert" or len(places) != 1:
            return None
        del lines[places[0] : places[0] + len(run)]
    return b"".join(lines)


def _withdraw(change: Change, history: History, commit: Commit) -> tuple[Decision, ...]:
    """Plan a `withdrawn` line for each decision of the change; what was decided before it holds again."""
    before = parse_decisions(history.read(f"{commit.id}^", DECISIONS) or b"")
    after = list(parse_decisions(history.read(commit.id, DECISIONS) or b""))
    for decision in before:
        if decision in after:
            after.remove(decision)
    for decision in after:
        change.decide(replace(decision, at=change.stamp(), verdict=WITHDRAWN, by=change.actor.label))
    for earlier in _holding_again(after, before):
        change.decide(earlier)
    return tuple(after)


def _holding_again(withdrawn: Sequence[Decision], before: Sequence[Decision]) -> tuple[Decision, ...]:
    claims = [Claim(one.entity, one.key, one.value, one.statement) for one in withdrawn]
    found = [find_rejection(claim, before) for claim in claims]
    return tuple(dict.fromkeys(decision for decision in found if decision is not None))

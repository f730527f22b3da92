"""After the writing: committing what was written, remembering what git refused, finishing what a crash left."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from echo_notes.files.audit import audit_path
from echo_notes.files.history import History
from echo_notes.files.journal import Journal
from echo_notes.files.layout import Layout
from echo_notes.files.lock import WAIT_SECONDS, hold_lock
from echo_notes.files.pending import PendingCommit, digest_now, dump_pending, load_pending, untouched
from echo_notes.model.errors import ConflictError, GitFailedError

if TYPE_CHECKING:
    from echo_notes.guard.scan import Rules

BACKLOG = "backlog"
"""The write path that a commit of several changes names, which git had refused one by one."""


def no_step(name: str) -> None:
    """Do nothing at a step of a change."""


@dataclass(frozen=True, slots=True)
class Context:
    """What every change of one command shares: the vault, its gate settings, the moment, and git.

    `random_word` names a new clone; `step` is told each step of a change.
    """

    layout: Layout
    history: History
    random_word: Callable[[], str]
    now: datetime
    joiners: str = "unicode"
    rules: "Rules | None" = None
    commit_refusals: bool = False
    lock_wait: float = WAIT_SECONDS
    step: Callable[[str], None] = no_step


def recover(context: Context) -> str:
    """Finish or roll back an interrupted change, and return what a person should know; "" if there was none.

    Call it under the lock.
    """
    journal = Journal(context.layout, context.step)
    if not journal.exists():
        return ""
    found = journal.recover()
    if found is None:
        return ""
    paths = [step.path for step in found.plan.steps]
    if found.finished:
        commit_written(context, found.plan.subject, found.plan.body, paths, blocked=None)
    journal.clear()
    if found.finished:
        return f"finished an interrupted change: {found.plan.subject}"
    return f"rolled back an interrupted change ({found.plan.subject}); changed since: {', '.join(found.left_alone)}"


def recover_if_idle(context: Context) -> str:
    """Finish or roll back an interrupted change for a reader, who never waits: only if no writer is at work now."""
    if not Journal(context.layout, context.step).exists():
        return ""
    try:
        with hold_lock(context.layout, wait=0):
            return recover(context)
    except ConflictError:
        return "a write is under way; this answer may be in the middle of it"
    except OSError:
        return "a change was interrupted, and this vault cannot be written to; the answer may be in the middle of it"


def commit_backlog(context: Context) -> None:
    """Commit what earlier commands wrote and git refused; what was changed since is left as the hand edit it is."""
    entries = load_pending(context.layout)
    if not entries:
        return
    digests: dict[str, str] = {}
    for entry in entries:
        digests |= entry.digests
    merged = PendingCommit(entries[-1].subject, "\n\n".join(entry.body for entry in entries), digests)
    paths = context.history.states(untouched(context.layout, merged))
    if paths:
        subject = merged.subject if len(entries) == 1 else f"backlog: {len(entries)} changes that git had refused"
        subjects = [entry.subject for entry in entries]
        body = merged.body if len(entries) == 1 else "\n".join([*subjects, "", f"Echo-Path: {BACKLOG}"])
        context.history.commit(paths, subject, body)
    dump_pending(context.layout, ())


def commit_written(
    context: Context, subject: str, body: str, paths: Iterable[str], *, blocked: GitFailedError | None
) -> tuple[str, GitFailedError | None]:
    """Commit these paths; where git will not, remember them. Audit files with refusals go along."""
    layout = context.layout
    written = list(paths)
    names = list(dict.fromkeys([*written, *_trails(context)]))
    error = blocked
    if error is None:
        try:
            context.history.require()
            changed = context.history.states(names)
            commit = context.history.commit(changed, subject, body) if changed else context.history.head()
            return commit, _ignored(context, [path for path in written if path not in changed])
        except GitFailedError as failed:
            error = failed
    entry = PendingCommit(subject, body, {name: digest_now(layout, name) for name in names})
    dump_pending(layout, (*load_pending(layout), entry))
    return "", error


def _ignored(context: Context, paths: list[str]) -> GitFailedError | None:
    """Return what to say of files that no commit took because a .gitignore covers them."""
    skipped = context.history.ignored(paths) if paths else ()
    if not skipped:
        return None
    return GitFailedError(
        f"not committed, because .gitignore covers it: {', '.join(skipped)}",
        where=str(context.layout.root),
        fix="The file is written. Take the line out of .gitignore to put it under git.",
    )


def _trails(context: Context) -> list[str]:
    """Return the audit files of this clone that there are: refusals at a month's end wait for a change of the next."""
    newest = context.layout.root / trail_path(context)
    writer = newest.name.partition(".")[2]
    return [context.layout.relative(path) for path in sorted(newest.parent.glob(f"*.{writer}"))]


def trail_path(context: Context) -> str:
    """Return the audit file of this clone and month; the clone gets its short name at its first write."""
    path = context.layout.state_dir / "writer"
    try:
        word = path.read_text(encoding="ascii").strip()
    except FileNotFoundError:
        word = context.random_word()
        path.write_text(word, encoding="ascii")
    return audit_path(context.now, word)

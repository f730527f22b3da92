"""The door: every write to a vault is one Change, whole or absent, gated, audited and committed."""

import difflib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Self

from echo_notes.files.audit import AuditLine, AuditTrail, chain
from echo_notes.files.decisions import dump_decision, load_decisions
from echo_notes.files.items import ItemsFile
from echo_notes.files.journal import Journal
from echo_notes.files.layout import AUDIT_DIR, DECISIONS, Layout
from echo_notes.files.lock import hold_lock
from echo_notes.files.records import digest_record
from echo_notes.files.settle import Context, commit_backlog, commit_written, recover, trail_path
from echo_notes.files.textfile import TextFile, decode_text, load_bytes
from echo_notes.guard.gate import Actor, Gate, Passed, Proposal
from echo_notes.guard.provenance import BY_HAND, Standing, standing
from echo_notes.guard.rejected import Decision
from echo_notes.model.dates import format_instant
from echo_notes.model.entity import EntityRef
from echo_notes.model.errors import ConflictError, GitFailedError, RefusedError
from echo_notes.model.fact import Fact

_MOST_BODY = 100_000
"""Bytes of a commit's body: git takes it as one argument, which the system allows some 128,000."""

WITHHELD = "(withheld)"
"""What the audit names in place of a target that the scan refuses."""

_NAMED = 3
"""As many files as the subject of a commit names."""


@dataclass(frozen=True, slots=True)
class ChangeResult:
    """What a change did: short commit id ("" if none), files written, its subject, a diff for a dry run, git's no."""

    commit: str = ""
    written: tuple[str, ...] = ()
    subject: str = ""
    diff: str = ""
    warnings: tuple[str, ...] = ()
    git_error: GitFailedError | None = None


@dataclass(frozen=True, slots=True)
class FactLine:
    """What the audit is to say of one fact in a file that is planned whole: its label, and whether it is gone."""

    fact: Fact
    label: str
    gone: bool = False


class Change:
    """One change to a vault. Use as a context manager: reads and plans happen inside, the writing at its end.

    An exception inside leaves the vault as it was; a RefusedError also leaves its line in the audit file.
    """

    def __init__(self, context: Context, actor: Actor, verb: str, *, dry_run: bool = False) -> None:
        self.actor = actor
        self.subject = verb
        self.body: list[str] = []
        self.trailers: list[str] = []
        self.result = ChangeResult()
        self.dry_run = dry_run
        self._context = context
        self._layout = context.layout
        self._before: dict[str, bytes | None] = {}
        self._after: dict[str, bytes | None] = {}
        self._audit: list[AuditLine] = []
        self._planned: dict[str, list[AuditLine]] = {}
        self._decisions: list[Decision] = []
        self._gate: Gate | None = None
        self._trail: AuditTrail | None = None
        self._warnings: list[str] = []

    # --- the context: lock, recover, and at the end write

    def __enter__(self) -> Self:
        with suppress(GitFailedError):  # told at the end, when the files are written
            self._context.history.warm()
        self._lock = hold_lock(self._layout, wait=self._context.lock_wait)
        self._lock.__enter__()
        try:
            if warning := recover(self._context):
                self._warnings.append(warning)
        except BaseException:
            self._lock.__exit__(None, None, None)
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if error is None:
                self.result = self._finish()
            elif isinstance(error, RefusedError) and not self.dry_run:
                self._record_refusal(error)
        finally:
            self._lock.__exit__(None, None, None)

    # --- reading, under the lock

    def read(self, path: str) -> bytes | None:
        """Return the bytes of a vault file as this change will leave it, None if there is none."""
        if path in self._after:
            return self._after[path]
        return self._original(path)

    def read_text(self, path: str) -> TextFile | None:
        """Return a vault file as text, as this change will leave it; UnreadableError if it is not UTF-8."""
        raw = self.read(path)
        return None if raw is None else decode_text(raw, path)

    def items(self, path: str, entity: EntityRef) -> ItemsFile:
        """Return an items.json or archive.json as this change will leave it; an empty one if there is none."""
        raw = self.read(path)
        return ItemsFile.parse(b"[]\n" if raw is None else raw, entity=entity, path=path)

    def standing_of(self, fact: Fact) -> Standing:
        """Return what protects a fact and with which rank its claim speaks; one planned here counts as written."""
        digest = digest_record(fact.record)
        planned = self._planned.get(fact.id, [])
        for line in reversed(planned):
            if line.digest == digest:
                return standing(fact.provenance, audited=line.provenance, known=True)
        trail = self._audit_trail()
        audited = trail.label_of(fact.id, digest)
        return standing(fact.provenance, audited=audited, known=bool(planned) or trail.knows(fact.id))

    def decisions(self) -> tuple[Decision, ...]:
        """Return the decisions on record, those of this change included."""
        return (*load_decisions(self._layout.root), *self._decisions)

    def highest_number(self, slug: str) -> int:
        """Return the highest number that the audit trail gave to a fact of this slug."""
        return self._audit_trail().highest_number(slug)

    # --- planning, each through the gate

    def check(self, proposal: Proposal) -> Passed:
        """Ask the gate; RefusedError is its no."""
        gate = Gate(self._context.joiners, self.decisions(), self._context.rules)
        return gate.check(proposal, self.actor)

    def put(self, path: str, data: bytes | None, proposal: Proposal, *, kind: str = "note", digest: str = "") -> Passed:
        """Plan the whole new bytes of a file that is no fact file (None removes it), if the gate lets the text in.

        `digest` is of the text that enters, where somebody may ask later who wrote it.
        """
        passed = self.check(proposal)
        self._plan(path, data)
        self._log(self._line(proposal.op, path, kind, self.actor.label, digest))
        return passed

    def put_fact(self, items: ItemsFile, path: str, fact: Fact, proposal: Proposal, *, label: str = "") -> Passed:
        """Plan a fact file in which the gate lets `fact` stand as in `items`; `label` is what the audit says of it."""
        passed = self.check(proposal)
        self.put_checked(items, path, fact, proposal.op, label=label)
        return passed

    def put_checked(self, items: ItemsFile, path: str, fact: Fact, op: str, *, label: str = "") -> None:
        """Plan a fact file for a proposal that the gate has just passed; every fact changed has its audit line."""
        self._plan(path, items.dump())
        digest = digest_record(items.get(fact.id).record)
        self._log(self._line(op, fact.id, fact.type, label or fact.provenance, digest))

    def put_facts(self, path: str, data: bytes | None, op: str, lines: Iterable[FactLine]) -> None:
        """Plan the whole bytes of a fact file (None removes it) for proposals that the gate has passed."""
        self._plan(path, data)
        for line in lines:
            digest = "" if line.gone else digest_record(line.fact.record)
            self._log(self._line(op, line.fact.id, line.fact.type, line.label, digest))

    def knows(self, fact_id: str) -> bool:
        """Return whether the audit trail has a line for this fact, so that its id is never given again."""
        return self._audit_trail().knows(fact_id)

    def label_before(self, fact: Fact, times: int) -> str:
        """Return the label of a record as it was before a change that wrote its fact so many times.

        A fact that nothing else ever wrote was nobody's: it goes back to what its record says.
        """
        if not fact.provenance and self._audit_trail().times_written(fact.id) <= times:
            return fact.provenance
        return self.keep_label(fact)

    def keep_label(self, fact: Fact) -> str:
        """Return the label that the audit gives to a fact whose record is changed, but not its claim."""
        held = self.standing_of(fact)
        return BY_HAND if held.by_hand else fact.provenance

    def pass_over(self, error: RefusedError) -> bool:
        """Record the refusal of one row of a change that goes on without it; False if it was on record already."""
        return not self.dry_run and self._record_refusal(error)

    def decide(self, decision: Decision) -> None:
        """Plan one more line of decisions.jsonl."""
        self._decisions.append(decision)

    def plan_removal_of_folder(self, folder: str) -> None:
        """Plan the removal of every file in a folder of the vault (a rename or merge moved their contents)."""
        for path in sorted((self._layout.root / folder).rglob("*")):
            if path.is_file() and not path.is_symlink():
                self._plan(self._layout.relative(path), None)

    def stamp(self) -> str:
        """Return this change's moment, as files write it."""
        return format_instant(self._context.now)

    @property
    def is_empty(self) -> bool:
        """Whether nothing is planned so far."""
        return not self._decisions and all(self._before[path] == data for path, data in self._after.items())

    # --- the writing

    def _finish(self) -> ChangeResult:
        writes = [(p, self._before[p], data) for p, data in self._after.items() if self._before[p] != data]
        if not writes and not self._decisions:
            return ChangeResult(subject=self.subject, warnings=tuple(self._warnings))
        if self.dry_run:
            return ChangeResult(
                written=tuple(path for path, _, _ in writes), subject=self.subject, diff=_diff(writes),
                warnings=tuple(self._warnings),
            )  # fmt: skip
        for path, before, _ in writes:
            if _current(self._layout, path) != before:
                raise ConflictError("changed on disk while this command ran", where=path, fix="Run the command again.")
        appends = self._appends()
        paths = [path for path, _, _ in writes] + [path for path, _ in appends]
        git_error = self._commit_earlier_work([path for path, _, _ in writes])
        journal = Journal(self._layout, self._context.step)
        body = "\n".join([*_within(self.body, _MOST_BODY), "", f"Echo-Path: {self.actor.path}", *self.trailers]).strip()
        plan = None
        try:
            plan = journal.write(self.subject, body, writes, appends)
            journal.apply(plan)
        except OSError:
            journal.abandon(plan)
            raise
        commit, error = commit_written(self._context, plan.subject, plan.body, paths, blocked=git_error)
        self._context.step("commit")
        journal.clear()
        self._context.step("clear")
        return ChangeResult(
            commit, tuple(path for path, _, _ in writes), self.subject, "", tuple(self._warnings), error
        )

    def _appends(self) -> list[tuple[str, bytes]]:
        appends = []
        if self._decisions:
            appends.append((DECISIONS, b"".join(dump_decision(decision) for decision in self._decisions)))
        if self._audit:
            path = trail_path(self._context)
            appends.append((path, chain(self._audit, _tail(self._layout, path))))
        return appends

    def _commit_earlier_work(self, paths: list[str]) -> GitFailedError | None:
        """Commit the backlog, then what was edited by hand in the files about to be written, each on its own."""
        history = self._context.history
        try:
            history.require()
            commit_backlog(self._context)
            existing = [path for path in paths if self._before[path] is not None]
            states = history.states(existing) if existing else {}
            by_hand = {path: state for path, state in states.items() if not path.startswith(f"{AUDIT_DIR}/")}
            if by_hand:
                more = " …" if len(by_hand) > _NAMED else ""
                history.commit(by_hand, f"edit: by hand {', '.join(list(by_hand)[:_NAMED])}{more}")
        except GitFailedError as error:
            return error
        return None

    def _record_refusal(self, error: RefusedError) -> bool:
        """Append a refusal to the audit file at once; False if the same one is there."""
        about = WITHHELD if self._gate_has_words_for(error.target) else error.target
        line = self._line(error.op, about, "", self.actor.label, _text_digest(error.text or str(error)))
        if AuditTrail(self._layout.root).refused_before(line.digest, self.actor.path, error.op):
            return False
        path = trail_path(self._context)
        data = chain([replace(line, ok=False, reason=error.reason)], _tail(self._layout, path))
        target = self._layout.path(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("ab") as handle:
            handle.write(data)
            handle.flush()
        if self._context.commit_refusals:
            commit_written(self._context, f"refused: {error.op} {about}", error.reason, [path], blocked=None)
        return True

    def _gate_has_words_for(self, target: str) -> bool:
        """Return whether the name that somebody typed is itself something that the vault must not hold."""
        from echo_notes.guard.scan import scan_text

        return bool(scan_text(target, joiners=self._context.joiners, rules=self._context.rules))

    # --- small parts

    def _original(self, path: str) -> bytes | None:
        if path not in self._before:
            self._before[path] = _current(self._layout, path)
        return self._before[path]

    def _plan(self, path: str, data: bytes | None) -> None:
        self._original(path)
        if (self._layout.root / path).is_symlink():
            raise ConflictError("is a symbolic link", where=path, fix="Put the file itself in place of the link.")
        self._after[path] = data

    def _line(self, op: str, target: str, kind: str, label: str, digest: str) -> AuditLine:
        return AuditLine(
            at=self.stamp(), actor=self.actor.name, path=self.actor.path, op=op, target=target, type=kind,
            provenance=label, digest=digest,
        )  # fmt: skip

    def _log(self, line: AuditLine) -> None:
        self._audit.append(line)
        if line.digest:
            self._planned.setdefault(line.target, []).append(line)

    def _audit_trail(self) -> AuditTrail:
        if self._trail is None:
            self._trail = AuditTrail(self._layout.root)
        return self._trail


def _current(layout: Layout, path: str) -> bytes | None:
    try:
        return load_bytes(layout.path(path), shown=path)
    except FileNotFoundError:
        return None
    except NotADirectoryError:
        raise ConflictError("a file stands where a folder should be", where=path, fix="Move it away.") from None


def _tail(layout: Layout, path: str) -> bytes:
    """Return the end of an append-only file: enough to hold its last line."""
    target = layout.root / path
    if not target.exists():
        return b""
    with target.open("rb") as handle:
        handle.seek(0, 2)
        handle.seek(max(0, handle.tell() - 65536))
        return handle.read()


def _text_digest(text: str) -> str:
    from hashlib import sha256

    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _diff(writes: list[tuple[str, bytes | None, bytes | None]]) -> str:
    parts: list[str] = []
    for source, path, before, after in _with_moves(writes):
        old = (before or b"").decode("utf-8", "replace").splitlines(keepends=True)
        new = (after or b"").decode("utf-8", "replace").splitlines(keepends=True)
        if source != path:
            parts.append(f"rename from {source}\nrename to {path}\n")
        names = ("/dev/null" if before is None else f"a/{source}", "/dev/null" if after is None else f"b/{path}")
        parts.extend(
            line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
            for line in difflib.unified_diff(old, new, *names)
        )
    return "".join(parts)


def _with_moves(
    writes: list[tuple[str, bytes | None, bytes | None]],
) -> Iterator[tuple[str, str, bytes | None, bytes | None]]:
    """Yield (old path, new path, before, after); a file removed and one of its name that is new are one that moved."""
    gone = {path.rpartition("/")[2]: (path, before) for path, before, after in writes if after is None}
    moved = {path.rpartition("/")[2]: path for path, before, _ in writes if before is None}
    for path, before, after in writes:
        name = path.rpartition("/")[2]
        if moved.get(name) == path and name in gone:
            yield gone[name][0], path, gone[name][1], after
        elif name not in moved or gone.get(name, ("", None))[0] != path:
            yield path, path, before, after


def _within(lines: list[str], room: int) -> list[str]:
    """Return the first lines that fit, and one that says how many more there were."""
    kept: list[str] = []
    for line in lines:
        room -= len(line.encode("utf-8", "surrogateescape")) + 1
        if room < 0:
            return [*kept, f"… and {len(lines) - len(kept)} more; the audit file has them all"]
        kept.append(line)
    return kept

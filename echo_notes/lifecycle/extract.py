"""`extract`: the durable statements of daily notes become facts; said again, or moved, they add nothing."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date
from typing import TYPE_CHECKING

from echo_notes.files.audit import AuditTrail
from echo_notes.files.change import Change, ChangeResult
from echo_notes.files.frontmatter import split
from echo_notes.files.layout import iter_daily
from echo_notes.files.markdown import iter_blocks
from echo_notes.files.textfile import load_text
from echo_notes.guard.durable import durable_statements
from echo_notes.guard.provenance import rank
from echo_notes.lifecycle.derive import ADDED, FAILED, Derivation, Origin, Row, Settled, take_proposal
from echo_notes.lifecycle.entities import load_entities
from echo_notes.lifecycle.notes import entry_digest
from echo_notes.lifecycle.opened import OpenVault
from echo_notes.lifecycle.remember import Batch
from echo_notes.lifecycle.runs import note_run
from echo_notes.model.dates import Span
from echo_notes.model.errors import EchoError, UnreadableError
from echo_notes.model.fact import CONSOLIDATED, MODEL_INFERRED, SCOPE_OWNER, USER_STATED

if TYPE_CHECKING:
    from echo_notes.lifecycle.llm.consult import Consultant
    from echo_notes.lifecycle.llm.notes import NoteReader

NAME = "extract"


@dataclass(frozen=True, slots=True)
class Extraction:
    """What one run did: the notes it read, what became of each statement, and the change that holds the facts."""

    notes: tuple[str, ...] = ()
    rows: tuple[Row, ...] = ()
    settled: Settled = field(default_factory=Settled)
    problems: tuple[EchoError, ...] = ()
    change: ChangeResult = field(default_factory=ChangeResult)

    @property
    def added(self) -> tuple[str, ...]:
        """The ids of the new facts."""
        return tuple(row.id for row in self.rows if row.outcome == ADDED)


def extract(opened: OpenVault, spans: Sequence[Span] = (), consultant: "Consultant | None" = None) -> Extraction:
    """Add the facts that the daily notes of these days state (none named: every daily note), in one change.

    Row by row: what is refused, ambiguous or in a file that cannot be read is reported, and the rest goes on.
    `consultant`: the language model, asked before the vault is locked.
    """
    days = [(day, path) for day, path in iter_daily(opened.root) if not spans or _is_in(day, spans)]
    if not days:
        note_run(opened, NAME)
        return Extraction()
    rows: list[Row] = []
    problems: list[EchoError] = []
    reader = _consult(opened, [path for _, path in days], consultant) if consultant else None
    with opened.change(NAME, actor=opened.pass_actor(NAME, CONSOLIDATED)) as change:
        derivation = Derivation.begin(opened, change, NAME)
        agents = _entries_by_agents(opened)
        for day, path in days:
            try:
                rows += _read_note(change, derivation, (day, path), agents, reader)
            except UnreadableError as error:
                problems.append(error)
        change.actor = opened.pass_actor(NAME, CONSOLIDATED)
        settled = derivation.settle()
        added = [row for row in rows if row.outcome == ADDED]
        change.subject = _subject(added)
        change.body = [f"{row.id} from {row.source}" for row in added]
    notes = tuple(path for _, path in days)
    note_run(opened, NAME)
    return Extraction(notes, tuple(rows), settled, tuple(problems), change.result)


def _consult(opened: OpenVault, paths: Sequence[str], consultant: "Consultant") -> "NoteReader":
    """Return the reader that has asked the model about these notes; one that cannot be read is told by the run."""
    from echo_notes.lifecycle.llm.notes import NoteReader

    texts = {}
    for path in paths:
        with suppress(EchoError, OSError):
            texts[path] = load_text(opened.root / path).text
    reader = NoteReader(consultant, opened.settings.categories)
    reader.read(texts, Batch(list(load_entities(opened))).names())
    return reader


def _read_note(
    change: Change,
    derivation: Derivation,
    note: tuple[date, str],
    agents: frozenset[str],
    reader: "NoteReader | None",
) -> Iterable[Row]:
    day, path = note
    source = change.read_text(path)
    if source is None:
        return ()
    opened = derivation.opened
    statements = durable_statements(source.text, derivation.names, categories=opened.settings.categories)
    proposals = list(reader.proposals(path, source.text)) if reader else []
    if not (statements or proposals):
        return ()
    written = _lines_by_agents(source.text, agents) if agents else frozenset()

    def origin(line: int) -> Origin:
        label = MODEL_INFERRED if line in written else CONSOLIDATED
        return Origin(label=label, day=day, scope=SCOPE_OWNER, source=f"{path}#L{line}")

    rows = []
    for statement in statements:
        try:
            rows.append(derivation.take(statement, origin(statement.line)))
        except UnreadableError as error:
            rows.append(Row(FAILED, statement.text, origin(statement.line).source, error=error))
    for line, proposed in proposals:
        row = take_proposal(derivation, proposed, origin(line), line=line)
        rows += [row] if row else []
    return rows


def _entries_by_agents(opened: OpenVault) -> frozenset[str]:
    """Return the digests of the note entries that programs wrote, and no person wrote as well."""
    by_agents: set[str] = set()
    by_people: set[str] = set()
    for line in AuditTrail(opened.root).iter_lines():
        if line["ok"] and line["digest"] and line.get("type") == "note":
            person = rank(str(line.get("provenance", ""))) >= rank(USER_STATED)
            (by_people if person else by_agents).add(line["digest"])
    return frozenset(by_agents - by_people)


def _lines_by_agents(text: str, agents: frozenset[str]) -> frozenset[int]:
    """Return the line numbers of the entries that are, word for word, what a program wrote.

    An entry that somebody changed by hand since is theirs.
    """
    front = split(text)
    found: set[int] = set()
    for block in iter_blocks(front.body, front.body_line):
        if entry_digest(block.text) in agents:
            found |= set(range(block.line, max(block.end, block.line) + 1))
    return frozenset(found)


def _is_in(day: date, spans: Sequence[Span]) -> bool:
    return any(span.start <= day < span.end for span in spans)


def _subject(added: Sequence[Row]) -> str:
    notes = sorted({row.source.partition("#")[0].rpartition("/")[2].removesuffix(".md") for row in added})
    count = f"{len(added)} {'fact' if len(added) == 1 else 'facts'}"
    where = notes[0] if len(notes) == 1 else f"{len(notes)} notes"
    return f"{NAME}: {count} from {where}"

"""`consolidate`: a session that has ended becomes an episode, and facts that each rest on a sentence of it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from echo_notes.files.change import Change, ChangeResult
from echo_notes.files.episodes import Episode, episode_name, format_episode
from echo_notes.files.jobs import MAX_TRIES, Job, claim_job, find_job, finish_job, iter_jobs, save_job, set_aside
from echo_notes.files.layout import EPISODES_DIR
from echo_notes.files.sessions import (
    USER,
    Message,
    Session,
    consolidated_through,
    hold_messages,
    load_session,
    trim_session,
)
from echo_notes.files.settle import no_step
from echo_notes.guard.durable import Statement, durable_statements
from echo_notes.guard.gate import Proposal
from echo_notes.index.embed import Embedder, EmbedderError, open_embedder
from echo_notes.lifecycle.derive import ADDED, REFUSED, Derivation, Origin, Row, Settled, take_proposal
from echo_notes.lifecycle.entities import load_entities
from echo_notes.lifecycle.opened import OpenVault
from echo_notes.lifecycle.remember import Batch
from echo_notes.lifecycle.runs import note_run
from echo_notes.lifecycle.summarise import (
    Reading,
    Sentence,
    choose,
    entities_of,
    link_entities,
    read_messages,
    render,
)
from echo_notes.model.errors import ConflictError, EchoError, GitFailedError, RefusedError, UnreadableError
from echo_notes.model.fact import CONSOLIDATED, MODEL_INFERRED

if TYPE_CHECKING:
    from echo_notes.lifecycle.llm.consult import Consultant
    from echo_notes.lifecycle.llm.session import Advice

NAME = "consolidate"
_SCANNED = frozenset(["invisible_unicode", "en_injection", "zh_injection", "secret"])


@dataclass(frozen=True, slots=True)
class Consolidated:
    """A session that was consolidated: its episode's path ("" where there is nothing to tell), its rows, its change."""

    key: str
    episode: str = ""
    rows: tuple[Row, ...] = ()
    settled: Settled = field(default_factory=Settled)
    change: ChangeResult = field(default_factory=ChangeResult)

    @property
    def added(self) -> tuple[str, ...]:
        """The ids of the new facts."""
        return tuple(row.id for row in self.rows if row.outcome == ADDED)


@dataclass(frozen=True, slots=True)
class Failed:
    """A session that could not be consolidated, why, and whether its job was set aside."""

    job: Job
    error: Exception
    aside: bool


@dataclass(frozen=True, slots=True)
class Consolidation:
    """What one run did: sessions consolidated, those that another process is at work on, and those that failed."""

    done: tuple[Consolidated, ...] = ()
    busy: tuple[str, ...] = ()
    failed: tuple[Failed, ...] = ()


def consolidate(opened: OpenVault, consultant: "Consultant | None" = None) -> Consolidation:
    """Work off the queue, a change for each session; what one cannot do stops no other.

    Safe to run twice at the same time, and to be killed at any instant: the next run goes on where this one was.
    `consultant`: the language model, asked before the vault is locked.
    """
    done: list[Consolidated] = []
    busy: list[str] = []
    failed: list[Failed] = []
    seen: set[tuple[str, str]] = set()
    # What was queued meanwhile is done too: the process that its session's end started may have found a lock held.
    while fresh := [job for job in iter_jobs(opened.layout) if (job.key, job.queued_at) not in seen]:
        for waiting in fresh:
            seen.add((waiting.key, waiting.queued_at))
            with claim_job(opened.layout, waiting.key) as mine:
                job = find_job(opened.layout, waiting.key)
                if not mine:
                    busy.append(waiting.key)
                elif job:
                    outcome = _attempt(opened, job, consultant)
                    done += [outcome] if isinstance(outcome, Consolidated) else []
                    failed += [outcome] if isinstance(outcome, Failed) else []
    note_run(opened, NAME)
    return Consolidation(tuple(done), tuple(busy), tuple(failed))


def _attempt(opened: OpenVault, job: Job, consultant: "Consultant | None") -> Consolidated | Failed:
    """Try a job. A try counts before it begins, so that one which kills the process is set aside as well."""
    advice = _consult(opened, job, consultant) if consultant and job.tries < MAX_TRIES else None
    if opened.writer.dry_run:
        return _consolidate(opened, job, advice)
    if job.tries >= MAX_TRIES:
        reason = job.reason or f"it was interrupted {job.tries} times"
        set_aside(opened.layout, replace(job, reason=reason))
        return Failed(job, ConflictError(reason, where=f"session {job.key}"), aside=True)
    counted = save_job(opened.layout, replace(job, tries=job.tries + 1))
    _step(opened, "counted")
    try:
        return _consolidate(opened, counted, advice)
    except (ConflictError, GitFailedError) as error:
        # The vault was busy, which is no fault of the session's.
        save_job(opened.layout, replace(job, reason=str(error)))
        return Failed(job, error, aside=False)
    except Exception as error:  # noqa: BLE001 - whatever one session does, the others go on
        reason = str(error) if isinstance(error, EchoError) else f"{type(error).__name__}: {error}"
        counted = save_job(opened.layout, replace(counted, reason=reason))
        aside = counted.tries >= MAX_TRIES
        if aside:
            set_aside(opened.layout, counted)
        return Failed(counted, error, aside=aside)


def _consult(opened: OpenVault, job: Job, consultant: "Consultant") -> "Advice | None":
    """Return what the model makes of the messages that wait; what goes wrong with it leaves them to the rules."""
    from echo_notes.lifecycle.llm.session import read_session

    try:
        session = load_session(opened.layout, job.key)
        pending = _pending(opened, session) if session else []
        names = Batch(list(load_entities(opened))).names() if pending else {}
        return read_session(consultant, pending, names, opened.settings.categories) if pending else None
    except EchoError:
        return None  # told by the try that follows


def _pending(opened: OpenVault, session: Session) -> list[Message]:
    before = consolidated_through(opened.root, session)
    return [message for message in session.messages if message.number > before]


def _consolidate(opened: OpenVault, job: Job, advice: "Advice | None") -> Consolidated:
    layout = opened.layout
    through = 0
    refused: list[tuple[Message, str]] = []
    with opened.change(NAME, actor=opened.pass_actor(NAME, CONSOLIDATED)) as change:
        # Read under the lock, where an interrupted change has just been finished or rolled back.
        session = load_session(layout, job.key)
        done = Consolidated(job.key)
        if session:
            through = session.messages[-1].number if session.messages else 0
            pending = _pending(opened, session)
            if advice and tuple(pending[: len(advice.messages)]) == advice.messages:
                # What came in while the model was at work waits for the next run, so that the model reads it too.
                pending = list(advice.messages)
                through = pending[-1].number
            else:
                advice = None
            if pending:
                done = _Run(opened, change, session, pending, refused, advice).plan()
        if refused and not opened.writer.dry_run:
            # Before the commit: afterwards these messages count as consolidated.
            hold_messages(layout, job.key, refused)
            _step(opened, "held")
    done = replace(done, change=change.result)
    if opened.writer.dry_run:
        return done
    _step(opened, "committed")
    rest = trim_session(layout, job.key, through=through) if session else 0
    _step(opened, "trimmed")
    finish_job(layout, job, more=rest > 0)
    return done


@dataclass(slots=True)
class _Run:
    """The planning of one session's change. `refused` collects the messages that the scan turned down.

    `advice`: what a language model made of exactly these messages.
    """

    opened: OpenVault
    change: Change
    session: Session
    pending: Sequence[Message]
    refused: list[tuple[Message, str]]
    advice: "Advice | None" = None
    turned_down: list[tuple[Message, RefusedError]] = field(default_factory=list)

    def plan(self) -> Consolidated:
        derivation = Derivation.begin(self.opened, self.change, NAME)
        names = derivation.names
        reading = read_messages(self.pending, names, self.opened.settings.categories, _embedder(self.opened))
        wrong = [(one, said.source) for one, said in reading.statements if derivation.is_judged_wrong(said)]
        chosen = choose(reading.sentences, lambda sentence: not _repeats(sentence, wrong) and self._may_tell(sentence))
        worded = self._worded(derivation)
        path = self._episode_path() if chosen or worded else ""
        rows = [
            self._take(derivation, message, statement, path)
            for message, statement in reading.statements
        ]  # fmt: skip
        rows += self._proposed(derivation, reading, path)
        self.change.actor = self.opened.pass_actor(NAME, CONSOLIDATED)
        rows += self._withheld()
        settled = derivation.settle()
        if path:
            refs = [str(entity.ref) for entity in entities_of(reading.sentences)]
            refs += [row.entity for row in rows if row.entity]
            labels = set() if worded else {_label(sentence.message) for sentence in chosen}
            summary = worded or render(chosen, names)
            label = CONSOLIDATED if CONSOLIDATED in labels else MODEL_INFERRED
            self._put_episode(path, reading, summary, label, tuple(dict.fromkeys(refs)))
        done = Consolidated(self.session.key, path, tuple(rows), settled)
        count = len(done.added)
        self.change.subject = f"{NAME}: {self.session.key}: {count} {'fact' if count == 1 else 'facts'}"
        self.change.body = [*([path] if path else []), *done.added, *_settled_lines(settled)]
        return done

    def _take(self, derivation: Derivation, message: Message, statement: Statement, path: str) -> Row:
        row = derivation.take(statement, self._origin(message, path))
        if isinstance(row.error, UnreadableError):
            raise row.error
        self._note_refusal(message, row.error)
        return row

    def _worded(self, derivation: Derivation) -> str:
        """Return the model's summary as Markdown, "" where there is none that the gate lets pass."""
        lines = []
        names = derivation.names
        self.change.actor = self.opened.pass_actor(NAME, MODEL_INFERRED)
        target = f"a model's sentence on session {self.session.key}"
        for line in self.advice.lines if self.advice else ():
            if any(derivation.is_judged_wrong(said) for said in durable_statements(line, names)):
                continue
            try:
                self.change.check(Proposal(op=NAME, target=target, texts={"sentence": line}))
            except RefusedError as error:
                self.change.pass_over(error)
                continue
            lines.append(f"- {link_entities(line, names)}")
        return "\n".join(lines)

    def _proposed(self, derivation: Derivation, reading: Reading, path: str) -> Iterator[Row]:
        """Yield what became of the facts that a model proposes and the rules did not see; what is refused is no row."""
        messages = {message.number: message for message in self.pending}
        ruled = {(message.number, statement.source) for message, statement in reading.statements}
        for one in self.advice.proposals if self.advice else ():
            if (one.source, one.quote) in ruled:
                continue
            row = take_proposal(derivation, one, self._origin(messages[one.source], path))
            if row:
                yield row

    def _origin(self, message: Message, path: str) -> Origin:
        at = message.at or self.opened.now
        return Origin(
            label=_label(message), day=at.astimezone(self.opened.now.tzinfo).date(), scope=self.session.scope,
            source=self._source(message), session=self.session.key, episode=path,
            importance=0.5 if message.importance is None else message.importance,
        )  # fmt: skip

    def _may_tell(self, sentence: Sentence) -> bool:
        """Return whether the gate lets a sentence into the summary; its refusal is recorded after those of facts."""
        self.change.actor = self.opened.pass_actor(NAME, _label(sentence.message))
        target = f"a sentence of session {self.session.key}"
        try:
            self.change.check(Proposal(op=NAME, target=target, texts={"sentence": sentence.text}))
        except RefusedError as error:
            self.turned_down.append((sentence.message, error))
            return False
        return True

    def _withheld(self) -> Iterator[Row]:
        """Record the refusals of sentences that are no fact's; yield those that are news."""
        for message, error in self.turned_down:
            self.change.actor = self.opened.pass_actor(NAME, _label(message))
            self._note_refusal(message, error)
            if self.change.pass_over(error):
                yield Row(REFUSED, error.text, self._source(message), error=error)

    def _source(self, message: Message) -> str:
        return f"session:{self.session.key}#{message.number}"

    def _note_refusal(self, message: Message, error: EchoError | None) -> None:
        held = any(known.number == message.number for known, _ in self.refused)
        if isinstance(error, RefusedError) and error.reason in _SCANNED and not held:
            self.refused.append((message, error.reason))

    def _episode_path(self) -> str:
        folder = self.opened.root / EPISODES_DIR
        taken = {path.name for path in folder.iterdir()} if folder.is_dir() else set()
        at = self.pending[-1].at or self.opened.now
        day = at.astimezone(self.opened.now.tzinfo).date()
        return f"{EPISODES_DIR}/{episode_name(day, self.session.key, taken)}"

    def _put_episode(self, path: str, reading: Reading, summary: str, label: str, refs: tuple[str, ...]) -> None:
        episode = Episode(
            session_key=self.session.key, summary=summary, range_start=self.pending[0].number,
            range_end=self.pending[-1].number, entity_ids=refs, importance=reading.importance,
            created_at=self.pending[-1].at or self.opened.now, path=path,
        )  # fmt: skip
        self.change.actor = self.opened.pass_actor(NAME, label)
        proposal = Proposal(op=NAME, target=path, texts={"summary": summary, "session": self.session.key})
        self.change.put(path, format_episode(episode).encode(), proposal, kind="episode")


def _embedder(opened: OpenVault) -> Embedder | None:
    """Return the embedder if it is quick; nobody is to wait for a summary under the vault's lock."""
    try:
        found = open_embedder(opened.settings, None)
    except EmbedderError:
        return None
    return found if found and found.quick else None


def _label(message: Message) -> str:
    """Return the most that a message may rank: as the person's words, said in their own shell, or as a program's."""
    return CONSOLIDATED if message.role == USER and not message.agent else MODEL_INFERRED


def _repeats(sentence: Sentence, wrong: Sequence[tuple[Message, str]]) -> bool:
    """Return whether a sentence is, or is part of, one of these statements of its message."""
    return any(message is sentence.message and sentence.text.strip() in source for message, source in wrong)


def _settled_lines(settled: Settled) -> Iterator[str]:
    for one in settled.retired:
        yield f"{one.loser.id} -> {one.winner.id} ({one.reason})"
    for pair in settled.undecided:
        yield f"{pair[0]} or {pair[1]}: left for review"


def refusals(rows: Sequence[Row]) -> tuple[Row, ...]:
    """Return the rows that the gate refused now and had not refused before."""
    return tuple(row for row in rows if row.outcome == REFUSED and row.fresh)


def _step(opened: OpenVault, name: str) -> None:
    (opened.step or no_step)(name)

"""`synthesize`: what an entity's facts say now, rewritten into its summary, and what they contradict superseded."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date

from echo_notes.files.change import ChangeResult
from echo_notes.guard.gate import Proposal
from echo_notes.guard.provenance import Standing
from echo_notes.lifecycle.book import Book
from echo_notes.lifecycle.contradict import Judgement, Retirement, plan_retirement, plan_undecided
from echo_notes.lifecycle.llm.consult import Consultant
from echo_notes.lifecycle.llm.pairs import Verifier
from echo_notes.lifecycle.opened import OpenVault
from echo_notes.lifecycle.runs import note_run
from echo_notes.model.entity import Entity
from echo_notes.model.errors import EchoError, RefusedError
from echo_notes.model.fact import CONSOLIDATED, SCOPE_OWNER, Fact


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What to synthesize: these entities (none: all), only what is new since a day, and the week's file or not."""

    entities: tuple[str, ...] = ()
    since: date | None = None
    weekly: bool = False


@dataclass(frozen=True, slots=True)
class Held:
    """An entity that is left as it is because too much of it would be retired: what, and out of how many facts."""

    entity: str
    retirements: tuple[Retirement, ...]
    active: int


@dataclass(frozen=True, slots=True)
class Rewritten:
    """A summary with a new region. `moved`: a hand edit inside the old one was moved below it; `made`: a new file."""

    entity: str
    path: str
    moved: bool = False
    made: bool = False


@dataclass(frozen=True, slots=True)
class Synthesis:
    """What one run did, what it left for a person, and what it could not do; the change holds all of it."""

    summaries: tuple[Rewritten, ...] = ()
    retired: tuple[Retirement, ...] = ()
    undecided: tuple[tuple[str, str], ...] = ()
    weekly: tuple[str, ...] = ()
    held: tuple[Held, ...] = ()
    problems: tuple[EchoError, ...] = ()
    change: ChangeResult = field(default_factory=ChangeResult)


def synthesize(
    opened: OpenVault,
    request: Request,
    *,
    may_retire: Callable[[Held], bool] | None = None,
    consultant: Consultant | None = None,
) -> Synthesis:
    """Bring summaries up to date in one change, none at all if they are.

    `may_retire` is asked, before the vault is locked, about each entity that would lose more than its share of facts;
    without it such an entity is held. An entity whose files cannot be read or written is a problem, the others go on.
    `consultant`: the language model, asked before the vault is locked.
    """
    if opened.writer.agent and opened.writer.scope not in {None, SCOPE_OWNER}:
        raise RefusedError(
            f"refused to synthesize: summaries are outside the scope {opened.writer.scope!r}",
            reason="scope", op="synthesize", target="summaries", fix="Run it without --scope.",
        )  # fmt: skip
    book = Book.load(opened, consultant)
    verify = Verifier(consultant) if consultant else None
    chosen = book.choose(request.entities, request.since)
    allowed: set[str] = set()
    held: dict[str, Held] = {}
    work = []
    outside = opened.change("synthesize")
    for entity in chosen:
        judgement = _judge(book, entity, outside.standing_of, verify)
        if judgement.exceeds(opened.settings.supersede_share):
            too_much = Held(str(entity.ref), judgement.retirements, judgement.candidates)
            if may_retire is None or not may_retire(too_much):
                held[too_much.entity] = too_much
            else:
                allowed.add(too_much.entity)
        is_held = str(entity.ref) in held
        if verify:
            verify.conclude(held=is_held)
        if is_held:
            continue
        if judgement.retirements or judgement.undecided:
            work.append(entity)
            book.foresee(entity, judgement)
    stale = list(_find_stale(book, [entity for entity in chosen if str(entity.ref) not in held]))
    plan = _Plan(book, work, stale, request.weekly and bool(book.weeks(book.on_disk)), allowed, held, verify)
    if work or stale or plan.weekly:
        done = _write(opened, plan)
    else:
        done = Synthesis(held=tuple(held.values()), problems=_distinct(book.problems))
    if request.weekly:
        note_run(opened, "synthesize")
    return done


def _judge(book: Book, entity: Entity, standing_of: Callable[[Fact], Standing], verify: Verifier | None) -> Judgement:
    """Judge an entity as it is on disk; once more if the model suspects a conflict where the rules saw none."""
    judgement = book.judge(entity, standing_of, book.on_disk, verify=verify)
    return book.judge(entity, standing_of, book.on_disk, verify=verify) if verify and verify.ask() else judgement


def _find_stale(book: Book, entities: Sequence[Entity]) -> Iterator[Entity]:
    """Yield the entities whose summaries are not as they should be, once the model has been asked for sentences."""
    for entity in entities:
        if book.overviews.consultant:
            book.overviews.ask(entity, book.shown(entity))
        with book.noting():
            if book.draft(entity, book.on_disk):
                yield entity


@dataclass(frozen=True, slots=True)
class _Plan:
    """What a look at the vault, before it was locked, found to do."""

    book: Book
    work: Sequence[Entity]
    stale: Sequence[Entity]
    weekly: bool
    allowed: set[str]
    held: dict[str, Held]
    verify: Verifier | None = None


def _write(opened: OpenVault, plan: _Plan) -> Synthesis:
    """Do what was found to do, under the lock and on the bytes as they are then."""
    book, held = plan.book, plan.held
    retired: list[Retirement] = []
    undecided: list[tuple[str, str]] = []
    summaries: list[Rewritten] = []
    weekly: list[str] = []
    actor = opened.pass_actor("synthesize", CONSOLIDATED)
    with opened.change("synthesize", actor=actor) as change:
        book.read_review(change.read)
        for entity in dict.fromkeys([*plan.work, *plan.stale]):
            book.read_facts(entity, change.read)
        for entity in plan.work:
            judgement = book.judge(entity, change.standing_of, change.read, verify=plan.verify)
            too_much = judgement.exceeds(opened.settings.supersede_share)
            if too_much and str(entity.ref) not in plan.allowed:
                held[str(entity.ref)] = Held(str(entity.ref), judgement.retirements, judgement.candidates)
                continue
            for one in judgement.retirements:
                with book.noting():
                    plan_retirement(change, opened, entity, one)
                    retired.append(one)
            change.actor = actor
            with book.noting():
                plan_undecided(change, judgement.undecided)
                undecided += [(one.one.id, one.other.id) for one in judgement.undecided]
            book.read_facts(entity, change.read)
        book.read_review(change.read)
        for entity in plan.stale:
            with book.noting():
                draft = None if str(entity.ref) in held else book.draft(entity, change.read)
                if draft:
                    proposal = Proposal(op="synthesize", target=draft.path, texts={"summary": draft.region})
                    change.put(draft.path, draft.data, proposal, kind="summary")
                    summaries.append(Rewritten(str(entity.ref), draft.path, moved=draft.moved, made=draft.made))
        for week in book.weeks(change.read) if plan.weekly else ():
            with book.noting():
                proposal = Proposal(op="synthesize", target=week.path, texts={"week": week.text})
                change.put(week.path, week.data, proposal, kind="weekly")
                weekly.append(week.path)
        change.subject = _subject(summaries, retired, weekly)
        change.body = _body(summaries, retired, undecided)
    return Synthesis(
        summaries=tuple(summaries), retired=tuple(retired), undecided=tuple(undecided), weekly=tuple(weekly),
        held=tuple(held.values()), problems=_distinct(book.problems), change=change.result,
    )  # fmt: skip


def _subject(summaries: Sequence[Rewritten], retired: Sequence[Retirement], weekly: Sequence[str]) -> str:
    entities = {done.entity for done in summaries} | {str(one.loser.entity) for one in retired}
    count = f"{len(entities)} {'entity' if len(entities) == 1 else 'entities'}"
    weeks = [path.rpartition("/")[2].removesuffix(".md") for path in weekly]
    named = [weeks[0]] if len(weeks) == 1 else [f"{weeks[0]} to {weeks[-1]}"] if weeks else []
    return f"synthesize: {', '.join([*([count] if entities or not weeks else []), *named])}"


def _body(
    summaries: Sequence[Rewritten], retired: Sequence[Retirement], undecided: Sequence[tuple[str, str]]
) -> list[str]:
    moved = {done.entity for done in summaries if done.moved}
    return [
        *(f"{one.loser.id} -> {one.winner.id} ({one.reason})" for one in retired),
        *(f"{one} or {other}: left for review" for one, other in undecided),
        *(f"{name}: what was edited by hand in the region stands below it" for name in sorted(moved)),
        *(done.entity for done in summaries if not done.moved),
    ]


def _distinct(problems: Sequence[EchoError]) -> tuple[EchoError, ...]:
    return tuple({str(problem): problem for problem in problems}.values())

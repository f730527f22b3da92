"""`reflect`: what a person keeps saying becomes proposed lines of MEMORY.md; they wait for that person's yes."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta

from echo_notes.files.change import Change, ChangeResult
from echo_notes.files.layout import MEMORY, REVIEW, TOPICS_DIR
from echo_notes.files.markdown import links
from echo_notes.files.review import HELD, HeldWrite, Review, held_record, held_write
from echo_notes.files.templates import load_template
from echo_notes.files.textfile import decode_text, dump_text
from echo_notes.guard.gate import Proposal
from echo_notes.guard.lessons import section_for
from echo_notes.lifecycle.held import LEARN, held_id
from echo_notes.lifecycle.notes import add_line
from echo_notes.lifecycle.opened import OpenVault
from echo_notes.lifecycle.repeated import Repeated, gather, says
from echo_notes.lifecycle.runs import note_run, require_owner
from echo_notes.model.errors import EchoError, RefusedError
from echo_notes.model.fact import CONSOLIDATED

NAME = "reflect"
RECENT = timedelta(days=60)
_MOST = 8
"""Lines proposed in one run: more would not be read."""
_BULLET = len("- \n")


@dataclass(frozen=True, slots=True)
class Proposed:
    """A line of MEMORY.md that waits in review.json: its entry, section, and where it was said (paths, fact ids)."""

    id: str
    text: str
    section: str
    days: int
    evidence: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reflection:
    """What one run proposed and put in order, what did not fit, and what a person should look at."""

    proposed: tuple[Proposed, ...] = ()
    listed: tuple[str, ...] = ()
    dangling: tuple[str, ...] = ()
    no_room: tuple[str, ...] = ()
    problems: tuple[EchoError, ...] = ()
    change: ChangeResult = field(default_factory=ChangeResult)


def reflect(opened: OpenVault, since: date | None = None) -> Reflection:
    """Propose what was said on several days since then, and list topic notes that MEMORY.md does not; in one change.

    Nothing is proposed that MEMORY.md or a topic note says, or that was proposed before, whatever became of it; nor
    more than fits into `context.memoryBudget`. Words are the person's own.
    """
    require_owner(opened, NAME, "MEMORY.md and notes")
    problems: list[EchoError] = []
    found = gather(opened, since or opened.today - RECENT, problems)
    topics = _topics(opened, problems)
    proposed: list[Proposed] = []
    no_room: list[str] = []
    listed: list[str] = []
    with opened.change(NAME, actor=opened.pass_actor(NAME, CONSOLIDATED)) as change:
        memory = change.read_text(MEMORY)
        text = memory.text if memory else ""
        missing, dangling = _index_of(text, topics)
        if missing:
            listed = _plan_index(change, missing)
        _plan_lines(change, opened, found, [text, *topics.values()], (proposed, no_room))
        change.subject = _subject(proposed, listed)
        change.body = [f"{one.id}: {', '.join(one.evidence)}" for one in proposed]
    note_run(opened, NAME)
    return Reflection(
        proposed=tuple(proposed), listed=tuple(listed), dangling=dangling, no_room=tuple(no_room),
        problems=tuple(problems), change=change.result,
    )  # fmt: skip


def _plan_lines(
    change: Change,
    opened: OpenVault,
    found: Iterable[Repeated],
    known: Sequence[str],
    out: tuple[list[Proposed], list[str]],
) -> None:
    """Plan an entry of review.json for each line that is new and fits; `out`: those, and the lines without room."""
    proposed, no_room = out
    review = Review.parse(change.read(REVIEW))
    earlier = [
        (entry, write) for entry in review.entries if entry.kind == HELD and (write := held_write(entry)).op == LEARN
    ]
    memory = change.read_text(MEMORY)
    text = memory.text if memory else load_template(MEMORY)
    room = opened.settings.memory_budget - len(text)
    room -= sum(len(write.text) + _BULLET for entry, write in earlier if entry.is_open)
    headings = _headings(text)
    said = [*known, *(write.text for _, write in earlier)]
    for one in found:
        if len(proposed) == _MOST:
            break
        if any(says(line, one) for body in said for line in body.splitlines()):
            continue
        if len(one.text) + _BULLET > room:
            no_room.append(one.text)
            continue
        section = section_for(one.kind, one.text, headings)
        if entry_id := _propose(change, one, section):
            room -= len(one.text) + _BULLET
            proposed.append(Proposed(entry_id, one.text, section, one.days, one.evidence))


def _propose(change: Change, one: Repeated, section: str) -> str:
    """Plan one entry and return its id, "" where the gate will not have the text."""
    write = HeldWrite(
        op=LEARN, text=one.text, section=section, reason=f"said on {one.days} days", path=f"pass.{NAME}",
        provenance=change.actor.label,
    )  # fmt: skip
    review = Review.parse(change.read(REVIEW))
    entry_id = held_id(write)
    record = held_record(write, entry_id=entry_id, created_at=change.stamp())
    record["evidence"] = list(one.evidence)
    try:
        texts = {"line": one.text, "section": section}
        change.put(REVIEW, review.add(record).dump(), Proposal(op="hold", target=MEMORY, texts=texts), kind="review")
    except RefusedError:
        return ""  # a hand-written line that the scan objects to; `recall` shows it flagged
    return entry_id


def _topics(opened: OpenVault, problems: list[EchoError]) -> dict[str, str]:
    """Return the text of every topic note by path."""
    topics: dict[str, str] = {}
    folder = opened.root / TOPICS_DIR
    for path in sorted(folder.glob("*.md")) if folder.is_dir() else ():
        relative = opened.layout.relative(path)
        try:
            topics[relative] = decode_text(path.read_bytes(), relative).text
        except EchoError as error:
            problems.append(error)
    return topics


def _index_of(memory: str, topics: dict[str, str]) -> tuple[dict[str, str], tuple[str, ...]]:
    """Return the topic notes that MEMORY.md links to nowhere (path → title), and its links to topics that are gone."""
    targets = {target.partition("#")[0].removesuffix(".md").strip("/ ") for target in links(memory)}
    stems = {path: path.removesuffix(".md") for path in topics}
    missing = {
        path: _title(topics[path], stem.rpartition("/")[2])
        for path, stem in stems.items()
        if stem not in memory and not targets & {stem, stem.removeprefix("memory/"), stem.rpartition("/")[2]}
    }
    gone = [target for target in targets if target.startswith(f"{TOPICS_DIR}/") and target not in stems.values()]
    return missing, tuple(sorted(gone))


def _plan_index(change: Change, missing: dict[str, str]) -> list[str]:
    """Plan a line of MEMORY.md for each of these topic notes, as `learn --topic` writes it."""
    listed = []
    for path, title in missing.items():
        before = change.read_text(MEMORY)
        text = before.text if before else load_template(MEMORY)
        after = add_line(text, f"[[{path.removesuffix('.md')}|{title}]]", "Topics")
        data = dump_text(after, bom=before.bom if before else False)
        try:
            change.put(MEMORY, data, Proposal(op=NAME, target=MEMORY, texts={"topic": title}))
        except RefusedError:
            continue
        listed.append(path)
    return listed


def _title(text: str, fallback: str) -> str:
    heading = next((line[2:].strip() for line in text.splitlines() if line.startswith("# ")), "")
    plain = heading.replace("[[", "").replace("]]", "").replace("|", " ")
    return " ".join(plain.split())[:80] or fallback


def _headings(text: str) -> list[str]:
    return [line.lstrip("#").strip() for line in text.splitlines() if line.startswith("#")]


def _subject(proposed: Sequence[Proposed], listed: Sequence[str]) -> str:
    parts = []
    if proposed:
        parts.append(f"{len(proposed)} {'line' if len(proposed) == 1 else 'lines'} proposed")
    if listed:
        parts.append(f"{len(listed)} {'topic' if len(listed) == 1 else 'topics'} listed")
    return f"reflect: {', '.join(parts)}"

"""What points at an entity from elsewhere: followed to its new place in what the program wrote, reported in prose."""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from echo_notes.files.change import Change, FactLine
from echo_notes.files.frontmatter import splice, split
from echo_notes.files.items import REMOVE, ItemsFile
from echo_notes.files.layout import AREAS, EPISODES_DIR, MARKER, REVIEW, SUMMARY
from echo_notes.files.summary import parse_summary, replace_region
from echo_notes.files.textfile import TextFile, dump_text
from echo_notes.guard.gate import Proposal
from echo_notes.guard.rejected import REINSTATED, WRONG, Claim, Decision, find_rejection
from echo_notes.lifecycle.facts import traits_of
from echo_notes.lifecycle.opened import OpenVault
from echo_notes.model.entity import Entity, EntityRef
from echo_notes.model.errors import EchoError
from echo_notes.model.fact import Fact


@dataclass(frozen=True, slots=True)
class Link:
    """A place in a person's own text that names an entity by its path."""

    path: str
    line: int
    text: str


@dataclass(frozen=True, slots=True)
class Move:
    """An entity that goes from one ref to another. `paths`: the vault's files after the move, relative."""

    old: Entity
    new: Entity
    op: str
    paths: Sequence[str]
    rewrite_links: bool = False

    @property
    def is_same_place(self) -> bool:
        """Whether nothing that points at the entity has to follow it."""
        return self.old.ref == self.new.ref


@dataclass(frozen=True, slots=True)
class Followed:
    """What became of the references: facts whose edges follow, links left in prose, and files passed over."""

    facts: tuple[str, ...]
    links: tuple[Link, ...]
    problems: tuple[str, ...]


def follow(change: Change, opened: OpenVault, move: Move) -> Followed:
    """Plan every reference that follows an entity: edges, generated regions, episodes, review, owner, decisions.

    A file that cannot be read is passed over and named.
    """
    facts: list[str] = []
    links: list[Link] = []
    problems: list[str] = []
    if move.is_same_place and move.old.name == move.new.name:
        return Followed((), (), ())
    for path in sorted(move.paths):
        try:
            if path.endswith(".json"):
                if move.is_same_place:
                    continue
                facts += _follow_edges(change, path, move)
            else:
                links += _follow_links(change, path, move)
        except EchoError as error:
            if error.exit_code != _UNREADABLE:
                raise
            problems.append(str(error).splitlines()[0])
    if move.is_same_place:
        return Followed((), (), tuple(problems))
    _follow_review(change, move)
    _follow_owner(change, opened, move)
    _carry_decisions(change, move)
    return Followed(tuple(facts), tuple(links), tuple(problems))


_UNREADABLE = 6


def edit_fact(change: Change, items: ItemsFile, fact: Fact, changes: dict[str, object], op: str) -> ItemsFile:
    """Return a fact file with one fact changed, if the gate lets this writer touch it; the caller plans the file."""
    change.check(Proposal(op=op, target=fact.id, standing=change.standing_of(fact), traits=traits_of(fact)))
    return items.set(fact.id, changes)


def moved_edges(fact: Fact, old: EntityRef, new: EntityRef) -> tuple[str, ...]:
    """Return a fact's edges with one end moved: each once, and none to the fact's own entity."""
    moved = (str(new) if ref == str(old) else ref for ref in fact.related)
    return tuple(ref for ref in dict.fromkeys(moved) if ref != str(fact.entity))


def _follow_edges(change: Change, path: str, move: Move) -> Iterator[str]:
    raw = change.read(path)
    needle = json.dumps(str(move.old.ref), ensure_ascii=False)[1:-1].encode()
    escaped = json.dumps(str(move.old.ref))[1:-1].encode()
    if raw is None or (needle not in raw and escaped not in raw):
        return
    parts = path.split("/")
    ref = EntityRef(parts[-3], parts[-2]) if len(parts) > 2 else EntityRef("", "")  # noqa: PLR2004 - kind, slug, file
    items = change.items(path, ref)
    lines = []
    for fact in items.facts:
        wanted = moved_edges(fact, move.old.ref, move.new.ref)
        if wanted == fact.related:
            continue
        label = change.keep_label(fact)
        items = edit_fact(change, items, fact, {"relatedEntities": list(wanted) or REMOVE}, move.op)
        lines.append(FactLine(items.get(fact.id), label))
    if lines:
        change.put_facts(path, items.dump(), move.op, lines)
    yield from (line.fact.id for line in lines)


def _follow_links(change: Change, path: str, move: Move) -> Iterable[Link]:
    raw = change.read(path)
    if raw is None or str(move.old.ref).encode() not in raw:
        return ()
    source = change.read_text(path)
    if source is None:
        return ()
    text = source.text
    pattern = link_pattern(move.old.ref)
    if path.startswith(f"{EPISODES_DIR}/"):
        text = _with_episode_ids(text, move)
    if path.endswith(f"/{SUMMARY}"):
        text = _with_region(text, path, pattern, move)
    links = tuple(_links_in(text, path, pattern))
    if move.rewrite_links:
        text = pattern.sub(lambda match: f"{match[1]}{match[2]}{move.new.ref}", text)
    _plan_text(change, source, path, text, move.op)
    return links


def link_pattern(ref: EntityRef) -> re.Pattern[str]:
    """Return the pattern of a link, wiki or Markdown, that names an entity by `kind/slug`, however long its path."""
    return re.compile(rf"(\[\[|\]\(<?(?:\.{{0,2}}/)*)((?:{AREAS}/|life/)?){re.escape(str(ref))}(?=[/|\]#)>])")


def _links_in(text: str, path: str, pattern: re.Pattern[str]) -> Iterator[Link]:
    summary = parse_summary(text) if path.endswith(f"/{SUMMARY}") else None
    inside = range(0)
    if summary and summary.region is not None and summary.region_digest_ok:
        inside = range(summary.region_line, summary.region_line + summary.region.count("\n") + 1)
    for number, line in enumerate(text.split("\n"), 1):
        if number not in inside and pattern.search(line):
            yield Link(path, number, line.strip())


def _with_region(text: str, path: str, pattern: re.Pattern[str], move: Move) -> str:
    summary = parse_summary(text)
    if summary.region is None or not summary.region_digest_ok or not pattern.search(summary.region):
        return text
    region = pattern.sub(lambda match: f"{match[1]}{match[2]}{move.new.ref}", summary.region)
    region = region.replace(f"{move.new.ref}/summary|{move.old.name}]]", f"{move.new.ref}/summary|{move.new.name}]]")
    return replace_region(text, region, path=path)[0]


def _with_episode_ids(text: str, move: Move) -> str:
    front = split(text)
    ids = front.words("entityIds")
    if str(move.old.ref) not in ids or front.problem:
        return text
    moved = dict.fromkeys(str(move.new.ref) if ref == str(move.old.ref) else ref for ref in ids)
    return splice(text, {"entityIds": list(moved)})


def _plan_text(change: Change, source: TextFile, path: str, text: str, op: str) -> None:
    if text != source.text:
        change.put(path, dump_text(text, bom=source.bom), Proposal(op=op, target=path))


def _follow_review(change: Change, move: Move) -> None:
    """Plan review.json with the ref replaced wherever it is a whole value; one that is no JSON is left alone."""
    raw = change.read(REVIEW)
    if raw is None:
        return
    try:
        json.loads(raw)
    except ValueError:
        return
    after = raw
    for escape in (True, False):
        old, new = (json.dumps(str(ref), ensure_ascii=escape).encode() for ref in (move.old.ref, move.new.ref))
        after = after.replace(old, new)
    if after != raw:
        change.put(REVIEW, after, Proposal(op=move.op, target=REVIEW))


def _follow_owner(change: Change, opened: OpenVault, move: Move) -> None:
    if opened.settings.owner != str(move.old.ref):
        return
    from echo_notes.files.config import set_value

    source = change.read_text(MARKER)
    if source is not None:
        text = set_value(source.text, "owner", str(move.new.ref))
        _plan_text(change, source, MARKER, text, move.op)


def _carry_decisions(change: Change, move: Move) -> None:
    """Plan each judgement that holds about the old ref once more for the new one, so that what was wrong stays wrong.

    One that the new ref overruled later, or has itself, is not carried.
    """
    old, new = str(move.old.ref), str(move.new.ref)
    for decision in change.decisions():
        if decision.entity != old or decision.verdict != WRONG:
            continue
        carried = replace(decision, entity=new)
        claims = [Claim(ref, decision.key, decision.value, decision.statement) for ref in (old, new)]
        known = change.decisions()
        holds, there = (find_rejection(claim, known) for claim in claims)
        if holds and not there and not _overruled(carried, known):
            change.decide(carried)


def _overruled(carried: Decision, known: Iterable[Decision]) -> bool:
    """Return whether the same statement or value was found right, for the same entity, after it was judged wrong."""
    for decision in known:
        if decision.entity != carried.entity or decision.verdict != REINSTATED or decision.at < carried.at:
            continue
        same_value = carried.value and (decision.key, decision.value) == (carried.key, carried.value)
        if same_value or (carried.statement and decision.statement == carried.statement):
            return True
    return False

"""`check` of the fact files: odd records, ids that are claimed twice, links that lead nowhere or in circles."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from echo_notes.files.item_problems import Problem
from echo_notes.files.items import ItemsFile
from echo_notes.files.layout import ARCHIVE, ITEMS
from echo_notes.files.records import find_field, record_id, standard_record
from echo_notes.lifecycle.facts import load_items
from echo_notes.lifecycle.findings import ERROR, INFO, WARNING, Finding, unreadable
from echo_notes.lifecycle.opened import OpenVault
from echo_notes.lifecycle.repairs import repairs_of
from echo_notes.model.entity import Entity
from echo_notes.model.errors import EchoError
from echo_notes.model.fact import ACTIVE, SUPERSEDED, Fact


@dataclass(frozen=True, slots=True)
class FactFile:
    """One readable fact file, and whose it is."""

    entity: Entity
    path: str
    items: ItemsFile

    @property
    def unwraps(self) -> bool:
        """Whether the list of facts stands in an object that holds nothing else."""
        import json

        whole = json.loads(self.items.dump().decode("utf-8-sig") or "[]")
        return isinstance(whole, dict) and len(whole) == 1


@dataclass(frozen=True, slots=True)
class Claims:
    """Who has which id: the first fact that states it, and each further one with its file and number in it.

    `former`: facts by an id they once had. `circles`: for a fact whose links lead back to it, the ids on the way.
    """

    first: Mapping[str, Fact]
    further: tuple[tuple[FactFile, int, Fact], ...]
    former: Mapping[str, Fact]
    circles: Mapping[str, tuple[str, ...]]


def load_fact_files(opened: OpenVault, entities: Iterable[Entity]) -> tuple[list[FactFile], list[Finding]]:
    """Return every fact file that can be read, and a finding for each that cannot."""
    files: list[FactFile] = []
    findings: list[Finding] = []
    for entity in entities:
        for name in (ITEMS, ARCHIVE):
            path = f"{entity.folder}/{name}"
            if not (opened.root / path).exists():
                continue
            try:
                files.append(FactFile(entity, path, load_items(opened, path, entity.ref)))
            except EchoError as error:
                findings.append(unreadable(error, path))
            except OSError as error:
                reason = (error.strerror or "cannot be read").lower()
                findings.append(Finding(severity=ERROR, path=path, code="unreadable", message=reason, status=6))
    return files, findings


def find_claims(files: Sequence[FactFile]) -> Claims:
    """Return who has which id; an id belongs first to the entity whose folder it names, else to the first in order."""
    ordered = [(file, number, fact) for file in files for number, fact in enumerate(file.items.facts) if _stated(fact)]
    ordered.sort(
        key=lambda row: (row[2].id.rpartition("-")[0] != row[0].entity.ref.slug, row[0].path.endswith(ARCHIVE))
    )
    first: dict[str, Fact] = {}
    further = []
    for file, number, fact in ordered:
        if first.setdefault(fact.id, fact) is not fact:
            further.append((file, number, fact))
    former = {was: fact for _, _, fact in ordered for was in fact.was if was not in first}
    return Claims(first, tuple(further), former, _circles(first))


def check_facts(files: Sequence[FactFile], claims: Claims, refs: frozenset[str]) -> Iterator[Finding]:
    """Yield what is odd in the fact files: their shape, ids, fields, links and edges."""
    categories: Counter[str] = Counter()
    where: dict[str, tuple[str, int]] = {}
    for file in files:
        names: Counter[str] = Counter()
        first_line: dict[str, int] = {}
        problems = file.items.problems
        repairs = _repairable(file) if any(problem.code in {"id", "misfit"} for problem in problems) else frozenset()
        for problem in problems:
            if problem.code == "category":
                word = problem.message.partition("has category ")[2].partition(", not one of")[0]
                categories[word] += 1
                where.setdefault(word, (file.path, problem.line))
            elif problem.code == "misfit" and " says `" in problem.message:
                said = problem.message.partition(" says ")[2]
                names[said] += 1
                first_line.setdefault(said, problem.line)
            elif problem.code != "duplicate":
                yield _finding(file, problem, repairs)
        for said, count in names.items():
            yield Finding(
                severity=INFO, path=file.path, line=first_line[said], code="field-name", fixable=True,
                message=f"{_facts(count)} {'says' if count == 1 else 'say'} {said}",
            )  # fmt: skip
    for word, count in categories.items():
        path, line = where[word]
        yield Finding(
            severity=WARNING, path=path, line=line, code="category",
            message=f"{word} is the category of {_facts(count)}, and not in `categories` of echo.yaml",
        )  # fmt: skip
    yield from _check_claims(claims)
    yield from _check_links(files, claims)
    yield from _check_edges(files, refs)


def replacement_of(link: str, claims: Claims) -> str:
    """Return the id that a link to a missing fact should name: that of the fact which once had it, else ""."""
    return claims.former[link].id if link not in claims.first and link in claims.former else ""


def _circles(first: Mapping[str, Fact]) -> dict[str, tuple[str, ...]]:
    """Return, for each fact that is part of a circle of links, the circle from it on; each link is walked once."""
    circles: dict[str, tuple[str, ...]] = {}
    done: set[str] = set()
    for start in first:
        path: dict[str, int] = {}
        at: str | None = start
        while at is not None and at in first and at not in done and at not in path:
            path[at] = len(path)
            at = first[at].superseded_by
        if at in path:
            circle = tuple(path)[path[at] :]
            circles |= {one: (*circle[number:], *circle[:number]) for number, one in enumerate(circle)}
        done.update(path)
    return circles


def leads_to_end(start: Fact, claims: Claims) -> bool:
    """Return whether a chain of links ends at a fact that is there."""
    seen = {start.id}
    fact = start
    while fact.superseded_by:
        following = claims.first.get(fact.superseded_by)
        if following is None or following.id in seen:
            return False
        seen.add(following.id)
        fact = following
    return True


def _finding(file: FactFile, problem: Problem, repairs: frozenset[tuple[int, str]]) -> Finding:
    severity, fixable, code = WARNING, False, problem.code
    if problem.code == "shape":
        fixable = "the file is empty" in problem.message or ("inside an object" in problem.message and file.unwraps)
        if "inside an object" in problem.message:
            severity = INFO
    elif problem.code == "id" and "is not an id of this folder" in problem.message:
        severity, code = INFO, "foreign-id"
    elif problem.code in {"id", "misfit"}:
        fixable = (problem.line, problem.field) in repairs
        code = "id" if problem.field == "id" else problem.field or "misfit"
        if "has no `timestamp`" in problem.message and not fixable:
            severity = INFO
    return Finding(
        severity=severity, path=file.path, line=problem.line, code=code, message=problem.message, fact=problem.fact,
        fixable=fixable,
    )  # fmt: skip


def _repairable(file: FactFile) -> frozenset[tuple[int, str]]:
    """Return the (line, field) of every field that a fix would change."""
    fields = {(fact.line, name) for fact in file.items.facts for name in repairs_of(fact.record)}
    return frozenset(fields | {(fact.line, "id") for fact in file.items.facts if not record_id(fact.record)})


def _check_claims(claims: Claims) -> Iterator[Finding]:
    for file, _, fact in claims.further:
        holder = claims.first[fact.id]
        same = standard_record(fact.record) == standard_record(holder.record)
        yield Finding(
            severity=ERROR, path=file.path, line=fact.line, code="duplicate-id", fact=fact.id, fixable=True,
            message=f"{fact.id} stands at {holder.path}:{holder.line} too{', the same record' if same else ''}",
        )  # fmt: skip


def _check_links(files: Sequence[FactFile], claims: Claims) -> Iterator[Finding]:
    reported: set[str] = set()
    for file in files:
        for fact in file.items.facts:
            link = fact.superseded_by
            if not link:
                if fact.status == SUPERSEDED:
                    yield _link(file, fact, WARNING, "no-successor", "is superseded, and does not say by what")
                continue
            circle = claims.circles.get(fact.id, ())
            if circle and fact.id not in reported:
                reported |= set(circle)
                way = " → ".join([*circle, circle[0]])
                message = f"is superseded in a circle, {way}: set supersededBy to null where it is current"
                yield _link(file, fact, ERROR, "cycle", message)
            if circle:
                continue
            if link not in claims.first:
                yield _dangling(file, fact, claims)
            elif fact.status == ACTIVE:
                message = f"is active, yet superseded by {link}"
                yield _link(file, fact, WARNING, "active-superseded", message, fixable=leads_to_end(fact, claims))


def _dangling(file: FactFile, fact: Fact, claims: Claims) -> Finding:
    now = replacement_of(fact.superseded_by or "", claims)
    if now:
        message = f"is superseded by {fact.superseded_by}, which is {now} now"
        return _link(file, fact, WARNING, "dangling", message, fixable=True)
    message = f"is superseded by {fact.superseded_by}, which is not there; git log -S{fact.superseded_by} finds it"
    return _link(file, fact, ERROR, "dangling", message, fixable=fact.status == ACTIVE)


def _link(file: FactFile, fact: Fact, severity: str, code: str, message: str, *, fixable: bool = False) -> Finding:
    return Finding(
        severity=severity, path=file.path, line=fact.line, code=code, fact=fact.id, message=f"{fact.id} {message}",
        fixable=fixable,
    )  # fmt: skip


def _check_edges(files: Sequence[FactFile], refs: frozenset[str]) -> Iterator[Finding]:
    for file in files:
        for fact in file.items.facts:
            for ref in fact.related:
                if ref == str(file.entity.ref):
                    yield _link(file, fact, INFO, "self-edge", "is related to its own entity")
                elif ref not in refs:
                    yield _link(file, fact, INFO, "edge", f"is related to {ref}, which is no entity here")


def _stated(fact: Fact) -> bool:
    return bool(record_id(fact.record)) and find_field(fact.record, "id") is not None


def _facts(count: int) -> str:
    return f"{count} fact{'' if count == 1 else 's'}"

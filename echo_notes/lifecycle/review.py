"""`review`: what waits for a person (open contradictions, held writes), shown with both sides, and decided."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

from echo_notes.files.change import Change, ChangeResult
from echo_notes.files.layout import REVIEW
from echo_notes.files.review import CONTRADICTION, HELD, HeldWrite, Review, ReviewEntry, held_write
from echo_notes.guard.eligibility import ADMIN, Traits, visible
from echo_notes.guard.gate import Proposal
from echo_notes.lifecycle.entities import load_entities
from echo_notes.lifecycle.facts import get_fact
from echo_notes.lifecycle.lineage import Version, history
from echo_notes.lifecycle.opened import OpenVault
from echo_notes.lifecycle.sight import Sight
from echo_notes.lifecycle.verdict import Ruling, Verdicts
from echo_notes.model.errors import ConflictError, NotFoundError, RefusedError, UsageError
from echo_notes.model.fact import SCOPE_OWNER, Fact


@dataclass(frozen=True, slots=True)
class Side:
    """One fact of an entry as the reader may see it, None if it is gone; its path and its earlier versions."""

    id: str
    fact: Fact | None
    path: str = ""
    lineage: tuple[Version, ...] = ()


@dataclass(frozen=True, slots=True)
class Item:
    """An entry that waits for a person, or did; `write` for a held write."""

    entry: ReviewEntry
    sides: tuple[Side, ...]
    write: HeldWrite | None = None

    @property
    def entity(self) -> str:
        """Whom it is about, `kind/slug`, "" if no side of it is left."""
        held = self.write.entity if self.write else ""
        return held or next((str(side.fact.entity) for side in self.sides if side.fact), "")


@dataclass(frozen=True, slots=True)
class Decided:
    """What a decision did. `known`: it was decided so before, and nothing was changed."""

    entry: str
    ruling: Ruling
    known: bool = False
    change: ChangeResult = field(default_factory=ChangeResult)


def list_review(opened: OpenVault, *, kind: str = "", decided: bool = False) -> tuple[Item, ...]:
    """Return what waits and the reader may see, what was put off last; with `decided`, also what was decided."""
    entries = [entry for entry in load_review(opened).entries if entry.kind in ({kind} if kind else _KINDS)]
    chosen = [entry for entry in entries if decided or entry.is_open]
    chosen.sort(key=lambda entry: (not entry.is_open, bool(entry.deferred_at)))
    desk = _Reading(opened)
    return tuple(item for entry in chosen if (item := desk.item(entry)))


def show_review(opened: OpenVault, name: str) -> Item:
    """Return one entry, by its id or that of a fact in it, with the history of its sides; NotFoundError."""
    entry = find_entry(load_review(opened), name)
    item = _Reading(opened, deep=True).item(entry)
    if item is None:
        raise _unknown(name)
    return item


def load_review(opened: OpenVault) -> Review:
    """Return review.json as it is on disk; UnreadableError names line and column."""
    try:
        return Review.parse(opened.layout.path(REVIEW).read_bytes())
    except FileNotFoundError:
        return Review.parse(None)


def find_entry(review: Review, name: str) -> ReviewEntry:
    """Return the entry with an id, else the open one (or the last) that is about a fact of this id."""
    if entry := review.find(name):
        return entry
    about = [entry for entry in review.entries if name and name in entry.pair and entry.kind in _KINDS]
    waiting = [entry for entry in about if entry.is_open]
    if len(waiting) > 1:
        ids = ", ".join(entry.id for entry in waiting)
        raise ConflictError(f"{name} is in {len(waiting)} entries: {ids}", fix="Name one of them.")
    if not about:
        raise _unknown(name)
    return (waiting or about)[-1]


def approve(opened: OpenVault, name: str, *, keep: str = "") -> Decided:
    """Carry out a held write, or decide a contradiction for one side, `keep` (or the fact id given as `name`)."""
    return _decide(opened, "approve", name, lambda verdicts, entry: verdicts.approve(entry, keep or name))


def edit(opened: OpenVault, name: str, text: str) -> Decided:
    """Decide an entry in the person's own words: they replace both sides, or what the held write said."""
    words = text.strip()
    if not words:
        raise UsageError("the new text is empty", fix=f'For example: echo-notes review edit {name} "…"')
    return _decide(opened, "edit", name, lambda verdicts, entry: verdicts.edit(entry, words))


def reject(opened: OpenVault, name: str) -> Decided:
    """Say no: a held write is not to come back; two facts are no contradiction, both stand."""
    return _decide(opened, "reject", name, lambda verdicts, entry: verdicts.reject(entry))


def defer(opened: OpenVault, name: str) -> Decided:
    """Put an entry off: it stays open, behind the others."""
    return _decide(opened, "defer", name, lambda verdicts, entry: verdicts.defer(entry))


def _decide(opened: OpenVault, verb: str, name: str, act: Callable[[Verdicts, ReviewEntry], Ruling]) -> Decided:
    entities = load_entities(opened)
    with opened.change(f"review.{verb}") as change:
        _require_person(change, verb, name)
        entry = find_entry(Review.parse(change.read(REVIEW)), name)
        ruling = act(Verdicts(change, opened, entities), entry)
        if not ruling.known:
            _record(change, entry, ruling, verb)
    return Decided(entry.id, ruling, ruling.known, change.result)


def _record(change: Change, entry: ReviewEntry, ruling: Ruling, verb: str) -> None:
    review = Review.parse(change.read(REVIEW)).set(entry.id, ruling.changes)
    change.put(REVIEW, review.dump(), Proposal(op=f"review.{verb}", target=entry.id), kind="review")
    change.subject = f"review: {verb} {entry.id}"
    change.body = [*(f"{old} -> {ruling.new}" for old in ruling.retired), ruling.words]


def _require_person(change: Change, verb: str, name: str) -> None:
    if not change.actor.is_person:
        raise RefusedError(
            f"refused to {verb} {name}: only the person decides what waits for review", reason="provenance",
            op=f"review.{verb}", target=name, fix="The person can, from their own shell: echo-notes review",
        )  # fmt: skip


@dataclass(slots=True)
class _Reading:
    """Entries as one reader may see them; `deep` adds the history of their sides."""

    opened: OpenVault
    deep: bool = False
    _sight: Sight = field(init=False)

    def __post_init__(self) -> None:
        self._sight = Sight.of(self.opened)

    def item(self, entry: ReviewEntry) -> Item | None:
        """Return an entry, None where the reader may not see all of what it is about."""
        sides = []
        for fact_id in filter(None, (entry.entry_a, entry.entry_b)):
            fact, hidden = self._fact(fact_id)
            if hidden:
                return None
            sides.append(self._side(fact_id, fact))
        write = held_write(entry) if entry.kind == HELD else None
        if not self._may_read(entry, sides, write):
            return None
        return Item(entry, tuple(sides), write)

    def _may_read(self, entry: ReviewEntry, sides: Iterable[Side], write: HeldWrite | None) -> bool:
        reader = replace(self._sight.reader, audience=ADMIN)
        if not any(side.fact for side in sides):
            # Nothing is left to tell whose it was but the scope that a held write says itself.
            scope = write.scope if write else ""
            if not visible(Traits(scope=scope or SCOPE_OWNER), reader):
                return False
        return all(self._sight.may_read(text) for text in (entry.description, write.text if write else ""))

    def _fact(self, fact_id: str) -> tuple[Fact | None, bool]:
        try:
            found = get_fact(self.opened, fact_id).fact
        except (NotFoundError, ConflictError):
            return None, False
        shown = self._sight.find(found, every_status=True)
        return shown, shown is None

    def _side(self, fact_id: str, fact: Fact | None) -> Side:
        if fact is None or not self.deep:
            return Side(fact_id, fact)
        lineage = tuple(version for one in history(self.opened, fact.id).lineages for version in one.versions)
        path = next((version.path for version in lineage if version.fact.id == fact.id), "")
        return Side(fact_id, fact, path, lineage)


_KINDS = frozenset([CONTRADICTION, HELD])


def _unknown(name: str) -> NotFoundError:
    return NotFoundError(f"nothing that waits for review is called {name!r}", fix="List it: echo-notes review list")

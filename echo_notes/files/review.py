"""review.json: open contradictions and held writes that wait for a person, edited one entry at a time."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from echo_notes.files.items import ItemsFile
from echo_notes.files.layout import REVIEW
from echo_notes.model.entity import EntityRef

CONTRADICTION = "contradiction"
HELD = "held"
_EMPTY = b"[]\n"
_ALWAYS = frozenset(["resolution", "resolvedAt"])
_WORDS = ("op", "text", "entity", "section", "reason", "path", "provenance", "scope")
_NOBODY = EntityRef("", "review")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewEntry:
    """One entry as the file holds it. `entry_a` and `entry_b` are fact ids; `record` is the JSON object."""

    id: str
    kind: str
    entry_a: str
    entry_b: str
    description: str
    confidence: float
    resolution: str | None
    resolved_at: str | None
    created_at: str
    record: Mapping[str, Any]

    @property
    def deferred_at(self) -> str:
        """When a person put it off, "" if nobody did."""
        return str(self.record.get("deferredAt") or "")

    @property
    def suspected(self) -> bool:
        """Whether only a language model sees the conflict: both facts are served as before until a person decides."""
        return self.record.get("suspected") is True

    @property
    def evidence(self) -> tuple[str, ...]:
        """Where a proposed line was said: paths with their lines, and fact ids."""
        said = self.record.get("evidence")
        return tuple(str(place) for place in said) if isinstance(said, list) else ()

    @property
    def is_open(self) -> bool:
        """Whether nobody has decided it yet."""
        return not self.resolved_at

    @property
    def pair(self) -> frozenset[str]:
        """The ids of the two facts, in no order."""
        return frozenset([self.entry_a, self.entry_b])


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldWrite:
    """A write that nobody but a person may decide.

    `op`: supersede, correct (both of the fact `target`), remember (about `entity`) or learn (a line of MEMORY.md, under
    `section`). `reason`: why it was held; `path`, `provenance`, `scope`: who proposed it.
    """

    op: str
    text: str
    target: str = ""
    entity: str = ""
    section: str = ""
    reason: str = ""
    path: str = ""
    provenance: str = ""
    scope: str = ""


class Review:
    """The entries of one review.json, immutable: an edit returns another Review, and `dump` gives its bytes.

    An untouched file dumps to identical bytes; an edit changes only its entry's lines.
    """

    __slots__ = ("_file",)

    def __init__(self, file: ItemsFile) -> None:
        self._file = file

    @classmethod
    def parse(cls, raw: bytes | None) -> "Review":
        """Return what the bytes hold, an empty list for None; UnreadableError names line and column."""
        return cls(ItemsFile.parse(_EMPTY if raw is None else raw, entity=_NOBODY, path=REVIEW))

    @property
    def entries(self) -> tuple[ReviewEntry, ...]:
        """The entries in file order, of every kind."""
        return tuple(_entry(fact.id, fact.record) for fact in self._file.facts)

    def find(self, entry_id: str) -> ReviewEntry | None:
        """Return the entry with an id, None if there is none."""
        return next((entry for entry in self.entries if entry.id == entry_id), None)

    def add(self, record: Mapping[str, Any]) -> "Review":
        """Return the review with one more entry at its end."""
        return Review(self._file.add(record))

    def set(self, entry_id: str, changes: Mapping[str, Any]) -> "Review":
        """Return the review with fields of one entry changed; NotFoundError for an unknown id."""
        return Review(self._file.set(entry_id, changes))

    def dump(self) -> bytes:
        """Return the file's bytes."""
        return self._file.dump()


def contradiction_record(
    entry_a: str, entry_b: str, *, description: str, confidence: float, created_at: str, suspected: bool = False
) -> dict[str, Any]:
    """Return a new open contradiction; its id follows from the two facts, so two machines give it the same one."""
    return {
        "kind": CONTRADICTION, "id": f"{entry_a}-or-{entry_b}", "entryA": entry_a, "entryB": entry_b,
        "description": description, "confidence": confidence, "resolution": None, "resolvedAt": None,
        "createdAt": created_at, **({"suspected": True} if suspected else {}),
    }  # fmt: skip


def held_record(write: HeldWrite, *, entry_id: str, created_at: str) -> dict[str, Any]:
    """Return a write that waits for a person; `entryA` is the fact that it would act on, as in a contradiction."""
    record = {
        "kind": HELD, "id": entry_id, "op": write.op, "entryA": write.target or None, "entity": write.entity or None,
        "text": write.text, "section": write.section or None, "reason": write.reason, "path": write.path,
        "provenance": write.provenance, "scope": write.scope or None, "resolution": None, "resolvedAt": None,
        "createdAt": created_at,
    }  # fmt: skip
    return {name: value for name, value in record.items() if value is not None or name in _ALWAYS}


def held_write(entry: ReviewEntry) -> HeldWrite:
    """Return the write that an entry holds; words that are missing are empty."""
    said = {name: str(entry.record.get(name) or "") for name in _WORDS}
    return HeldWrite(target=entry.entry_a, **said)


def _entry(entry_id: str, record: Mapping[str, Any]) -> ReviewEntry:
    confidence = record.get("confidence")
    return ReviewEntry(
        id=entry_id, kind=str(record.get("kind") or ""), entry_a=str(record.get("entryA") or ""),
        entry_b=str(record.get("entryB") or ""), description=str(record.get("description") or ""),
        confidence=float(confidence) if isinstance(confidence, int | float) else 0.0,
        resolution=_optional(record.get("resolution")), resolved_at=_optional(record.get("resolvedAt")),
        created_at=str(record.get("createdAt") or ""), record=record,
    )  # fmt: skip


def _optional(value: object) -> str | None:
    return str(value) if value else None

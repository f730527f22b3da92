"""Which facts fade: what age has left of each, what `decay` may archive, and what `gc` may move out of items.json."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime

from echo_notes.files.ticks import Uses
from echo_notes.guard.keys import derive_key
from echo_notes.guard.provenance import Standing, rank
from echo_notes.lifecycle.opened import OpenVault
from echo_notes.model.entity import Entity
from echo_notes.model.fact import ACTIVE, ARCHIVED, CONSOLIDATED, USER_STATED, Fact
from echo_notes.model.forgetting import day_number, days_until, fact_importance, is_exempt, used_on


@dataclass(frozen=True, slots=True)
class Faded:
    """A fact and its effective importance now."""

    fact: Fact
    effective: float


@dataclass(frozen=True, slots=True)
class Fading:
    """The curve of one vault at one moment. `uses`: recalls that are not in items.json yet, by fact id."""

    now: datetime
    base_days: float
    archive_below: float
    forget_below: float
    uses: Mapping[str, Uses]
    contested: frozenset[str]
    highest_rank: int

    @classmethod
    def of(cls, opened: OpenVault, uses: Mapping[str, Uses], contested: frozenset[str]) -> "Fading":
        """Return the curve that a vault's settings make."""
        settings = opened.settings
        return cls(
            opened.now, settings.importance_decay_days, settings.archive_below, settings.forget_below, uses, contested,
            rank(USER_STATED if settings.archive_user_stated else CONSOLIDATED),
        )  # fmt: skip

    @property
    def today(self) -> date:
        """The local day."""
        return self.now.date()

    def used(self, fact: Fact) -> Fact:
        """Return a fact with the recalls that wait to be folded counted in."""
        uses = self.uses.get(fact.id)
        return with_uses(fact, uses) if uses else fact

    def effective(self, fact: Fact) -> float:
        """Return what age has left of a fact's importance."""
        return fact_importance(self.used(fact), self.now, self.base_days)

    def may_fade(self, fact: Fact, entity: Entity) -> bool:
        """Return whether age may archive an active fact at all: rank apart, which `outranks` tells.

        Never what the owner is or prefers, what is pinned, before a person, still to come or stated to hold yet, or a
        current value of a key.
        """
        if fact.status != ACTIVE or is_exempt(fact.type, pinned=fact.pinned) or fact.id in self.contested:
            return False
        if fact.valid_from and fact.valid_from > self.today:
            return False
        if fact.valid_until and fact.valid_until >= self.today:
            return False
        return not has_key(fact, entity)

    def is_faded(self, fact: Fact, entity: Entity) -> bool:
        """Return whether an active fact has sunk below the first threshold, and age may archive it."""
        return self.effective(fact) < self.archive_below and self.may_fade(fact, entity)

    def is_forgettable(self, fact: Fact) -> bool:
        """Return whether an archived fact has sunk below the second threshold: `gc` may move it to archive.json."""
        return (
            fact.status == ARCHIVED
            and not is_exempt(fact.type, pinned=fact.pinned)
            and fact.id not in self.contested
            and self.effective(fact) < self.forget_below
        )

    def outranks(self, held: Standing) -> bool:
        """Return whether age may archive what is protected by this rank."""
        return held.protects <= self.highest_rank

    def may_claim(self, label: str) -> bool:
        """Return whether age may archive a fact that is labelled so; who protects it is asked of the audit trail."""
        return rank(label) <= self.highest_rank

    def days_left(self, fact: Fact) -> float | None:
        """Return the days until an active fact sinks below the first threshold if nobody recalls it; None for never."""
        if is_exempt(fact.type, pinned=fact.pinned):
            return None
        current = self.used(fact)
        used = used_on(current)
        idle = day_number(self.now) - used if used else 0.0
        return days_until(
            self.archive_below, current.importance, idle, access_count=current.access_count, base_days=self.base_days
        )


def with_uses(fact: Fact, uses: Uses) -> Fact:
    """Return a fact with these recalls counted in."""
    last = max(fact.last_accessed, uses.last_at) if fact.last_accessed else uses.last_at
    return replace(fact, last_accessed=last, access_count=max(0, fact.access_count) + uses.count)


def has_key(fact: Fact, entity: Entity) -> bool:
    """Return whether a fact states a value of a key: one that a person or a field named, or the one its words give.

    Of a key that can have several values (allergies, languages) each is current: no age makes one untrue.
    """
    return bool(fact.key) or derive_key(fact.text, entity.names()) is not None

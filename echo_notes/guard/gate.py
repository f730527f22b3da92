"""The gate: every write is a proposal, and this is the one place that says yes or no to it.

The order is scan, scope, transient state, provenance, rejected value; the first no wins.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from echo_notes.guard.eligibility import Reader, Traits, visible
from echo_notes.guard.provenance import LABELS, Standing, provenance_guard
from echo_notes.guard.rejected import Claim, Decision, find_rejection
from echo_notes.model.errors import RefusedError
from echo_notes.model.fact import USER_STATED

if TYPE_CHECKING:
    from echo_notes.guard.scan import Finding, Rules


@dataclass(frozen=True, slots=True, kw_only=True)
class Actor:
    """Who writes: the audit's word for them, the write path, and the rank that the path gives.

    `scope` is what a session-bound program may touch (None: no limit). `allow_flagged`, `strip_invisible` and
    `reassert` are a person's explicit yes to one finding; a program's are ignored.
    """

    name: str
    path: str
    rank: int
    scope: str | None = None
    allow_flagged: bool = False
    strip_invisible: bool = False
    reassert: bool = False

    @property
    def label(self) -> str:
        """The provenance label of what this actor writes."""
        return LABELS[self.rank]

    @property
    def is_person(self) -> bool:
        """Whether the write path is the person's own command."""
        return self.label == USER_STATED

    @property
    def is_pass(self) -> bool:
        """Whether the write path is a background pass."""
        return self.path.startswith("pass.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """What is about to be written. `texts` holds every string that enters, by field; `target` names it in words.

    `standing` is that of the fact acted on, `traits` what it may be seen by; `claim` what an added statement says.
    """

    op: str
    target: str
    texts: Mapping[str, str] = field(default_factory=dict)
    standing: Standing | None = None
    traits: Traits | None = None
    claim: Claim | None = None
    transient: bool = False

    @property
    def verb(self) -> str:
        """What is tried, as a sentence says it."""
        return "make" if self.op == "entity" else self.op.rpartition(".")[2]


@dataclass(frozen=True, slots=True)
class Passed:
    """The gate's yes: which scan rules the person waved through, and the decision that a re-assertion overrules."""

    flagged: tuple[str, ...] = ()
    overruled: Decision | None = None


@dataclass(frozen=True, slots=True)
class Gate:
    """The rules that one change is held to."""

    joiners: str = "unicode"
    decisions: tuple[Decision, ...] = ()
    rules: "Rules | None" = None

    def check(self, proposal: Proposal, actor: Actor) -> Passed:
        """Return what passed; RefusedError names target, operation, reason and the way out."""
        flagged = self._scan(proposal, actor)
        self._scope(proposal, actor)
        self._transient(proposal, actor)
        self._provenance(proposal, actor)
        return Passed(flagged, self._rejected(proposal, actor))

    def _scan(self, proposal: Proposal, actor: Actor) -> tuple[str, ...]:
        from echo_notes.guard.scan import scan_text

        flagged: list[str] = []
        for name, text in proposal.texts.items():
            _require_characters(proposal, name, text)
            for finding in scan_text(text, joiners=self.joiners, rules=self.rules):
                waved = actor.is_person and actor.allow_flagged and finding.reason != "invisible_unicode"
                if not waved:
                    raise RefusedError(
                        f"refused to {proposal.verb} {proposal.target}: the {name} {_predicate(finding)}",
                        reason=finding.reason, op=proposal.op, target=proposal.target, text=text,
                        fix=_scan_fix(finding.reason, actor),
                    )  # fmt: skip
                flagged.append(finding.rule)
        return tuple(dict.fromkeys(flagged))

    def _scope(self, proposal: Proposal, actor: Actor) -> None:
        if actor.scope is None or proposal.traits is None:
            return
        if not visible(proposal.traits, Reader(audience="admin", scope=actor.scope, agent=not actor.is_person)):
            raise RefusedError(
                f"refused to {proposal.verb} {proposal.target}: it is outside the scope {actor.scope!r}",
                reason="scope", op=proposal.op, target=proposal.target, fix="Name the scope that the fact belongs to.",
            )  # fmt: skip

    def _transient(self, proposal: Proposal, actor: Actor) -> None:
        if proposal.transient and actor.is_pass:
            raise RefusedError(
                f"refused to {proposal.verb} {proposal.target}: it is the passing state of a task, not a durable fact",
                reason="transient", op=proposal.op, target=proposal.target, text=_first(proposal.texts),
            )  # fmt: skip

    def _provenance(self, proposal: Proposal, actor: Actor) -> None:
        standing = proposal.standing
        if standing is None or provenance_guard(actor.rank, standing.protects):
            return
        hand = ", changed or labelled by hand" if standing.by_hand else ""
        raise RefusedError(
            f"refused to {proposal.verb} {proposal.target}: it ranks {LABELS[standing.protects]} "
            f"({standing.protects}{hand}), this write ranks {actor.label} ({actor.rank})",
            reason="provenance", op=proposal.op, target=proposal.target, text=_first(proposal.texts),
            fix="Only a write of the same or a higher rank may do that; the person can, from their own shell.",
        )  # fmt: skip

    def _rejected(self, proposal: Proposal, actor: Actor) -> Decision | None:
        from echo_notes.guard.provenance import rank

        if proposal.claim is None:
            return None
        decision = find_rejection(proposal.claim, self.decisions)
        if decision is None:
            return None
        if actor.rank >= rank(decision.by) and actor.reassert:
            return decision
        known = f"it was judged wrong on {decision.at[:10]} ({decision.fact}, by {decision.by})"
        fix = (
            "If it is right after all, say so: --reassert"
            if actor.rank >= rank(decision.by)
            else f"This write ranks {actor.label} ({actor.rank}); only {decision.by} or higher may reinstate it."
        )
        raise RefusedError(
            f"refused to {proposal.verb} {proposal.target}: {known}",
            reason="rejected_value", op=proposal.op, target=proposal.target, text=_first(proposal.texts), fix=fix,
        )  # fmt: skip


def added_texts(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return the non-empty strings of a write by field name; repeated names are numbered."""
    texts: dict[str, str] = {}
    for name, text in pairs:
        if text:
            label = name
            while label in texts:
                label += "'"
            texts[label] = text
    return texts


def _require_characters(proposal: Proposal, name: str, text: str) -> None:
    """Raise RefusedError for half of a surrogate pair, which JSON and Python can hold and a file of text cannot."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise RefusedError(
            f"refused to {proposal.verb} {proposal.target}: the {name} has no character at position {error.start + 1}",
            reason="invalid", op=proposal.op, target=proposal.target, fix="Write it as UTF-8.",
        ) from None  # fmt: skip


def _predicate(finding: "Finding") -> str:
    """Return what a finding says of a text, as the rest of a sentence."""
    return f"has {finding.message}" if finding.reason == "invisible_unicode" else finding.message


def _scan_fix(reason: str, actor: Actor) -> str:
    if reason == "invisible_unicode":
        return "Remove the character, or let the program do it: --strip-invisible"
    if actor.is_person:
        return "If you mean it, --allow-flagged stores it, flagged, and never shows it to agents."
    return "A program may not store this; the person can, from their own shell."


def _first(texts: Mapping[str, str]) -> str:
    return next((texts[name] for name in ("fact", "entry", "line", "name") if texts.get(name)), "")

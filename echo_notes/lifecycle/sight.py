"""What the reader of this command may see of the files: one judgement for every surface that opens them itself."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import partial

from echo_notes.files.audit import AuditTrail
from echo_notes.files.records import digest_record
from echo_notes.guard.eligibility import ADMIN, Reader, visible
from echo_notes.guard.provenance import vouched_label
from echo_notes.lifecycle.contested import contested_ids
from echo_notes.lifecycle.facts import traits_of
from echo_notes.lifecycle.opened import OpenVault
from echo_notes.model.fact import SCOPE_OWNER, Fact

Scan = Callable[[str], tuple[str, ...]]


@dataclass(slots=True)
class Sight:
    """The eyes of one reader. Facts come out with the label and the flags that this reader is to be shown.

    What the gate did not write (hand edits, pulled commits) never passed the scan, so it is scanned here.
    """

    opened: OpenVault
    contested: frozenset[str] = field(default_factory=frozenset)
    _labels: dict[tuple[str, str], str] | None = None
    _scan: Scan | None = None

    @classmethod
    def of(cls, opened: OpenVault) -> "Sight":
        """Return the sight of the reader that a vault was opened for."""
        return cls(opened, contested_ids(opened))

    @property
    def reader(self) -> Reader:
        """Who looks."""
        return self.opened.reader

    @property
    def reads_notes(self) -> bool:
        """Whether notes and the person's own text are within the reader's scope."""
        return self.reader.scope in {None, SCOPE_OWNER}

    def may_see(self, fact: Fact, *, every_status: bool = False) -> bool:
        """Return whether the rules of scope, audience and flag let the reader see a fact, by its record alone.

        `every_status`: where a listing shows superseded and contested facts too.
        """
        reader = replace(self.reader, audience=ADMIN) if every_status else self.reader
        return visible(traits_of(fact, contested=fact.id in self.contested), reader)

    def facts(self, facts: Iterable[Fact], *, every_status: bool = False) -> tuple[Fact, ...]:
        """Return those of the facts that the reader may see, as it is to see them; for what shows their text."""
        shown = (self._shown(fact) for fact in facts if self.may_see(fact, every_status=every_status))
        return tuple(fact for fact in shown if self.may_see(fact, every_status=every_status))

    def find(self, fact: Fact, *, every_status: bool = False) -> Fact | None:
        """Return a fact as the reader is to see it, None if it may not."""
        return next(iter(self.facts([fact], every_status=every_status)), None)

    def flags(self, text: str) -> tuple[str, ...]:
        """Return the rules that a text trips."""
        if self._scan is None:
            self._scan = make_scan(self.opened)
        return self._scan(text)

    def readable(self, text: str) -> str:
        """Return Markdown without what a program may not read: blocks that are flagged. The person reads all of it."""
        if not self.reader.agent or not self.flags(text):
            return text
        from echo_notes.files.markdown import iter_blocks

        kept = (block.text for block in iter_blocks(text) if not self.flags(block.text))
        whole = "\n".join(kept)
        # What is only an attack across several blocks cannot be told apart from what surrounds it.
        return "" if self.flags(whole) else whole

    def may_read(self, text: str) -> bool:
        """Return whether a piece of a note may be shown: to the person always, to a program unless it is flagged."""
        return not self.reader.agent or not self.flags(text)

    def _shown(self, fact: Fact) -> Fact:
        if self._labels is None:
            self._labels = AuditTrail(self.opened.root).labels()
        audited = self._labels.get((fact.id, digest_record(fact.record))) if self._labels else None
        label = vouched_label(audited) if fact.provenance else fact.provenance
        flagged = fact.flagged if audited is not None else tuple(dict.fromkeys([*fact.flagged, *self.flags(fact.text)]))
        if (label, flagged) == (fact.provenance, fact.flagged):
            return fact
        return replace(fact, provenance=label, flagged=flagged)


def make_scan(opened: OpenVault) -> Scan:
    """Return the scan by this vault's settings and the person's own rules: the ids of the rules that a text trips."""
    return partial(_rules_tripped, opened, opened.context().rules)


def _rules_tripped(opened: OpenVault, rules: object, text: str) -> tuple[str, ...]:
    from echo_notes.guard.scan import Rules, scan_text

    known = rules if isinstance(rules, Rules) else None
    found = scan_text(text, joiners=opened.settings.joiners, rules=known)
    return tuple(dict.fromkeys(finding.rule for finding in found))

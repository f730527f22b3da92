"""`check`: everything in a vault that is broken, odd or waiting; with `fix`, what is plain is put right."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from echo_notes.files.change import ChangeResult
from echo_notes.index.manifest import Walk, walk_vault
from echo_notes.lifecycle.check_facts import FactFile, check_facts, find_claims, load_fact_files
from echo_notes.lifecycle.check_notes import check_notes
from echo_notes.lifecycle.check_state import check_flagged, check_state, check_vouched
from echo_notes.lifecycle.entities import load_entities
from echo_notes.lifecycle.findings import ERROR, INFO, WARNING, Finding, in_order
from echo_notes.lifecycle.fix import plan_fixes
from echo_notes.lifecycle.opened import OpenVault
from echo_notes.model.entity import Entity


@dataclass(frozen=True, slots=True)
class Report:
    """What was found (after fixing, what is left), what was looked at, and what was fixed, one line each."""

    findings: tuple[Finding, ...]
    entities: int
    facts: int
    files: int
    fixed: tuple[str, ...] = ()
    change: ChangeResult = field(default_factory=ChangeResult)

    @property
    def status(self) -> int:
        """The exit status: that of a file which cannot be read, 1 for errors and warnings, 0 for information only."""
        return max((max(one.status, int(one.severity in {ERROR, WARNING})) for one in self.findings), default=0)

    def count(self, severity: str) -> int:
        """Return how many findings have a severity."""
        return sum(one.severity == severity for one in self.findings)


def check(opened: OpenVault) -> Report:
    """Return everything that is broken, odd or waiting in a vault; changes nothing."""
    walk = walk_vault(opened.root)
    entities = load_entities(opened)
    files, findings = load_fact_files(opened, entities)
    refs = frozenset(str(entity.ref) for entity in entities)
    findings += check_facts(files, find_claims(files), refs)
    findings += check_vouched(opened, files)
    findings += check_notes(opened, walk.files, entities)
    findings += check_state(opened, walk)
    findings += check_flagged(opened, walk)
    return _report(findings, entities, files, walk)


def fix(opened: OpenVault) -> Report:
    """Put right what has one plain reading, in one commit, and return what is left.

    Files that cannot be parsed are never touched, and facts that rank above this writer stay as they are.
    """
    with opened.change("check.fix") as change:
        entities = load_entities(opened)
        files, _ = load_fact_files(opened, entities)
        fixed = plan_fixes(change, files, entities)
        change.subject = f"check: {len(fixed)} repair{'' if len(fixed) == 1 else 's'}"
        change.body = list(fixed)
    report = check(opened)
    return Report(report.findings, report.entities, report.facts, report.files, fixed, change.result)


def _report(findings: Sequence[Finding], entities: Sequence[Entity], files: Sequence[FactFile], walk: Walk) -> Report:
    facts = sum(len(file.items.facts) for file in files)
    return Report(in_order(findings), len(entities), facts, len(walk.files))


__all__ = ["ERROR", "INFO", "WARNING", "Finding", "Report", "check", "fix"]

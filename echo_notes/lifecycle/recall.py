"""`recall`: a question, its filters, and the passages that answer it; a hit is a rehearsal."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

from echo_notes.guard.eligibility import ADMIN
from echo_notes.guard.rejected import WRONG
from echo_notes.index.results import MODES, SearchRequest, SearchResult
from echo_notes.index.store import Index
from echo_notes.lifecycle.contested import contested_ids
from echo_notes.lifecycle.opened import OpenVault
from echo_notes.model.dates import Span, format_instant
from echo_notes.model.errors import UsageError
from echo_notes.model.fact import STATUSES, SUPERSEDED
from echo_notes.model.passage import FACT, LAYERS

ALL = "all"
TIERS = ("working", "episodic", "semantic", "archival")


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What a person or program asks, as they typed it; empty means not said."""

    query: str
    k: int = 0
    entity: str = ""
    kind: str = ""
    category: str = ""
    tags: tuple[str, ...] = ()
    layer: str = ""
    tier: str = ""
    status: str = ""
    since: Span | None = None
    until: Span | None = None
    as_of: date | None = None
    mode: str = "fused"
    hops: int = 1
    rerank: bool = True
    decay: bool = True
    touch: bool = True
    explain: bool = False


def recall(
    opened: OpenVault, question: Question, *, models_dir: Path | None = None, embedder_key: str = ""
) -> SearchResult:
    """Return the passages that answer, best first; UsageError for a filter that does not exist."""
    rules = tuple(Path(path) for path in opened.settings.scan_rules)
    index = Index(opened.root, opened.settings, models_dir=models_dir, embedder_key=embedder_key, own_rules=rules)
    report = index.refresh(wait=False)
    result = index.search(_request(opened, question, index))
    unread = tuple(what if what.startswith(f"{path}:") else f"{path}: {what}" for path, what in report.problems)
    result = replace(result, degraded=(*result.degraded, *unread))
    if question.touch:
        rehearse(opened, [hit.passage.id for hit in result.hits if hit.passage.layer == FACT])
    return result


def rehearse(opened: OpenVault, fact_ids: Sequence[str]) -> None:
    """Append one line that says which facts were recalled; a pass folds it into items.json. Never fails a recall."""
    if not fact_ids:
        return
    line = json.dumps({"at": format_instant(opened.now), "ids": list(fact_ids)}, ensure_ascii=False) + "\n"
    try:
        from echo_notes.files.lock import prepare_echo_dir

        prepare_echo_dir(opened.layout)
        with (opened.layout.state_dir / "recalls.ndjson").open("a", encoding="utf-8") as handle:
            handle.write(line)
    except OSError:
        return


def _request(opened: OpenVault, question: Question, index: Index) -> SearchRequest:
    _choose("mode", question.mode, MODES)
    _choose("layer", question.layer, LAYERS)
    _choose("tier", question.tier, TIERS)
    _choose("category", question.category, opened.settings.categories)
    _choose("status", question.status, (*STATUSES, ALL))
    reader = opened.reader
    statuses: tuple[str, ...] = ()
    if question.status:
        statuses = STATUSES if question.status == ALL else (question.status,)
    if SUPERSEDED in statuses or question.as_of is not None:
        reader = replace(reader, audience=ADMIN)
    entity, kind = _about(opened, question, index) if question.entity or question.kind else ("", "")
    return SearchRequest(
        query=question.query, k=question.k or opened.settings.recall_limit, mode=question.mode,
        entities=(entity,) if entity else (), kinds=(kind,) if kind else (),
        categories=(question.category,) if question.category else (), tags=question.tags,
        layers=(question.layer,) if question.layer else (), tiers=(question.tier,) if question.tier else (),
        statuses=statuses, since=question.since.start if question.since else None,
        until=question.until.end if question.until else None, as_of=question.as_of, reader=reader,
        exclude_ids=_excluded(opened, question), hops=question.hops,
        decay=question.decay, rerank=question.rerank, now=opened.now, explain=question.explain,
    )  # fmt: skip


def _excluded(opened: OpenVault, question: Question) -> frozenset[str]:
    """Return the facts that are no answer: those before a person, and as of a day those that held on none."""
    if question.status == ALL:
        return frozenset()
    return contested_ids(opened) | (_judged_wrong(opened) if question.as_of is not None else frozenset())


def _judged_wrong(opened: OpenVault) -> frozenset[str]:
    """Return the facts whose value was judged wrong, and not re-judged since: it was never true."""
    from echo_notes.files.decisions import load_decisions

    wrong: dict[tuple[str, str], set[str]] = {}
    for decision in load_decisions(opened.root):
        facts = wrong.setdefault((decision.entity, decision.statement), set())
        if decision.verdict != WRONG:
            facts.clear()
        elif decision.value or not decision.key:  # else only the wording was wrong
            facts.add(decision.fact)
    return frozenset(fact for facts in wrong.values() for fact in facts)


def _about(opened: OpenVault, question: Question, index: Index) -> tuple[str, str]:
    """Return the entity (`kind/slug`) and the kind that a question is limited to."""
    from echo_notes.lifecycle.entities import find_kind, get_entity

    entity = str(get_entity(opened, question.entity, index.catalogue.entities).ref) if question.entity else ""
    return entity, find_kind(opened, question.kind) if question.kind else ""


def _choose(name: str, value: str, choices: Sequence[str]) -> None:
    if value and value not in choices:
        raise UsageError(f"no {name} is called {value!r}", fix=f"Choose {', '.join(choices)}.")

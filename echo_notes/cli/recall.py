"""`recall`: ask the vault."""

import os
from typing import TYPE_CHECKING, Annotated, Any

import typer

from echo_notes.cli.args import Day, read_text
from echo_notes.cli.command import new_app
from echo_notes.cli.invocation import Invocation
from echo_notes.cli.output import CYAN, DIM, YELLOW, clean, one_line, paint, say, say_json, say_ndjson
from echo_notes.cli.surroundings import models_dir

if TYPE_CHECKING:
    from echo_notes.index.results import Declined, Hit, SearchResult
    from echo_notes.lifecycle.opened import OpenVault

app = new_app()
apps = {"recall": app}

NOTHING = 1


@app.command()
def recall(
    ctx: typer.Context,
    query: Annotated[list[str], typer.Argument(metavar="QUERY…", help="What you want to know, in any words.")],
    k: Annotated[
        int | None, typer.Option("-k", min=1, max=1000, metavar="N", help="How many results; 10 if not said.")
    ] = None,
    entity: Annotated[str, typer.Option("--entity", metavar="E", help="Only about this entity.")] = "",
    kind: Annotated[str, typer.Option("--kind", metavar="K", help="Only about this kind of entity.")] = "",
    category: Annotated[str, typer.Option("--category", metavar="C", help="Only facts of this category.")] = "",
    tag: Annotated[list[str] | None, typer.Option("--tag", metavar="T", help="Only with this tag; repeatable.")] = None,
    layer: Annotated[str, typer.Option("--layer", metavar="L", help="fact, note, episode, memory or summary.")] = "",
    tier: Annotated[str, typer.Option("--tier", metavar="T", help="episodic, semantic or archival.")] = "",
    status: Annotated[str, typer.Option("--status", metavar="S", help="active, superseded, archived or all.")] = "",
    since: Annotated[str, typer.Option("--since", metavar="D", help="From this day on.")] = "",
    until: Annotated[str, typer.Option("--until", metavar="D", help="Up to this day.")] = "",
    as_of: Annotated[str, typer.Option("--as-of", metavar="D", help="What held on that day.")] = "",
    mode: Annotated[str, typer.Option("--mode", metavar="M", help="fused, lexical or dense.")] = "fused",
    hops: Annotated[int, typer.Option("--hops", min=0, max=3, help="How far a named entity reaches.")] = 1,
    no_rerank: Annotated[bool, typer.Option("--no-rerank", help="Leave the cross-encoder out.")] = False,
    no_decay: Annotated[bool, typer.Option("--no-decay", help="Let age have no say.")] = False,
    no_touch: Annotated[bool, typer.Option("--no-touch", help="Do not count this as a rehearsal.")] = False,
    explain: Annotated[bool, typer.Option("--explain", help="Say how each result came by its place.")] = False,
    for_prompt: Annotated[bool, typer.Option("--for-prompt", help="Print it fenced, for a language model.")] = False,
) -> None:
    """Ask the vault; exit 1 if nothing answers.

    echo-notes recall "what does Ada drink"
    """
    from dataclasses import replace

    from echo_notes.lifecycle.recall import Question
    from echo_notes.lifecycle.recall import recall as run
    from echo_notes.model.fact import SCOPE_OWNER

    invocation: Invocation = ctx.find_root().obj
    day = Day()
    question = Question(
        query=read_text(query),
        k=k or 0,
        entity=entity,
        kind=kind,
        category=category,
        tags=tuple(tag or ()),
        layer=layer,
        tier=tier,
        status=status,
        since=day.span(since),
        until=day.span(until),
        as_of=day.optional(as_of),
        mode=mode,
        hops=hops,
        rerank=not no_rerank,
        decay=not no_decay,
        touch=not no_touch,
        explain=explain,
    )
    opened = invocation.open()
    if for_prompt:
        scope = opened.reader.scope or SCOPE_OWNER
        opened = replace(opened, reader=replace(opened.reader, agent=True, scope=scope))
    result = run(
        opened, question, models_dir=models_dir(), embedder_key=os.environ.get(opened.settings.embedder_key_env, "")
    )
    if for_prompt:
        _fenced(opened, result)
    else:
        _report(invocation, question.query, result, explain=explain)
    for note in result.degraded:
        invocation.warn(note)
    if not result.hits:
        invocation.reach(NOTHING)


def _report(invocation: Invocation, query: str, result: "SearchResult", *, explain: bool) -> None:
    if invocation.ndjson:
        say_ndjson(_record(hit, explain=explain) for hit in result.hits)
    elif invocation.json:
        record: dict[str, Any] = {
            "query": query, "results": [_record(hit, explain=explain) for hit in result.hits],
            "degraded": list(result.degraded), "took_ms": {name: round(ms, 1) for name, ms in result.took_ms.items()},
        }  # fmt: skip
        if explain:
            record["declined"] = [_declined_record(one) for one in result.declined]
        say_json(record)
    else:
        for hit in result.hits:
            _print_hit(hit, explain=explain)
        if explain and result.declined:
            say("declined:")
            for one in result.declined:
                say(f"  {paint(one_line(one.passage.id), DIM)}  {one.reason}: {one_line(one.passage.text)[:100]}")
        if not result.hits and not invocation.quiet:
            invocation.warn("nothing in the vault answers that")


def _print_hit(hit: "Hit", *, explain: bool) -> None:
    passage = hit.passage
    lines = clean(passage.text).strip().splitlines() or [""]
    marks = [passage.status] if passage.status != "active" else []
    marks += ["flagged: " + ", ".join(map(one_line, passage.flagged))] if passage.flagged else []
    end = f"  {paint('[' + ', '.join(marks) + ']', YELLOW)}" if marks else ""
    say(f"{lines[0].strip()}{end}", hang=2)
    for line in lines[1:4]:
        say(f"  {line.strip()}", hang=2)
    if len(lines) > 4:  # noqa: PLR2004 - as much as is read at a glance
        say("  …")
    about = [passage.id if passage.layer == "fact" else "", passage.on.isoformat() if passage.on else ""]
    where = f"{one_line(passage.path)}:{passage.line}"
    say("  " + "  ".join([paint(one_line(part), CYAN) for part in about if part] + [paint(where, DIM)]))
    if explain:
        scores = hit.scores
        cosine = "" if scores.cosine is None else f" cosine {scores.cosine:.2f}"
        ranks = f"lexical #{scores.lexical_rank or '-'}, dense #{scores.dense_rank or '-'}{cosine}"
        matched = ", ".join(map(one_line, hit.matched)) or "-"
        say(paint(f"  score {hit.score:.3f} = fused {scores.fused:.3f} × {scores.factor:.3f}  ({ranks})", DIM))
        say(paint(f"  entity {scores.entity:.2f}, importance now {scores.effective_importance:.3f}; {matched}", DIM))


def _fenced(opened: "OpenVault", result: "SearchResult") -> None:
    from echo_notes.guard.fence import fence

    if result.hits:
        say(fence([hit.passage for hit in result.hits], nonce=opened.random_word()))


def _record(hit: "Hit", *, explain: bool) -> dict[str, Any]:
    passage, scores = hit.passage, hit.scores
    record: dict[str, Any] = {
        "id": passage.id, "layer": passage.layer, "tier": passage.tier, "entity": passage.entity or None,
        "text": passage.text, "category": passage.category or None, "status": passage.status,
        "provenance": passage.provenance or "legacy", "timestamp": passage.on.isoformat() if passage.on else None,
        "path": passage.path, "line": passage.line, "score": round(hit.score, 4),
        "scores": {
            "lexical_rank": scores.lexical_rank, "dense_rank": scores.dense_rank,
            "cosine": None if scores.cosine is None else round(scores.cosine, 4), "fused": round(scores.fused, 4),
            "rerank": scores.rerank, "effective_importance": round(scores.effective_importance, 4),
        },
    }  # fmt: skip
    if passage.flagged:
        record["flagged"] = list(passage.flagged)
    if explain:
        record["matched"] = list(hit.matched)
        record["scores"] |= {"entity": round(scores.entity, 4), "factor": round(scores.factor, 4)}
    return record


def _declined_record(one: "Declined") -> dict[str, Any]:
    passage = one.passage
    return {"id": passage.id, "layer": passage.layer, "reason": one.reason, "text": passage.text,
            "path": passage.path, "line": passage.line}  # fmt: skip

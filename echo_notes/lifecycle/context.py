"""`context`: the block that an agent reads first: quoted, within a budget, the same for the same vault and moment."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path

from echo_notes.guard.eligibility import SNAPSHOT, Reader
from echo_notes.guard.fence import fence_sections
from echo_notes.lifecycle.context_parts import Parts, holds
from echo_notes.lifecycle.context_room import HEAD, TAIL, Placed, Section, place
from echo_notes.lifecycle.opened import OpenVault
from echo_notes.model.errors import EchoError, UsageError
from echo_notes.model.fact import ENVIRONMENT, SCOPE_OWNER, USER
from echo_notes.model.passage import MEMORY as MEMORY_LAYER
from echo_notes.model.passage import NOTE, Passage

LEAST_BUDGET = 200
_HITS = 8
_SUMMARIES = 2
_ABOUT_LEFT_OUT = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What is asked for: a session whose last messages to show, what the agent is about to do, and how much room."""

    session: str = ""
    query: str = ""
    budget: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextBlock:
    """The block, what stands in it by section, and what a person should know.

    `effective`: effective importance by fact id. `memory_chars`: the size of MEMORY.md; `over_memory`: too large.
    """

    text: str
    budget: int
    scope: str
    sections: tuple[Placed, ...]
    effective: dict[str, float]
    memory_chars: int = 0
    over_memory: bool = False
    left_out: str = ""
    degraded: tuple[str, ...] = ()
    problems: tuple[EchoError, ...] = ()


def context(
    opened: OpenVault, wish: Wish, *, models_dir: Path | None = None, embedder_key: str = "", nonce: str = ""
) -> ContextBlock:
    """Return the context block for a reader, who is an agent and, where no scope is named, the owner's.

    Writes nothing, and counts as no recall. `nonce`: the fence's word; without one it follows from the content, which
    cannot hold the digest of itself. UsageError for a budget below LEAST_BUDGET.
    """
    budget = wish.budget or opened.settings.context_budget
    if budget < LEAST_BUDGET:
        raise UsageError(f"a context of {budget} characters holds nothing", fix=f"Give it {LEAST_BUDGET} or more.")
    reader = Reader(SNAPSHOT, opened.reader.scope or SCOPE_OWNER, agent=True)
    parts = Parts(opened, reader)
    parts.load()
    memory, memory_chars = parts.memory()
    degraded: tuple[str, ...] = ()
    sections = [
        Section(name="pinned", title="Pinned", share=0.2, passages=parts.pinned()),
        Section(
            name="user", title="About the person", share=0.2, passages=parts.top(USER, opened.settings.context_user)
        ),
        Section(
            name="environment", title="Facts", share=0.12,
            passages=parts.top(ENVIRONMENT, opened.settings.context_environment),
        ),
        Section(name="memory", title="Memory", share=0.18, passages=_bounded(opened, memory), keeps=HEAD),
        Section(
            name="session", title="This session", share=0.08, keeps=TAIL,
            passages=parts.session(wish.session) if wish.session else (),
        ),
        Section(name="episodes", title="Last sessions", share=0.07, passages=parts.episodes(), keeps=HEAD),
        Section(name="notes", title="Today and yesterday", share=0.08, passages=parts.notes(), keeps=TAIL),
    ]  # fmt: skip
    if wish.query:
        shown = [passage for section in sections for passage in section.passages]
        found, degraded = _answers(
            replace(opened, reader=reader), parts, wish.query, shown, models_dir=models_dir, embedder_key=embedder_key
        )
        sections.append(Section(name="query", title="On the question", share=0.07, passages=found, keeps=HEAD))
    placed = place(sections, budget - _ABOUT_LEFT_OUT)
    left_out = _left_out(placed)
    return ContextBlock(
        text=_render(placed, left_out, budget, nonce), budget=budget, scope=reader.scope or "", sections=placed,
        effective=parts.effective, memory_chars=memory_chars, left_out=left_out, degraded=(*degraded, *_hidden(parts)),
        over_memory=memory_chars > opened.settings.memory_budget, problems=tuple(parts.problems),
    )  # fmt: skip


def _bounded(opened: OpenVault, memory: Sequence[Passage]) -> tuple[Passage, ...]:
    """Return MEMORY.md within its own budget, cut where a line ends, and saying so."""
    limit = opened.settings.memory_budget
    bounded = []
    for passage in memory:
        text = passage.text
        if len(text) > limit:
            end = text.rfind("\n", 0, limit)
            kept = text[: end if end > 0 else limit]
            text = f"{kept}\n[cut: {len(text) - len(kept)} more characters in {passage.path}]"
        bounded.append(replace(passage, text=text))
    return tuple(bounded)


def _answers(
    opened: OpenVault, parts: Parts, query: str, shown: Sequence[Passage], *, models_dir: Path | None, embedder_key: str
) -> tuple[tuple[Passage, ...], tuple[str, ...]]:
    """Return what answers a question and is not in the block yet: passages, then summaries of what they are about."""
    from echo_notes.lifecycle.recall import Question, recall

    question = Question(query=query, k=_HITS, touch=False)
    result = recall(opened, question, models_dir=models_dir, embedder_key=embedder_key)
    ids = {passage.id for passage in shown}
    paths = {passage.path for passage in shown if passage.layer in {NOTE, MEMORY_LAYER} or "#" in passage.id}
    hits = [hit.passage for hit in result.hits if holds(hit.passage, opened.today)]
    fresh = [one for one in hits if one.id not in ids and one.path not in paths]
    about = list(dict.fromkeys(one.entity for one in hits if one.entity))[:_SUMMARIES]
    summaries = [passage for ref in about for passage in parts.summary(ref)]
    return (*fresh, *summaries), result.degraded


def _hidden(parts: Parts) -> tuple[str, ...]:
    """Return what a person should know of texts that the scan kept from an agent."""
    return tuple(f"{path}: a part that the scan objects to is hidden from agents" for path in parts.hidden)


def _left_out(placed: Sequence[Placed]) -> str:
    """Return what the block says of what it does not show, "" if it shows all."""
    said = []
    for one in placed:
        if one.left_out:
            said.append(f"{one.left_out} of {len(one.section.passages)} under “{one.section.title}”")
        said += [f"{path} is cut" for path in dict.fromkeys(one.cut)]
    text = "; ".join(said)
    if not text:
        return ""
    return f"Left out for want of room: {text}."[:_ABOUT_LEFT_OUT]


def _render(placed: Sequence[Placed], left_out: str, budget: int, nonce: str) -> str:
    sections = [(one.section.title, one.passages) for one in placed]
    if not nonce:
        content = fence_sections(sections, nonce="0")
        nonce = sha256(content.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    block = fence_sections(sections, nonce=nonce[:12])
    return "\n".join(filter(None, [block, left_out]))[:budget]

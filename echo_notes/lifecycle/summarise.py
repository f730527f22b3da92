"""The extractive summary of a session: its most telling sentences, in the speakers' words and in their order."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import log2

from echo_notes.files.layout import SUMMARY
from echo_notes.files.sessions import ASSISTANT, USER, Message
from echo_notes.guard.durable import Statement, durable_statements
from echo_notes.guard.mentions import find_mentions
from echo_notes.guard.sentences import iter_lines, iter_sentences
from echo_notes.guard.values import plain_statement
from echo_notes.index.analysis import Kind, is_stop, iter_terms
from echo_notes.index.embed import Embedder, EmbedderError, weighted_sum
from echo_notes.model.entity import Entity

Names = Mapping[str, tuple[Entity, ...]]

MOST = 10
"""Sentences of a summary; of those that state nothing durable it takes no more than fill it up to FILL."""
FILL = 4
MOST_CHARS = 1500
_LONGEST = 400
_ALIKE = 0.6
_WEIGHTS = {"milestone": 1.0, "relationship": 1.0}
_USUAL_WEIGHT = 0.7


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """A sentence of a session: its message, whom it names, its terms, whether it states something durable."""

    text: str
    message: Message
    order: int
    entities: tuple[Entity, ...] = ()
    terms: frozenset[str] = frozenset()
    durable: bool = False
    score: float = 0.0


@dataclass(frozen=True, slots=True)
class Reading:
    """A session as it was read: its sentences, and its durable statements with the message that each is from."""

    sentences: tuple[Sentence, ...]
    statements: tuple[tuple[Message, Statement], ...]

    @property
    def importance(self) -> float:
        """How much of the session is worth keeping, 0 to 1: the share of durable sentences, and their weight."""
        if not self.sentences:
            return 0.0
        share = sum(sentence.durable for sentence in self.sentences) / len(self.sentences)
        weight = sum(
            _WEIGHTS.get(statement.category, _USUAL_WEIGHT) * 2 * _importance(message)
            for message, statement in self.statements
        )
        return round(min(1.0, 0.15 + 0.35 * share + 0.5 * (1 - 0.5**weight)), 2)


def read_messages(
    messages: Sequence[Message], names: Names, categories: Sequence[str], embedder: Embedder | None = None
) -> Reading:
    """Return what the people in a session said; what a program or a tool put there is left out.

    `I` of the assistant is not the owner, so what it says of itself is never durable. With an embedder, a sentence also
    counts as telling for its closeness to what the session is about on the whole.
    """
    sentences: list[Sentence] = []
    statements: list[tuple[Message, Statement]] = []
    for message in messages:
        if message.role not in {USER, ASSISTANT}:
            continue
        found = [
            statement
            for statement in durable_statements(message.text, names, categories=categories)
            if not (statement.owner and message.role == ASSISTANT)
        ]
        statements += [(message, statement) for statement in found]
        spans = [(statement.start, statement.start + len(statement.source)) for statement in found]
        for start, text in _sentences(message.text):
            durable = any(first <= start < last for first, last in spans)
            sentences.append(_sentence(text, message, len(sentences), names, durable=durable))
    return Reading(tuple(_scored(sentences, embedder)), tuple(statements))


def choose(sentences: Sequence[Sentence], accept: Callable[[Sentence], bool]) -> list[Sentence]:
    """Return the sentences of a summary, in the order in which they were said; `accept` may turn one down."""
    chosen: list[Sentence] = []
    size = 0
    has_person = any(sentence.message.role == USER for sentence in sentences)
    for sentence in sorted(sentences, key=lambda one: (not one.durable, -one.score, one.order)):
        # What an assistant says besides is mostly politeness.
        if has_person and sentence.message.role == ASSISTANT and not (sentence.durable or sentence.entities):
            continue
        full = len(chosen) >= (MOST if sentence.durable else FILL)
        if full or size + len(sentence.text) > MOST_CHARS or any(_alike(sentence, other) for other in chosen):
            continue
        if accept(sentence):
            chosen.append(sentence)
            size += len(sentence.text)
    return sorted(chosen, key=lambda sentence: sentence.order)


def render(chosen: Sequence[Sentence], names: Names) -> str:
    """Return a summary as Markdown: a line for each sentence, entities linked, the assistant's words marked as such."""
    lines = []
    for sentence in chosen:
        speaker = "assistant: " if sentence.message.role == ASSISTANT else ""
        lines.append(f"- {speaker}{link_entities(sentence.text, names)}")
    return "\n".join(lines)


def link_entities(text: str, names: Names) -> str:
    """Return a sentence in which the first mention of each entity is a link that Obsidian resolves."""
    out: list[str] = []
    at = 0
    linked: set[str] = set()
    for mention in find_mentions(text, names):
        found = mention.found or ()
        if len(found) != 1 or str(found[0].ref) in linked or mention.start < at:
            continue
        linked.add(str(found[0].ref))
        written = text[mention.start : mention.end]
        out += [text[at : mention.start], f"[[{found[0].folder}/{SUMMARY.removesuffix('.md')}|{written}]]"]
        at = mention.end
    return "".join([*out, text[at:]])


def entities_of(sentences: Sequence[Sentence]) -> tuple[Entity, ...]:
    """Return the entities that a session names, each once, in the order in which they came up."""
    return tuple({entity.ref: entity for sentence in sentences for entity in sentence.entities}.values())


def _sentences(text: str) -> Iterator[tuple[int, str]]:
    for line in iter_lines(text):
        for start, sentence in iter_sentences(line.text):
            lead = len(sentence) - len(sentence.lstrip())
            yield line.start + start + lead, sentence.strip()


def _sentence(text: str, message: Message, order: int, names: Names, *, durable: bool) -> Sentence:
    plain = plain_statement(text)
    ending = text.rstrip()[-1:] if text.rstrip()[-1:] in ".!?。！？" else ""
    mentions = find_mentions(plain, names)
    terms = (term for term in iter_terms(plain) if not is_stop(term) and term.kind is not Kind.SINGLE)
    shown = plain + ending if len(plain) <= _LONGEST else plain[:_LONGEST].rstrip() + "…"
    return Sentence(
        text=shown, message=message, order=order, durable=durable,
        entities=tuple(mention.found[0] for mention in mentions if mention.found and len(mention.found) == 1),
        terms=frozenset(term.stem or term.exact for term in terms),
    )  # fmt: skip


def _scored(sentences: Sequence[Sentence], embedder: Embedder | None) -> Iterator[Sentence]:
    """Yield the sentences that say anything, with how telling each is: names, shared terms, the person's own words."""
    spread = Counter(term for sentence in sentences for term in sentence.terms)
    close = _closeness([sentence.text for sentence in sentences], embedder)
    for sentence, near in zip(sentences, close, strict=True):
        if not sentence.terms and not sentence.durable:
            continue
        central = near + sum(log2(spread[term]) for term in sentence.terms) / (3 + len(sentence.terms))
        score = central + 0.75 * min(2, len(sentence.entities))
        score += 0.5 * (sentence.message.role == USER) - 0.5 * sentence.text.endswith(("?", "？"))
        yield replace(sentence, score=score * (0.5 + _importance(sentence.message)) + 2 * sentence.durable)


def _closeness(texts: Sequence[str], embedder: Embedder | None) -> list[float]:
    """Return the cosine of each text with the centre of them all, 0 without an embedder or where it fails."""
    nothing = [0.0] * len(texts)
    if embedder is None or not texts:
        return nothing
    try:
        flat = embedder.embed(texts)
    except EmbedderError:
        return nothing
    width = len(flat) // len(texts)
    rows = [flat[at : at + width] for at in range(0, len(flat), width)]
    centre = weighted_sum([(1.0, row) for row in rows])
    return [sum(one * other for one, other in zip(row, centre, strict=True)) for row in rows]


def _alike(one: Sentence, other: Sentence) -> bool:
    shared = len(one.terms & other.terms)
    return bool(shared) and shared / len(one.terms | other.terms) > _ALIKE


def _importance(message: Message) -> float:
    return 0.5 if message.importance is None else message.importance

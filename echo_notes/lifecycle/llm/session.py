"""A session as a model reads it: an episode's sentences, each with the messages it rests on, and proposed facts."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from echo_notes.files.sessions import ASSISTANT, USER, Message
from echo_notes.guard.mentions import find_mentions
from echo_notes.lifecycle.llm.consult import Consultant, texts_of
from echo_notes.lifecycle.llm.grounding import Names, is_grounded
from echo_notes.lifecycle.llm.proposals import Proposed, Source, entities_passage, read_proposals
from echo_notes.model.fact import CONSOLIDATED, MODEL_INFERRED
from echo_notes.model.passage import NOTE, Passage

_WINDOW_CHARS = 12_000
MOST_LINES = 10
MOST_CHARS = 1500


@dataclass(frozen=True, slots=True)
class Advice:
    """What a model made of these messages: sentences for the episode (none: it gave no usable ones), and facts."""

    messages: tuple[Message, ...]
    lines: tuple[str, ...] = ()
    proposals: tuple[Proposed, ...] = ()


def read_session(
    consultant: Consultant, messages: Sequence[Message], names: Names, categories: Sequence[str]
) -> Advice:
    """Return what the model makes of a session's messages; nothing it says is in it that they do not bear out."""
    told_by = [one for one in messages if one.role in {USER, ASSISTANT} and one.text.strip()]
    windows = list(_windows(told_by))
    lines: list[str] = []
    proposals: list[Proposed] = []
    whole = bool(windows) and sum(map(len, windows)) == len(told_by)
    for window in windows:
        answer = _ask(consultant, window, names) if consultant.is_at_work else None
        told: list[str] = []
        if answer is not None:
            value, offered = answer
            sent = {one.number: one for one in window}
            told = list(_lines(value["summary"], sent, names))[: max(2, MOST_LINES // len(windows))]
            sources = {number: Source(number, one.text, owner=one.role == USER) for number, one in sent.items()}
            proposals += read_proposals(value["facts"], sources, names, offered=offered, categories=categories)
        whole = whole and bool(told)
        lines += told
    return Advice(tuple(messages), tuple(_within_budget(lines)) if whole else (), tuple(proposals))


def _ask(consultant: Consultant, window: Sequence[Message], names: Names) -> tuple[Any, Mapping[str, Any]] | None:
    passages = [_passage(message) for message in window]
    mentioned = (found for one in window for found in find_mentions(one.text, names))
    entities = {one.found[0].ref: one.found[0] for one in mentioned if one.found and len(one.found) == 1}
    last, offered = entities_passage(entities.values())
    if not any(consultant.may_send(passage.text) for passage in passages) or not consultant.may_send(last.text):
        return None
    answer = consultant.ask("session", [*passages, last])
    return None if answer is None else (answer, offered)


def _passage(message: Message) -> Passage:
    label = CONSOLIDATED if message.role == USER and not message.agent else MODEL_INFERRED
    return Passage(
        id=f"message {message.number} ({message.role})", layer=NOTE, path="", line=1, text=message.text,
        provenance=label, on=message.at.date() if message.at else None,
    )  # fmt: skip


def _lines(rows: Sequence[Mapping[str, Any]], sent: Mapping[int, Message], names: Names) -> Iterator[str]:
    """Yield the sentences that cite messages which exist and say so."""
    for text, row in texts_of(rows):
        cited = [sent[number] for number in dict.fromkeys(row["sources"]) if number in sent]
        if cited and len(cited) == len(set(row["sources"])):
            source = "\n".join(message.text for message in cited)
            if is_grounded(text, source, names):
                yield text


def _within_budget(lines: Sequence[str]) -> Iterator[str]:
    size = 0
    for line in dict.fromkeys(lines):
        size += len(line)
        if size <= MOST_CHARS:
            yield line


def _windows(messages: Sequence[Message]) -> Iterator[list[Message]]:
    """Yield the messages in runs that fit one question; a single longer one goes alone, and unread by the model."""
    window: list[Message] = []
    size = 0
    for message in messages:
        if len(message.text) > _WINDOW_CHARS:
            continue
        if window and size + len(message.text) > _WINDOW_CHARS:
            yield window
            window, size = [], 0
        window.append(message)
        size += len(message.text)
    if window:
        yield window

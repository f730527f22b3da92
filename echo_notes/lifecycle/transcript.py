"""Transcripts: plain `Role: text` lines, NDJSON and OpenAI-style messages, read into the messages of a session."""

import json
import re
from collections.abc import Iterator
from typing import Any

from echo_notes.files.sessions import ASSISTANT, ROLES, USER, Message
from echo_notes.model.dates import parse_instant
from echo_notes.model.errors import UsageError
from echo_notes.model.names import fold

_NAMES = {
    "user": USER, "human": USER, "me": USER, "you": USER, "customer": USER, "用户": USER, "我": USER,
    "assistant": ASSISTANT, "ai": ASSISTANT, "model": ASSISTANT, "bot": ASSISTANT, "agent": ASSISTANT,
    "chatgpt": ASSISTANT, "claude": ASSISTANT, "gemini": ASSISTANT, "助手": ASSISTANT, "助理": ASSISTANT,
    "system": "system", "developer": "system", "系统": "system", "tool": "tool", "function": "tool", "工具": "tool",
}  # fmt: skip
_TURN = re.compile(
    r"\s*(?:[-*]\s+)?(?:\[?\d{1,2}:\d{2}(?::\d{2})?\]?\s+)?\*{0,2}([^\W\d_]{1,12})\*{0,2}\s*[:：]\*{0,2}\s*(.*)",
    re.DOTALL,
)
_WHERE = "standard input, line {}"


def parse_transcript(text: str, role: str) -> tuple[Message, ...]:
    """Return the messages of a transcript in its order; `role` is that of lines which name none.

    UsageError names the line that is neither text nor a message.
    """
    body = text.strip()
    if not body.startswith(("{", "[")) or _TURN.match(body):
        return tuple(_plain(text, role))
    try:
        whole = json.loads(body)
    except ValueError:
        whole = None
    if whole is None:
        if body.startswith("[") and not body.startswith(("[{", "[\n", "[ ")):
            return tuple(_plain(text, role))
        return tuple(_ndjson(text, role))
    if isinstance(whole, dict) and isinstance(whole.get("messages"), list):
        whole = whole["messages"]
    records = whole if isinstance(whole, list) else [whole]
    read = (_message(record, role, f"standard input, message {number}") for number, record in enumerate(records, 1))
    return tuple(message for message in read if message.text)


def role_named(word: str) -> str:
    """Return the role that a word stands for, "" if it stands for none."""
    return _NAMES.get(fold(word.strip()), "")


def _plain(text: str, role: str) -> Iterator[Message]:
    """Yield the turns of a transcript with roles, else a message for each line."""
    lines = text.splitlines()
    if not any(_turn(line) for line in lines):
        yield from (Message(text=line.strip(), role=role) for line in lines if line.strip())
        return
    speaker, said = role, list[str]()
    for line in lines:
        turn = _turn(line)
        if turn:
            yield from _said(speaker, said)
            speaker, said = turn[0], [turn[1]]
        else:
            said.append(line)
    yield from _said(speaker, said)


def _turn(line: str) -> tuple[str, str] | None:
    match = _TURN.match(line)
    role = role_named(match[1]) if match else ""
    return (role, match[2]) if match and role else None


def _said(role: str, lines: list[str]) -> Iterator[Message]:
    text = "\n".join(line.rstrip() for line in lines).strip()
    if text:
        yield Message(text=text, role=role)


def _ndjson(text: str, role: str) -> Iterator[Message]:
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except ValueError:
            raise UsageError(
                "is not JSON", where=_WHERE.format(number),
                fix="Write `User: …` lines, one JSON message a line, or one JSON list of messages.",
            ) from None  # fmt: skip
        message = _message(record, role, _WHERE.format(number))
        if message.text:
            yield message


def _message(record: Any, role: str, where: str) -> Message:
    if isinstance(record, str):
        return Message(text=record.strip(), role=role)
    if not isinstance(record, dict):
        raise UsageError("is no message", where=where, fix='For example: {"role": "user", "content": "…"}')
    named = str(record.get("role") or record.get("from") or record.get("speaker") or role)
    known = named if named in ROLES else role_named(named)
    if not known:
        raise UsageError(f"has an unknown role {named!r}", where=where, fix=f"Known: {', '.join(ROLES)}.")
    importance = record.get("importance")
    if importance is not None and not (_is_number(importance) and 0 <= importance <= 1):
        raise UsageError("has an importance that is not a number from 0 to 1", where=where)
    stamp = next((record[name] for name in ("at", "timestamp", "created_at", "createdAt") if record.get(name)), None)
    body = next((record[name] for name in ("content", "text", "message") if name in record), None)
    return Message(
        text=_text_of(body, where).strip(), role=known, at=parse_instant(stamp),
        importance=float(importance) if importance is not None else None,
    )  # fmt: skip


def _text_of(content: Any, where: str) -> str:
    """Return the text of a message's content: a string, or a list of parts of which only the text ones count."""
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        parts = (
            part if isinstance(part, str) else part.get("text") for part in content if isinstance(part, str | dict)
        )
        return "\n".join(part for part in parts if isinstance(part, str))
    raise UsageError("has content that is no text", where=where, fix='For example: {"role": "user", "content": "…"}')


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)

"""Transcripts in the shapes that people and programs have them in."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from echo_notes.lifecycle.transcript import parse_transcript
from echo_notes.model.errors import UsageError
from tests.conftest import Ran

Run = Callable[..., Ran]


def read(text: str, role: str = "user") -> list[tuple[str, str]]:
    return [(message.role, message.text) for message in parse_transcript(text, role)]


def test_turns_with_roles_take_the_lines_below_them() -> None:
    text = "User: I moved to Lisbon.\nIn May.\n\nAssistant: Noted.\nHuman: And?\nAI: Nothing.\n"
    assert read(text) == [
        ("user", "I moved to Lisbon.\nIn May."),
        ("assistant", "Noted."),
        ("user", "And?"),
        ("assistant", "Nothing."),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "用户：我住在杭州\n助手：好的",
        "**User**: 我住在杭州\n**Assistant**: 好的",
        "[14:32] User: 我住在杭州\n[14:33] AI: 好的",
        "- user: 我住在杭州\n- assistant: 好的",
    ],
)
def test_ways_to_write_a_turn(text: str) -> None:
    assert read(text) == [("user", "我住在杭州"), ("assistant", "好的")]


def test_lines_without_roles_are_messages_each() -> None:
    assert read("one\n\nNote: two\nhttp://three\n", "assistant") == [
        ("assistant", "one"),
        ("assistant", "Note: two"),
        ("assistant", "http://three"),
    ]


def test_ndjson() -> None:
    lines = '{"role": "user", "content": "a", "importance": 0.9}\n\n{"role": "assistant", "text": "b"}\n'
    assert read(lines) == [("user", "a"), ("assistant", "b")]
    assert parse_transcript(lines, "user")[0].importance == 0.9


def test_openai_messages_with_parts_tools_and_a_system_prompt() -> None:
    messages = [
        {"role": "system", "content": "You are helpful."},
        {"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "image_url", "image_url": {"url": "x"}}]},
        {"role": "assistant", "content": None, "tool_calls": [{"id": "1"}]},
        {"role": "tool", "content": "42"},
        {"role": "assistant", "content": "b"},
    ]
    wanted = [("system", "You are helpful."), ("user", "a"), ("tool", "42"), ("assistant", "b")]
    assert read(json.dumps(messages)) == wanted
    assert read(json.dumps({"model": "m", "messages": messages}, indent=2)) == wanted


def test_times_are_kept() -> None:
    [message] = parse_transcript('{"role": "user", "content": "a", "timestamp": "2026-11-01T10:00:00+01:00"}', "user")
    assert message.at is not None
    assert message.at.isoformat() == "2026-11-01T09:00:00+00:00"


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ('{"role": "user", "content": "a"}\n{"role": "user", "con', "line 2"),
        ('[{"role": "king", "content": "a"}]', "message 1"),
        ('[{"role": "user", "content": "a"}, 7]', "message 2"),
        ('{"role": "user", "content": "a", "importance": 7}', "message 1"),
        ('{"role": "user", "content": {"a": 1}}', "message 1"),
    ],
)
def test_what_is_no_transcript_is_named_and_nothing_is_written(
    empty_vault: Path, run: Run, text: str, where: str
) -> None:
    with pytest.raises(UsageError) as caught:
        parse_transcript(text, "user")
    assert where in caught.value.where
    assert run("session", "add", "chat", "-", at=empty_vault, stdin=text).status == 2
    assert not (empty_vault / ".echo/state/sessions").exists()


def test_brackets_that_are_no_json_are_text() -> None:
    assert read("[[Ada]] works at Acme\nmore") == [("user", "[[Ada]] works at Acme"), ("user", "more")]


def test_a_transcript_of_the_command_line(empty_vault: Path, run: Run) -> None:
    ran = run("session", "add", "chat", "-", at=empty_vault, stdin="User: a\nAssistant: b\n")
    assert ran.out == "added 2 messages to session chat\n"
    assert run("session", "add", "chat", "-", at=empty_vault, stdin=" \n").status == 2

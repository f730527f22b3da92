import pytest

from echo_notes.guard.lexicon import load_lexicon
from echo_notes.guard.transient import is_transient, normalise_key

_DATA = load_lexicon("transient")


@pytest.mark.parametrize(("text", "key", "tags"), _DATA["transient"])
def test_passing_task_state(text: str, key: str, tags: list[str]) -> None:
    assert is_transient(text, key, tags)


@pytest.mark.parametrize(("text", "key", "tags"), _DATA["durable"])
def test_durable_facts_are_none(text: str, key: str, tags: list[str]) -> None:
    assert not is_transient(text, key, tags)


def test_a_key_part_alone_is_not_enough() -> None:
    assert is_transient("it is in progress", "release-status")
    assert not is_transient("it is loved by all", "release-status")
    assert not is_transient("it is in progress", "release-notes")


def test_a_tag_counts_with_and_without_its_sign() -> None:
    assert is_transient("x", "", ["#Todo"])
    assert is_transient("x", "", ["task-state"])
    assert not is_transient("x", "", ["milestone"])


def test_keys_are_compared_whatever_joins_their_words() -> None:
    assert normalise_key("Current-Task ") == normalise_key("current task") == "current_task"

import pytest

from echo_notes.guard.lessons import LESSON, PREFERENCE, is_negative, read_insight, section_for
from echo_notes.guard.lexicon import load_lexicon

_EXAMPLES = load_lexicon("reflect")["examples"]


@pytest.mark.parametrize(("kind", "sentence", "line"), [
    (kind, *pair) for kind in (LESSON, PREFERENCE) for pair in _EXAMPLES[kind]
])  # fmt: skip
def test_lessons_and_preferences_in_the_writers_words(kind: str, sentence: str, line: str) -> None:
    found = read_insight(sentence)
    assert found is not None
    assert (found.kind, found.text) == (kind, line)


@pytest.mark.parametrize("sentence", _EXAMPLES["neither"])
def test_anything_else_is_neither(sentence: str) -> None:
    assert read_insight(sentence) is None


def test_a_tag_makes_a_lesson_of_any_sentence_and_is_not_part_of_it() -> None:
    found = read_insight("Zoë must be asked before Fridays", ["#lesson"])
    assert found is not None
    assert (found.kind, found.text) == (LESSON, "Zoë must be asked before Fridays")


def test_wanting_and_not_wanting_are_told_apart() -> None:
    assert is_negative("I don’t like calls")
    assert is_negative("我不喜欢电话")
    assert not is_negative("I like calls")
    assert not is_negative("Another note")


def test_a_line_goes_under_a_heading_that_is_there() -> None:
    assert section_for(PREFERENCE, "I prefer tea", ["Topics", "How I work"]) == "How I work"
    assert section_for(LESSON, "Ask first", ["Topics"]) == "Lessons"
    assert section_for(LESSON, "周五不要发版", []) == "教训"

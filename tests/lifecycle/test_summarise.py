"""Extractive summaries: what lasts first, names next, every word somebody's own."""

import re
from datetime import datetime

from hypothesis import given
from hypothesis import strategies as st

from echo_notes.files.sessions import Message
from echo_notes.index.embed import BuiltinEmbedder
from echo_notes.lifecycle.summarise import (
    FILL,
    MOST,
    MOST_CHARS,
    Reading,
    choose,
    entities_of,
    link_entities,
    read_messages,
    render,
)
from echo_notes.model.entity import Entity, EntityRef
from echo_notes.model.fact import DEFAULT_CATEGORIES
from tests.conftest import NOW

ADA = Entity(EntityRef("people", "ada"), "Ada Moreau", "life/areas/people/ada", ("Ada",))
LIN = Entity(EntityRef("people", "林晓"), "林晓", "life/areas/people/林晓")
NAMES = {"ada": (ADA,), "ada moreau": (ADA,), "林晓": (LIN,)}


def read(*turns: tuple[str, str], importance: float | None = None) -> Reading:
    at = datetime.fromisoformat(NOW)
    messages = [
        Message(role=role, text=text, number=number, at=at, importance=importance)
        for number, (role, text) in enumerate(turns, 1)
    ]
    return read_messages(messages, NAMES, DEFAULT_CATEGORIES)


def told(*turns: tuple[str, str]) -> list[str]:
    return [sentence.text for sentence in choose(read(*turns).sentences, lambda _: True)]


def test_durable_sentences_come_first_and_in_the_order_of_the_talk() -> None:
    chatter = [("user", f"The number {n} tram was late near the old bridge.") for n in range(30)]
    found = told(*chatter, ("user", "Ada is allergic to walnuts."), *chatter, ("user", "我住在杭州。"))
    assert found[-2:] == ["Ada is allergic to walnuts.", "我住在杭州。"]
    assert len(found) <= FILL


def test_sentences_that_name_somebody_come_before_those_that_do_not() -> None:
    found = told(
        ("user", "It rained."), ("user", "The tram was late."), ("user", "Ada drew the bridge."),
        ("user", "We had soup."), ("user", "林晓画了一座桥。"), ("user", "The soup was cold."),
    )  # fmt: skip
    assert {"Ada drew the bridge.", "林晓画了一座桥。"} < set(found)
    assert len(found) == FILL


def test_the_assistants_politeness_is_left_out_but_not_what_it_says_of_somebody() -> None:
    found = told(
        ("user", "The tram was late."), ("assistant", "I am sorry to hear that."), ("assistant", "Ada drew the bridge.")
    )
    assert found == ["The tram was late.", "Ada drew the bridge."]
    assert told(("assistant", "I am sorry to hear that.")) == ["I am sorry to hear that."]


def test_the_same_said_twice_is_told_once() -> None:
    assert told(("user", "Ada drew the bridge."), ("user", "Ada drew the bridge!")) == ["Ada drew the bridge."]


def test_one_turned_down_makes_room_for_the_next() -> None:
    sentences = read(("user", "Ada is allergic to walnuts."), ("user", "The tram was late.")).sentences
    assert [one.text for one in choose(sentences, lambda one: not one.durable)] == ["The tram was late."]


def test_a_summary_has_bounds() -> None:
    many = [("user", f"Ada is allergic to {word * 9}.") for word in "abcdefghijklmnopqrst"]
    assert len(told(*many)) == MOST
    assert sum(map(len, told(*(("user", f"Ada said {word * 380} there.") for word in "abcdefgh")))) <= MOST_CHARS
    [long] = told(("user", "word " * 500))
    assert len(long) <= 401


def test_importance_grows_with_what_lasts() -> None:
    idle = read(("user", "The tram was late."), ("user", "We had soup."))
    some = read(("user", "The tram was late."), ("user", "Ada is allergic to walnuts."))
    more = read(("user", "Ada is allergic to walnuts."), ("user", "Ada got married in May."))
    marked = read(("user", "The tram was late."), ("user", "Ada is allergic to walnuts."), importance=1.0)
    assert 0 < idle.importance < some.importance < more.importance <= 1
    assert some.importance < marked.importance <= 1
    assert read().importance == 0


def test_links_are_those_that_obsidian_resolves_one_for_each_entity() -> None:
    assert link_entities("Ada and Ada Moreau met 林晓", NAMES) == (
        "[[life/areas/people/ada/summary|Ada]] and Ada Moreau met [[life/areas/people/林晓/summary|林晓]]"
    )
    twins = {"ada": (ADA, LIN)}
    assert link_entities("Ada came", twins) == "Ada came"


def test_the_speaker_is_named_where_it_is_not_the_person() -> None:
    sentences = read(("user", "Ada drew it."), ("assistant", "Ada drew the bridge.")).sentences
    assert render(sentences, {}) == "- Ada drew it.\n- assistant: Ada drew the bridge."
    assert entities_of(sentences) == (ADA,)


def test_vectors_tell_what_a_session_is_about() -> None:
    turns = ["The ferry to the island leaves at noon.", "Boats cross the harbour every hour.", "My stapler broke.",
             "The ship was full of tourists.", "We sailed along the coast."]  # fmt: skip
    messages = [Message(text=text, number=number) for number, text in enumerate(turns, 1)]
    scored = read_messages(messages, {}, DEFAULT_CATEGORIES, BuiltinEmbedder()).sentences
    assert min(scored, key=lambda one: one.score).text == "My stapler broke."


_WORDS = st.sampled_from(
    ["Ada", "林晓", "is allergic to", "soup", "住在", "杭州", "[[Ada]]", "**bold**", "`code`", "late", "!", "。", "\n"]
)


@given(st.lists(st.lists(_WORDS, max_size=12).map(" ".join), max_size=6))
def test_nothing_is_invented(texts: list[str]) -> None:
    reading = read(*(("user", text) for text in texts))
    chosen = choose(reading.sentences, lambda _: True)
    said = [re.sub(r"[\s*`\[\]]", "", text) for text in texts]
    for line in render(chosen, NAMES).splitlines():
        plain = re.sub(r"\[\[[^|\]]*\|([^\]]*)\]\]", r"\1", line.removeprefix("- "))
        assert any(re.sub(r"[\s*`\[\]]", "", plain) in text for text in said)

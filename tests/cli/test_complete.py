from collections.abc import Iterator

import pytest

from echo_notes.cli.complete import LIMIT, candidates
from echo_notes.model.entity import Entity, EntityRef

VERBS = {
    "remember": ("--about", "--category", "--pin"),
    "recall": ("--entity", "--mode"),
    "supersede": (),
    "show": (),
    "ls": (),
    "entity new": (),
    "entity rename": (),
    "config get": (),
    "shell-init": ("--cmd",),
    "_complete": (),
}


def entity(ref: str, name: str, *aliases: str) -> Entity:
    return Entity(EntityRef.parse(ref), name, f"life/areas/{ref}", aliases)


ENTITIES = (
    entity("people/ada", "Ada Moreau", "Ada"),
    entity("people/zoe-nunez", "Zoë Núñez", "Zoë"),
    entity("people/林晓", "林晓", "Lin Xiao"),
    entity("projects/r-d-ops-eu", "R&D | Ops: EU"),
    entity("people/john", "John"),
    entity("companies/john", "john"),
)
FACTS = ("ada-001", "ada-002", "林晓-001")


def complete(*words: str) -> list[str]:
    return candidates(words, verbs=VERBS, entities=ENTITIES, fact_ids=FACTS)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ([], ["remember", "recall", "supersede", "show", "ls", "entity", "config", "shell-init"]),
        (["re"], ["remember", "recall"]),
        (["--vault", "somewhere", "sh"], ["show", "shell-init"]),
        (["-q", "entity", ""], ["new", "rename"]),
        (["entity", "new", "pe"], ["people"]),
        (["remember", "--"], ["--about", "--category", "--pin"]),
        (["--v"], ["--vault", "--version"]),
        (["config", "get", "memory.imp"], ["memory.importanceDecayDays"]),
        (["shell-init", ""], ["bash", "zsh", "fish"]),
        (["recall", "--mode", "l"], ["lexical"]),
        (["remember", "x", "--category", "pre"], ["preference"]),
        (["ls", "c"], ["companies"]),
        (["show", "yes"], ["yesterday"]),
        (["nonsense", ""], []),
    ],
)
def test_verbs_options_and_closed_lists(words: list[str], expected: list[str]) -> None:
    assert complete(*words) == expected


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("Ada", ["Ada Moreau"]),
        ("ada", ["Ada Moreau"]),
        ("Zoë", ["Zoë Núñez"]),
        ("zoe", ["zoe-nunez"]),
        ("zoé", ["Zoë Núñez"]),
        ("林", ["林晓"]),
        ("lin", ["Lin Xiao"]),
        ("R&D", ["R&D | Ops: EU"]),
        ("people/z", ["people/zoe-nunez"]),
        ("jo", ["companies/john", "people/john"]),
        ("nobody", []),
    ],
)
def test_an_entity_is_found_by_any_of_its_names(typed: str, expected: list[str]) -> None:
    assert complete("remember", "x", "--about", typed) == expected


@pytest.mark.parametrize(
    "words", [["remember", "--about", "=", "林"], ["remember", "--pin", "x", "--about", "=", "林"]]
)
def test_an_option_that_bash_cut_in_three_gives_the_value_alone(words: list[str]) -> None:
    assert complete(*words) == ["林晓"]


def test_an_option_in_one_word_gives_whole_words() -> None:
    assert complete("remember", "--about=林") == ["--about=林晓"]
    assert complete("recall", "--mode=") == ["--mode=fused", "--mode=lexical", "--mode=dense"]
    assert complete("recall", "--mode", "=") == ["fused", "lexical", "dense"]


def test_facts_come_where_a_fact_is_due_and_text_after_it() -> None:
    assert complete("supersede", "ada") == ["ada-001", "ada-002"]
    assert complete("supersede", "") == ["ada-001", "ada-002", "林晓-001"]
    assert complete("supersede", "ada-001", "") == []
    assert complete("supersede", "ada-001", "zo") == ["Zoë Núñez"]
    assert complete("show", "ada") == ["Ada Moreau"]
    assert complete("show", "ada-") == ["ada-001", "ada-002"]


def test_the_value_of_an_option_is_no_plain_argument() -> None:
    assert complete("supersede", "--source", "x", "ada-0") == ["ada-001", "ada-002"]
    assert complete("supersede", "--yes", "ada-0") == ["ada-001", "ada-002"]
    assert complete("supersede", "--", "ada-0") == ["ada-001", "ada-002"]


def test_names_that_would_act_on_a_terminal_or_look_like_an_option_give_way_to_the_ref() -> None:
    hostile = (
        entity("people/a", "a\x1b[2J"),
        entity("people/b", "b\nc"),
        entity("people/c", "-n"),
        entity("people/d", "\x1b"),
        entity("people/e", "e\u202e"),
        Entity(EntityRef("people", "x\x07"), "x\x07", "life/areas/people/x"),
    )
    found = candidates(["show", ""], verbs=VERBS, entities=hostile, fact_ids=[])
    assert found == ["people/a", "people/b", "people/c", "people/d", "people/e"]
    assert candidates(["show", ""], verbs=VERBS, entities=(), fact_ids=["ok-001", "bad\x1b-001"]) == ["ok-001"]


def test_the_vault_is_read_only_where_the_position_asks_for_it() -> None:
    def never() -> Iterator[Entity]:
        raise AssertionError
        yield ENTITIES[0]

    def never_ids() -> Iterator[str]:
        raise AssertionError
        yield ""

    assert candidates(["re"], verbs=VERBS, entities=never(), fact_ids=never_ids()) == ["remember", "recall"]
    assert candidates(["supersede", "ada-001", ""], verbs=VERBS, entities=never(), fact_ids=never_ids()) == []
    assert candidates(["remember", "--about", "ada"], verbs=VERBS, entities=ENTITIES, fact_ids=never_ids()) == [
        "Ada Moreau"
    ]
    assert candidates(["supersede", "a"], verbs=VERBS, entities=never(), fact_ids=FACTS) == ["ada-001", "ada-002"]


def test_a_large_vault_gives_a_bounded_answer_without_duplicates() -> None:
    ids = [f"x-{number % 50_000:05}" for number in range(100_000)]
    found = candidates(["supersede", ""], verbs=VERBS, entities=(), fact_ids=ids)
    assert len(found) == LIMIT
    assert len(set(found)) == LIMIT

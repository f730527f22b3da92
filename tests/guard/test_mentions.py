from time import perf_counter

import pytest

from echo_notes.guard.mentions import find_mentions, is_about_owner, subject_of
from echo_notes.model.names import fold_name

_ENTITIES = {
    "people/ada-lovelace": ["Ada Lovelace", "Ada", "ada-lovelace"],
    "people/bob": ["Bob"],
    "people/will": ["Will"],
    "people/zoe": ["Zoë Núñez"],
    "people/李雷": ["李雷"],
    "people/雷": ["雷"],
    "companies/acme": ["Acme"],
    "companies/acme-labs": ["Acme Labs"],
    "projects/cpp": ["C++"],
    "projects/rdops": ["R&D | Ops: EU"],
    "companies/腾讯": ["腾讯"],
}
NAMES = {fold_name(name): ref for ref, names in _ENTITIES.items() for name in names}


def _found(text: str) -> list[tuple[str | None, str]]:
    return [(mention.found, text[mention.start : mention.end]) for mention in find_mentions(text, NAMES)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Ada Lovelace met BOB", [("people/ada-lovelace", "Ada Lovelace"), ("people/bob", "BOB")]),
        ("Acme Labs left Acme", [("companies/acme-labs", "Acme Labs"), ("companies/acme", "Acme")]),
        ("李雷在腾讯工作", [("people/李雷", "李雷"), ("companies/腾讯", "腾讯")]),
        ("在Acme工作", [("companies/acme", "Acme")]),
        ("ZOE\u0308 NU\u0301N\u0303EZ!", [("people/zoe", "ZOE\u0308 NU\u0301N\u0303EZ")]),
        ("he likes C++.", [("projects/cpp", "C++")]),
        ("R&D | Ops: EU is late", [("projects/rdops", "R&D | Ops: EU")]),
        ("adamant bobbing acmes", []),
        ("it will rain; 打雷", []),
        ("Will came", [("people/will", "Will")]),
        ("ada_lovelace", [("people/ada-lovelace", "ada_lovelace")]),
    ],
)  # fmt: skip
def test_known_names_are_found_where_they_stand(text: str, found: list[tuple[str, str]]) -> None:
    assert _found(text) == found


@pytest.mark.parametrize(
    ("text", "subject"),
    [
        ("Ada works at Acme", "people/ada-lovelace"),
        ("At Acme, with Bob, Ada slipped", "people/ada-lovelace"),
        ("Lunch with Ada", "people/ada-lovelace"),
        ("My sister Ada lives in Rome", "people/ada-lovelace"),
        ("我同事李雷住在北京", "people/李雷"),
        ("和Bob一起，李雷走了", "people/李雷"),
    ],
)
def test_the_subject_comes_first(text: str, subject: str) -> None:
    assert subject_of(text, NAMES)[0].found == subject


@pytest.mark.parametrize(
    "text", ["I met Ada", "My manager is Ada", "- 14:32 I'm fond of Ada", "我喜欢李雷", "my birthday is May 3"]
)
def test_the_owner_comes_first(text: str) -> None:
    first = subject_of(text, NAMES)[0]

    assert first.owner
    assert first.found is None
    assert is_about_owner(text)


def test_the_possessive_is_marked() -> None:
    assert subject_of("Ada's brother is ill", NAMES)[0].possessive
    assert subject_of("李雷的弟弟病了", NAMES)[0].possessive
    assert not subject_of("Ada is ill", NAMES)[0].possessive


def test_nothing_known_is_nothing() -> None:
    assert subject_of("The weather was fine", NAMES) == ()
    assert not is_about_owner("It rained")


def test_ten_thousand_entities_cost_no_more_than_ten() -> None:
    many = NAMES | {f"person {number} smith": f"people/{number}" for number in range(10_000)}
    text = "Yesterday person 777 smith met Ada at Acme, and they talked for a while. " * 5
    started = perf_counter()

    assert len(find_mentions(text, many)) == 15

    assert perf_counter() - started < 0.5

from datetime import date

import pytest

from echo_notes.guard.conflict import (
    COMPATIBLE,
    CONTRADICTION,
    DUPLICATE,
    LIKELY,
    UPDATE,
    Said,
    compare,
)
from echo_notes.guard.dialogue import is_turn, read_turn
from echo_notes.model.entity import EntityRef
from echo_notes.model.fact import Fact

NAMES = ("Ada", "Ada Lovelace", "李雷")


def _kind(a: str, b: str) -> str:
    return compare(Said(a), Said(b), NAMES).kind


@pytest.mark.parametrize(
    ("a", "b", "kind"),
    [
        ("Ada works at Acme", "Ada joined Globex", UPDATE),
        ("Ada works at Acme", "Ada left Acme", UPDATE),
        ("Ada works at Acme", "Ada no longer works at Acme", UPDATE),
        ("Ada is single", "Ada married Bob", UPDATE),
        ("Ada has 3 offices", "Ada has 4 offices", UPDATE),
        ("Ada was born on 10 December 1990", "Ada was born on 12 October 1990", CONTRADICTION),
        ("Ada likes sushi", "Ada does not like sushi", CONTRADICTION),
        ("Ada enjoys opera", "Ada hates opera", CONTRADICTION),
        ("Ada is a public company", "Ada is a private company", CONTRADICTION),
        ("Ada works at Acme.", "ada lovelace works at  acme", DUPLICATE),
        ("Ada works for Acme", "Ada is employed by Acme, Inc.", DUPLICATE),
        ("Ada is due on 2026-11-30", "Ada's deadline is Nov 30, 2026", DUPLICATE),
        ("李雷在腾讯工作", "李雷加入了华为", UPDATE),
        ("李雷在腾讯工作", "李雷从腾讯离职了", UPDATE),
        ("李雷喜欢吃辣", "李雷不喜欢吃辣", CONTRADICTION),
        ("李雷对花生过敏", "李雷对花生不过敏", CONTRADICTION),
        ("李雷有一千名员工", "李雷有1000名员工", DUPLICATE),
    ],
)
def test_what_two_statements_are_to_each_other(a: str, b: str, kind: str) -> None:
    assert _kind(a, b) == kind


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Ada works at Acme", "Ada administers Acme's GitHub org"),
        ("Ada works at Acme", "Ada also works at Globex"),
        ("Ada works at Acme", "Ada used to work at Globex"),
        ("Ada works at Acme", "Ada might join Globex"),
        ("Ada works at Acme", "Ada works at Acme Labs"),
        ("Ada lives in Rome", "Ada lives in Italy"),
        ("Ada lives in Rome", "Ada's brother lives in Paris"),
        ("Ada was born in 1990", "Ada was born on 10 December 1990"),
        ("Ada is the CTO of Acme", "Ada is a board director of Globex"),
        ("Ada likes tea", "Ada likes coffee"),
        ("Ada doesn't like sushi", "Ada likes ramen"),
        ("Ada prefers tea over coffee", "Ada prefers trains over planes"),
        ("Ada visited Rome in 2024", "Ada visited Paris in 2025"),
        ("Ada speaks English", "Ada speaks German"),
        ("李雷住在北京", "李雷的弟弟住在上海"),
        ("李雷住在上海", "李雷以前住在北京"),
        ("李雷住在北京", "李雷住在海淀区"),
        ("李雷在北京有办公室", "李雷在南京有办公室"),
        ("李雷喜欢茶", "李雷喜欢咖啡"),
        ("李雷2015年到2019年在中兴工作", "李雷在华为工作"),
        ("Ada lives in Brooklyn", "Ada lives in New York"),
        ("Ada is a nurse", "Ada is the treasurer of the chess club"),
        ("Ada is active", "Ada is live"),
        ("Ada works at Acme", "Ada joined the chess club"),
        ("李雷加入了腾讯", "李雷加入了羽毛球队"),
    ],
)
def test_what_can_both_be_true(a: str, b: str) -> None:
    assert _kind(a, b) == COMPATIBLE
    assert _kind(b, a) == COMPATIBLE


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("李雷不在北京", "李雷在北京有一套房"),
        ("Ada has no car", "Ada sold her car"),
        ("Ada is not in Berlin", "Ada works for a Berlin company"),
        ("李雷没有车", "李雷卖了车"),
    ],
)
def test_a_denial_of_something_else_is_never_acted_on(a: str, b: str) -> None:
    verdict = compare(Said(a), Said(b), NAMES)

    assert not verdict.is_conflict or verdict.confidence < LIKELY


def test_a_move_of_an_earlier_year_retires_nothing() -> None:
    assert _kind("Ada moved to Lisbon in 2020", "Ada moved to Porto in 2015") == COMPATIBLE
    assert _kind("Ada moved to Porto in 2015", "Ada moved to Lisbon in 2020") == UPDATE
    assert _kind("Ada was founded in 2001", "Ada was founded in 1998") == CONTRADICTION


def test_disjoint_validity_is_no_conflict() -> None:
    first = Said("Ada works at Acme", valid_from=date(2024, 1, 1), valid_until=date(2024, 4, 1))
    second = Said("Ada works at Globex", valid_from=date(2024, 4, 1))

    assert compare(first, second, NAMES).kind == COMPATIBLE
    assert compare(first, Said("Ada works at Globex", valid_from=date(2024, 3, 1)), NAMES).kind == UPDATE


def test_an_explicit_key_counts_and_a_fact_can_be_compared() -> None:
    entity = EntityRef("people", "ada")
    fact = Fact(id="ada-001", text="employer:: Acme", entity=entity, key="employer")

    assert compare(fact, Said("Ada joined Globex"), NAMES).kind == UPDATE


def test_an_inline_status_and_a_sentence_are_one_key() -> None:
    assert _kind("[[Ada]] status:: paused", "Ada went live") == UPDATE


def test_a_verdict_says_why() -> None:
    verdict = compare(Said("Ada lives in Rome"), Said("Ada moved to Lisbon"), NAMES)

    assert "Rome" in verdict.why
    assert "Lisbon" in verdict.why


@pytest.mark.parametrize(
    ("a", "b", "kind"),
    [
        ("你喜欢爬山吗？ / 喜欢!", "你喜欢爬山吗？ / 不喜欢!", CONTRADICTION),
        ("你吃饭了没有？ / 刚吃了", "你吃过饭了吗？ / 还没有", CONTRADICTION),
        ("你是哪里人？ / 我是洛阳的", "你是哪里人？ / 我是郑州的", CONTRADICTION),
        ("我最喜欢菊花 / 我也是", "你知道我最喜欢什么花吗？ / 不知道", CONTRADICTION),
        ("你喜欢爬山吗？ / 喜欢!", "你喜欢游泳吗？ / 不喜欢!", COMPATIBLE),
        ("你喜欢什么书？ / 都喜欢", "你讨厌什么书？ / 不讨厌", COMPATIBLE),
        ("你是不是很忙？ / 不忙", "你不是很忙吗？ / 不忙", COMPATIBLE),
    ],
)
def test_questions_with_their_answers(a: str, b: str, kind: str) -> None:
    assert _kind(a, b) == kind


def test_an_english_slash_is_no_turn() -> None:
    assert not is_turn("either / or")
    assert read_turn("你多大了？ / 我22了").assertions == ("我22了",)

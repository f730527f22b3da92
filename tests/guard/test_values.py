from time import perf_counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from echo_notes.guard.values import date_in, han_number, normalise_statement, normalise_value, plain_statement

ADA = ("Ada", "Ada Lovelace", "李雷")


@pytest.mark.parametrize(
    "same",
    [
        ("1,000", "1000", "１０００", "一千"),
        ("35000", "三万五千", "3.5万"),
        ("2026-11-30", "Nov 30, 2026", "30 November 2026", "November 30th, 2026", "30/11/2026"),
        ("2026-11-30", "2026年11月30日", "2026/11/30", "30.11.2026"),
        ("May 3", "the 3rd of May", "5月3日", "五月三日"),
        ("2026-05", "May 2026", "2026年5月"),
        ("5km", "5 km", "5 kilometres", "5公里", "５ｋｍ"),
        ("8 hours", "8h", "8小时", "eight hours"),
        ("50%", "50 percent", "50 per cent", "百分之五十"),
        ("$50,000", "50000 USD", "50,000 dollars"),
        ("500000元", "五十万元", "50万元"),
        ("+1 (555) 010-2030", "+15550102030"),
        ("138-0013-8000", "13800138000"),
        ("Acme, Inc.", "ACME", "acme ", "Acme Ltd"),
        ("小米科技有限公司", "小米科技"),
        ("Zoë", "ZOE\u0308", "zoe"),
        ("the Louvre", "Louvre"),
        ("使用 Python", "使用Python"),
        ("Tom & Jerry", "Tom and Jerry"),
        ("green.", "“Green”"),
    ],
)  # fmt: skip
def test_spellings_of_one_value_are_the_same(same: tuple[str, ...]) -> None:
    assert len({normalise_value(value) for value in same}) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("11/12/2026", "2026-12-11"),
        ("11/12/2026", "2026-11-12"),
        ("3.10", "3.1"),
        ("C++", "C"),
        ("C#", "C"),
        ("-5", "5"),
        ("5 km", "5 m"),
        ("Acme Rockets", "Acme"),
        ("1.5", "15"),
        ("10:30", "1030"),
        ("2026-11", "2026-11-30"),
        ("三星", "三"),
        ("node.js", "node"),
    ],
)
def test_different_values_stay_different(one: str, other: str) -> None:
    assert normalise_value(one) != normalise_value(other)


@pytest.mark.parametrize(
    "text",
    [
        "Ada works at Acme.", "ada lovelace works at  acme", "- 14:32 [[Ada]] works at [[Acme]] #status",
        "works at Acme", "She works at Acme", "@ada works at Acme",
        "[[life/areas/people/ada/summary|Ada]] works at **Acme**!",
    ],
)  # fmt: skip
def test_a_statement_is_the_same_however_its_subject_is_written(text: str) -> None:
    assert normalise_statement(text, ADA) == "works at acme"


def test_chinese_statements_are_the_same_with_and_without_spaces() -> None:
    assert normalise_statement("李雷 在 腾讯 工作。", ADA) == normalise_statement("李雷在腾讯工作", ADA) == "在腾讯工作"


def test_another_subject_stays_in_the_statement() -> None:
    assert normalise_statement("Bob works at Acme", ADA) == "bob works at acme"
    assert normalise_statement("Bob likes Ada", ADA) == "bob likes @"


def test_a_name_inside_a_word_is_no_subject() -> None:
    assert normalise_statement("Adamant people win", ADA) == "adamant people win"


def test_negation_is_kept_however_it_is_written() -> None:
    assert normalise_statement("Ada doesn’t like tea", ADA) == normalise_statement("Ada does not like tea", ADA)
    assert normalise_statement("Ada does not like tea", ADA) != normalise_statement("Ada does like tea", ADA)


@given(st.text(max_size=40))
def test_normalising_never_fails_and_leaves_one_space_at_most(text: str) -> None:
    value = normalise_value(text)

    assert value == " ".join(value.split())
    assert normalise_value(f" {text} ") == value


def test_han_numbers() -> None:
    words = ["十", "二十", "一百零五", "两千", "一亿", "二〇二六", "三星"]

    assert [han_number(word) for word in words] == [10, 20, 105, 2000, 10**8, 2026, None]


def test_date_in() -> None:
    assert date_in("due on Nov 30, 2026, maybe") == "2026-11-30"
    assert date_in("五月三日") == "--05-03"
    assert date_in("no date, 3 apples and 11/12/2026") == ""


def test_plain_statement_drops_what_is_not_the_sentence() -> None:
    assert plain_statement("- [x] 14:32 see [the page](http://x.y) about C# #work #42") == "see the page about C# #42"
    assert plain_statement("mail ada@acme.com") == "mail ada@acme.com"


@pytest.mark.parametrize(
    "part", ["0", "1,000 ", "十", "二0", "1.", "may ", "2026年", "Ada's ", "[[", "#a ", "(", "5 km "]
)
def test_no_rule_is_more_than_linear_in_the_text(part: str) -> None:
    text = (part * 20_000)[:20_000]
    started = perf_counter()

    normalise_value(text)
    normalise_statement(text, ADA)

    assert perf_counter() - started < 2


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Bob likes 😀", "Bob likes 😡"),
        ("x > y", "x < y"),
        (":)", ":("),
        ("Bob got an A-", "Bob got an A"),
        ("Bob writes .NET", "Bob writes NET"),
        ("...", "---"),
        ("a → b", "a ← b"),
        ("C++", "C#"),
    ],
)
def test_marks_that_say_something_are_not_dropped(one: str, other: str) -> None:
    assert normalise_statement(one, ["Bob"]) != normalise_statement(other, ["Bob"])


@pytest.mark.parametrize(
    ("one", "other"),
    [("Bob likes tea.", "bob likes  tea"), ("Bob likes “tea”!", "Bob likes tea"), ("Bob: likes tea", "Bob likes tea")],
)
def test_marks_that_say_nothing_are(one: str, other: str) -> None:
    assert normalise_statement(one, ["Bob"]) == normalise_statement(other, ["Bob"])

import pytest

from echo_notes.guard.durable import Statement, durable_statements
from echo_notes.guard.keys import default_category, default_type
from echo_notes.guard.sentences import iter_lines, iter_sentences
from echo_notes.model.names import fold_name

NAMES = {
    fold_name(name): ref
    for ref, names in {
        "people/ada": ["Ada Lovelace", "Ada"],
        "people/bob": ["Bob"],
        "companies/acme": ["Acme"],
        "projects/atlas": ["Atlas"],
        "people/李雷": ["李雷"],
        "companies/腾讯": ["腾讯"],
    }.items()
    for name in names
}


def _read(text: str) -> list[Statement]:
    return durable_statements(text, NAMES)


def _only(text: str) -> Statement:
    found = _read(text)
    assert len(found) == 1, found
    return found[0]


@pytest.mark.parametrize(
    ("text", "subject", "category", "key"),
    [
        ("- [[Ada]] joined [[Acme]] as CTO #milestone", "Ada", "milestone", "employer"),
        ("- @ada prefers tea #preference", "ada", "preference", "preference:tea"),
        ("- [[Ada]] employer:: Acme", "Ada", "status", "employer"),
        ("- 09:10 [[Nobody Yet]] works for [[Acme]]", "Nobody Yet", "status", "employer"),
        ("- I stopped drinking coffee #preference", "", "preference", ""),
        ("- @李雷 会说流利的葡萄牙语 #状态", "李雷", "status", "language"),
        ("- [[life/areas/people/ada/summary|Ada]] moved to Lisbon", "Ada", "status", "city"),
    ],
)
def test_marked_lines_are_taken_at_their_word(text: str, subject: str, category: str, key: str) -> None:
    statement = _only(text)

    assert statement.marked
    assert (statement.subject, statement.category, statement.key) == (subject, category, key)


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("Ada works at Acme now", "status"),
        ("Bob got promoted to VP", "milestone"),
        ("I'm allergic to shellfish.", "status"),
        ("I don't eat meat.", "preference"),
        ("My wife is called Petra.", "relationship"),
        ("李雷升职为工程副总裁", "milestone"),
        ("我对海鲜过敏。", "status"),
        ("今天李雷毕业了", "milestone"),
        ("我不吃肉。", "preference"),
    ],
)
def test_unmarked_sentences_that_last(text: str, category: str) -> None:
    statement = _only(text)

    assert not statement.marked
    assert statement.category == category


@pytest.mark.parametrize(
    "text",
    [
        "Ugh, so tired today",
        "Plan for today: call Ada",
        "Should I tell Ada?",
        "If Bob joined Acme, we would win.",
        "- [ ] email [[Ada]] the contract",
        "- [x] [[Bob]] reviewed it",
        "> Ada works at Initech",
        "| Ada | works at | Acme |",
        "```\nAda works at Acme\n```",
        "    Ada works at Acme",
        "[24:33.098 - 24:41.260] Bob: I moved to Rome",
        "mood:: good",
        "From: Ada Lovelace <ada@acme.com>",
        "On Mon, Nov 30, 2026 Bob wrote:",
        "Bob: I moved to Rome",
        "Ada is running late.",
        "- Added [[Target]] to the roster",
        "Maybe Ada likes jazz",
        "Ada might join Acme",
        "Ada's brother lives in Rome",
        "I love this song",
        "I'll move to Rome",
        "# Ada works at Acme",
        "<!-- Ada works at Acme -->",
        "Somebody works at Acme",
        "李雷要迟到了",
        "我饿了",
        "如果李雷加入腾讯就好了",
        "李雷可能喜欢爵士乐",
        "李雷的弟弟住在上海",
        "我明天去北京",
        "心情:: 不错",
        "李雷说他会考虑",
        '"Ada moved to Paris," someone claimed',
        "-----Original Message-----\nAda works at Acme",
    ],
)
def test_chatter_plans_and_furniture_are_left(text: str) -> None:
    assert _read(text) == []


def test_a_statement_carries_its_own_source() -> None:
    note = "# 2026-11-30\n\n- 14:32 Rain. Ada moved to Lisbon. Lunch was late.\n"

    statement = _only(note)

    assert statement.source == "Ada moved to Lisbon."
    assert note[statement.start : statement.start + len(statement.source)] == statement.source
    assert statement.line == 3
    assert statement.text == "Ada moved to Lisbon"
    assert (statement.key, statement.value, statement.found) == ("city", "Lisbon", "people/ada")


def test_windows_newlines_do_not_shift_the_offset() -> None:
    note = "one\r\ntwo\r\n- Ada moved to Lisbon\r\n"

    statement = _only(note)

    assert note[statement.start :].startswith("Ada moved to Lisbon")
    assert statement.line == 3


def test_what_the_owner_says_of_themselves_is_about_the_user() -> None:
    mine, other = _only("I live in Porto."), _only("Ada lives in Porto.")

    assert (mine.owner, mine.type, mine.subject) == (True, "user", "")
    assert (other.owner, other.type) == (False, "environment")
    assert default_type(about_owner=True) == "user"


def test_a_list_in_a_list_is_read_and_a_generated_region_is_not() -> None:
    note = (
        "- Friends\n    - Ada moved to Lisbon\n"
        "<!-- echo:begin summary sha256:x -->\nBob lives in Rome\n<!-- echo:end summary -->\n"
    )

    assert [statement.subject for statement in _read(note)] == ["Ada"]


def test_front_matter_is_not_prose() -> None:
    assert _read("---\ntitle: Ada works at Acme\n---\nBob lives in Rome\n")[0].subject == "Bob"


def test_long_odd_lines_end_quickly() -> None:
    for text in ("[[" * 20_000, "Ada " * 20_000, "#" * 20_000, "我" * 20_000, "> " * 20_000, "a::" * 20_000):
        assert _read(text) == []


def test_sentences_keep_abbreviations_and_numbers_whole() -> None:
    text = "Dr. Smith paid 3.5 euros. J. Doe left! 好的。再见"

    assert [part.strip() for _, part in iter_sentences(text)] == [
        "Dr. Smith paid 3.5 euros.",
        "J. Doe left!",
        "好的。",
        "再见",
    ]
    assert all(text[start:].startswith(part) for start, part in iter_sentences(text))


def test_tags_of_a_line_are_found_and_numbers_are_none() -> None:
    line = next(iter_lines("- Ada is ill #status #a/b see #42 and C# x"))

    assert line.tags == ("status", "a/b")


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("Ada works at Acme", "status"),
        ("Ada got promoted", "milestone"),
        ("Ada and Bob are married", "relationship"),
        ("Ada prefers tea", "preference"),
        ("Ada hates mornings", "preference"),
        ("The sky is blue", "status"),
        ("李雷毕业了", "milestone"),
        ("李雷喜欢茶", "preference"),
        ("李雷和王芳结婚了", "relationship"),
        ("李雷在腾讯工作", "status"),
    ],
)
def test_default_category(text: str, category: str) -> None:
    assert default_category(text) == category


def test_default_category_is_one_of_the_vaults_own() -> None:
    assert default_category("Ada prefers tea", ["decision", "context"]) == "decision"
    assert default_category("Ada prefers tea", ["context", "status"]) == "status"

"""What people elsewhere could not find, and must find here: cases.md, section C."""

import pytest

from echo_notes.index.builtin.model import MODEL_ID
from echo_notes.model.settings import Settings
from tests.index.conftest import Vault, day_note

BUILTIN = Settings()
FILLER = [f"filler line number {n} about nothing in particular" for n in range(30)]


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("成语接龙", "今天玩成语接龙游戏"),
        ("しりとり", "今日は成語しりとりをした"),
        ("끝말잇기", "오늘 끝말잇기 게임을 했다"),
        ("成语", "今天玩成语接龙游戏"),
        ("飞", "他坐飞机去了北京"),
        ("飞机", "他坐飞机去了北京"),
        ("搬家", "林晓上个月搬家到了波尔图"),
    ],
)
@pytest.mark.parametrize("settings", [Settings(embedder="none"), BUILTIN], ids=["lexical", "fused"])
def test_text_without_spaces_is_found_at_rank_one(vault: Vault, query: str, text: str, settings: Settings) -> None:
    others = [
        "今天玩成语接龙游戏",
        "今日は成語しりとりをした",
        "오늘 끝말잇기 게임을 했다",
        "他坐飞机去了北京",
        "林晓上个月搬家到了波尔图",
    ]
    for number, other in enumerate(others):
        vault.write(f"notes/{number}.md", other + "\n")
    vault.write("memory/2026-03-02.md", day_note(FILLER))
    first = vault.recall(query, settings)[: 2 if query == "成语" and settings is BUILTIN else 1]
    assert text in first  # 成語, the Japanese spelling of 成语, is as good an answer by meaning


@pytest.mark.parametrize("length", [39, 40, 41, 64, 200, 300])
def test_long_tokens_are_found_whole(vault: Vault, length: int) -> None:
    word = ("abcdefghij" * 40)[:length]
    vault.write("a.md", f"The word is {word}.\n")
    vault.write("b.md", "Nothing here.\n")
    assert vault.places(word) == ["a.md:1"]


@pytest.mark.parametrize(
    "text",
    [
        "3f2a91c0d4e5b6a79881726354aabbccddeeff00",
        "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "春天来了花儿都开了我们一起去公园放风筝吧",
    ],
)
def test_hashes_and_unpunctuated_han_sentences_are_found(vault: Vault, text: str) -> None:
    vault.write("a.md", f"{text}\n")
    vault.write("b.md", "something else\n")
    assert vault.places(text)[0] == "a.md:1"


QUERIES = [
    "https://website.org", "comment:", "-foo", "+ 2", ">>>", '"unclosed', 'usb-c adapter""', "a AND", "*", "", "   ",
    "title:x", "NOT", "(", ")", "[1 TO 2]", "~", "^2", "\\", "a\\", "/regex/", "foo~1", "—", "\u200b", "\x00", "🤷",
]  # fmt: skip


@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize("settings", [Settings(embedder="none"), BUILTIN], ids=["lexical", "fused"])
def test_no_query_raises_or_matches_everything(vault: Vault, query: str, settings: Settings) -> None:
    vault.write(
        "memory/2026-03-02.md", day_note([*FILLER, "https://website.org has the form", "the usb-c adapter broke"])
    )
    assert len(vault.recall(query, settings, k=100)) < 20


@pytest.mark.parametrize(
    ("query", "hit"),
    [
        ("https://website.org", "see https://website.org for it"),
        ('usb-c adapter""', "my usb-c adapter broke"),
        ("-foo", "set foo to 3"),
        ("y+(y+25)", "solve y+(y+25) first"),
        ("f(x)", "the slope of f(x)"),
        ("[0,1)", "a number in [0,1)"),
        ("1.0.21", "upgraded to 1.0.21 and 2026.4.10"),
        ('"1.0.21"', "upgraded to 1.0.21 and 2026.4.10"),
        ("2026.4.10", "upgraded to 1.0.21 and 2026.4.10"),
        ("snake_case_name", "call snake_case_name twice"),
        ("case", "call snake_case_name twice"),
        ("userId", "the userId column"),
        ("C++", "C++ templates"),
        ("C#", "C# generics"),
        ("F#", "F# pipes"),
        (".NET", "runs on .NET"),
        ("node.js", "node.js server"),
        ("A/B", "the A/B test"),
        ("@alice", "ask @alice"),
        ("#tag", "filed under #tag"),
        ("R", "wrote it in R"),
        ("Go", "wrote it in Go"),
        ("me@example.org", "mail me@example.org"),
        ("e-mail", "the e-mail came"),
        ("email", "the e-mail came"),
    ],
)
def test_punctuation_is_searched_literally(vault: Vault, query: str, hit: str) -> None:
    others = [
        "see https://website.org for it", "my usb-c adapter broke", "set foo to 3", "solve y+(y+25) first",
        "the slope of f(x)", "a number in [0,1)", "upgraded to 1.0.21 and 2026.4.10", "call snake_case_name twice",
        "the userId column", "C++ templates", "C# generics", "F# pipes", "runs on .NET", "node.js server",
        "the A/B test", "ask @alice", "filed under #tag", "wrote it in R", "wrote it in Go", "mail me@example.org",
        "the e-mail came", "plain c code",
    ]  # fmt: skip
    for number, other in enumerate(others):
        vault.write(f"notes/{number}.md", other + "\n")
    assert vault.recall(query)[0] == hit


def test_a_number_without_its_dots_is_another_number(vault: Vault) -> None:
    vault.write("a.md", "upgraded to 1.0.21\n")
    assert vault.recall("1021") == []


def test_cpp_ranks_its_note_above_csharp(vault: Vault) -> None:
    vault.write("a.md", "Ada teaches C#, C# and more C#.\n")
    vault.write("b.md", "Ada once wrote a long compiler in C++ for a company in another town.\n")
    assert vault.places("C++")[0] == "b.md:1"
    assert vault.places("C#")[0] == "a.md:1"


@pytest.mark.parametrize(
    ("query", "word"),
    [
        ("thordur", "Þórður"), ("ÞÓRÐUR", "Þórður"), ("reykjavik", "Reykjavík"), ("istanbul", "İstanbul"),
        ("ISTANBUL", "İstanbul"), ("strasse", "straße"), ("STRASSE", "straße"), ("oeuvre", "œuvre"), ("naive", "naïve"),
        ("Zoe\u0308", "Zoë"), ("zoe", "Zoë"),
    ],
)  # fmt: skip
def test_letters_fold(vault: Vault, query: str, word: str) -> None:
    vault.write("a.md", f"about {word} today\n")
    vault.write("b.md", "about nothing today\n")
    assert vault.places(query) == ["a.md:1"]


def test_the_exact_form_comes_before_the_folded_one(vault: Vault) -> None:
    vault.write("a.md", "the naïve plan\n")
    vault.write("b.md", "the naive plan\n")
    assert vault.places("naive")[0] == "b.md:1"
    assert vault.places("naïve")[0] == "a.md:1"


def test_nfd_text_meets_an_nfc_query_and_the_reverse(vault: Vault) -> None:
    vault.write("a.md", "cafe\u0301 Zoe\u0308\n")
    vault.write("b.md", "café Zoë\n")
    assert set(vault.places("café")) == set(vault.places("cafe\u0301")) == {"a.md:1", "b.md:1"}


def test_thai_and_indic_marks_are_kept(vault: Vault) -> None:
    vault.write("a.md", "เขาชอบกาแฟเย็น\n")
    vault.write("b.md", "मुझे हिन्दी पसंद है\n")
    assert vault.places("กาแฟ") == ["a.md:1"]
    assert vault.places("हिन्दी") == ["b.md:1"]


def test_latin_glued_to_han_is_its_own_word(vault: Vault) -> None:
    vault.write("a.md", "我用Python写脚本\n")
    vault.write("b.md", "我用别的写脚本\n")
    assert vault.places("python") == ["a.md:1"]


def test_traditional_and_simplified_meet(vault: Vault) -> None:
    vault.write("a.md", "愛麗絲喜歡喝綠茶\n")
    vault.write("b.md", "鲍勃喜欢喝咖啡\n")
    assert vault.places("爱丽丝绿茶")[0] == "a.md:1"


def test_text_far_down_a_long_note_is_found_with_its_line(vault: Vault) -> None:
    lines = [f"Line {n} of a very long note about the garden and the weather." for n in range(4000)]
    lines[3800] += " The word is quokka."
    vault.write("long.md", "\n".join(lines) + "\n")
    result = vault.search("quokka")
    passage = result.hits[0].passage
    assert "quokka" in passage.text
    assert passage.line <= 3801 < passage.line + passage.text.count("\n") + 1


def test_an_entry_is_found_at_its_own_line(vault: Vault) -> None:
    entries = [f"entry {n} on this and that" for n in range(900)]
    entries[809] = "the boiler was repaired by Hamid"
    vault.write("memory/2026-03-02.md", day_note(entries))
    assert vault.places("boiler repaired")[0] == "memory/2026-03-02.md:812"


@pytest.mark.parametrize("settings", [Settings(embedder="none"), BUILTIN], ids=["lexical", "fused"])
def test_filters_come_before_the_ranking(vault: Vault, settings: Settings) -> None:
    vault.facts("life/areas/companies/acme", *[f"Acme signed contract number {n}" for n in range(5000)])
    vault.facts("life/areas/people/ada", "Ada keeps the contract in a drawer")
    assert vault.recall("contract", settings, kinds=("people",)) == ["Ada keeps the contract in a drawer"]
    assert vault.recall("contract", settings, kinds=("People",)) == ["Ada keeps the contract in a drawer"]


def test_both_words_count_and_either_finds(vault: Vault) -> None:
    vault.write("a.md", "an apple and a banana\n")
    vault.write("b.md", "an apple and a pear, apple pie and apple juice\n")
    vault.write("c.md", "a banana and a pear\n")
    assert vault.places("apple banana")[0] == "a.md:1"
    assert set(vault.places("apple banana")) == {"a.md:1", "b.md:1", "c.md:1"}


def test_an_exact_rare_word_beats_a_paraphrase(vault: Vault) -> None:
    vault.write("a.md", "The vet looked after the dog when it was ill.\n")
    vault.write("b.md", "Codeword: xylograph.\n")
    vault.write("c.md", "An animal doctor treated our puppy.\n")
    assert vault.places("xylograph vet", BUILTIN)[0] == "b.md:1"


def test_a_query_of_stop_words_alone_still_works(vault: Vault) -> None:
    vault.write("a.md", "To be or not to be\n")
    vault.write("b.md", "Lunch at noon\n")
    assert vault.places("to be or not to be")[0] == "a.md:1"
    vault.write("c.md", "是的，我们可以\n")
    assert vault.places("我们可以")[0] == "c.md:1"


def test_a_question_in_the_other_language_finds_the_fact(vault: Vault) -> None:
    vault.facts("life/areas/people/林晓", "林晓喜欢喝绿茶，不喝咖啡", "林晓的妹妹在里斯本读大学", "林晓每周三去游泳")
    vault.facts("life/areas/people/ada", "Ada joined Acme as CTO", "Ada lives in Porto", "Ada cycles to work")
    assert vault.recall("who likes green tea", BUILTIN)[0] == "林晓喜欢喝绿茶，不喝咖啡"
    assert vault.recall("谁骑自行车上班", BUILTIN)[0] == "Ada cycles to work"


def test_an_alias_in_the_other_script_raises_the_facts(vault: Vault) -> None:
    vault.facts("life/areas/people/lin-xiao", "likes green tea", "swims on Wednesdays")
    vault.write("life/areas/people/lin-xiao/summary.md", "---\nname: Lin Xiao\naliases: [林晓]\n---\n")
    vault.facts("life/areas/people/ada", "likes peppermint tea", "swims on Sundays")
    for query in ("林晓 swims", "Lin Xiao swims", "lin-xiao swims", "LIN XIAO swims"):
        assert vault.recall(query, BUILTIN)[0] == "swims on Wednesdays", query


def test_emoji_are_terms(vault: Vault) -> None:
    vault.write("a.md", "great day 🎉\n")
    vault.write("b.md", "great day 🌧\n")
    assert vault.places("🎉") == ["a.md:1"]


def test_what_the_model_cannot_read_is_left_to_the_words(vault: Vault) -> None:
    vault.write("a.md", "Привет из Москвы\n")
    vault.write("b.md", "Καλημέρα από την Αθήνα\n")
    result = vault.search("Москвы", BUILTIN)
    assert [hit.passage.path for hit in result.hits] == ["a.md"]
    assert result.degraded == ()
    assert MODEL_ID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from echo_notes.index.analysis import MAX_TERM, Kind, index_terms, is_unspaced, iter_terms, query_terms


def stems(text: str) -> list[str]:
    return index_terms(text)[0].split()


def exact(text: str) -> list[str]:
    return index_terms(text)[1].split()


def test_english_is_stemmed_with_the_word_kept() -> None:
    assert stems("She was running") == ["she", "was", "run"]
    assert exact("She was running") == ["she", "was", "running"]


def test_case_and_accents_fold_with_the_accents_kept() -> None:
    assert stems("Zoë NAÏVE Straße") == ["zoe", "naiv", "strass"]
    assert exact("Zoë NAÏVE Straße") == ["zoë", "naïve", "strasse"]


@pytest.mark.parametrize(
    ("text", "whole", "parts"),
    [
        ("C++", "c++", ["c"]),
        ("C#,", "c#", ["c"]),
        ("(.NET)", ".net", ["net"]),
        ("node.js", "node.js", ["node", "js"]),
        ("user_id", "user_id", ["user", "id"]),
        ("1.0.21.", "1.0.21", ["1", "0", "21"]),
        ("@ada,", "@ada", ["ada"]),
        ("#tag", "#tag", ["tag"]),
        ("2026-11-30", "2026-11-30", ["2026", "11", "30"]),
        ("https://a.org/b?c=d", "https://a.org/b?c=d", ["https", "a", "org", "b", "c", "d"]),
        ("me@x.org", "me@x.org", ["me", "x", "org"]),
        ("A/B", "a/b", ["a", "b"]),
    ],
)
def test_identifiers_are_whole_and_in_parts(text: str, whole: str, parts: list[str]) -> None:
    assert whole in exact(text)
    assert stems(text) == parts


def test_camel_case_comes_apart() -> None:
    assert stems("userId") == ["userid", "user", "id"]
    assert "http" in stems("parseHTTPResponse")


def test_han_gives_characters_and_pairs() -> None:
    assert stems("喝绿茶") == ["喝", "绿", "喝绿", "茶", "绿茶"]


def test_punctuation_ends_a_run_of_han() -> None:
    assert "茶咖" not in stems("绿茶，咖啡")


def test_latin_glued_to_han_is_split_off() -> None:
    assert "python" in stems("用Python写")
    assert "c++" in exact("学C++吗")


def test_traditional_meets_simplified_with_the_spelling_kept() -> None:
    assert "绿茶" in stems("綠茶")
    assert "綠茶" in exact("綠茶")


def test_half_width_and_full_width_meet() -> None:
    assert stems("ＡＢＣ１２３") == stems("ABC123")
    assert stems("ﾃｽﾄ") == stems("テスト")


def test_decomposed_hangul_and_kana_meet_composed() -> None:
    assert stems("\u1112\u1161\u11ab\u1100\u116e\u11a8") == stems("한국")
    assert stems("か\u3099く") == stems("がく")


def test_indic_marks_stay_in_their_word() -> None:
    assert stems("हिन्दी में") == ["हिन्दी", "में"]


def test_a_zero_width_joiner_does_not_part_or_mark_a_word() -> None:
    assert stems("می\u200cخواهم") == stems("میخواهم")


def test_long_words_are_kept_up_to_a_limit() -> None:
    assert stems("7" * 1000) == ["7" * MAX_TERM]
    assert stems("a" * MAX_TERM) == ["a" * MAX_TERM]


def test_stop_words_leave_a_query_but_not_the_index() -> None:
    assert [term.stem for term in query_terms("what does Ada drink?")] == ["ada", "drink"]
    assert "what" in stems("what does Ada drink?")


def test_a_query_of_stop_words_keeps_them() -> None:
    assert [term.stem for term in query_terms("to be or not to be")] == ["to", "be", "or", "not"]


def test_one_han_character_is_a_query() -> None:
    assert [term.stem for term in query_terms("飞")] == ["飞"]
    assert [term.stem for term in query_terms("的")] == ["的"]


def test_emoji_are_terms_and_their_glue_is_not() -> None:
    assert [term.stem for term in iter_terms("👨‍👩‍👧!")] == ["👨", "👩", "👧"]
    assert all(term.kind is Kind.EMOJI for term in iter_terms("🎉🎉"))


def test_scripts_without_spaces_are_told() -> None:
    assert is_unspaced("我住在波尔图 Porto")
    assert not is_unspaced("I live in Porto 波尔图")
    assert not is_unspaced("")


@given(st.text())
def test_any_text_gives_terms_without_white_space(text: str) -> None:
    for term in iter_terms(text):
        assert term.stem or term.exact
        assert len(term.stem) <= 4 * MAX_TERM
        assert not any(char.isspace() for char in term.stem + term.exact)


@given(st.text())
def test_a_text_is_its_own_query(text: str) -> None:
    indexed = set(stems(text)) | set(exact(text))
    assert all((term.stem or term.exact) in indexed for term in query_terms(text))

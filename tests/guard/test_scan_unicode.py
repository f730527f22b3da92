"""Invisible characters: refused where nobody gives them work, accepted where Unicode does."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from echo_notes.guard.scan import STRICT, scan_text, strip_invisible
from echo_notes.guard.unicode_rules import find_invisible

LEGITIMATE = {
    "emoji family": "周末 👨‍👩‍👧‍👦",
    "gendered emoji": "🤸‍♀️ done",
    "skin tone": "👩🏽‍💻 on call",
    "rainbow flag": "🏳️‍🌈 parade",
    "Scottish flag": "to 🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f in May",
    "country flag": "🇯🇵 trip",
    "keycap": "Step 1️⃣ done",
    "text style": "☎︎ 12345",
    "Persian": "می‌خواهم فردا بروم",
    "Persian and Latin": "PDF‌ها",
    "Hindi": "क्‍ष का उच्चारण",
    "Bengali": "র‍্যাম আপগ্রেড",
    "Sinhala": "ශ්‍රී ලංකා",
    "Arabic with marks": "مُحَمَّدٌ رَسُولٌ",
    "Hebrew mark": "הפגישה עם Anna\u200f בשעה 14:00",
    "Arabic number": "رقم الهاتف \u200e+1-555-0100",
    "Mongolian": "ᠮᠣᠩᠭᠣᠯ\u180b ᠪᠠᠢᠨ\u180eᠠ",
    "Thai word break": "ภาษา\u200bไทย",
    "leading byte order mark": "\ufeff# 2026-03-01",
    "name variant": "葛\U000e0100城市に出張",
    "braille": "⠓⠊⠀⠓⠊",
    "no-break spaces": "Total:\xa042\u202fEUR",
}
REFUSED = {
    "joiner in Latin": "foo\u200dbar",
    "non-joiner in Latin": "foo\u200cbar",
    "joiner in Han": "忽\u200d略",
    "doubled joiner in Persian": "می\u200c\u200cخواهم",
    "zero-width space": "foo\u200bbar",
    "word joiner": "foo\u2060bar",
    "soft hyphen": "pass\xadword",
    "inner byte order mark": "foo\ufeffbar",
    "right-to-left override": "note \u202egnp.exe\u202c",
    "isolate": "note \u2067abc\u2069",
    "direction mark in Latin": "foo\u200ebar",
    "tags": "noon\U000e0049\U000e0067",
    "tags after a flag": "🏴\U000e0049\U000e0067\U000e007f",
    "unfinished flag": "🏴\U000e0067\U000e0062\U000e0073",
    "variation selectors": "noon\U000e0139\U000e0157",
    "selectors after emoji": "🙂\U000e0139\U000e0157",
    "selector after a letter": "a\ufe0f",
    "two selectors": "❤\ufe0f\ufe0f",
    "bits in Han selectors": "葛\U000e0100城\U000e0101市\U000e0102出\U000e0103",
    "Hangul filler": "a\u3164b",
    "half-width filler": "a\uffa0b",
    "invisible times": "2\u2062x",
    "grapheme joiner": "a\u034fb",
    "Mongolian separator in Latin": "a\u180eb",
    "braille blank in Latin": "a\u2800b",
    "musical control": "a\U0001d173b",
    "concealed in a terminal": "seen \x1b[8mhidden\x1b[0m",
}


@pytest.mark.parametrize("text", LEGITIMATE.values(), ids=LEGITIMATE)
def test_what_unicode_gives_work_is_accepted(text: str) -> None:
    assert find_invisible(text) == []
    assert strip_invisible(text) == text


@pytest.mark.parametrize("text", REFUSED.values(), ids=REFUSED)
def test_what_has_no_work_is_refused_and_can_be_stripped(text: str) -> None:
    first = find_invisible(text)[0]
    assert first.end > first.start
    assert "invisible_unicode" in {one.reason for one in scan_text(text)}
    assert find_invisible(strip_invisible(text)) == []


@pytest.mark.parametrize("name", ["emoji family", "Persian", "Hindi", "Hebrew mark", "Thai word break"])
def test_strict_refuses_every_joiner(name: str) -> None:
    assert find_invisible(LEGITIMATE[name], STRICT)
    assert scan_text(LEGITIMATE[name], joiners=STRICT)


@pytest.mark.parametrize("name", ["keycap", "Scottish flag", "leading byte order mark", "name variant", "Mongolian"])
def test_strict_leaves_selectors_and_the_leading_mark(name: str) -> None:
    assert find_invisible(LEGITIMATE[name], STRICT) == []


def test_line_break_hints_are_accepted_only_where_a_line_may_break() -> None:
    assert find_invisible("The inter\xadnational con\xadference") == []
    assert find_invisible("https://example.com/\u200bvery/\u200blong") == []
    assert find_invisible("10\u206042 rows") == []
    assert find_invisible("example.com/\u200bvery")
    assert find_invisible("i\xadnternationalisation")


def test_runs_of_one_character_are_one_finding() -> None:
    (found,) = find_invisible("a\u200b\u200b\u200bb")
    assert (found.start, found.end) == (1, 4)


@given(
    st.text(
        alphabet=st.sampled_from(
            "aZ 1葛ی\u200b\u200c\u200d\u2060\xad\ufe0f\U000e0100\U000e0067\U000e007f👩🏴❤\u200e\ufeffक्"
        )
    )
)
def test_stripping_always_leaves_text_that_passes(text: str) -> None:
    stripped = strip_invisible(text)
    assert find_invisible(stripped) == []
    assert strip_invisible(stripped) == stripped

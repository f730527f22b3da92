from hypothesis import given
from hypothesis import strategies as st

from echo_notes.cli.cells import cells, pad
from echo_notes.cli.wrap import wrap


def test_words_are_kept_whole_and_later_lines_hang() -> None:
    assert wrap("ada-001  Ada works at Kestrel Maps", 20, 4) == "ada-001  Ada works\n    at Kestrel Maps"


def test_colour_takes_no_room_and_chinese_takes_two_columns() -> None:
    assert wrap("\x1b[36mada\x1b[0m likes tea", 14, 2) == "\x1b[36mada\x1b[0m likes tea"
    assert wrap("林晓喜欢喝绿茶", 8, 2) == "林晓喜欢\n  喝绿茶"
    assert cells("Zoë 林晓") == 8
    assert pad("林", 4) == "林  "


@given(st.text(alphabet="ab 林e\u0301", max_size=80), st.integers(8, 40))
def test_no_line_is_too_long_and_no_letter_is_lost(text: str, width: int) -> None:
    wrapped = wrap(text, width, 4)
    assert all(cells(line) <= width or line == text for line in wrapped.split("\n"))
    assert "".join(wrapped.split()) == "".join(text.split())

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from echo_notes.files.daily import append_entry, day_name, parse_day_name
from echo_notes.files.markdown import iter_blocks

DAY = date(2026, 11, 30)


def append(text: str | None, entry: str = "tea", heading: str = "") -> str:
    return append_entry(text, DAY, "14:32", entry, heading=heading)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("2026-11-30.md", DAY),
        ("2026-11-30-some-slug.md", DAY),
        ("2026-11-30-爱 丽.md", DAY),
        ("2026-13-30.md", None),
        ("2026-11-30", None),
        ("2026-11-30.txt", None),
        ("2026-11-30x.md", None),
        ("2026-11-30-.md", None),
        ("x2026-11-30.md", None),
        ("2026-W48.md", None),
    ],
)
def test_names_of_days(name: str, expected: date | None) -> None:
    assert parse_day_name(name) == expected


def test_the_name_of_a_day_is_read_back() -> None:
    assert parse_day_name(day_name(DAY)) == DAY


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (None, "# 2026-11-30\n\n- 14:32 tea\n"),
        ("", "# 2026-11-30\n\n- 14:32 tea\n"),
        ("# x\n", "# x\n\n- 14:32 tea\n"),
        ("# x\n\n- a\n", "# x\n\n- a\n- 14:32 tea\n"),
        ("# x\n\n- a", "# x\n\n- a\n- 14:32 tea\n"),
        ("- a\n  - b\n    c\n", "- a\n  - b\n    c\n- 14:32 tea\n"),
        ("prose", "prose\n\n- 14:32 tea\n"),
        ("prose\n\n\n", "prose\n\n\n- 14:32 tea\n"),
        ("- a\r\n- b\r\n", "- a\r\n- b\r\n- 14:32 tea\r\n"),
        ("| a |\n", "| a |\n\n- 14:32 tea\n"),
        ("---\ntags: [x]\n---\n- a\n", "---\ntags: [x]\n---\n- a\n- 14:32 tea\n"),
    ],
)
def test_an_entry_is_added_at_the_end(before: str | None, after: str) -> None:
    assert append(before) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("# x\n\n## Log\n\n- a\n\n## Next\ny\n", "# x\n\n## Log\n\n- a\n- 14:32 tea\n\n## Next\ny\n"),
        ("## Log\n## Next\n", "## Log\n\n- 14:32 tea\n\n## Next\n"),
        ("## Log", "## Log\n\n- 14:32 tea\n"),
        ("## log ##\n- a\n### deeper\n- b\n# Up\n", "## log ##\n- a\n### deeper\n- b\n- 14:32 tea\n\n# Up\n"),
        ("# x\n- a\n", "# x\n- a\n\n## Log\n\n- 14:32 tea\n"),
        ("## Log\n```\n- code\n```\n# Up\n", "## Log\n```\n- code\n```\n\n- 14:32 tea\n\n# Up\n"),
        ("Log\n---\n# Up\n", "Log\n---\n\n- 14:32 tea\n\n# Up\n"),
        ("## Log\r\n- a\r\n\r\n## B\r\n", "## Log\r\n- a\r\n- 14:32 tea\r\n\r\n## B\r\n"),
        ("---\na: b\n---\n## Log\n- a\n# Up\n", "---\na: b\n---\n## Log\n- a\n- 14:32 tea\n\n# Up\n"),
        (None, "# 2026-11-30\n\n## Log\n\n- 14:32 tea\n"),
    ],
)
def test_an_entry_is_added_under_its_heading(before: str | None, after: str) -> None:
    assert append(before, heading="## Log") == after
    assert append(before, heading="Log") == after


def test_further_lines_belong_to_the_entry() -> None:
    after = append("- a\n", "one\r\ntwo\n\n- three  \n")
    assert after == "- a\n- 14:32 one\n  two\n\n  - three\n"
    assert [block.time for block in iter_blocks(after)] == [None, "14:32"]


def test_an_entry_of_another_day_has_no_time() -> None:
    assert append_entry(None, DAY, "", "tea") == "# 2026-11-30\n\n- tea\n"


@given(st.text(alphabet="a#- `\n\r|>~=*1.\t").filter(str.strip), st.sampled_from(["", "a", "Log"]))
def test_nothing_that_was_there_changes(before: str, heading: str) -> None:
    after = append(before, heading=heading)
    place = next(
        at for at in range(len(before), -1, -1) if after.startswith(before[:at]) and after.endswith(before[at:])
    )
    added = after[place : len(after) - len(before) + place]
    assert added.split() in ([*["-", "14:32", "tea"]], ["##", heading, *["-", "14:32", "tea"]])

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from echo_notes.files.markdown import Block, inline_fields, iter_blocks, links, mentions, tags

DAY = """# 2026-11-30

- 14:32 met [[Ada]]
  who brought cake
  - nested #food
    deeper

  after a blank line
- 9:05:10 short
lazy line
* [x] 10:00 done
1. first

## Work ##
A paragraph
of two lines.

| a | b |
|---|---|
| #no | tag |

```python
# not a heading
x = 1
```

<!-- a note
to self -->
> quoted
> twice

---

Setext
======
after
"""


def blocks(text: str) -> list[tuple[str, int, str]]:
    return [(block.kind, block.line, block.text) for block in iter_blocks(text)]


def test_a_daily_note_falls_into_blocks_with_their_lines() -> None:
    assert blocks(DAY) == [
        ("heading", 1, "2026-11-30"),
        ("entry", 3, "met [[Ada]]\n  who brought cake\n  - nested #food\n    deeper\n\n  after a blank line"),
        ("entry", 9, "short\nlazy line"),
        ("entry", 11, "[x] done"),
        ("entry", 12, "first"),
        ("heading", 14, "Work"),
        ("paragraph", 15, "A paragraph\nof two lines."),
        ("table", 18, "| a | b |\n|---|---|\n| #no | tag |"),
        ("code", 23, "# not a heading\nx = 1"),
        ("comment", 27, "<!-- a note\nto self -->"),
        ("quote", 29, "quoted\ntwice"),
        ("heading", 34, "Setext"),
        ("paragraph", 36, "after"),
    ]


def test_times_and_headings_are_known() -> None:
    found = list(iter_blocks(DAY, first_line=101))
    assert [block.time for block in found if block.kind == "entry"] == ["14:32", "09:05", "10:00", None]
    assert found[1] == Block("entry", found[1].text, 103, ("2026-11-30",), "14:32", end=108)
    assert [block.end for block in found if block.kind in {"code", "heading"}] == [101, 114, 125, 135]
    assert [block.level for block in found if block.kind == "heading"] == [1, 2, 1]
    assert found[6].headings == ("2026-11-30", "Work")
    assert found[-1].headings == ("Setext",)


def test_heading_levels_close_each_other() -> None:
    text = "# a\n### b\n## c\n#### d\n# e\n#\n#f\n####### g\n"
    found = [(block.kind, block.text, block.headings) for block in iter_blocks(text)]
    assert found == [
        ("heading", "a", ()),
        ("heading", "b", ("a",)),
        ("heading", "c", ("a",)),
        ("heading", "d", ("a", "c")),
        ("heading", "e", ()),
        ("heading", "", ()),
        ("paragraph", "#f\n####### g", ("",)),
    ]


def test_crlf_lines_count_once() -> None:
    assert blocks("# a\r\n\r\n- 10:00 b\r\n  c\r\n") == [("heading", 1, "a"), ("entry", 3, "b\n  c")]


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("text\n---\n", ["heading"]),
        ("two\nlines\n---\nmore", ["paragraph", "paragraph"]),
        ("```\nnever closed\n# x", ["code"]),
        ("~~~\n```\n~~~\nx", ["code", "paragraph"]),
        ("```inline``` code", ["paragraph"]),
        ("<!-- x --> words", ["paragraph"]),
        ("<!-- never closed\n\n- a", ["paragraph", "entry"]),
        ("%% hidden %%\nx", ["comment", "paragraph"]),
        ("    indented\n", ["code"]),
        ("a | b\n--|--\n1 | 2\n\nx", ["table", "paragraph"]),
        ("[24:33.098 - 24:41.260] hello", ["paragraph"]),
        ("*Italic* start", ["paragraph"]),
        ("**bold**", ["paragraph"]),
        ("- a\n- b\n\n- c", ["entry", "entry", "entry"]),
        ("  - a\n  - b\n", ["entry", "entry"]),
        ("- a\n\n  ```\n  - code\n\n  # x\n  ```\n- b", ["entry", "entry"]),
        ("- a\n# h", ["entry", "heading"]),
        ("- a\n\nparagraph", ["entry", "paragraph"]),
        ("- - -\n***\n___\n", []),
        ("-\n", []),
        ("", []),
        ("\n \n\t\n", []),
    ],
)
def test_kinds_of_blocks(text: str, kinds: list[str]) -> None:
    assert [block.kind for block in iter_blocks(text)] == kinds


@given(st.text(alphabet="ab -*#>|`~\n\r\t:[]()!<%=_1.\u3000茶"))
def test_every_block_stands_at_its_line(text: str) -> None:
    lines = text.split("\n")
    last = 0
    for block in iter_blocks(text):
        rows = block.text.split("\n")
        assert block.line > last
        last = block.line + len(rows) - 1
        for offset, row in enumerate(rows):
            assert row.strip() in lines[block.line - 1 + offset]


@given(st.text(), st.integers(1, 10))
def test_no_text_raises(text: str, first_line: int) -> None:
    for block in iter_blocks(text, first_line):
        assert block.line >= first_line
        links(block.text), tags(block.text), inline_fields(block.text), mentions(block.text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[[Ada]] and [[Acme|the firm]], [[Ada]]", ["Ada", "Acme"]),
        ("[[life/areas/people/ada/summary|Ada]] ![[pic.png]]", ["life/areas/people/ada/summary", "pic.png"]),
        ("[[Ada#Early life|x]] [[#local]] [[ ]] [[Ada\\|in a table]]", ["Ada"]),
        ("`[[code]]` ``a ` [[b]]`` [[R&D | Ops: EU]]", ["R&D"]),
        ("- Added [[Target]] to [[Other]]", ["Target", "Other"]),
        ("```\n[[x]]\n```\n[[y]]", ["y"]),
        ("[[unclosed [[Ada]] ]] [[a\nb]]", ["Ada"]),
        ("[[爱丽丝]]", ["爱丽丝"]),
    ],
)
def test_wikilinks(text: str, expected: list[str]) -> None:
    assert links(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("#milestone and #a/b, #x-y_z.", ["milestone", "a/b", "x-y_z"]),
        ("# Heading\n## More\n#tag", ["tag"]),
        ("#123 #2026-11-30 #y2026", ["y2026"]),
        ("喜欢茶 #偏好，#饮料 (#café)", ["偏好", "饮料", "café"]),
        ("`#code` https://x.org/#frag [x](#anchor) [[Ada#Life]] a#b ##c", []),
        ("| #cell | b |\n<!-- #hidden -->", []),
        ("- [x] done\n- [/] half\n[24:33.098 - 24:41.260] hi", []),
        ("```\n#no\n```\n~~~\n#no\n~~~\n#yes", ["yes"]),
        ("one ` tick #yes\n\nanother ` tick", ["yes"]),
        ("#Zoe\u0308 #\U0001f600", ["Zoe\u0308", "\U0001f600"]),
        ("#a #a #-", ["a"]),
    ],
)
def test_tags(text: str, expected: list[str]) -> None:
    assert tags(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[[Ada]] employer:: Acme", [("employer", "Acme")]),
        ("employer:: [[Acme]] #milestone", [("employer", "[[Acme]]")]),
        (
            "so [employer:: [[Acme|the firm]]] and (role:: CTO) now",
            [("employer", "[[Acme|the firm]]"), ("role", "CTO")],
        ),
        ("[date started:: 2026-01-01]", [("date started", "2026-01-01")]),
        ("**role**:: CTO", [("role", "CTO")]),
        ("employer:: Acme role:: CTO", [("employer", "Acme"), ("role", "CTO")]),
        ("a:: b\nc:: d\r\n", [("a", "b"), ("c", "d")]),
        ("雇主:: 小米", [("雇主", "小米")]),
        ("std::vector a::b `x:: y` http:://x 12:: y empty::", []),
        ("[key:: 9]", [("key", "9")]),
        ("| employer:: Acme | [role:: CTO] |\n[24:33.098 - 24:41.260] hi", []),
    ],
)
def test_inline_fields(text: str, expected: list[tuple[str, str]]) -> None:
    assert inline_fields(text) == expected


def test_mentions() -> None:
    assert mentions("@ada and @bob.smith, mail a@b.org `@code` @爱丽丝") == ["ada", "bob.smith", "爱丽丝"]


HOSTILE = [
    "[" * 10_000,
    "[[" * 50_000,
    "[a](" * 50_000,
    "](" * 50_000,
    "**" * 50_000,
    "**a " * 50_000,
    "`" * 99_999,
    "".join("`" * (n % 300) + " " for n in range(2_000)),
    "<!--\n" * 50_000,
    "<!--" * 50_000,
    "%%\n" * 50_001,
    "- a\n" * 30_000,
    "- - " * 50_000,
    "-" * 100_000 + " " * 100_000 + "x",
    "|\n" + "-" * 50_000 + " " * 50_000 + "x|",
    "> " * 50_000,
    "```\n" * 30_001,
    "#a " * 50_000 + ":: x",
    "k:: #a " * 30_000,
    "(k:: " * 50_000,
    "a." * 100_000 + "://",
    "\n" * 100_000,
    "- a\n" + "\n" * 100_000,
    "1" * 1_000_000,
    " " * 500_000 + "x",
    "- " + " " * 500_000 + "x",
    "data:image/png;base64," + "iVBORw0KGgo" * 100_000,
]


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_text_takes_linear_time(text: str) -> None:
    started = time.perf_counter()
    for block in iter_blocks(text):
        links(block.text), tags(block.text), inline_fields(block.text), mentions(block.text)
    links(text), tags(text), inline_fields(text), mentions(text)
    assert time.perf_counter() - started < 2

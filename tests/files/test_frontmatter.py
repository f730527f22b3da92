import time
from datetime import UTC, date, datetime
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from echo_notes.files.frontmatter import splice, split
from echo_notes.files.items import REMOVE
from echo_notes.files.yamltext import dump_key, dump_scalar, load_quick
from echo_notes.model.errors import UnreadableError

NOTE = """---
# who she is
name: "Ada Lovelace"   # the person
kind: people
aliases:
  - Ada
  # a title
  - 'Countess of Lovelace' # since 1838
tags: [math, "first programmer"]
about: >
  Two lines
  folded.

# the end
empty:
---
# Ada

--- not a fence
"""


def test_a_note_is_split_with_its_line() -> None:
    note = split(NOTE)
    assert note.present
    assert note.problem is None
    assert note.body == "# Ada\n\n--- not a fence\n"
    assert note.body_line == 17
    assert note.values["aliases"] == ["Ada", "Countess of Lovelace"]
    assert note.words("tags") == ("math", "first programmer")
    assert note.values["about"] == "Two lines folded.\n"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "plain",
        "text --- more\n---\n",
        "|---|---|\n| a | b |\n---\n",
        "---\na rule, never closed\n",
        "---\n",
        " ---\nname: x\n---\n",
        "----\nname: x\n----\n",
        "\n---\nname: x\n---\n",
        "--- \nname: x\n---\n",
    ],
)
def test_no_front_matter_without_both_fences(text: str) -> None:
    note = split(text)
    assert (note.body, note.body_line, note.values, note.present) == (text, 1, {}, False)


def test_prose_between_rules_stays_body() -> None:
    note = split("---\nSome prose.\n---\nmore\n")
    assert note.body.startswith("---\nSome prose.")
    assert note.problem
    with pytest.raises(UnreadableError):
        splice("---\nSome prose.\n---\nmore\n", {"name": "x"})


@pytest.mark.parametrize(
    ("block", "key", "value"),
    [
        ("title: Governance: Rootkeeper", "title", "Governance: Rootkeeper"),
        ("title: L2 (Split: Core)", "title", "L2 (Split: Core)"),
        ("title: *Italic*", "title", "*Italic*"),
        ("key: `C:\\agent\\x`", "key", "`C:\\agent\\x`"),
        ("name: x\ndesc: [unclosed", "name", "x"),
        ("links:\n- [[link]]suffix\n- b", "links", ["[[link]]suffix", "b"]),
        ("day: 2026-13-45\nname: x", "day", "2026-13-45"),
        ("name: x\n\ttab: y", "name", "x"),
        ("name: x\r\ntitle: a: b\r", "title", "a: b"),
        ("n: " + "9" * 5000 + "\nname: x", "name", "x"),
    ],
)
def test_what_yaml_refuses_is_read_line_by_line(block: str, key: str, value: Any) -> None:
    note = split(f"---\n{block}\n---\nbody\n")
    assert note.values[key] == value
    assert note.body == "body\n"
    assert note.problem
    assert note.problem.split(":")[0].isdigit()
    text = f"---\n{block}\n---\nbody\n"
    with pytest.raises(UnreadableError):
        splice(text, {"name": "y"})


def test_a_key_that_stands_twice_is_a_problem() -> None:
    assert split("---\na: 1\nb: 2\na: 3\n---\n").problem == "4:1: `a` stands twice; the last one counts"


def test_bom_and_crlf_are_kept() -> None:
    text = "\ufeff---\r\nname: x\r\n---\r\nbody\r\n"
    assert split(text).values == {"name": "x"}
    after = splice(text, {"name": "z", "tags": ["a"]})
    assert after == "\ufeff---\r\nname: z\r\ntags:\r\n  - a\r\n---\r\nbody\r\n"


def test_words_that_yaml_reinterprets_keep_their_spelling() -> None:
    note = split("---\nname: yes\ncode: 007 # agent\nday: 2026-11-30\naliases:\n- [[Ada]]\n- a: b\n- 3\n---\n")
    assert (note.text("name"), note.text("code"), note.text("day")) == ("yes", "007", "2026-11-30")
    assert note.words("aliases") == ("[[Ada]]", "a: b", "3")
    assert split("---\ntags: a, b\n---\n").words("tags") == ("a", "b")
    assert split("---\ntags: 2026\n---\n").words("tags") == ("2026",)


@pytest.mark.parametrize(
    ("changes", "old", "new"),
    [
        ({"name": "Ada King"}, '"Ada Lovelace"', '"Ada King"'),
        ({"kind": "persons"}, "kind: people", "kind: persons"),
        ({"kind": "a: b"}, "kind: people", 'kind: "a: b"'),
        ({"empty": "x"}, "empty:\n", "empty: x\n"),
        ({"tags": ["first programmer", "new"]}, '[math, "first programmer"]', '["first programmer", new]'),
        ({"tags": []}, '[math, "first programmer"]', "[]"),
        (
            {"aliases": ["Ada", "Countess of Lovelace", "A. L."]},
            "# since 1838\n",
            "# since 1838\n  - A. L.\n",
        ),
        ({"aliases": ["Countess of Lovelace"]}, "  - Ada\n  # a title\n", ""),
        ({"aliases": REMOVE}, "aliases:\n  - Ada\n  # a title\n  - 'Countess of Lovelace' # since 1838\n", ""),
        ({"about": "short"}, "about: >\n  Two lines\n  folded.\n", "about: short\n"),
        ({"added": date(2026, 11, 30)}, "empty:\n", "empty:\nadded: 2026-11-30\n"),
        ({"added": ["a"]}, "empty:\n", "empty:\nadded: [a]\n"),
        ({"absent": REMOVE}, "", ""),
        ({}, "", ""),
        ({"name": "Ada Lovelace", "about": "Two lines folded.\n"}, "", ""),
    ],
)
def test_a_splice_touches_only_its_key(changes: dict[str, Any], old: str, new: str) -> None:
    assert splice(NOTE, changes) == NOTE.replace(old, new, 1)


def test_a_note_without_front_matter_gets_one() -> None:
    assert splice("# Ada\n", {"name": "Ada", "aliases": ["A"]}) == "---\nname: Ada\naliases:\n  - A\n---\n# Ada\n"
    assert splice("---\na rule\n", {"name": "x"}) == "---\nname: x\n---\n---\na rule\n"
    assert splice("# Ada\n", {"name": REMOVE}) == "# Ada\n"
    assert splice("---\n---\nbody", {"a": 1}) == "---\na: 1\n---\nbody"


@pytest.mark.parametrize(
    "text",
    [
        "---\nname: x\nnever: closed\n",
        "---\n{name: x, kind: y}\n---\n",
        "---\n? name\n: x\n---\n",
        "---\nname: &a x\nother: *a\n---\n",
        "---\nname: [x\n---\n",
    ],
)
def test_what_cannot_be_edited_safely_is_left_alone(text: str) -> None:
    with pytest.raises(UnreadableError) as caught:
        splice(text, {"name": REMOVE, "n": 1})
    assert caught.value.exit_code == 6


def test_the_error_of_a_splice_names_the_file_and_the_line() -> None:
    with pytest.raises(UnreadableError) as caught:
        splice("---\nname: x\ntitle: a: b\n---\n", {"name": "z"}, path="summary.md")
    assert caught.value.where == "summary.md:3:9"


def test_what_is_too_long_for_front_matter_is_text() -> None:
    text = "---\n" + "key: value\n" * 10_000 + "---\nbody\n"
    assert split(text).body == text
    assert split(text).problem
    with pytest.raises(UnreadableError):
        splice(text, {"name": "z"})


def test_deep_and_large_blocks_end_quickly() -> None:
    started = time.perf_counter()
    for block in (
        "a: " + "[" * 30_000,
        "a: " + "[" * 9_000 + "]" * 9_000,
        "- " * 20_000,
        "a: b\n" * 100_000,
        "{" * 60_000,
        "a" + " " * 60_000 + "b",
        "k: x" + " " * 60_000 + "y",
        "k: `x" + " " * 60_000 + "y",
        "k: `\n- x" + " " * 60_000 + "y",
        "k: `\n-" + " " * 60_000,
    ):
        split(f"---\n{block}\n---\nbody")
    assert time.perf_counter() - started < 3


SCALARS = st.one_of(
    st.text(),
    st.text(alphabet=":#&*!|>%@`-'\"\\[]{},? \t\n\r\x85\u2028\ufeffyesno1e~."),
    st.sampled_from(
        [
            "yes",
            "No",
            "on",
            "null",
            "~",
            "",
            "1e3",
            "0x1F",
            "2026-11-30",
            "12:30:45",
            "- a",
            "-",
            "a ",
            " a",
            "=",
            "<<",
            'role: lead: infra #1 "x"',
            "R&D | Ops: EU",
            "[[link]]",
            "#tag",
            "@ada",
            "%x",
            "!tag",
            "'",
            '"',
            "---",
            "...",
            "2026-11-30T10:00:00Z",
            "1_000",
            ".5",
            "+1",
            "0o7",
            "true",
            "爱丽丝",
            "Zoë",
            "😀",
            "\x7f",
            "a\x00b",
        ]
    ),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False),
    st.dates(),
    st.none(),
).filter(lambda value: not isinstance(value, str) or not any("\ud800" <= c <= "\udfff" for c in value))


@given(SCALARS, st.sampled_from(["", "'", '"']))
def test_every_value_written_is_read_back_by_strict_yaml(value: Any, quote: str) -> None:
    dumped = dump_scalar(value, quote=quote)
    assert "\n" not in dumped
    for document in (f"k: {dumped}\n", f"k: {dumped}  # note\n", f"k:\r\n  - {dumped}\r\n", f"k: [{dumped}, z]\n"):
        read = yaml.safe_load(document)["k"]
        assert (read[0] if isinstance(read, list) else read) == value
        assert type(read[0] if isinstance(read, list) else read) is type(value)


@given(st.text(min_size=1).filter(lambda key: not any("\ud800" <= c <= "\udfff" for c in key)))
def test_every_key_written_is_read_back(key: str) -> None:
    if len(dump_key(key)) < 500:  # longer keys are no simple keys to YAML
        assert yaml.safe_load(f"{dump_key(key)}: 1\n") == {key: 1}


LINES = st.sampled_from(
    [
        "a: b",
        "b: c d",
        "c:",
        "  - x",
        "- y",
        "  - 'q'",
        '  - "z w"',
        "d: [p, q]",
        "e: 2026-11-30",
        "y: 2026-11-30T14:32:05Z",
        "z: 2026-11-30T25:00:00Z",
        "ab: 0.50",
        "ac: 007",
        "ad: 1.2.3",
        "ae: [0, 10, 1_0, 0x1, 1e3] # numbers",
        "af: # nothing",
        "ag: #x",
        "  - x # c",
        "  # inside",
        'ah: "a # b" # c',
        "ai: a#b",
        "ae: [a # b]",
        "# caf\x85e",
        "aa: ２０２６-11-30",
        "f: yes",
        "g: 1",
        "",
        "h: x # c",
        "# c",
        "a: again",
        "i: 茶 tea",
        "j: [yes]",
        'k: "q\\n"',
        "l: a:b",
        "  m: n",
        "o: Barney's",
        "   ",
        "p: a  b",
        "q:   spaced   ",
        "r: (x) +y/z.",
        "s: []",
        "t: 2026-02-31",
        "null: x",
        "u: a-b -c",
        "v: a,b",
        "w: [a,]",
        "x: [ ]",
    ]
)


@given(st.lists(LINES, max_size=6), st.sampled_from(["\n", "\r\n"]))
def test_the_quick_reader_agrees_with_yaml(lines: list[str], newline: str) -> None:
    block = "".join(line + newline for line in lines)
    quick = load_quick(block)
    if quick is not None:
        read = yaml.safe_load(block) or {}
        assert read == quick
        assert {key: type(value) for key, value in read.items()} == {key: type(value) for key, value in quick.items()}


@given(
    st.dictionaries(
        st.sampled_from(["name", "kind", "aliases", "tags", "about", "empty", "new one"]), SCALARS | st.lists(SCALARS)
    )
)
def test_any_splice_reads_back_and_leaves_the_body(changes: dict[str, Any]) -> None:
    after = splice(NOTE, changes)
    note = split(after)
    assert note.body == split(NOTE).body
    assert note.problem is None
    expected = {**split(NOTE).values, **changes}
    assert dict(note.values) == expected
    untouched = [line for line in NOTE.splitlines() if line.startswith("#")]
    assert [line for line in untouched if line in after.splitlines()] == untouched


def test_times_are_written_in_utc() -> None:
    after = splice("", {"at": datetime(2026, 11, 30, 8, 0, 1, tzinfo=UTC)})
    assert after == "---\nat: 2026-11-30T08:00:01Z\n---\n"
    assert split(after).values["at"] == datetime(2026, 11, 30, 8, 0, 1, tzinfo=UTC)

import hashlib
import time

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from echo_notes.files.summary import (
    MOVED_HEADING,
    digest_region,
    format_region,
    new_summary,
    parse_summary,
    replace_region,
)
from echo_notes.model.errors import ConflictError

REGION = format_region("## Now\n\n- Ada is CTO (ada-001)\n")
NOTE = f"""---
name: Ada Lovelace # whole name
kind: people
aliases: [Ada, "A: L"]
tags: [math]
---
# Ada

Met at the party.

{REGION}

My own notes.
"""
TEMPLATE = "---\nname: {name}\nkind: {kind}\naliases: {aliases}\ntags: []\n---\n# {name}\n"


def test_a_summary_is_read_in_parts_with_lines() -> None:
    summary = parse_summary(NOTE)
    assert (summary.name, summary.kind, summary.aliases, summary.tags) == (
        "Ada Lovelace",
        "people",
        ("Ada", "A: L"),
        ("math",),
    )
    assert (summary.region, summary.region_line) == ("## Now\n\n- Ada is CTO (ada-001)\n", 12)
    assert summary.region_digest_ok
    assert [(part.line, part.text) for part in summary.parts] == [
        (7, "# Ada\n\nMet at the party.\n\n"),
        (16, "\nMy own notes.\n"),
    ]


def test_the_digest_is_of_the_text_between_the_marker_lines() -> None:
    body = "## Now\n\n- Ada is CTO (ada-001)\n"
    assert f"sha256:{hashlib.sha256(body.encode()).hexdigest()} -->\n{body}<!-- echo:end" in REGION
    assert digest_region(body.replace("\n", "\r\n")) == digest_region(body)
    assert parse_summary(NOTE.replace("\n", "\r\n")).region_digest_ok


def test_replacing_keeps_everything_outside() -> None:
    after, moved = replace_region(NOTE, "- new (ada-002)")
    assert not moved
    head, tail = NOTE.split(REGION)
    assert after == head + format_region("- new (ada-002)\n") + tail
    assert parse_summary(after).region_digest_ok


def test_replacing_with_the_same_text_changes_nothing() -> None:
    assert replace_region(NOTE, "## Now\n\n- Ada is CTO (ada-001)") == (NOTE, False)
    crlf = NOTE.replace("\n", "\r\n")
    assert replace_region(crlf, "## Now\n\n- Ada is CTO (ada-001)\n") == (crlf, False)


def test_crlf_and_bom_are_kept() -> None:
    text = "\ufeff" + NOTE.replace("\n", "\r\n")
    after, _ = replace_region(text, "- a\n- b")
    assert after.startswith("\ufeff---\r\n")
    assert after.count("\n") == after.count("\r\n")
    assert parse_summary(after).region == "- a\r\n- b\r\n"
    assert parse_summary(after).region_digest_ok


def test_a_hand_edit_in_the_region_moves_below_it() -> None:
    edited = NOTE.replace("CTO (ada-001)\n", "CTO (ada-001)\n- she hates Mondays\n\n  really\n")
    assert not parse_summary(edited).region_digest_ok
    after, moved = replace_region(edited, "## Now\n\n- Ada is CTO (ada-001)\n- and more (ada-002)")
    assert moved
    expected = NOTE.replace(REGION, format_region("## Now\n\n- Ada is CTO (ada-001)\n- and more (ada-002)\n"))
    kept = f"{MOVED_HEADING}\n\n- she hates Mondays\n\n  really\n\nMy own"
    assert after == expected.replace("My own", kept, 1)
    again, moved_again = replace_region(after, "- and more (ada-002)")
    assert not moved_again
    assert "she hates Mondays" in again


def test_a_region_typed_by_hand_without_digest_is_the_persons() -> None:
    text = "x\n<!-- echo:begin summary -->\nmine\n<!-- echo:end summary -->"
    after, moved = replace_region(text, "- new")
    assert moved
    assert after == f"x\n{format_region('- new')}\n\n{MOVED_HEADING}\n\nmine\n"
    empty = "<!-- echo:begin summary -->\n<!-- echo:end summary -->\n"
    assert replace_region(empty, "- new") == (format_region("- new") + "\n", False)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", f"{REGION}\n"),
        ("# Ada\n", f"# Ada\n\n{REGION}\n"),
        ("# Ada", f"# Ada\n\n{REGION}\n"),
        ("# Ada\r\n\r\n", "# Ada\r\n\r\n" + REGION.replace("\n", "\r\n") + "\r\n"),
        ("---\nname: x\n---\n", f"---\nname: x\n---\n{REGION}\n"),
    ],
)
def test_a_note_without_a_region_gets_one_at_its_end(text: str, expected: str) -> None:
    assert replace_region(text, "## Now\n\n- Ada is CTO (ada-001)\n") == (expected, False)


BEGIN = "<!-- echo:begin summary sha256:00000000 -->\n"
END = "<!-- echo:end summary -->\n"


@pytest.mark.parametrize(
    ("body", "line"),
    [
        (BEGIN, 3),
        (END, 3),
        (f"{BEGIN}{BEGIN}{END}", 4),
        (f"{BEGIN}{END}{END}", 5),
        (f"{BEGIN}{END}text\n{BEGIN}{END}", 6),
        (f"{BEGIN}{END}{BEGIN}", 5),
        (f"{END}{BEGIN}", 3),
    ],
)
def test_markers_that_make_no_region_are_a_conflict(body: str, line: int) -> None:
    text = f"---\n---\n{body}"
    with pytest.raises(ConflictError) as caught:
        replace_region(text, "- new", path="life/areas/people/ada/summary.md")
    assert caught.value.where == f"life/areas/people/ada/summary.md:{line}"
    summary = parse_summary(text)
    assert summary.conflict.startswith(f"{line}: ")
    assert summary.region is None
    assert [part.text for part in summary.parts] == [body]


def test_a_marker_within_a_line_is_text() -> None:
    text = f"see `{BEGIN.strip()}` here\n"
    assert parse_summary(text).conflict == ""


def test_a_generated_line_cannot_close_the_region() -> None:
    after, _ = replace_region(NOTE, f"- a\n{END}- b\n")
    assert parse_summary(after).conflict == ""
    assert parse_summary(after).region_digest_ok


def test_broken_front_matter_is_kept_as_it_is() -> None:
    text = "---\nname: a: b\ndesc: [unclosed\n---\nbody\n"
    after, _ = replace_region(text, "- x")
    assert after.startswith(text)
    assert parse_summary(text).name == "a: b"


@given(st.text(), st.text().filter(lambda text: "\r" not in text))
def test_any_replacement_is_read_back_and_is_idempotent(before: str, body: str) -> None:
    try:
        after, moved = replace_region(before, body)
    except ConflictError:
        return
    assert not moved
    assert after.startswith(before)
    summary = parse_summary(after)
    assert summary.region_digest_ok
    assert not summary.conflict
    assert replace_region(after, body) == (after, False)


@given(
    st.text(alphabet="a\n\r-# ", max_size=20),
    st.text(alphabet="ab\n-", max_size=12),
    st.text(alphabet="ac\n-", max_size=12),
)
def test_no_line_of_a_hand_edit_is_lost(around: str, edited: str, new: str) -> None:
    text = f"{around}\n{BEGIN}{edited}\n{END}{around}"
    after, _ = replace_region(text, new)
    assert after.startswith(f"{around}\n<!--")
    assert after.endswith(around)
    lines = [line.strip() for line in after.split("\n")]
    assert all(line.strip() in lines for line in edited.split("\n") if line.strip())


@pytest.mark.parametrize(
    "name", ["Ada", "R&D | Ops: EU", "爱丽丝", "yes", "- x", 'say "hi" #1', "a  b", "{kind}", "2026"]
)
def test_a_new_summary_has_strict_front_matter(name: str) -> None:
    text = new_summary(name, "people", TEMPLATE, aliases=["x: y", "no"])
    block = text.split("---\n")[1]
    assert yaml.safe_load(block) == {"name": name, "kind": "people", "aliases": ["x: y", "no"], "tags": []}
    assert parse_summary(text).name == name
    assert text.endswith(f"---\n# {' '.join(name.split())}\n")


def test_very_many_markers_are_one_conflict_found_at_once() -> None:
    started = time.perf_counter()
    assert parse_summary(f"{BEGIN}{END}" * 100_000).conflict == "3: a second generated region"
    assert time.perf_counter() - started < 2

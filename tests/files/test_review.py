import json

import pytest

from echo_notes.files.review import Review, contradiction_record
from echo_notes.model.errors import NotFoundError, UnreadableError

RECORD = contradiction_record(
    "bo-001", "bo-004", description="employer: Acme and Globex", confidence=0.9, created_at="2026-11-30T14:32:05Z"
)
OTHERS = b"""[
    {"kind": "held", "id": "h-1", "text": "\\u7eff\\u8336", "mine": [1,  2]},
    {"id": "c-1", "kind": "contradiction", "entryA": "a-1", "entryB": "a-2", "resolvedAt": null}
]"""


def test_an_untouched_file_keeps_its_bytes_whatever_its_style() -> None:
    for raw in (b"[]\n", OTHERS, b"\xef\xbb\xbf[\r\n]\r\n", b'{"items": []}'):
        assert Review.parse(raw).dump() == raw


def test_a_new_entry_is_appended_and_the_others_stay_as_they_are() -> None:
    raw = Review.parse(OTHERS).add(RECORD).dump()
    assert raw.startswith(OTHERS.removesuffix(b"\n]") + b",")
    assert json.loads(raw)[2] == RECORD
    assert Review.parse(None).add(RECORD).dump().decode() == json.dumps([RECORD], indent=2) + "\n"


def test_resolving_changes_only_the_entry_that_is_resolved() -> None:
    before = Review.parse(OTHERS).add(RECORD)
    after = before.set("bo-001-or-bo-004", {"resolution": "bo-004", "resolvedAt": "2026-12-01T00:00:00Z"})
    changed = [
        (old, new) for old, new in zip(before.dump().splitlines(), after.dump().splitlines(), strict=True) if old != new
    ]
    assert len(changed) <= 2
    assert [entry.is_open for entry in after.entries] == [True, True, False]
    with pytest.raises(NotFoundError):
        before.set("nobody", {"resolution": "x"})


def test_entries_are_read_leniently_and_an_unreadable_file_is_named() -> None:
    held, contested = Review.parse(OTHERS).entries
    assert (held.kind, held.confidence, held.entry_a) == ("held", 0.0, "")
    assert contested.pair == {"a-1", "a-2"}
    with pytest.raises(UnreadableError, match=r"review\.json:1:"):
        Review.parse(b"[{")

import json
from datetime import UTC, date, datetime
from typing import Any

import pytest

from echo_notes.files.items import REMOVE, ItemsFile, digest_record, new_record
from echo_notes.model.entity import EntityRef
from echo_notes.model.errors import ConflictError, NotFoundError, UnreadableError
from echo_notes.model.fact import Fact

ADA = EntityRef("people", "ada")
TWO = """[
  {
    "id": "ada-001",
    "fact": "Ada joined Acme as CTO",
    "category": "status",
    "timestamp": "2026-03-02",
    "source": "conversation",
    "status": "active",
    "supersededBy": null
  },
  {
    "id": "ada-002",
    "fact": "Ada prefers tea",
    "category": "preference",
    "timestamp": "2026-03-03T09:30:00+08:00",
    "source": "memory/2026-03-03.md",
    "status": "active",
    "supersededBy": null,
    "confidence": 0.80,
    "key": "drink"
  }
]
"""


def parse(text: str | bytes, path: str = "life/areas/people/ada/items.json") -> ItemsFile:
    return ItemsFile.parse(text if isinstance(text, bytes) else text.encode(), entity=ADA, path=path)


def changed_lines(before: str, after: str) -> tuple[list[str], list[str]]:
    """Return the lines that only `before` has and those that only `after` has, as one run each."""
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    while old and new and old[0] == new[0]:
        del old[0], new[0]
    while old and new and old[-1] == new[-1]:
        del old[-1], new[-1]
    return old, new


def test_facts_are_read_with_their_lines() -> None:
    first, second = parse(TWO).facts
    assert (first.id, first.line, second.line) == ("ada-001", 2, 11)
    assert (second.text, second.timestamp, second.key) == ("Ada prefers tea", date(2026, 3, 3), "drink")
    assert second.path == "life/areas/people/ada/items.json"
    assert second.record["confidence"] == 0.8


ODD = [
    '{"facts": [{"id": "ada-001", "content": "x", "created": "2026-01-01"}], "version": 3}',
    '{\n\t"v": 1,\n\t"items": [\n\t\t{\n\t\t\t"text": "x",\n\t\t\t"ts": "2026-01-01T10:00:00Z"\n\t\t}\n\t]\n}\n',
    TWO.replace("\n", "\r\n"),
    "\ufeff" + TWO,
    TWO.replace("  ", "\t"),
    TWO.replace("  ", "    "),
    TWO.rstrip("\n"),
    json.dumps(json.loads(TWO), separators=(",", ":")),
    '[{"id":"ada-001","fact":"a","fact":"b","n":1.0,"m":1e5,"big":123456789012345678901234567890}]',
    '[ { "id" : "ada-001" , "fact" : "caf\\u00e9 \\ud83d\\ude00 \\/" } ]\n\n',
    '[\n  {"id": "ada-001", "fact": "one line each"},\n  {"id": "ada-002", "fact": "b"}\n]\n',
    '[\n  "a string",\n  null,\n  {"id": "ada-001", "fact": "x"},\n  [1, 2]\n]\n',
    "[]",
    "",
    " \n",
    "[\n]\n",
    '{"facts": []}\n',
]


@pytest.mark.parametrize("text", ODD)
def test_an_untouched_file_comes_back_as_it_was(text: str) -> None:
    file = parse(text)
    assert file.dump() == text.encode()
    assert isinstance(file.problems, tuple)
    if file.facts:
        assert file.set(0, {"fact": file.facts[0].text}).dump() == text.encode()
    added = file.add({"id": "ada-009", "fact": "new", "timestamp": "2026-01-01"})
    assert added.remove("ada-009").facts == file.facts


@pytest.mark.parametrize("text", ODD)
def test_an_added_fact_is_read_back_and_the_others_stay(text: str) -> None:
    before = parse(text)
    fact = Fact(id="ada-009", text="né en\t1815", entity=ADA, timestamp=date(2026, 1, 2), tags=("a", "b"))
    after = parse(before.add(new_record(fact)).dump())
    assert [f.record for f in after.facts[:-1]] == [f.record for f in before.facts]
    new = after.facts[-1]
    assert (new.id, new.text, new.timestamp, new.tags) == (fact.id, fact.text, fact.timestamp, fact.tags)


def test_add_to_the_standard_form_is_the_standard_form() -> None:
    extra: dict[str, Any] = {
        "id": "ada-003",
        "fact": "z",
        "category": "status",
        "timestamp": "2026-03-04",
        "source": "conversation",
    }
    extra |= {"status": "active", "supersededBy": None}
    expected = json.dumps([*json.loads(TWO), extra], indent=2) + "\n"
    assert parse(TWO).add(extra).dump().decode() == expected.replace("0.8,", "0.80,")
    assert parse(b"[]\n").add(extra).dump().decode() == json.dumps([extra], indent=2) + "\n"
    assert parse(b"").add(extra).dump().decode() == json.dumps([extra], indent=2) + "\n"


@pytest.mark.parametrize(
    ("text", "tail"),
    [
        ('[{"id":"ada-001","fact":"x"}]', ',{"id":"ada-002","fact":"y"}]'),
        ('[{"id": "ada-001", "fact": "x"}]\n', ', {"id": "ada-002", "fact": "y"}]\n'),
        (
            '{\r\n\t"facts": [\r\n\t\t{\r\n\t\t\t"id": "ada-001",\r\n\t\t\t"content": "x"\r\n\t\t}\r\n\t]\r\n}',
            ',\r\n\t\t{\r\n\t\t\t"id": "ada-002",\r\n\t\t\t"content": "y"\r\n\t\t}\r\n\t]\r\n}',
        ),
        ('[\n  {"id": "ada-001", "fact": "x"}\n]\n', ',\n  {"id": "ada-002", "fact": "y"}\n]\n'),
        ('{\n    "items": []\n}\n', '\n      {\n        "id": "ada-002",\n        "fact": "y"\n      }\n    ]\n}\n'),
    ],
)
def test_a_new_fact_takes_the_style_of_its_file(text: str, tail: str) -> None:
    new = {"id": "ada-002", "fact": "y"}
    assert parse(text).add(new).dump().decode().endswith(tail)


def test_a_new_fact_drops_a_null_successor_where_the_file_has_none() -> None:
    with_null = parse(TWO).add({"id": "ada-003", "fact": "y", "supersededBy": None}).facts[-1].record
    without = parse('[{"id": "ada-001", "fact": "x"}]').add({"id": "ada-002", "fact": "y", "supersededBy": None})
    assert "supersededBy" in with_null
    assert "supersededBy" not in without.facts[-1].record


def test_a_new_fact_escapes_what_is_not_ascii_where_the_file_does() -> None:
    escaped = parse('[{"id": "ada-001", "fact": "caf\\u00e9"}]').add({"id": "ada-002", "fact": "茶"}).dump()
    assert b"\\u8336" in escaped
    assert "茶".encode() in parse(TWO).add({"id": "ada-003", "fact": "茶"}).dump()


def test_setting_changes_only_the_lines_of_that_fact() -> None:
    changes = {"status": "superseded", "supersededBy": "ada-003", "supersededAt": datetime(2026, 4, 1, 8, tzinfo=UTC)}
    after = parse(TWO).set("ada-002", changes).dump().decode()
    old, new = changed_lines(TWO, after)
    assert old == [
        '    "status": "active",\n',
        '    "supersededBy": null,\n',
        '    "confidence": 0.80,\n',
        '    "key": "drink"\n',
    ]
    assert new == [
        '    "status": "superseded",\n',
        '    "supersededBy": "ada-003",\n',
        '    "confidence": 0.80,\n',
        '    "key": "drink",\n',
        '    "supersededAt": "2026-04-01T08:00:00Z"\n',
    ]


def test_set_keeps_the_name_that_the_record_uses() -> None:
    text = '[{"id": "ada-001", "content": "x", "created": "2026-01-01"}]'
    after = parse(text).set("ada-001", {"fact": "y", "timestamp": date(2026, 1, 2)}).dump().decode()
    assert after == '[{"id": "ada-001", "content": "y", "created": "2026-01-02"}]'


def test_set_of_a_key_that_stands_twice_changes_the_one_that_counts() -> None:
    text = '[{"id": "ada-001", "fact": "a", "fact": "b"}]'
    assert parse(text).set("ada-001", {"fact": "c"}).dump() == b'[{"id": "ada-001", "fact": "a", "fact": "c"}]'
    assert parse(text).set("ada-001", {"fact": REMOVE}).dump() == b'[{"id": "ada-001"}]'


@pytest.mark.parametrize("name", ["id", "fact", "timestamp", "supersededBy", "absent"])
def test_remove_deletes_a_field_and_leaves_valid_json(name: str) -> None:
    after = json.loads(parse(TWO).set(0, {name: REMOVE}).dump())
    assert name not in after[0]
    assert after[1] == json.loads(TWO)[1]


def test_a_successor_is_unset_as_the_file_writes_it() -> None:
    null = parse(TWO).set("ada-001", {"supersededBy": "ada-002"}).set("ada-001", {"supersededBy": None})
    assert null.dump().decode() == TWO
    absent = '[{"id": "ada-001", "fact": "x"}, {"id": "ada-002", "fact": "y", "supersededBy": "ada-001"}]'
    after = parse(absent).set("ada-002", {"supersededBy": None}).dump().decode()
    assert after == '[{"id": "ada-001", "fact": "x"}, {"id": "ada-002", "fact": "y"}]'


def test_lists_are_laid_out_as_the_record_lays_them_out() -> None:
    inline = parse(TWO).set(0, {"tags": ("a", "b")}).dump().decode()
    assert '\n    "supersededBy": null,\n    "tags": ["a", "b"]\n  },' in inline
    exploded = json.dumps([{"id": "ada-001", "fact": "x", "tags": ["a"]}], indent=2)
    after = parse(exploded).set(0, {"relatedEntities": ["companies/acme"]}).dump().decode()
    expected = {"id": "ada-001", "fact": "x", "tags": ["a"], "relatedEntities": ["companies/acme"]}
    assert after == json.dumps([expected], indent=2)
    crlf = parse(exploded.replace("\n", "\r\n")).set(0, {"tags": ["b", "c"]}).dump().decode()
    assert crlf.count("\n") == crlf.count("\r\n") == 9


def test_a_missing_id_gets_a_stable_one_that_can_be_edited() -> None:
    file = parse('[{"fact": "a"}, "text", {"id": "", "fact": "b"}, {"id": null, "fact": "c"}]')
    assert [fact.id for fact in file.facts] == ["ada-x001", "ada-x002", "ada-x003"]
    assert file.set("ada-x002", {"id": "ada-001"}).facts[1].id == "ada-001"
    assert parse('[{"fact": "a"}]', path="x/archive.json").facts[0].id == "ada-y001"


def test_an_unknown_or_ambiguous_id_is_an_error() -> None:
    file = parse('[{"id": "ada-001", "fact": "a"}, {"id": "ada-001", "fact": "b"}]')
    with pytest.raises(NotFoundError):
        file.set("ada-009", {"fact": "x"})
    with pytest.raises(ConflictError):
        file.set("ada-001", {"fact": "x"})
    assert [fact.text for fact in file.set(1, {"fact": "x"}).facts] == ["a", "x"]


@pytest.mark.parametrize("index", [0, 1])
def test_removing_a_fact_leaves_the_other_as_it_was(index: int) -> None:
    after = parse(TWO).remove(f"ada-00{index + 1}").dump().decode()
    assert json.loads(after) == [json.loads(TWO)[1 - index]]
    assert set(after.splitlines()) <= {*TWO.splitlines(), "  }"}


def test_removing_the_only_fact_leaves_an_empty_list() -> None:
    assert parse('[\n  {"id": "ada-001"}\n]\n').remove("ada-001").dump() == b"[]\n"


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ('[\n  {"id": "a" "b"}\n]', ":2:14"),
        ('[\n  {"id": "a"},\n]', ":2:14"),
        ("[", ":1:2"),
        ("[1] x", ":1:5"),
        ('{"facts": 3}', ":1:1"),
        ("{}", ":1:1"),
        ("nonsense", ":1:1"),
        ("[{'id': 1}]", ":1:3"),
        ('[{"fact": "two\nlines"}]', ":1:15"),
        ("[" * 100_000, ":1:2"),
        ('[{"a":' * 50_000, ":1:2"),
        ('{"facts": [], "x": ' + "[" * 100_000, ":1:20"),
        ('{"facts": []} {}', ":1:15"),
    ],
)
def test_what_is_not_json_is_unreadable_at_line_and_column(text: str, where: str) -> None:
    with pytest.raises(UnreadableError) as caught:
        parse(text)
    assert caught.value.where == f"life/areas/people/ada/items.json{where}"


def test_merge_markers_are_named() -> None:
    with pytest.raises(UnreadableError, match="merge markers") as caught:
        parse('[\n<<<<<<< HEAD\n  {"id": "a"}\n=======\n>>>>>>> x\n]\n')
    assert (caught.value.line, caught.value.exit_code) == (2, 5)


def test_invalid_utf8_is_unreadable() -> None:
    with pytest.raises(UnreadableError) as caught:
        parse(b'[\n  {"fact": "caf\xe9"}\n]')
    assert caught.value.where.endswith(":2:16")


@pytest.mark.parametrize(
    ("field", "value", "attribute", "read"),
    [
        ("importance", "high", "importance", 0.5),
        ("importance", True, "importance", 0.5),
        ("importance", 7, "importance", 1.0),
        ("pinned", "yes", "pinned", False),
        ("tags", "a, b", "tags", ("a", "b")),
        ("tags", ["a", 3, None], "tags", ("a",)),
        ("tags", {"a": 1}, "tags", ()),
        ("timestamp", "soon", "timestamp", None),
        ("timestamp", 20260101, "timestamp", None),
        ("status", "Archived", "status", "archived"),
        ("status", "in progress", "status", "in progress"),
        ("status", 3, "status", "active"),
        ("status", ["active"], "status", "active"),
        ("type", "USER", "type", "user"),
        ("type", "robot", "type", "environment"),
        ("accessCount", -1, "access_count", 0),
        ("accessCount", 2.5, "access_count", 0),
        ("version", 0, "version", 1),
        ("createdAt", "never", "created_at", None),
        ("createdAt", "0001-01-01T00:00:00+14:00", "created_at", None),
        ("id", 7, "id", "7"),
        ("fact", 3.5, "text", "3.5"),
        ("fact", ["x"], "text", ""),
        ("fact", "half \ud83d", "text", "half \ufffd"),
        ("supersededBy", 9, "superseded_by", "9"),
        ("provenance", 1, "provenance", ""),
        ("category", None, "category", "status"),
    ],
)
def test_a_field_of_the_wrong_type_is_read_safely_and_reported(
    field: str, value: Any, attribute: str, read: Any
) -> None:
    record = {"id": "ada-001", "fact": "x", "timestamp": "2026-01-01", field: value}
    file = parse(json.dumps([record]))
    assert getattr(file.facts[0], attribute) == read
    expected = [] if value is None else [field]
    assert [problem.field for problem in file.problems if problem.code != "duplicate"][:1] == expected


def test_problems_name_line_and_fact() -> None:
    text = """{"facts": [
  {"id": "deliverable-001", "content": "x", "timestamp": "2026-01-01", "status": "done"},
  {"fact": "y", "timestamp": "2026-01-01", "n": NaN},
  "stray",
  {"id": "ada-001", "fact": "z", "timestamp": "2026-01-01", "a": {"k": 1, "k": 2}},
  {"id": "ada-001", "fact": "z", "timestamp": "2026-01-01", "category": "mood"}
]}"""
    file = ItemsFile.parse(text.encode(), entity=ADA, path="items.json", categories=["status"])
    found = [(problem.line, problem.code, problem.field) for problem in file.problems]
    assert found == [
        (1, "shape", ""),
        (2, "misfit", "fact"),
        (2, "misfit", "status"),
        (2, "id", "id"),
        (3, "id", "id"),
        (3, "json", ""),
        (4, "shape", ""),
        (5, "json", ""),
        (6, "duplicate", "id"),
        (6, "category", "category"),
    ]
    assert parse(TWO).problems == ()


def test_a_number_of_ten_thousand_digits_survives() -> None:
    text = '[{"id": "ada-001", "fact": "x", "n": ' + "9" * 10_000 + "}]"
    after = parse(text).set(0, {"fact": "y"}).dump().decode()
    assert after == text.replace('"x"', '"y"')


def test_the_digest_ignores_order_aliases_and_counters_only() -> None:
    record = {"id": "ada-001", "fact": "x", "timestamp": "2026-01-01", "supersededBy": None}
    same = {"created": "2026-01-01", "content": "x", "id": "ada-001", "accessCount": 3, "lastAccessed": "2026-01-01"}
    assert digest_record(record) == digest_record(same)
    for other in ({**record, "fact": "y"}, {**record, "unknown": 1}, {**record, "supersededBy": "ada-002"}):
        assert digest_record(other) != digest_record(record)


def test_a_new_record_holds_the_core_fields_and_what_differs() -> None:
    fact = Fact(
        id="ada-001", text="x", entity=ADA, timestamp=date(2026, 1, 1), pinned=True, tags=("t",), key="k", version=2
    )
    record = new_record(fact)
    assert list(record) == [
        *("id", "fact", "category", "timestamp", "source", "status", "supersededBy"),
        *("key", "pinned", "tags", "version"),
    ]
    assert parse(b"[]").add(record).facts[0].tags == ("t",)

"""Round trips over generated files: no edit gives the same bytes, one edit touches only its own fact's lines."""

import json
from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from echo_notes.files.items import REMOVE, ItemsFile, digest_record, new_record
from echo_notes.model.entity import EntityRef
from echo_notes.model.fact import Fact

ADA = EntityRef("people", "ada")

TEXT = st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=12)
NUMBERS = st.sampled_from(["1.0", "1e5", "-0", "0.80", "123456789012345678901234567890", "1E-7", "9" * 5000])
LITERALS = st.one_of(
    TEXT.map(lambda text: json.dumps(text, ensure_ascii=False)),
    TEXT.map(json.dumps),
    NUMBERS,
    st.sampled_from(["true", "null", "[]", "{}", '["a",\n"b"]', '{"k": [1, {"k": 2}]}', '"\\ud83d"', '"\\/"']),
)
KEYS = st.sampled_from(
    [
        "fact",
        "content",
        "text",
        "timestamp",
        "created",
        "ts",
        "status",
        "supersededBy",
        "tags",
        "pinned",
        "importance",
        "confidence",
        "x",
        "中",
        "fact",
        "version",
    ]
)
SPACE = st.sampled_from(["", " ", "\n  ", "\r\n\t", "\n    "])


@st.composite
def records(draw: st.DrawFn) -> str:
    """Return an object as text, with any layout, unknown, odd and repeated keys."""
    before, between, after, colon = draw(SPACE), draw(SPACE), draw(SPACE), draw(st.sampled_from([":", ": ", " : "]))
    members = [f"{json.dumps(draw(KEYS))}{colon}{draw(LITERALS)}" for _ in range(draw(st.integers(0, 4)))]
    number = draw(st.integers(0, 3))
    if number:
        members.insert(draw(st.integers(0, len(members))), f'"id"{colon}"ada-{number:03d}"')
    return "{" + before + f",{between}".join(members) + after + "}"


@st.composite
def files(draw: st.DrawFn) -> bytes:
    """Return a file that holds facts, in any shape that is read."""
    before, between, after = draw(SPACE), draw(SPACE), draw(SPACE)
    elements = draw(st.lists(records() | st.sampled_from(["null", '"x"', "3", "[{}]"]), max_size=4))
    text = "[" + before + f",{between}".join(elements) + after + "]"
    wrapper = draw(st.sampled_from(["%s", '{"facts": %s}', '{\n  "v": [1],\n  "items": %s, "z": null\n}', " %s\n\n"]))
    return draw(st.sampled_from([b"", b"\xef\xbb\xbf"])) + (wrapper % text).encode()


CHANGES = st.dictionaries(
    st.sampled_from(
        ["fact", "status", "supersededBy", "timestamp", "tags", "importance", "pinned", "new", "updatedAt"]
    ),
    st.one_of(
        TEXT,
        st.none(),
        st.just(REMOVE),
        st.booleans(),
        st.integers(),
        st.floats(allow_nan=False, allow_infinity=False),
        st.lists(TEXT, max_size=3),
        st.dates(),
    ),
    max_size=3,
)


def parse(raw: bytes) -> ItemsFile:
    return ItemsFile.parse(raw, entity=ADA, path="life/areas/people/ada/items.json")


def shown(record: Any) -> str:
    return json.dumps(record)


@given(files())
def test_no_edit_gives_the_same_bytes(raw: bytes) -> None:
    file = parse(raw)
    assert file.dump() == raw
    assert all(problem.line >= 1 and problem.message for problem in file.problems)
    lines = raw.decode("utf-8-sig").split("\n")
    for fact in file.facts:
        assert "{" in lines[fact.line - 1]
        assert fact.id
        assert isinstance(fact.text, str)
        fact.text.encode()


@given(files(), CHANGES, st.integers(0, 3))
def test_one_edit_touches_only_the_lines_of_its_fact(raw: bytes, changes: dict[str, Any], pick: int) -> None:
    before = parse(raw)
    if not before.facts:
        return
    index = pick % len(before.facts)
    edited = before.set(index, changes)
    after = parse(edited.dump())
    assert [shown(fact.record) for fact in edited.facts] == [shown(fact.record) for fact in after.facts]
    for number, (old, new) in enumerate(zip(before.facts, after.facts, strict=True)):
        if number != index:
            assert shown(old.record) == shown(new.record)
    old_lines, new_lines = raw.decode().split("\n"), edited.dump().decode().split("\n")
    first = before.facts[index].line - 1
    assert new_lines[:first] == old_lines[:first]
    following = before.facts[index + 1 :]
    if following:
        distance = len(old_lines) - following[0].line
        assert new_lines[len(new_lines) - distance :] == old_lines[len(old_lines) - distance :]
    untouched = set(before.facts[index].record) - set(changes) - {"content", "text", "created", "ts"}
    for key in untouched:
        assert shown(after.facts[index].record[key]) == shown(before.facts[index].record[key])


@given(files(), CHANGES)
def test_an_edit_says_what_was_asked(raw: bytes, changes: dict[str, Any]) -> None:
    before = parse(raw)
    if not before.facts:
        return
    record = before.set(0, changes).facts[0].record
    for name, value in changes.items():
        aliases = {"fact": ["fact", "content", "text"], "timestamp": ["timestamp", "created", "ts"]}.get(name, [name])
        key = next((alias for alias in aliases if alias in record), None)
        if value is REMOVE:
            old = next((alias for alias in aliases if alias in before.facts[0].record), None)
            assert old not in record
        elif name == "supersededBy" and value is None:
            assert record.get(name) is None
        else:
            assert key is not None
            assert record[key] == (value.isoformat() if isinstance(value, date) else value)
    assert before.set(0, changes).set(0, changes).dump() == before.set(0, changes).dump() or REMOVE in changes.values()


@given(files(), TEXT)
def test_adding_and_removing_gives_the_facts_back(raw: bytes, text: str) -> None:
    before = parse(raw)
    added = before.add({"id": "ada-777", "fact": text, "timestamp": "2026-01-01", "supersededBy": None})
    again = parse(added.dump())
    assert again.get("ada-777").text == text
    assert [shown(fact.record) for fact in again.facts[:-1]] == [shown(fact.record) for fact in before.facts]
    assert added.dump().startswith(raw.rstrip()[:-1].rstrip(b" \t\r\n]}")[: len(raw) // 2])
    removed = parse(added.remove("ada-777").dump())
    assert [shown(fact.record) for fact in removed.facts] == [shown(fact.record) for fact in before.facts]


@given(files(), st.integers(0, 3))
def test_removing_keeps_the_others_as_they_are(raw: bytes, pick: int) -> None:
    before = parse(raw)
    if not before.facts:
        return
    index = pick % len(before.facts)
    after = parse(before.remove(index).dump())
    kept = [fact.record for number, fact in enumerate(before.facts) if number != index]
    assert [shown(fact.record) for fact in after.facts] == [shown(record) for record in kept]


MOMENTS = st.datetimes(min_value=datetime(1970, 1, 1), timezones=st.just(UTC)).map(  # noqa: DTZ001 - a bound
    lambda moment: moment.replace(microsecond=0)
)
WORDS = TEXT.map(lambda text: text.strip() or "x")
FACTS = st.builds(
    Fact,
    id=st.integers(1, 9999).map(lambda number: f"ada-{number:03d}"),
    text=TEXT,
    entity=st.just(ADA),
    category=WORDS,
    timestamp=st.dates(),
    source=WORDS,
    status=st.sampled_from(["active", "superseded", "archived", "paused"]),
    superseded_by=st.none() | st.just("ada-002"),
    key=st.just("") | WORDS,
    type=st.sampled_from(["user", "environment"]),
    importance=st.floats(0, 1),
    pinned=st.booleans(),
    tags=st.lists(WORDS).map(tuple),
    related=st.lists(st.just("companies/acme")).map(tuple),
    created_at=st.none() | MOMENTS,
    access_count=st.integers(0, 9),
    version=st.integers(1, 9),
    superseded_at=st.none() | MOMENTS,
    valid_from=st.none() | st.dates(),
    flagged=st.lists(WORDS).map(tuple),
)


@given(FACTS, files())
def test_any_fact_is_read_back_from_any_file(fact: Fact, raw: bytes) -> None:
    record = new_record(fact)
    after = parse(parse(raw).add(record).dump()).facts[-1]
    assert replace(after, path="", line=0) == replace(fact, path="", line=0)
    assert digest_record(after.record) == digest_record(record)

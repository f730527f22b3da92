import json
from datetime import date

from echo_notes.index import passages
from echo_notes.index.passages import NEVER, PIECE_CHARS, Draft, draft_file
from echo_notes.model.entity import Entity, EntityRef

ADA = Entity(EntityRef("people", "ada"), "Ada Lovelace", "life/areas/people/ada", ("Countess",))


def drafts(path: str, text: str, entity: Entity | None = None) -> list[Draft]:
    found, problem = draft_file(path, text.encode(), entity, lambda text: ("rule",) if "attack" in text else ())
    assert problem == ""
    return found


def test_a_fact_is_one_passage_with_its_entitys_names_around_it() -> None:
    row = {"id": "ada-001", "fact": "likes tea", "category": "preference", "timestamp": "2026-03-02", "key": "drink",
           "tags": ["hot"], "relatedEntities": ["companies/acme-tea"]}  # fmt: skip
    (draft,) = drafts("life/areas/people/ada/items.json", json.dumps([row]), ADA)
    passage = draft.passage
    assert (passage.id, passage.layer, passage.entity, passage.line) == ("ada-001", "fact", "people/ada", 1)
    assert (passage.category, passage.key, passage.tags, passage.on) == (
        "preference",
        "drink",
        ("hot",),
        date(2026, 3, 2),
    )
    for word in ("Ada Lovelace", "Countess", "drink", "hot", "acme tea"):
        assert word in draft.about
        assert word not in passage.text
    assert draft.parts == ((1.0, "likes tea"), (passages.NAMES_WEIGHT, "Ada Lovelace"))
    assert draft.holds_from == date(2026, 3, 2).toordinal()
    assert draft.holds_until == NEVER


def test_a_fact_that_names_its_entity_needs_no_name_beside_it() -> None:
    (draft,) = drafts("life/areas/people/ada/items.json", '[{"id": "a", "fact": "The countess likes tea"}]', ADA)
    assert draft.parts == ((1.0, "The countess likes tea"),)


def test_facts_of_the_archive_are_archived() -> None:
    rows = [{"id": "a", "fact": "one", "status": "active"}, {"id": "b", "fact": "two", "status": "superseded"}]
    statuses = [draft.passage.status for draft in drafts("life/areas/people/ada/archive.json", json.dumps(rows), ADA)]
    assert statuses == ["archived", "superseded"]


def test_an_entry_has_its_neighbours_and_day_around_it() -> None:
    text = "# 2026-03-02\n\n- 09:00 one\n- 10:00 two\n- 11:00 three\n- 12:00 four\n- 13:00 five\n- 14:00 six\n"
    found = drafts("memory/2026-03-02.md", text)
    third = found[2]
    assert third.passage.text == "three"
    assert (third.passage.line, third.passage.on, third.passage.id) == (5, date(2026, 3, 2), "memory/2026-03-02.md#L5")
    assert [part for _, part in third.parts] == ["three", "two", "one", "four", "five"]
    assert "six" not in third.window
    assert "March 2026 Monday" in third.about


def test_neighbours_stay_under_their_heading() -> None:
    text = "# Plan\n\n## Food\n\n- eggs\n- bread\n\n## Work\n\n- report\n"
    found = {draft.passage.text: draft for draft in drafts("plan.md", text)}
    assert [part for _, part in found["report"].parts] == ["report"]
    assert "Work" in found["report"].about
    assert "Food" not in found["report"].about
    assert found["eggs"].passage.context.endswith("Plan › Food")


def test_a_heading_with_nothing_under_it_is_a_passage() -> None:
    found = drafts("plan.md", "# Plan\n\n## Buy a boat\n\n## Sell the car\n\nsoon\n")
    assert [(draft.passage.text, draft.passage.line) for draft in found] == [("Buy a boat", 3), ("soon", 7)]


def test_long_paragraphs_are_cut_at_sentences_and_lose_nothing() -> None:
    sentence = "The quick brown fox jumps over the lazy dog number {}. "
    text = "intro\n\n" + "".join(sentence.format(n) for n in range(200)).strip() + "\n"
    found = drafts("long.md", text)[1:]
    assert all(len(draft.passage.text) <= PIECE_CHARS for draft in found)
    assert all(draft.passage.text.rstrip().endswith(".") for draft in found)
    assert "".join(draft.passage.text for draft in found).split() == text.split()[1:]
    assert {draft.passage.line for draft in found} == {3}


def test_cut_paragraphs_keep_their_lines() -> None:
    lines = [f"line {n} says a little something about the weather" for n in range(120)]
    found = drafts("long.md", "\n".join(lines) + "\n")
    for draft in found:
        first = draft.passage.text.splitlines()[0]
        assert lines[draft.passage.line - 1].endswith(first)


def test_layers_follow_the_place() -> None:
    assert drafts("MEMORY.md", "- learn\n")[0].passage.layer == "memory"
    assert drafts("notes/a.md", "text\n")[0].passage.layer == "note"
    assert drafts("life/areas/people/ada/summary.md", "text\n", ADA)[0].passage.layer == "summary"
    head = "---\nsessionKey: s1\nimportance: 0.9\ncreatedAt: 2026-03-02\nentityIds: [people/ada]\n---\nTalk.\n"
    episode = drafts("memory/episodes/2026-03-02-s1.md", head)[0].passage
    assert (episode.layer, episode.session, episode.importance) == ("episode", "s1", 0.9)
    assert (episode.related, episode.on) == (("people/ada",), date(2026, 3, 2))


def test_front_matter_gives_title_aliases_tags_and_date() -> None:
    text = "---\ntitle: Boat plans\naliases: [Ship]\ntags: [sea]\ndate: 2019-05-09\n---\nbody\n"
    (draft,) = drafts("notes/x.md", text)
    assert draft.passage.line == 7
    assert draft.passage.on == date(2019, 5, 9)
    for word in ("Boat plans", "Ship", "sea"):
        assert word in draft.about


def test_a_note_of_a_title_alone_is_found_by_it() -> None:
    (draft,) = drafts("notes/x.md", "---\ntitle: Boat plans\n---\n")
    assert draft.passage.text == "Boat plans"


def test_what_the_scan_finds_is_noted() -> None:
    found = drafts("a.md", "an attack\n\nno harm\n")
    assert [draft.passage.flagged for draft in found] == [("rule",), ()]

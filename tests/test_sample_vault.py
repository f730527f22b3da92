import re
from datetime import date
from hashlib import sha256
from pathlib import Path

import pytest
import yaml

from echo_notes.files.items import ItemsFile
from echo_notes.files.layout import iter_daily
from echo_notes.model.entity import EntityRef
from echo_notes.model.fact import ACTIVE, DEFAULT_CATEGORIES, STATUSES, SUPERSEDED, USER, Fact
from echo_notes.model.names import slugify

VAULT = Path(__file__).parents[1] / "sample_vault"
ODD = EntityRef("projects", "learn-mandarin")
REGION = re.compile(r"<!-- echo:begin summary sha256:([0-9a-f]{64}) -->\n(.*?)<!-- echo:end summary -->\n", re.DOTALL)


def read_items() -> dict[EntityRef, ItemsFile]:
    found = {}
    for path in sorted(VAULT.glob("life/areas/*/*/items.json")):
        ref = EntityRef(path.parts[-3], path.parts[-2])
        found[ref] = ItemsFile.parse(path.read_bytes(), entity=ref, path=path.relative_to(VAULT).as_posix())
    return found


ITEMS = read_items()
FACTS = {fact.id: fact for file in ITEMS.values() for fact in file.facts}
NOTES = sorted(VAULT.rglob("*.md"))


def front_matter(path: Path) -> dict[str, object]:
    _, block, _ = path.read_text(encoding="utf-8").split("---\n", 2)
    loaded = yaml.safe_load(block)
    assert isinstance(loaded, dict)
    return loaded


def test_it_is_large_enough_to_show_everything() -> None:
    assert len(ITEMS) >= 12
    assert len(list(iter_daily(VAULT))) >= 15
    assert sum(fact.status == SUPERSEDED for fact in FACTS.values()) >= 6
    assert sum(fact.status == "archived" for fact in FACTS.values()) >= 2
    assert sum(fact.pinned for fact in FACTS.values()) >= 4
    assert any(fact.valid_from and fact.valid_until for fact in FACTS.values())
    assert sum(bool(re.search(r"[\u4e00-\u9fff]", fact.text)) for fact in FACTS.values()) >= 8


@pytest.mark.parametrize("ref", ITEMS, ids=str)
def test_items_are_written_as_the_format_says(ref: EntityRef) -> None:
    file = ITEMS[ref]
    raw = (VAULT / file.path).read_bytes()
    assert file.dump() == raw
    assert raw.endswith(b"\n")
    assert not raw.endswith(b"\n\n")
    assert [fact.id for fact in file.facts] == [f"{ref.slug}-{n:03}" for n in range(1, len(file.facts) + 1)]
    assert bool(file.problems) == (ref == ODD)


def test_facts_hold_what_the_format_allows() -> None:
    entities = {str(ref) for ref in ITEMS}
    for fact in FACTS.values():
        assert fact.text
        assert fact.status in STATUSES
        assert fact.category in DEFAULT_CATEGORIES
        assert fact.timestamp is not None
        assert fact.timestamp <= date(2026, 11, 29)
        assert set(fact.related) <= entities
        assert fact.provenance == ""
        assert (fact.type == USER) == (fact.entity.slug == "me")
        assert fact.source in {"conversation", "import"} or (VAULT / fact.source).is_file()


def test_every_chain_ends_in_an_active_fact_and_counts_its_versions() -> None:
    for fact in FACTS.values():
        assert (fact.status == SUPERSEDED) == (fact.superseded_by is not None)
        if fact.superseded_by is None:
            continue
        newer: Fact = FACTS[fact.superseded_by]
        assert newer.version == fact.version + 1
        assert (newer.entity, newer.key, newer.tags) == (fact.entity, fact.key, fact.tags)
        assert fact.superseded_at is not None
        assert fact.superseded_reason == "changed"
    lead = FACTS["waymark-002"]
    assert FACTS[FACTS[lead.superseded_by or ""].superseded_by or ""].status == ACTIVE


@pytest.mark.parametrize("ref", ITEMS, ids=str)
def test_every_entity_has_a_summary_with_front_matter_and_a_name_that_finds_it(ref: EntityRef) -> None:
    path = VAULT / "life/areas" / str(ref) / "summary.md"
    values = front_matter(path)
    assert values["kind"] == ref.kind
    assert isinstance(values["aliases"], list)
    assert isinstance(values["tags"], list)
    names = [str(values["name"]), *map(str, values["aliases"])]
    assert ref.slug in map(slugify, names)


def test_every_generated_region_has_the_digest_of_its_text_and_cites_facts() -> None:
    regions = [match for path in NOTES for match in REGION.finditer(path.read_text(encoding="utf-8"))]
    assert len(regions) >= 5
    for match in regions:
        digest, body = match.groups()
        assert sha256(body.encode()).hexdigest() == digest
        for line in body.splitlines():
            if line.startswith("- "):
                cited = re.search(r"\(([^()]+)\)$", line)
                assert cited, line
                assert {fact_id.strip() for fact_id in cited[1].split(",")} <= set(FACTS)


def test_some_summaries_carry_the_persons_own_text_around_the_region() -> None:
    text = (VAULT / "life/areas/people/ada/summary.md").read_text(encoding="utf-8")
    before, _, _, after = REGION.split(text)
    assert "## What I should remember" in before
    assert "## Gift ideas" in after


def test_daily_notes_are_three_weeks_one_of_them_named_by_a_slug() -> None:
    days = dict(iter_daily(VAULT))
    assert min(days) == date(2026, 11, 9)
    assert max(days) == date(2026, 11, 29)
    assert days[date(2026, 11, 18)] == "memory/2026-11-18-kestrel-offsite.md"
    for day, path in days.items():
        assert (VAULT / path).read_text(encoding="utf-8").startswith(f"# {day}")


@pytest.mark.parametrize("path", NOTES, ids=lambda path: path.relative_to(VAULT).as_posix())
def test_notes_are_utf_8_with_plain_newlines_and_links_that_lead_somewhere(path: Path) -> None:
    raw = path.read_bytes()
    assert raw.endswith(b"\n")
    assert b"\r" not in raw
    names = {name.casefold() for ref in ITEMS for name in _names(ref)}
    for target in re.findall(r"\[\[([^\]|#]+)", raw.decode("utf-8")):
        assert (VAULT / f"{target}.md").is_file() or target.casefold() in names, target


def _names(ref: EntityRef) -> list[str]:
    values = front_matter(VAULT / "life/areas" / str(ref) / "summary.md")
    aliases = values["aliases"]
    assert isinstance(aliases, list)
    return [str(values["name"]), ref.slug, str(ref), *map(str, aliases)]


def test_episodes_name_their_session_and_entities_that_exist() -> None:
    paths = sorted((VAULT / "memory/episodes").glob("*.md"))
    assert len(paths) == 2
    for path in paths:
        values = front_matter(path)
        assert path.stem == f"{values['createdAt']:%Y-%m-%d}-{values['sessionKey']}"
        entity_ids = values["entityIds"]
        assert isinstance(entity_ids, list)
        assert set(entity_ids) <= {str(ref) for ref in ITEMS}


def test_nothing_derived_and_no_repository_is_inside() -> None:
    assert not (VAULT / ".git").exists()
    assert not (VAULT / ".echo").exists()

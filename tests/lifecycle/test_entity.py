"""Entities: made, named, renamed, merged and linked; ids, decisions, text and edges go along."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from echo_notes.files.summary import parse_summary
from echo_notes.lifecycle.references import link_pattern
from echo_notes.model.entity import EntityRef
from tests.conftest import Ran, git

Run = Callable[..., Ran]
PEOPLE = "life/areas/people"


def _facts(vault: Path, path: str) -> dict[str, dict[str, Any]]:
    return {fact["id"]: fact for fact in json.loads((vault / path).read_bytes())}


def _summary(vault: Path, folder: str) -> str:
    return (vault / folder / "summary.md").read_text(encoding="utf-8")


class TestNew:
    def test_makes_folder_summary_and_items(self, vault: Path, run: Run) -> None:
        done = run("entity", "new", "people/Bo Li", "--alias", "Bo", at=vault)
        assert done.out.startswith("made people/bo-li in life/areas/people/bo-li (")
        assert (vault / PEOPLE / "bo-li/items.json").read_bytes() == b"[]\n"
        assert parse_summary(_summary(vault, f"{PEOPLE}/bo-li")).aliases == ("Bo",)
        assert git(vault, "status", "--porcelain") == ""

    def test_is_there_already(self, vault: Path, run: Run) -> None:
        head = git(vault, "rev-parse", "HEAD")
        done = run("entity", "new", "people/ada", at=vault)
        assert (done.status, done.out) == (0, "people/ada is there already\n")
        assert git(vault, "rev-parse", "HEAD") == head

    def test_needs_a_kind(self, vault: Path, run: Run) -> None:
        done = run("entity", "new", "Bo", at=vault)
        assert (done.status, "people/Bo" in done.err) == (3, True)
        assert run("entity", "new", "animals/Bo", at=vault).status == 2

    def test_a_program_may_not_make_a_name_ambiguous(
        self, vault: Path, run: Run, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("ECHO_ACTOR", "agent")
        assert run("entity", "new", "companies/Ada", at=vault).status == 4
        assert run("entity", "new", "companies/Adastra", at=vault).status == 0

    def test_the_scan_reads_names(self, vault: Path, run: Run) -> None:
        assert run("entity", "new", "people/Bo\u200b Li", at=vault).status == 4
        assert not (vault / PEOPLE / "bo-li").exists()


class TestAlias:
    def test_added_once_and_comments_stay(self, vault: Path, run: Run) -> None:
        before = _summary(vault, f"{PEOPLE}/ada")
        run("entity", "alias", "ada", "Countess", "ADA", "Countess", at=vault)
        after = _summary(vault, f"{PEOPLE}/ada")
        assert after == before.replace("  - Ada\n", "  - Ada\n  - Countess\n")
        assert "people/ada" in run("show", "countess", at=vault).out

    def test_removed(self, vault: Path, run: Run) -> None:
        before = _summary(vault, f"{PEOPLE}/ada")
        run("entity", "alias", "ada", "Countess", at=vault)
        assert run("entity", "alias", "ada", "countess", "--remove", at=vault).status == 0
        assert _summary(vault, f"{PEOPLE}/ada") == before
        assert run("entity", "alias", "ada", "Countess", "--remove", at=vault).status == 3

    def test_bad_front_matter_is_named_and_kept(self, vault: Path, run: Run) -> None:
        path = vault / PEOPLE / "ada/summary.md"
        path.write_text("---\nname: Ada\naliases: [unclosed\n---\nbody\n", encoding="utf-8")
        before = path.read_bytes()
        done = run("entity", "alias", "people/ada", "Countess", at=vault)
        assert done.status == 6
        assert "life/areas/people/ada/summary.md:" in done.err
        assert path.read_bytes() == before

    def test_a_shared_name_is_told(self, vault: Path, run: Run) -> None:
        done = run("entity", "alias", "priya-nair", "Ada", at=vault)
        assert (done.status, "people/ada answers" in done.err) == (0, True)


class TestRename:
    def test_everything_that_the_program_wrote_follows(self, vault: Path, run: Run) -> None:
        done = run("entity", "rename", "kestrel-maps", "Kestrel", "Cartography", at=vault)
        assert done.status == 0
        assert not (vault / "life/areas/companies/kestrel-maps").exists()
        moved = "life/areas/companies/kestrel-cartography"
        assert next(iter(_facts(vault, f"{moved}/items.json"))) == "kestrel-maps-001"
        assert _facts(vault, f"{PEOPLE}/ada/items.json")["ada-001"]["relatedEntities"] == [
            "companies/kestrel-cartography"
        ]
        region = parse_summary(_summary(vault, f"{PEOPLE}/ada"))
        assert region.region_digest_ok
        assert "[[life/areas/companies/kestrel-cartography/summary|Kestrel Cartography]]" in (region.region or "")
        summary = parse_summary(_summary(vault, moved))
        assert summary.name == "Kestrel Cartography"
        assert "Kestrel Maps" in summary.aliases
        assert git(vault, "status", "--porcelain") == ""
        assert "companies/kestrel-cartography" in run("show", "Kestrel Maps", at=vault).out

    def test_links_in_prose_are_listed_and_left(self, vault: Path, run: Run) -> None:
        note = vault / "memory/2026-11-29.md"
        text = note.read_text(encoding="utf-8") + "- met [[people/ada]] and [A](../life/areas/people/ada/summary.md)\n"
        note.write_text(text, encoding="utf-8")
        line = len(text.splitlines())
        done = run("entity", "rename", "ada", "Ada Lovelace", at=vault)
        assert f"memory/2026-11-29.md:{line}:" in done.err
        assert note.read_text(encoding="utf-8") == text

    def test_links_in_prose_are_rewritten_when_asked(self, vault: Path, run: Run) -> None:
        note = vault / "memory/2026-11-29.md"
        before = note.read_text(encoding="utf-8")
        note.write_text(
            before + "- [[people/ada]], [[life/areas/people/ada/summary|A]], people/ada\n", encoding="utf-8"
        )
        run("entity", "rename", "ada", "Ada Lovelace", "--rewrite-links", at=vault)
        assert note.read_text(encoding="utf-8") == (
            before + "- [[people/ada-lovelace]], [[life/areas/people/ada-lovelace/summary|A]], people/ada\n"
        )
        assert "# Ada Lovelace\n" in _summary(vault, f"{PEOPLE}/ada-lovelace")

    def test_episodes_follow(self, vault: Path, run: Run) -> None:
        episode = vault / "memory/episodes/2026-11-28-x.md"
        text = "---\nsessionKey: x\nentityIds: [people/ada, people/me]  # who\n---\nAda called.\n"
        episode.write_text(text, encoding="utf-8")
        run("entity", "rename", "ada", "Ada Lovelace", at=vault)
        assert episode.read_text(encoding="utf-8") == text.replace("people/ada,", "people/ada-lovelace,")

    def test_names_in_any_script(self, vault: Path, run: Run) -> None:
        folder = vault / PEOPLE / "Zoe\u0308"
        folder.mkdir()
        (folder / "items.json").write_text('[{"id": "z-1", "fact": "in NFD"}]\n', encoding="utf-8")
        assert run("entity", "rename", "people/zo\u00eb", "爱丽丝", at=vault).status == 0
        assert (vault / PEOPLE / "爱丽丝/items.json").exists()
        assert not folder.exists()
        assert git(vault, "status", "--porcelain") == ""

    def test_only_the_spelling(self, vault: Path, run: Run) -> None:
        run("entity", "rename", "ada", "ada moreau", at=vault)
        assert parse_summary(_summary(vault, f"{PEOPLE}/ada")).name == "ada moreau"

    def test_the_folder_may_stay_or_be_named(self, vault: Path, run: Run) -> None:
        run("entity", "rename", "ada", "Ada Lovelace", "--keep-slug", at=vault)
        assert (vault / PEOPLE / "ada").is_dir()
        run("entity", "rename", "ada", "Ada Byron", "--slug", "Byron", at=vault)
        assert (vault / PEOPLE / "byron").is_dir()
        assert run("entity", "rename", "byron", "X", "--slug", "priya-nair", at=vault).status == 5

    def test_another_kind(self, vault: Path, run: Run) -> None:
        run("entity", "rename", "kitchen", "companies/Kitchen Works", at=vault)
        summary = parse_summary(_summary(vault, "life/areas/companies/kitchen-works"))
        assert (summary.kind, summary.name) == ("companies", "Kitchen Works")

    def test_a_name_that_another_has(self, vault: Path, run: Run) -> None:
        done = run("entity", "rename", "ada", "Priya Nair", at=vault)
        assert (done.status, "entity merge people/ada people/priya-nair" in done.err) == (5, True)

    def test_a_slash_in_a_name_is_no_kind(self, vault: Path, run: Run) -> None:
        run("entity", "rename", "kitchen", "R&D/EU", at=vault)
        assert parse_summary(_summary(vault, "life/areas/projects/r-d-eu")).name == "R&D/EU"

    def test_rejected_values_stay_rejected(self, vault: Path, run: Run) -> None:
        run("correct", "ada-005", "Ada is on sabbatical", at=vault)
        run("entity", "rename", "ada", "Ada Lovelace", at=vault)
        said = "Ada covers the map style team while Ines is on leave"
        assert run("remember", said, "--about", "people/ada-lovelace", at=vault).status == 4

    def test_rejected_values_stay_rejected_after_undo_and_rename_again(self, vault: Path, run: Run) -> None:
        run("correct", "ada-005", "Ada is on sabbatical", at=vault)
        run("entity", "rename", "ada", "Ada Lovelace", at=vault)
        run("undo", at=vault)
        said = "Ada covers the map style team while Ines is on leave"
        assert run("remember", said, "--about", "people/ada", at=vault).status == 4
        run("entity", "rename", "ada", "Ada Lovelace", at=vault)
        assert run("remember", said, "--about", "people/ada-lovelace", at=vault).status == 4
        run("entity", "rename", "ada-lovelace", "Ada", at=vault)
        assert run("remember", said, "--about", "people/ada", at=vault).status == 4

    def test_ids_of_the_old_slug_are_never_given_again(self, vault: Path, run: Run) -> None:
        run("entity", "rename", "ada", "Grace Hopper", at=vault)
        run("entity", "alias", "grace-hopper", "ada", "Ada Moreau", "--remove", at=vault)
        made = run("remember", "Ada sings", "--about", "people/Ada", at=vault)
        assert "ada-009" in made.out

    def test_the_owner_stays_the_owner(self, vault: Path, run: Run) -> None:
        run("entity", "rename", "me", "Sam", at=vault)
        assert "owner: people/sam\n" in (vault / "echo.yaml").read_text(encoding="utf-8").replace('"', "")
        assert "people/sam/" in run("remember", "I like figs", at=vault).out

    def test_other_files_move_along(self, vault: Path, run: Run) -> None:
        folder = vault / PEOPLE / "ada"
        (folder / "sub").mkdir()
        (folder / "sub/photo.jpg").write_bytes(b"\xff\xd8")
        run("entity", "rename", "ada", "Ada Lovelace", at=vault)
        assert (vault / PEOPLE / "ada-lovelace/sub/photo.jpg").read_bytes() == b"\xff\xd8"
        assert not folder.exists()

    def test_facts_stay_vouched_for(self, vault: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
        run("observe", "Ada likes pears", "--about", "ada", at=vault)
        run("entity", "rename", "ada", "Ada Lovelace", at=vault)
        monkeypatch.setenv("ECHO_ACTOR", "agent")
        assert run("archive", "ada-009", at=vault).status == 0

    def test_a_program_may_not_rename_what_the_person_stated(
        self, vault: Path, run: Run, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        run("remember", "Ada likes pears", "--about", "ada", at=vault)
        monkeypatch.setenv("ECHO_ACTOR", "agent")
        assert run("entity", "rename", "ada", "Mallory", at=vault).status == 4
        assert (vault / PEOPLE / "ada").is_dir()

    def test_undo_puts_every_byte_back(self, vault: Path, run: Run) -> None:
        tree = git(vault, "ls-tree", "-r", "HEAD")
        run("entity", "rename", "kestrel-maps", "Kestrel", at=vault)
        assert run("undo", at=vault).status == 0
        now = [line for line in git(vault, "ls-tree", "-r", "HEAD").splitlines() if "\taudit/" not in line]
        assert now == tree.splitlines()

    def test_an_unreadable_file_elsewhere_is_passed_over_and_named(self, vault: Path, run: Run) -> None:
        path = vault / PEOPLE / "zoe-nunez/items.json"
        path.write_bytes(path.read_bytes() + b"]")
        broken = path.read_bytes()
        done = run("entity", "rename", "kestrel-maps", "Kestrel", at=vault)
        assert (done.status, "zoe-nunez/items.json:" in done.err) == (6, True)
        assert path.read_bytes() == broken
        assert (vault / "life/areas/companies/kestrel").is_dir()

    def test_a_link_out_of_the_folder_is_not_followed(self, vault: Path, run: Run) -> None:
        (vault / PEOPLE / "ada/out").symlink_to("/etc/hostname")
        assert run("entity", "rename", "ada", "Ada Lovelace", at=vault).status == 5
        assert not (vault / PEOPLE / "ada-lovelace").exists()


class TestMerge:
    @pytest.fixture
    def twins(self, vault: Path, run: Run) -> Path:
        """Two entities that are one person, each with a fact about the other."""
        run("entity", "new", "people/Alice", at=vault)
        run("entity", "new", "people/Alice Smith", "--alias", "Al", at=vault)
        run("remember", "Alice Smith is an alias of Alice", "--about", "people/alice", at=vault)
        run("remember", "Alice was Alice Smith at school", "--about", "people/alice-smith", at=vault)
        return vault

    def test_no_self_edges_and_ids_kept(self, twins: Path, run: Run) -> None:
        assert run("entity", "merge", "people/alice", "people/alice-smith", at=twins).status == 0
        facts = _facts(twins, f"{PEOPLE}/alice-smith/items.json")
        assert list(facts) == ["alice-smith-001", "alice-001"]
        assert all("relatedEntities" not in fact for fact in facts.values())
        assert not (twins / PEOPLE / "alice").exists()
        assert set(parse_summary(_summary(twins, f"{PEOPLE}/alice-smith")).aliases) == {"Al", "Alice"}
        assert git(twins, "status", "--porcelain") == ""

    def test_colliding_ids_are_renumbered_and_links_follow(self, twins: Path, run: Run) -> None:
        path = twins / PEOPLE / "alice/items.json"
        records = [
            {"id": "x-1", "fact": "old", "category": "status", "status": "superseded", "supersededBy": "x-2", "odd": 1},
            {"id": "x-2", "content": "new", "category": "status", "status": "active", "supersededBy": None},
        ]
        path.write_text(json.dumps(records, indent=2) + "\n", encoding="utf-8")
        (twins / PEOPLE / "alice-smith/items.json").write_text(
            json.dumps([{"id": "x-2", "fact": "mine"}], indent=2) + "\n", encoding="utf-8"
        )
        done = run("entity", "merge", "people/alice", "people/alice-smith", at=twins)
        assert "x-2 is now alice-smith-002" in done.out
        facts = _facts(twins, f"{PEOPLE}/alice-smith/items.json")
        assert facts["x-1"]["supersededBy"] == "alice-smith-002"
        assert facts["x-1"]["odd"] == 1
        assert facts["alice-smith-002"]["was"] == ["x-2"]
        assert facts["alice-smith-002"]["fact"] == "new"
        assert facts["x-2"]["fact"] == "mine"
        assert run("check", "--json", at=twins).status != 6

    def test_an_open_contradiction_follows_its_facts(self, twins: Path, run: Run) -> None:
        for name, ids in (("alice", ["x-1", "x-2"]), ("alice-smith", ["x-2"])):
            records = [{"id": one, "fact": f"{name} {one}"} for one in ids]
            (twins / PEOPLE / name / "items.json").write_text(json.dumps(records), encoding="utf-8")
        entry = {"kind": "contradiction", "id": "e", "entryA": "x-1", "entryB": "x-2", "resolvedAt": None}
        (twins / "review.json").write_text(json.dumps([entry], indent=2) + "\n", encoding="utf-8")
        run("entity", "merge", "people/alice", "people/alice-smith", at=twins)
        (held,) = json.loads((twins / "review.json").read_bytes())
        assert (held["entryA"], held["entryB"]) == ("x-1", "alice-smith-002")

    def test_text_front_matter_and_files_are_kept(self, twins: Path, run: Run) -> None:
        (twins / PEOPLE / "alice/summary.md").write_text(
            "---\nname: Alice\nbirthday: 3 May # really\n---\n# Alice\n\nHer own words.\n", encoding="utf-8"
        )
        (twins / PEOPLE / "alice/notes.md").write_text("a\n", encoding="utf-8")
        (twins / PEOPLE / "alice-smith/notes.md").write_text("b\n", encoding="utf-8")
        before = _summary(twins, f"{PEOPLE}/alice-smith")
        run("entity", "merge", "people/alice", "people/alice-smith", at=twins)
        text = _summary(twins, f"{PEOPLE}/alice-smith")
        assert before.partition("---\n# ")[2] in text
        assert "## From Alice\n" in text
        assert "birthday: 3 May # really" in text
        assert "Her own words." in text
        assert (twins / PEOPLE / "alice-smith/notes.md").read_text(encoding="utf-8") == "b\n"
        assert (twins / PEOPLE / "alice-smith/notes-alice.md").read_text(encoding="utf-8") == "a\n"

    def test_edges_elsewhere_follow(self, twins: Path, run: Run) -> None:
        run("entity", "link", "ada", "people/alice", "--relation", "knows", at=twins)
        run("entity", "merge", "people/alice", "people/alice-smith", at=twins)
        facts = _facts(twins, f"{PEOPLE}/ada/items.json")
        assert facts["ada-009"]["relatedEntities"] == ["people/alice-smith"]

    def test_decisions_are_carried(self, twins: Path, run: Run) -> None:
        run("remember", "Alice likes tea", "--about", "people/alice", at=twins)
        run("correct", "alice-002", "Alice likes coffee", at=twins)
        run("entity", "merge", "people/alice", "people/alice-smith", at=twins)
        assert run("remember", "Alice likes tea", "--about", "people/alice-smith", at=twins).status == 4

    def test_undo_parts_them_again(self, twins: Path, run: Run) -> None:
        tree = [line for line in git(twins, "ls-tree", "-r", "HEAD").splitlines() if "\taudit/" not in line]
        run("entity", "merge", "people/alice", "people/alice-smith", at=twins)
        assert run("undo", at=twins).status == 0
        now = [line for line in git(twins, "ls-tree", "-r", "HEAD").splitlines() if "\taudit/" not in line]
        assert now == tree

    def test_itself_and_unreadable(self, twins: Path, run: Run) -> None:
        assert run("entity", "merge", "people/alice", "people/alice", at=twins).status == 2
        (twins / PEOPLE / "alice/items.json").write_bytes(b"[{]")
        assert run("entity", "merge", "people/alice", "people/alice-smith", at=twins).status == 6
        assert (twins / PEOPLE / "alice").is_dir()

    def test_dry_run_changes_nothing(self, twins: Path, run: Run) -> None:
        head = git(twins, "rev-parse", "HEAD")
        done = run("entity", "merge", "people/alice", "people/alice-smith", "-n", at=twins)
        assert "commit: entity merge: people/alice -> people/alice-smith" in done.out
        assert git(twins, "rev-parse", "HEAD") == head
        assert (twins / PEOPLE / "alice").is_dir()


class TestLink:
    def test_a_relationship_fact_with_an_edge(self, vault: Path, run: Run) -> None:
        done = run("entity", "link", "ada", "tomasz-wrona", "--relation", "climbs with", "--json", at=vault)
        fact = json.loads(done.out)["fact"]
        assert (fact["text"], fact["category"]) == ("Ada Moreau climbs with Tomasz Wrona", "relationship")
        assert fact["related"] == ["people/tomasz-wrona"]

    def test_said_twice_adds_nothing(self, vault: Path, run: Run) -> None:
        run("entity", "link", "ada", "tomasz-wrona", at=vault)
        head = git(vault, "rev-parse", "HEAD")
        assert "already known: ada-009" in run("entity", "link", "ada", "tomasz-wrona", at=vault).out
        assert git(vault, "rev-parse", "HEAD") == head

    def test_unknown_and_same(self, vault: Path, run: Run) -> None:
        assert run("entity", "link", "ada", "people/nobody", at=vault).status == 3
        assert run("entity", "link", "ada", "people/ada", at=vault).status == 2


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("[[people/ada]]", True),
        ("[[life/areas/people/ada/summary|A]]", True),
        ("[[people/ada#Gifts]]", True),
        ("[a](../people/ada/summary.md)", True),
        ("[[people/ada-lovelace]]", False),
        ("[[mypeople/ada]]", False),
        ("people/ada", False),
    ],
)
def test_links_are_told_from_words_that_look_like_them(text: str, *, found: bool) -> None:
    assert bool(link_pattern(EntityRef("people", "ada")).search(text)) is found

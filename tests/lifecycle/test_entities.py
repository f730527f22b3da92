"""Names people type, and the entity that is meant."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Ran, git

Run = Callable[..., Ran]


def _folders(vault: Path, kind: str) -> set[str]:
    folder = vault / "life/areas" / kind
    return {path.name for path in folder.iterdir()} if folder.exists() else set()


@pytest.mark.parametrize(
    ("name", "slug"),
    [
        ("Bob Stone", "bob-stone"),
        ("小米", "小米"),
        ("爱丽丝", "爱丽丝"),
        ("Zoë", "zoe"),
        ("R&D | Ops: EU", "r-d-ops-eu"),
        ("C++", "c"),
        ("con", "con-entity"),
        ("🎉", "u1f389"),
        ("סבתא רבקה", "סבתא-רבקה"),
        ("نورا", "نورا"),
        ("Анна", "анна"),
        ("Ελένη", "ελενη"),
        ("สมชาย", "สมชาย"),
        ("Barney`s Look", "barney-s-look"),
        ("-dash", "dash"),
        ("x" * 300, "x" * 80),
    ],
)
def test_a_new_entity_gets_a_readable_folder_and_is_found_again(
    run: Run, empty_vault: Path, name: str, slug: str
) -> None:
    ran = run("remember", "was here", "--about", f"people/{name}", at=empty_vault)
    assert ran.status == 0, ran.err
    assert _folders(empty_vault, "people") == {slug}
    shown = json.loads(run("show", "--json", "--", name, at=empty_vault).out)
    assert (shown["entity"], shown["name"]) == (f"people/{slug}", " ".join(name.split()))
    again = run("remember", "was there", "--about", name, at=empty_vault)
    assert again.status == 0, again.err
    assert _folders(empty_vault, "people") == {slug}
    assert git(empty_vault, "status", "--porcelain") == ""


@pytest.mark.parametrize(
    "name",
    [
        "../../etc/x",
        "/etc/passwd",
        "people/..",
        "people/.",
        "people/",
        "/",
        "people/../x",
        "people/" + "x" * 301,
    ],
)
def test_hostile_names_are_refused_and_make_nothing(run: Run, empty_vault: Path, name: str) -> None:
    ran = run("remember", "x", "--about", name, at=empty_vault)
    assert ran.status in {2, 3, 4}
    assert not (empty_vault / "life").exists()
    assert git(empty_vault, "status", "--porcelain") == ""


def test_two_names_of_one_slug_are_two_entities(run: Run, empty_vault: Path) -> None:
    for name in ("C++", "C#", "C"):
        assert run("remember", f"uses {name}", "--about", f"projects/{name}", at=empty_vault).status == 0
    assert len(_folders(empty_vault, "projects")) >= 2
    assert json.loads(run("show", "C#", "--json", at=empty_vault).out)["name"] == "C#"
    assert json.loads(run("show", "C++", "--json", at=empty_vault).out)["name"] == "C++"


def test_case_accents_and_unicode_form_do_not_matter(run: Run, empty_vault: Path) -> None:
    import unicodedata

    run("remember", "sings", "--about", "people/Zoë", at=empty_vault)
    for name in ("zoe", "ZOË", unicodedata.normalize("NFD", "Zoë"), "people/zoe", "person/Zoë"):
        assert run("remember", f"knows {name!a}", "--about", name, at=empty_vault).status == 0
    assert _folders(empty_vault, "people") == {"zoe"}


def test_a_folder_in_nfd_stays_as_it_is(run: Run, empty_vault: Path) -> None:
    import unicodedata

    folder = empty_vault / "life/areas/people" / unicodedata.normalize("NFD", "zoë")
    folder.mkdir(parents=True)
    (folder / "items.json").write_text("[]\n", encoding="utf-8")
    assert run("remember", "sings", "--about", "Zoë", at=empty_vault).status == 0
    assert _folders(empty_vault, "people") == {folder.name}
    assert "sings" in (folder / "items.json").read_text(encoding="utf-8")


def test_an_ambiguous_name_is_a_conflict_with_the_choices(run: Run, empty_vault: Path) -> None:
    run("remember", "is tall", "--about", "people/John Smith", at=empty_vault)
    run("remember", "sells saws", "--about", "companies/John Smith", at=empty_vault)
    for words in (("remember", "x", "--about", "John Smith"), ("show", "john-smith"), ("remember", "John Smith moved")):
        ran = run(*words, at=empty_vault)
        assert ran.status == 5
        assert "people/john-smith" in ran.err
        assert "companies/john-smith" in ran.err
    assert run("remember", "is kind", "--about", "people/john-smith", at=empty_vault).status == 0
    ids = [json.loads(path.read_text())[0]["id"] for path in sorted(empty_vault.glob("life/areas/*/*/items.json"))]
    assert len(set(ids)) == 2


def test_a_unique_prefix_is_for_reading_only(run: Run, vault: Path) -> None:
    assert run("show", "toma", at=vault).status == 0
    ran = run("remember", "x", "--about", "toma", at=vault)
    assert ran.status == 3
    assert "people/toma" in ran.err


def test_the_first_name_in_the_text_is_the_subject_and_the_longest_alias_wins(run: Run, empty_vault: Path) -> None:
    for name in ("people/Ada", "people/Ada Lovelace", "companies/Acme", "people/李雷", "people/李雷明"):
        run("entity", "new", name, at=empty_vault)
    said = {
        "Ada Lovelace joined Acme": ("people/ada-lovelace", ["companies/acme"]),
        "Ada left Acme": ("people/ada", ["companies/acme"]),
        "昨天李雷明搬家了": ("people/李雷明", []),
        "李雷认识Ada": ("people/李雷", ["people/ada"]),
    }
    for text, (entity, related) in said.items():
        [result] = json.loads(run("remember", text, "--json", at=empty_vault).out)["results"]
        assert result["entity"] == entity, text
        fact = json.loads(run("show", result["id"], "--json", at=empty_vault).out)["fact"]
        assert fact["related"] == related


def test_a_link_out_of_the_vault_is_not_followed(run: Run, empty_vault: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (empty_vault / "life/areas").mkdir(parents=True)
    (empty_vault / "life/areas/people").symlink_to(outside)
    assert run("remember", "x", "--about", "people/Eve", at=empty_vault).status in {4, 5}
    assert not list(outside.iterdir())

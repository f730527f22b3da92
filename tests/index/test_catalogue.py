import os
import shutil
import time
from pathlib import Path

import pytest

from echo_notes.files import summary as summary_module
from echo_notes.index.catalogue import Catalogue
from tests.index.conftest import Vault


def entities(vault: Vault) -> dict[str, tuple[str, ...]]:
    return {str(entity.ref): entity.names() for entity in Catalogue(vault.root).refresh()}


def test_names_come_from_the_summary_else_from_the_folder(vault: Vault) -> None:
    vault.facts("life/areas/people/ada-lovelace", "x")
    vault.write(
        "life/areas/people/ada-lovelace/summary.md",
        "---\nname: Ada Lovelace\naliases: [Ada, Countess]\ntags: [math]\n---\n",
    )
    vault.facts("life/areas/companies/acme", "y")
    vault.write("life/areas/people/林晓/summary.md", "---\nname: 林晓\n---\n")
    assert entities(vault) == {
        "companies/acme": ("acme",),
        "people/ada-lovelace": ("Ada Lovelace", "Ada", "Countess", "ada-lovelace"),
        "people/林晓": ("林晓",),
    }
    ada = next(e for e in Catalogue(vault.root).refresh() if e.ref.slug == "ada-lovelace")
    assert (ada.folder, ada.tags) == ("life/areas/people/ada-lovelace", ("math",))


def test_folders_elsewhere_count_where_they_hold_facts(vault: Vault) -> None:
    vault.facts("life/projects/garden", "x")
    vault.write("life/projects/garden/summary.md", "---\nname: The Garden\n---\n")
    vault.write("life/resources/books/summary.md", "---\nname: Books\n---\n")
    assert entities(vault) == {"projects/garden": ("The Garden", "garden")}


def test_a_changed_summary_is_read_and_an_unchanged_one_is_not(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    path = vault.write("life/areas/people/ada/summary.md", "---\nname: Ada\n---\n")
    other = vault.write("life/areas/people/bob/summary.md", "---\nname: Bob\n---\n")
    assert entities(vault)["people/ada"][0] == "Ada"
    cache = vault.root / ".echo/index/catalogue.json"
    later = time.time() + 60
    os.utime(cache, (later, later))
    read: list[str] = []
    parse = summary_module.parse_summary

    def noting(text: str) -> summary_module.Summary:
        read.append(text)
        return parse(text)

    monkeypatch.setattr(summary_module, "parse_summary", noting)
    assert entities(vault)["people/ada"][0] == "Ada"
    assert read == []
    path.write_text("---\nname: Countess\n---\n")
    assert entities(vault)["people/ada"][0] == "Countess"
    assert len(read) == 1
    shutil.rmtree(other.parent)
    assert "people/bob" not in entities(vault)


def test_a_torn_cache_is_made_again(vault: Vault) -> None:
    vault.write("life/areas/people/ada/summary.md", "---\nname: Ada\n---\n")
    before = entities(vault)
    cache = vault.root / ".echo/index/catalogue.json"
    for junk in ("", "[]", '{"version": 1}', '{"version": 99, "folders": {}}'):
        cache.write_text(junk)
        assert entities(vault) == before


def test_a_folder_in_decomposed_form_keeps_its_name_on_disk(vault: Vault) -> None:
    vault.facts("life/areas/people/zoe\u0308", "x")
    entity = Catalogue(vault.root).refresh()[0]
    assert entity.ref.slug == "zo\u00eb"
    assert (vault.root / entity.folder).is_dir()


def test_an_unreadable_summary_is_a_problem_and_no_loss(vault: Vault) -> None:
    vault.facts("life/areas/people/ada", "x")
    vault.write("life/areas/people/ada/summary.md", b"---\nname: Ada\xff\n---\n")
    catalogue = Catalogue(vault.root)
    assert [str(entity.ref) for entity in catalogue.refresh()] == ["people/ada"]
    assert [path for path, _ in catalogue.problems] == ["life/areas/people/ada/summary.md"]


def test_the_owner_of_a_file_is_the_entity_of_its_folder(vault: Vault) -> None:
    vault.facts("life/areas/people/ada", "x")
    catalogue = Catalogue(vault.root)
    catalogue.refresh()
    found = catalogue.find_by_path("life/areas/people/ada/archive.json")
    assert found
    assert found.ref.slug == "ada"
    assert catalogue.find_by_path("memory/2026-03-02.md") is None


def test_a_vault_that_cannot_be_written_is_still_listed(tmp_path: Path) -> None:
    vault = Vault(tmp_path / "v")
    vault.facts("life/areas/people/ada", "x")
    (vault.root / ".echo").write_text("in the way")
    assert [str(entity.ref) for entity in Catalogue(vault.root).refresh()] == ["people/ada"]

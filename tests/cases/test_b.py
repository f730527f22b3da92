"""Cases of section B as tests: names in every script, names that collide, and paths that lead outside."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Ran, git

Run = Callable[..., Ran]


def _people(vault: Path) -> set[str]:
    return {path.name for path in (vault / "life/areas/people").iterdir()}


def test_19_a_chinese_name_is_a_readable_folder_and_recalled_by_name(run: Run, empty_vault: Path) -> None:
    assert run("remember", "成立于2010年", "--about", "companies/小米", at=empty_vault).status == 0
    assert (empty_vault / "life/areas/companies/小米/items.json").exists()
    found = json.loads(run("recall", "小米", "--layer", "fact", "--json", at=empty_vault).out)["results"]
    assert [one["text"] for one in found] == ["成立于2010年"]


SCRIPTS = {
    "hebrew": ["שרה", "שרית"], "pointed": ["שָׂרָה", "שׁוּרָה"], "arabic": ["سارة", "سمير"], "cyrillic": ["Майя", "Маия"],
    "greek": ["Νίκος", "Ελένη"], "thai": ["สมหญิง", "สมหญง"], "tones": ["ฟ้า", "ฟา"], "hindi": ["नीता", "नाता"],
    "bengali": ["কমলা", "কমল"], "tamil": ["மீனா", "மான"], "kana": ["ガク", "カク"], "korean": ["김민준", "김민지"],
    "breve": ["Андрей", "Андреи"],
}  # fmt: skip


@pytest.mark.parametrize("names", SCRIPTS.values(), ids=SCRIPTS)
def test_20_names_of_every_script_have_folders_of_their_own_with_their_marks(
    run: Run, empty_vault: Path, names: list[str]
) -> None:
    for name in names:
        assert run("remember", f"{name} was here", "--about", f"people/{name}", at=empty_vault).status == 0
    assert len(_people(empty_vault)) == 2
    assert not any("-" in folder for folder in _people(empty_vault))
    for name in names:
        shown = json.loads(run("show", name, "--json", at=empty_vault).out)
        assert [fact["text"] for fact in shown["facts"]] == [f"{name} was here"]


def test_22_a_folder_in_nfd_and_a_name_in_nfc_are_one_entity(run: Run, empty_vault: Path) -> None:
    folder = empty_vault / "life/areas/people/Zoe\u0308"
    folder.mkdir(parents=True)
    (folder / "summary.md").write_text("---\nname: Zoe\u0308\n---\n", encoding="utf-8")
    for words in (["Zo\u00eb likes figs"], ["x", "--about", "Zo\u00eb"], ["y", "--about", "people/Zo\u00eb"]):
        assert run("remember", *words, at=empty_vault).status == 0
    assert _people(empty_vault) == {"Zoe\u0308"}
    found = json.loads(run("recall", "Zo\u00eb figs", "--json", at=empty_vault).out)["results"][0]
    assert found["text"] == "Zo\u00eb likes figs"
    assert run("recall", "Zoe\u0308 figs", at=empty_vault).status == 0


def test_23_the_same_name_in_other_case_is_the_same_entity_and_notes_stay_apart(run: Run, empty_vault: Path) -> None:
    run("entity", "new", "people/alice", at=empty_vault)
    assert "is there already" in run("entity", "new", "people/Alice", at=empty_vault).out
    assert run("remember", "Alice likes figs", "--about", "ALICE", at=empty_vault).status == 0
    assert _people(empty_vault) == {"alice"}
    (empty_vault / "notes").mkdir()
    (empty_vault / "notes/README.md").write_text("# the upper walrus\n")
    (empty_vault / "notes/readme.md").write_text("# the lower walrus\n")
    found = json.loads(run("recall", "walrus", "--json", at=empty_vault).out)["results"]
    assert {one["path"] for one in found} == {"notes/README.md", "notes/readme.md"}


def test_23_folders_that_differ_by_case_are_told_apart_by_their_path(run: Run, empty_vault: Path) -> None:
    for slug in ("Kim", "kim"):
        folder = empty_vault / "life/areas/people" / slug
        folder.mkdir(parents=True)
        fact = {"id": f"{slug}-001", "fact": f"{slug} plays cello", "category": "status", "timestamp": "2026-01-01",
                "source": "x", "status": "active", "supersededBy": None}  # fmt: skip
        (folder / "items.json").write_text(json.dumps([fact], indent=2) + "\n")
    asked = run("remember", "runs", "--about", "kim", at=empty_vault)
    assert asked.status == 5
    assert "people/Kim, people/kim" in asked.err
    for slug in ("Kim", "kim"):
        assert run("remember", f"{slug} runs", "--about", f"people/{slug}", at=empty_vault).status == 0
        records = json.loads((empty_vault / "life/areas/people" / slug / "items.json").read_text())
        assert [one["fact"] for one in records] == [f"{slug} plays cello", f"{slug} runs"]


def test_25_and_26_a_name_of_two_kinds_is_asked_about_and_ids_differ(run: Run, empty_vault: Path) -> None:
    for kind in ("people", "companies"):
        run("entity", "new", f"{kind}/John Smith", at=empty_vault)
    for words in (
        ["John Smith is tall", "--about", "John Smith"],
        ["John Smith is tall"],
        ["x", "--about", "john-smith"],
    ):
        asked = run("remember", *words, at=empty_vault)
        assert asked.status == 5
        assert "companies/john-smith, people/john-smith" in asked.err
    assert git(empty_vault, "status", "--porcelain") == ""
    for number, kind in enumerate(("people", "companies"), 1):
        ran = run("remember", f"is in {kind}", "--about", f"{kind}/john-smith", "--json", at=empty_vault)
        assert json.loads(ran.out)["results"][0]["id"] == f"john-smith-{number:03d}"
    found = json.loads(run("recall", "is in", "--entity", "people/john-smith", "--json", at=empty_vault).out)["results"]
    assert {one["entity"] for one in found} == {"people/john-smith"}
    assert (
        json.loads(run("show", "john-smith-002", "--json", at=empty_vault).out)["fact"]["entity"]
        == "companies/john-smith"
    )


def test_28_no_shell_sees_a_path_or_a_name(run: Run, tmp_path: Path) -> None:
    vault = tmp_path / "a b'c`touch pwned`d $(touch pwned)" / "V"
    assert run("init", vault, at=tmp_path).status == 0
    name = "Barney`s  Look $(touch pwned); touch pwned"
    ran = run("remember", "Barney is loud", "--about", f"people/{name}", at=vault)
    assert ran.status == 0, ran.err
    for words in (
        ["recall", "loud"],
        ["synthesize"],
        ["entity", "rename", "people/barney", "x'y"],
        ["undo"],
        ["check"],
    ):
        run(*words, at=vault)
    assert git(vault, "status", "--porcelain") == ""
    assert len(git(vault, "log", "--oneline").splitlines()) >= 3
    assert not list(tmp_path.rglob("pwned"))


def test_29_no_name_leads_outside_the_vault(run: Run, empty_vault: Path, tmp_path: Path) -> None:
    around = sorted(path.name for path in tmp_path.iterdir())
    for name in ("../../etc/x", "people/../../x", "people/../x", "people/..", "people/.", "/etc/passwd"):
        for words in (["remember", "x", "--about", name], ["entity", "new", name], ["show", name], ["open", name]):
            assert run(*words, at=empty_vault).status == 2, words
    assert run("note", "x", "--date", "../../2026", at=empty_vault).status == 2
    assert run("learn", "x", "--topic", "../../evil", at=empty_vault).status == 0
    assert (empty_vault / "memory/topics/evil.md").exists()
    run("session", "add", "../../evil", "hello", at=empty_vault)
    assert sorted(path.name for path in tmp_path.iterdir()) == around
    assert {path.name for path in empty_vault.iterdir()} <= {
        ".git",
        ".echo",
        "echo.yaml",
        "memory",
        "MEMORY.md",
        "audit",
    }


def test_29_links_out_of_the_vault_are_neither_read_nor_written_and_check_names_them(
    run: Run, empty_vault: Path, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "items.json").write_text("[]\n")
    (outside / "secret.md").write_text("the okapi outside\n")
    people = empty_vault / "life/areas/people"
    (people / "ev").mkdir(parents=True)
    (empty_vault / "memory").mkdir()
    for link, target in {
        people / "root": outside, people / "loop": Path("../people"), people / "ev/items.json": outside / "items.json",
        empty_vault / "note.md": outside / "secret.md", empty_vault / "self.md": Path("self.md"),
        empty_vault / "MEMORY.md": outside / "secret.md", empty_vault / "memory/2026-11-30.md": outside / "secret.md",
    }.items():  # fmt: skip
        link.symlink_to(target)
    assert run("recall", "okapi", at=empty_vault).status == 1
    for words in (
        ["remember", "x", "--about", "people/root"], ["remember", "x", "--about", "people/ev"], ["learn", "x"],
        ["note", "x"], ["remember", "nothing in particular"],
    ):  # fmt: skip
        assert run(*words, at=empty_vault).status == 4, words
    assert sorted(path.name for path in outside.iterdir()) == ["items.json", "secret.md"]
    assert (outside / "secret.md").read_text() == "the okapi outside\n"
    checked = run("check", "--verbose", at=empty_vault)
    assert "people/root: info: is a symbolic link" in checked.out
    assert "note.md: info: is a symbolic link" in checked.out


def test_31_a_home_with_a_space_works(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "ho me"
    home.mkdir()
    (home / ".gitconfig").write_bytes((Path(os.environ["HOME"]) / ".gitconfig").read_bytes())
    monkeypatch.setenv("HOME", str(home))
    assert run("init", home / "my notes", at=tmp_path).status == 0
    assert run("remember", "I like figs", at=tmp_path).status == 0
    assert "I like figs" in run("recall", "figs", at=tmp_path).out


def test_32_merging_two_that_know_each_other_leaves_no_edge_to_itself(run: Run, empty_vault: Path) -> None:
    run("remember", "Alice knows Alice Smith", "--about", "people/Alice", at=empty_vault)
    run("remember", "Alice Smith mentors Alice", "--about", "people/Alice Smith", at=empty_vault)
    run("entity", "link", "people/alice", "people/alice-smith", at=empty_vault)
    assert run("entity", "merge", "people/alice", "people/alice-smith", at=empty_vault).status == 0
    records = json.loads((empty_vault / "life/areas/people/alice-smith/items.json").read_text())
    assert {one["id"] for one in records} == {"alice-smith-001", "alice-001", "alice-002"}
    assert not any("people/alice" in one.get("relatedEntities", []) for one in records)
    assert not any("people/alice-smith" in one.get("relatedEntities", []) for one in records)
    assert git(empty_vault, "status", "--porcelain") == ""
    assert run("undo", at=empty_vault).status == 0
    assert _people(empty_vault) == {"alice", "alice-smith"}


def test_34_siblings_with_near_names_stay_two(run: Run, empty_vault: Path) -> None:
    for number in (1, 2):
        run("remember", f"Phase {number} ships", "--about", f"projects/Phase {number}", at=empty_vault)
    assert run("remember", "x", "--about", "Phase", at=empty_vault).status == 3
    for words in (["synthesize"], ["consolidate"], ["check", "--fix"]):
        run(*words, at=empty_vault)
    shown = {number: run("show", f"phase {number}", at=empty_vault).out for number in (1, 2)}
    told = {(here, said) for here in shown for said in shown if f"Phase {said} ships" in shown[here]}
    assert told == {(1, 1), (2, 2)}

"""The one object a Python user needs."""

import os
import subprocess
import sys
from datetime import date
from pathlib import Path

import pytest

from echo_notes import Vault
from echo_notes.model.errors import NotFoundError, RefusedError
from tests.conftest import ROOT, git, program


def test_a_program_writes_as_an_agent(vault: Path) -> None:
    outcome = Vault.open(vault).remember("Ada likes rain", about="people/ada", tags=["weather"])
    [result] = outcome.results
    assert result.id == "ada-009"
    fact = Vault.open(vault, as_person=True).show("ada-009")
    assert fact.fact.provenance == "model_inferred"  # type: ignore[union-attr]
    assert git(vault, "log", "-1", "--format=%b").split()[-1] == "api.remember"


def test_a_person_may_say_so(vault: Path) -> None:
    person = Vault.open(vault, as_person=True)
    person.remember("Ada likes rain", about="ada")
    assert person.show("ada-009").fact.provenance == "user_stated"  # type: ignore[union-attr]
    with pytest.raises(RefusedError, match="user_stated"):
        Vault.open(vault).supersede("ada-009", "Ada likes snow")
    done = person.supersede("ada-009", "Ada likes snow")
    assert (done.old.superseded_by, done.new.version) == ("ada-010", 2)


def test_as_person_does_not_raise_a_coding_agent(vault: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUDECODE", "1")
    Vault.open(vault, as_person=True).remember("Ada likes rain", about="ada")
    monkeypatch.delenv("CLAUDECODE")
    assert Vault.open(vault, as_person=True).show("ada-009").fact.provenance == "model_inferred"  # type: ignore[union-attr]


def test_recall_show_history_and_notes(vault: Path) -> None:
    api = Vault.open(vault, as_person=True)
    assert "peppermint" in api.recall("what does Ada drink", k=1).hits[0].passage.text
    assert api.recall("zxqwv").hits == ()
    assert api.recall("coffee", entity="ada", as_of=date(2026, 3, 20)).hits[0].passage.id == "ada-002"
    assert api.note("Called the bank").path == "memory/2026-11-30.md"
    assert api.learn("Carry cash", topic="Travel").path == "memory/topics/travel.md"
    assert {line.entity.ref.slug for line in api.entities("people")} >= {"ada", "me"}
    assert api.history("ada-006").lineages[0].versions[1].fact.id == "ada-002"
    assert api.timeline("ada")


def test_no_vault_is_an_error_that_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="echo-notes init"):
        Vault.open(tmp_path)


def test_importing_the_package_loads_next_to_nothing() -> None:
    code = "import sys; import echo_notes; print([m for m in sys.modules if m.startswith('echo_notes.')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("words", [["--help"], ["--version"], ["shell-init", "bash"], ["recall", "--help"]])
def test_the_light_commands_load_nothing_heavy(words: list[str]) -> None:
    code = (
        "import sys, contextlib, io\nfrom echo_notes.cli.main import run\n"
        f"with contextlib.redirect_stdout(io.StringIO()): run({words!r})\n"
        "heavy = {'tantivy', 'numpy', 'fastembed', 'git', 'onnxruntime', 'yaml', 'frontmatter', 'pydantic'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.strip().splitlines()[-1] == "[]"


def test_a_recall_on_a_small_vault_loads_neither_numpy_nor_git(vault: Path) -> None:
    for path in vault.rglob("*"):
        os.utime(path, (1_700_000_000, 1_700_000_000))  # files touched within two seconds are read again, to be sure
    assert program("recall", "warm", at=vault).status in {0, 1}
    code = (
        f"import sys; sys.path.insert(0, {str(ROOT)!r})\nfrom echo_notes.cli.main import run\n"
        "run(['recall', 'peppermint tea', '-k', '1'])\n"
        "print(sorted({'numpy', 'git', 'fastembed', 'onnxruntime', 'rich', 'pydantic', 'yaml'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=vault)
    assert done.stdout.strip().splitlines()[-1] == "[]"

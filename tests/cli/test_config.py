"""`config`: where values come from, what may be set where, and by whom."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Ran, git

Run = Callable[..., Ran]


@pytest.fixture
def own(world: Path) -> Path:
    """The person's own config file; it is not there yet."""
    return world / ".config/echo-notes/config.yaml"


def test_set_and_get_your_own(vault: Path, run: Run, own: Path) -> None:
    assert run("config", "get", "recall.limit", at=vault).out == "10\n"
    assert run("config", "set", "recall.limit", "5", at=vault).out == f"recall.limit is 5 in {own}\n"
    assert own.read_text(encoding="utf-8") == "recall.limit: 5\n"
    assert run("config", "get", "recall.limit", at=vault).out == "5\n"
    assert git(vault, "status", "--porcelain") == ""
    assert "already" in run("config", "set", "recall.limit", "5", at=vault).out


def test_list_tells_where_each_value_comes_from(vault: Path, run: Run, own: Path) -> None:
    run("config", "set", "recall.limit", "5", at=vault)
    out = run("config", "list", at=vault).out
    assert f"vault: {vault} (above this folder)\n" in out
    assert f"recall.limit                     5  ({own})" in out
    assert f"({vault}/echo.yaml)" in out
    settings = {one["name"]: one for one in json.loads(run("config", "list", "--json", at=vault).out)["settings"]}
    assert settings["recall.limit"]["origin"] == "own config"
    assert settings["owner"]["origin"] == "echo.yaml"
    assert settings["kinds"] == {
        "name": "kinds", "value": ["people", "companies", "projects"], "default": ["people", "companies", "projects"],
        "origin": "default", "path": "default", "own_only": False, "meaning": "folders under life/areas/",
    }  # fmt: skip


def test_how_the_vault_was_found(vault: Path, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    run("config", "set", "vault", str(vault), at=tmp_path)
    assert "(vault in your own config)" in run("config", "list", at=tmp_path).out
    assert "(--vault)" in run("config", "list", "-C", str(vault), at=tmp_path).out
    monkeypatch.setenv("ECHO_VAULT", str(vault))
    assert "(ECHO_VAULT)" in run("config", "list", at=tmp_path).out
    monkeypatch.setenv("ECHO_VAULT", str(tmp_path / "none"))
    assert run("config", "list", at=tmp_path).status == 3


def test_without_a_vault_and_making_no_files(tmp_path: Path, run: Run, own: Path) -> None:
    assert run("config", "list", at=tmp_path).status == 0
    assert run("config", "get", "recall.limit", "--in-vault", at=tmp_path).status == 3
    assert list(tmp_path.iterdir()) == []
    assert not own.exists()


def test_in_the_vault_it_is_one_commit(vault: Path, run: Run) -> None:
    done = run("config", "set", "categories", "relationship", "milestone", "decision", "--in-vault", at=vault)
    assert done.out.startswith("categories is relationship, milestone, decision in echo.yaml (")
    assert "categories: [relationship, milestone, decision]\n" in (vault / "echo.yaml").read_text(encoding="utf-8")
    assert git(vault, "status", "--porcelain") == ""
    again = run("config", "set", "categories", "relationship", "milestone", "decision", "--in-vault", at=vault)
    assert "already" in again.out
    assert run("undo", at=vault).status == 0
    assert "categories: [rel" not in (vault / "echo.yaml").read_text(encoding="utf-8").replace("# cat", "")


@pytest.mark.parametrize(
    ("words", "status"),
    [
        (("recall.limt", "5"), 2),
        (("recall.limit", "many"), 2),
        (("llm.command", "rm", "--in-vault"), 2),
        (("format", "1", "--in-vault"), 2),
    ],
)
def test_what_is_refused(vault: Path, run: Run, words: tuple[str, ...], status: int) -> None:
    before = (vault / "echo.yaml").read_bytes()
    done = run("config", "set", *words, at=vault)
    assert (done.status, done.out) == (status, "")
    assert (vault / "echo.yaml").read_bytes() == before


def test_a_vault_may_not_loosen_what_you_made_strict(vault: Path, run: Run) -> None:
    run("config", "set", "scan.joiners", "strict", at=vault)
    assert run("config", "set", "scan.joiners", "unicode", "--in-vault", at=vault).status == 2


def test_a_program_sets_nothing(vault: Path, run: Run, own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ECHO_ACTOR", "agent")
    assert run("config", "set", "agents.variables", "X", at=vault).status == 4
    assert run("config", "set", "owner", "people/mallory", "--in-vault", at=vault).status == 4
    assert not own.exists()
    assert "mallory" not in (vault / "echo.yaml").read_text(encoding="utf-8")


def test_dry_runs_write_nothing(vault: Path, run: Run, own: Path) -> None:
    assert "+recall.limit: 5" in run("config", "set", "recall.limit", "5", "-n", at=vault).out
    assert not own.exists()
    assert "+recall.limit: 5" in run("config", "set", "recall.limit", "5", "-n", "--in-vault", at=vault).out
    assert git(vault, "status", "--porcelain") == ""


def test_a_config_that_is_a_link_stays_one(vault: Path, run: Run, own: Path, tmp_path: Path) -> None:
    target = tmp_path / "dotfiles.yaml"
    target.write_text("# mine\n", encoding="utf-8")
    own.parent.mkdir(parents=True)
    own.symlink_to(target)
    run("config", "set", "recall.limit", "5", at=vault)
    assert own.is_symlink()
    assert target.read_text(encoding="utf-8") == "# mine\nrecall.limit: 5\n"


def test_an_unreadable_config_is_named_and_left(vault: Path, run: Run, own: Path) -> None:
    own.parent.mkdir(parents=True)
    own.write_text("a: [\n", encoding="utf-8")
    done = run("config", "set", "recall.limit", "5", at=vault)
    assert (done.status, str(own) in done.err) == (6, True)
    assert own.read_text(encoding="utf-8") == "a: [\n"

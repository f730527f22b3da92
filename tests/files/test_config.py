"""Settings on disk: what is in force and from where, and one value set without another character moving."""

from pathlib import Path
from typing import Any

import pytest

from echo_notes.files.config import IN_VAULT, OWN, load_settings, loosens, set_value
from echo_notes.files.templates import load_template
from echo_notes.model.errors import UnreadableError, UsageError
from echo_notes.model.settings import Settings


def _file(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", "recall.limit: 5\n"),
        ("a: 1", "a: 1\nrecall.limit: 5\n"),
        ("recall.limit: 9   # why\nowner: people/me\n", "recall.limit: 5   # why\nowner: people/me\n"),
        ("recall:\n  # few\n  limit: 9 # why\n  fusion: rrf\n", "recall:\n  # few\n  limit: 5 # why\n  fusion: rrf\n"),
        ("recall: {limit: 9, fusion: rrf}\n", "recall: {limit: 5, fusion: rrf}\n"),
        ("recall:\n  fusion: rrf\n", "recall:\n  fusion: rrf\nrecall.limit: 5\n"),
        ("recall.limit: 8\nrecall:\n  limit: 9\n", "recall.limit: 8\nrecall:\n  limit: 5\n"),
        ("# limit\n#recall.limit: 10\n\nowner: x/y\n", "# limit\n#recall.limit: 10\nrecall.limit: 5\n\nowner: x/y\n"),
        ("format: 1\r\nrecall.limit: 9\r\n", "format: 1\r\nrecall.limit: 5\r\n"),
        ("format: 1\r\n", "format: 1\r\nrecall.limit: 5\r\n"),
        ("recall.limit:\nformat: 1\n", "recall.limit: 5\nformat: 1\n"),
        ('"recall.limit": 9\n', '"recall.limit": 5\n'),
    ],
)
def test_only_the_value_changes(before: str, after: str) -> None:
    assert set_value(before, "recall.limit", "5") == after
    assert set_value(after, "recall.limit", "5") == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("kinds:\n  - people # mine\n  - x\nformat: 1\n", "kinds:\n  - people # mine\n  - places\nformat: 1\n"),
        ("kinds:\n- people\n\n# next\nformat: 1\n", "kinds:\n- people\n- places\n\n# next\nformat: 1\n"),
        ("kinds:\n  - x # ours\r\n", "kinds:\n  - people\n  - places\r\n"),
        ("kinds:\n  - people\n  - places\n  - x\na: 1\n", "kinds:\n  - people\n  - places\na: 1\n"),
        ("kinds: [people]  # mine\n", "kinds: [people, places]  # mine\n"),
        ("kinds: people\n", "kinds: [people, places]\n"),
    ],
)
def test_lists_keep_their_layout(before: str, after: str) -> None:
    assert set_value(before, "kinds", "people, places") == after


@pytest.mark.parametrize("value", ["people/me", "yes", "a: b", "#x", "", "- a", '"q"', "你好", "C:\\x", "007", "null"])
def test_any_text_comes_back(tmp_path: Path, value: str) -> None:
    text = set_value("format: 1\n", "owner", value)
    assert load_settings(_file(tmp_path / "echo.yaml", text), None).settings.owner == value


def test_the_template_takes_every_setting(tmp_path: Path) -> None:
    text = load_template("echo.yaml")
    wanted = {
        "kinds": "people,places",
        "recall.forgettingWeight": "0.5",
        "scan.joiners": "strict",
        "daily.heading": "Log",
    }
    for name, value in wanted.items():
        text = set_value(text, name, value)
    loaded = load_settings(_file(tmp_path / "echo.yaml", text), None)
    assert loaded.problems == ()
    assert loaded.settings.kinds == ("people", "places")
    assert loaded.settings.forgetting_weight == 0.5
    assert (loaded.settings.joiners, loaded.settings.daily_heading) == ("strict", "Log")


def test_what_it_does_not_take() -> None:
    with pytest.raises(UsageError, match=r"recall\.limt"):
        set_value("", "recall.limt", "5")
    with pytest.raises(UsageError, match="1 to 1000"):
        set_value("", "recall.limit", "5000")
    with pytest.raises(UnreadableError):
        set_value("a: [\n", "recall.limit", "5")
    with pytest.raises(UnreadableError):
        set_value("just words\n", "recall.limit", "5")


def test_the_vault_overrides_your_own_and_may_not_do_everything(tmp_path: Path) -> None:
    own = _file(tmp_path / "own.yaml", "recall.limit: 5\nscan.joiners: strict\nllm.command: ollama\n")
    vault = _file(
        tmp_path / "echo.yaml", "recall.limit: 7\nscan.joiners: unicode\nllm.command: rm\nnope: 1\nrecall.fusion: 3\n"
    )
    loaded = load_settings(vault, own)
    assert (loaded.settings.recall_limit, loaded.origins["recall.limit"]) == (7, IN_VAULT)
    assert (loaded.settings.joiners, loaded.origins["scan.joiners"]) == ("strict", OWN)
    assert loaded.settings.llm_command == "ollama"
    assert len(loaded.problems) == 4


def test_an_empty_value_is_not_set(tmp_path: Path) -> None:
    loaded = load_settings(_file(tmp_path / "echo.yaml", "format: 1\nowner:\nkinds: \n"), None)
    assert (loaded.settings, loaded.problems) == (Settings(), ())


@pytest.mark.parametrize(("value", "looser"), [("unicode", True), ("strict", False)])
def test_loosening(value: Any, *, looser: bool) -> None:
    assert loosens("scan.joiners", value, Settings(joiners="strict")) is looser
    assert loosens("scan.joiners", value, Settings()) is False

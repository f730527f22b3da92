import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
import yaml

from echo_notes.files.config import load_settings
from echo_notes.files.templates import TEMPLATE_FILES, load_template, template_names
from echo_notes.model.errors import UsageError
from echo_notes.model.settings import Settings, coerce, iter_settings

ROOT = Path(__file__).parents[2]


def in_vault() -> dict[str, object]:
    return {info.name: info.default for info in iter_settings() if not info.own}


@pytest.mark.parametrize("name", template_names())
def test_echo_yaml_holds_every_setting_of_a_vault_with_its_default(name: str) -> None:
    lines = re.findall(r"(?m)^#?([A-Za-z.]+): (\S.*)$", load_template("echo.yaml", name=name))
    written = {setting: yaml.safe_load(value) for setting, value in lines}
    table = {info.name: info for info in iter_settings()}
    assert {setting: coerce(table[setting], value) for setting, value in written.items()} == in_vault()


@pytest.mark.parametrize("name", template_names())
def test_echo_yaml_as_written_changes_no_default(name: str, tmp_path: Path) -> None:
    file = tmp_path / "echo.yaml"
    file.write_text(load_template("echo.yaml", name=name), encoding="utf-8")
    loaded = load_settings(file, None)
    assert loaded.settings == Settings()
    assert loaded.problems == ()
    assert dict(loaded.origins) == {"format": "echo.yaml"}


def test_echo_yaml_with_every_line_taken_in_use_is_read_without_a_problem(tmp_path: Path) -> None:
    file = tmp_path / "echo.yaml"
    file.write_text(re.sub(r"(?m)^#([A-Za-z.]+: )", r"\1", load_template("echo.yaml")), encoding="utf-8")
    loaded = load_settings(file, None)
    assert loaded.settings == Settings()
    assert loaded.problems == ()
    assert set(loaded.origins) == set(in_vault())


def test_own_settings_are_not_offered_but_the_way_to_them_is_named() -> None:
    text = load_template("echo.yaml")
    offered = set(re.findall(r"(?m)^#([A-Za-z.]+): ", text))
    assert not offered & {info.name for info in iter_settings() if info.own}
    assert "echo-notes config set" in text


@pytest.mark.parametrize("name", template_names())
@pytest.mark.parametrize("file", TEMPLATE_FILES)
def test_every_set_has_every_file(name: str, file: str) -> None:
    text = load_template(file, name=name)
    assert text.endswith("\n")
    assert "\r" not in text
    assert all(len(line) <= 120 for line in text.splitlines())


def test_a_set_without_a_file_lends_the_default() -> None:
    assert load_template("gitignore", name="zh") == load_template("gitignore")
    assert load_template("MEMORY.md", name="zh") != load_template("MEMORY.md")


@pytest.mark.parametrize("name", ["", "nope", "..", "../templates/default"])
def test_an_unknown_set_names_the_choices(name: str) -> None:
    with pytest.raises(UsageError, match="Choose one of default, zh"):
        load_template("echo.yaml", name=name)


def test_the_sample_vault_has_the_git_files_of_the_template() -> None:
    assert (ROOT / "sample_vault/.gitattributes").read_text(encoding="utf-8") == load_template("gitattributes")
    assert (ROOT / "sample_vault/.gitignore").read_text(encoding="utf-8") == load_template("gitignore")


def test_the_templates_and_shell_texts_come_with_a_wheel(tmp_path: Path) -> None:
    if find_spec("hatchling") is None or find_spec("pip") is None:
        pytest.skip("hatchling or pip is not installed")
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    quick = ["--no-deps", "--no-build-isolation", "--no-index"]
    subprocess.run([*pip, "wheel", *quick, "--wheel-dir", tmp_path, ROOT], check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    target = tmp_path / "site"
    subprocess.run(
        [*pip, "install", "--no-deps", "--no-index", "--target", target, wheel], check=True, capture_output=True
    )
    program = (
        "from echo_notes.files import templates\n"
        "from echo_notes.cli.shell_init import SHELLS, shell_text\n"
        "print(templates.__file__, templates.template_names())\n"
        "print(sum(len(templates.load_template(f, name=n)) for n in templates.template_names()"
        " for f in templates.TEMPLATE_FILES))\n"
        "print(sum(len(shell_text(s, program='echo-notes')) for s in SHELLS))\n"
    )
    bare = {**os.environ, "PYTHONPATH": str(target)}
    shown = subprocess.run(
        [sys.executable, "-c", program], env=bare, cwd=tmp_path, check=True, capture_output=True, text=True
    ).stdout.splitlines()
    total = sum(len(load_template(file, name=name)) for name in template_names() for file in TEMPLATE_FILES)
    assert shown[0] == f"{target / 'echo_notes/files/templates.py'} {template_names()}"
    assert int(shown[1]) == total
    assert int(shown[2]) > 1000

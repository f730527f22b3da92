"""Cases of sections E and L as tests: streams, encodings, empty input, pipes, and folders that are no vault."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import ROOT, Ran, git

Run = Callable[..., Ran]

LATIN_1 = os.fsdecode(b"caf\xe9")
ADA = ["--about", "people/ada"]


def _spawn(
    vault: Path, *words: str, before: str = "", after: str = "", **env: str
) -> subprocess.CompletedProcess[bytes]:
    """Run the program in a shell line, for redirections that only a shell can make."""
    line = f'{before} {sys.executable} -m echo_notes "$@" {after}'
    return subprocess.run(
        ["bash", "-c", line, "bash", *words], cwd=vault, capture_output=True, check=False, timeout=60,
        env={**os.environ, "PYTHONPATH": str(ROOT), **env},
    )  # fmt: skip


@pytest.mark.parametrize(
    "words", [["remember", "-", *ADA], ["note", "-"], ["learn", "-"], ["session", "add", "s", "-"]]
)
def test_142_input_that_is_not_utf_8_is_named_by_its_line_and_nothing_is_written(
    run: Run, empty_vault: Path, words: list[str]
) -> None:
    ran = run(*words, at=empty_vault, stdin=b"a good line\ncaf\xe9\n")
    assert (ran.status, "standard input, line 2: is not UTF-8" in ran.err) == (2, True)
    assert not [path for path in empty_vault.iterdir() if path.name not in {".git", ".echo", "echo.yaml"}]


@pytest.mark.parametrize(
    "words",
    [["remember", LATIN_1, *ADA], ["note", LATIN_1], ["recall", LATIN_1], ["show", LATIN_1],
     ["entity", "new", f"people/{LATIN_1}"],
     ["remember", "x", "--tag", LATIN_1, *ADA]],
    ids=lambda words: words[0],
)  # fmt: skip
def test_142_an_argument_that_is_not_utf_8_is_an_error(run: Run, empty_vault: Path, words: list[str]) -> None:
    ran = run(*words, at=empty_vault)
    assert (ran.status, "is not UTF-8" in ran.err) == (2, True), ran.err
    assert git(empty_vault, "status", "--porcelain") == ""


@pytest.mark.parametrize("field", ["text", "tags", "source"])
def test_142_half_a_surrogate_pair_in_json_is_refused(run: Run, empty_vault: Path, field: str) -> None:
    line = json.dumps({"text": "x", "about": "people/ada", field: "a \ud83d b"})
    ran = run("remember", "-", at=empty_vault, stdin=line)
    assert (ran.status, "no character at position 3" in ran.err) == (4, True), ran.err
    assert not (empty_vault / "life").exists()


def test_142_half_a_surrogate_pair_in_a_message_is_replaced_and_the_rest_kept(run: Run, empty_vault: Path) -> None:
    line = json.dumps({"role": "user", "content": "before \ud83d after"})
    assert run("session", "add", "s", "-", at=empty_vault, stdin=line).status == 0
    shown = run("session", "show", "s", at=empty_vault).out
    assert "before \ufffd" in shown
    assert "after" in shown


@pytest.mark.parametrize(
    "words",
    [
        ["remember", ""], ["remember", "  ", *ADA], ["observe", ""], ["note", ""], ["learn", " "],
        ["entity", "new", ""], ["show", ""], ["session", "add", "s", ""],
        ["remember", "-"], ["note", "-"], ["learn", "-"], ["session", "add", "s", "-"],
    ],
    ids=" ".join,
)  # fmt: skip
def test_143_empty_input_is_one_error_and_changes_nothing(run: Run, empty_vault: Path, words: list[str]) -> None:
    head = git(empty_vault, "rev-parse", "HEAD")
    ran = run(*words, at=empty_vault, stdin=" \n\n")
    assert (ran.status, ran.out) == (2, ""), ran
    assert ran.err.count("error:") == 1
    assert git(empty_vault, "rev-parse", "HEAD") == head


def test_143_json_of_an_empty_vault_has_the_same_keys_as_of_a_full_one(
    run: Run, empty_vault: Path, vault: Path
) -> None:
    for words in (
        ["ls"],
        ["timeline"],
        ["recall", "tea"],
        ["check"],
        ["audit"],
        ["session", "list"],
        ["review"],
        ["today"],
    ):
        none, some = (json.loads(run(*words, "--json", at=where).out) for where in (empty_vault, vault))
        assert none.keys() == some.keys(), words
        assert none["schema"] == 1
    assert json.loads(run("recall", "tea", "--json", at=empty_vault).out)["results"] == []


@pytest.mark.parametrize("command", ["check", "ls", "status", "today", "synthesize", "undo", "audit",
                                     "consolidate", "heartbeat", "recall x", "remember x", "show x"])  # fmt: skip
def test_145_outside_any_vault_every_command_says_so_and_makes_nothing(
    run: Run, tmp_path: Path, world: Path, command: str
) -> None:
    around = sorted(world.rglob("*"))
    ran = run(*command.split(), at=tmp_path)
    assert (ran.status, ran.out) == (3, "")
    assert "no vault here" in ran.err
    assert list(tmp_path.iterdir()) == []
    assert sorted(world.rglob("*")) == around


@pytest.mark.parametrize("env", [{"PYTHONIOENCODING": "cp1252"}, {"LC_ALL": "C"}, {"PYTHONIOENCODING": "ascii:strict"}],
                         ids=lambda env: next(iter(env.values())))  # fmt: skip
def test_146_no_terminal_encoding_breaks_the_output_or_the_input(vault: Path, env: dict[str, str]) -> None:
    told = _spawn(vault, "remember", "箭头 → 中 😀", *ADA, **env)
    assert told.returncode == 0, told.stderr
    for words in (["show", "ada"], ["recall", "箭头", "--json"]):
        assert "箭头 → 中 😀" in _spawn(vault, *words, **env).stdout.decode()
    read = _spawn(vault, "remember", "-", *ADA, before="echo '更多 →' |", **env)
    assert read.returncode == 0, read.stderr
    assert "更多 →" in (vault / "life/areas/people/ada/items.json").read_text(encoding="utf-8")


def test_a_closed_pipe_ends_quietly(vault: Path) -> None:
    for words in (["timeline"], ["config", "list"]):
        ran = _spawn(vault, *words, before="set -o pipefail;", after="| head -c 1 >/dev/null")
        assert (ran.returncode, ran.stderr) == (0, b"")


def test_streams_that_the_shell_closed_are_no_trouble_and_the_write_is_whole(vault: Path) -> None:
    told = _spawn(vault, "remember", "all closed", *ADA, after="<&- >&- 2>&-")
    assert told.returncode == 0
    assert "all closed" in (vault / "life/areas/people/ada/items.json").read_text(encoding="utf-8")
    assert git(vault, "status", "--porcelain") == ""
    shown = _spawn(vault, "show", "ada", after=">&-")
    assert (shown.returncode, shown.stderr) == (0, b"")
    assert _spawn(vault, "remember", "-", *ADA, after="<&-").returncode == 2


def test_83_an_open_pipe_on_standard_input_is_not_waited_for(vault: Path) -> None:
    read_end, write_end = os.pipe()
    try:
        for words in (["remember", "idle pipe", *ADA], ["recall", "tea"], ["session", "add", "s", "hello"]):
            done = subprocess.run(
                [sys.executable, "-m", "echo_notes", *words], cwd=vault, stdin=read_end, capture_output=True,
                check=False, timeout=30, env={**os.environ, "PYTHONPATH": str(ROOT)},
            )  # fmt: skip
            assert done.returncode == 0, done.stderr
    finally:
        os.close(read_end)
        os.close(write_end)


def test_82_into_a_file_there_is_no_colour_no_bar_and_no_wrapping(run: Run, empty_vault: Path) -> None:
    text = "Ada said a long thing " * 20
    run("remember", text, *ADA, at=empty_vault)
    ran = run("show", "ada", at=empty_vault)
    assert "\x1b" not in ran.out + ran.err
    assert text.strip() in ran.out


def test_80_help_and_version_load_no_heavy_library(tmp_path: Path) -> None:
    heavy = ["numpy", "tantivy", "yaml", "git", "fastembed", "onnxruntime", "rich"]
    code = "import sys; from echo_notes.cli.main import run; run(['recall', '--help']); run(['--version']);"
    done = subprocess.run(
        [sys.executable, "-c", f"{code} print([name for name in {heavy} if name in sys.modules])"], cwd=tmp_path,
        capture_output=True, text=True, check=True, env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert done.stdout.splitlines()[-1] == "[]"

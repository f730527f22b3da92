import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from echo_notes.cli.shell_init import SHELLS, shell_text
from echo_notes.model.errors import UsageError

from .terminal import STATUS, Home, Terminal, need

VERBS = ("remember", "recall", "supersede", "synthesize")


@pytest.fixture(scope="module", params=SHELLS)
def terminal(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Terminal]:
    need(request.param)
    home = Home(tmp_path_factory.mktemp("home") / request.param)
    opened = Terminal(request.param, home)
    yield opened
    opened.close()


def read(terminal: Terminal, name: str = "out") -> str:
    path = terminal.home.path / name
    text = path.read_text(encoding="utf-8")
    path.unlink()
    return text


@pytest.mark.parametrize("verb", VERBS)
def test_a_line_typed_at_the_prompt_reaches_the_program(terminal: Terminal, verb: str) -> None:
    status, _ = terminal.run(f"echo {verb} 'Ada likes  green tea' --about people/ada '' '*' -n '$HOME' 绿茶")
    assert status == STATUS
    assert terminal.home.calls() == [
        [verb, "Ada likes  green tea", "--about", "people/ada", "", "*", "-n", "$HOME", "绿茶"]
    ]


def test_the_exit_status_of_each_part_of_a_typed_line_is_exact(terminal: Terminal) -> None:
    either = "echo recall a; or echo recall b" if terminal.shell == "fish" else "echo recall a || echo recall b"
    assert terminal.run(either)[0] == STATUS
    assert terminal.home.calls() == [["recall", "a"], ["recall", "b"]]
    assert terminal.run("echo hello")[0] == 0


@pytest.mark.parametrize("words", ["", "remembers x", "Remember x", "show ada", "'remember x'", "-e remember x"])
def test_another_first_word_gets_the_builtin(terminal: Terminal, words: str) -> None:
    status, shown = terminal.run(f"echo {words}")
    assert status == 0
    assert terminal.home.calls() == []
    expected = " ".join(word for word in shlex.split(words) if word != "-e")
    assert f"{expected}\r" in shown.replace("\n", "\r")


@pytest.mark.parametrize(
    ("line", "written"),
    [
        ("echo remember x | cat > out", "remember x\n"),
        ("echo remember x > out", "remember x\n"),
        ("echo remember 'a  b' '' '*' >> out", "remember a  b  *\n"),
        ("echo -n remember x > out", "remember x"),
        ("echo -n > out", ""),
        ("echo -e 'remember\\tx' > out", "remember\tx\n"),
        ("echo remember b* > out", "remember bin\n"),
        ("echo -- remember > out", "-- remember\n"),
        ("echo '' 'remember' > out", " remember\n"),
    ],
)
def test_output_that_goes_elsewhere_comes_from_the_builtin(terminal: Terminal, line: str, written: str) -> None:
    if terminal.shell == "fish" and line.startswith("echo --"):
        written = "remember\n"  # fish's own builtin ends its options there
    assert terminal.run(line)[0] == 0
    assert read(terminal) == written
    assert terminal.home.calls() == []


def test_a_command_substitution_gets_the_builtin(terminal: Terminal) -> None:
    line = "set v (echo recall tea)" if terminal.shell == "fish" else 'v="$(echo recall tea)"'
    terminal.run(line)
    terminal.run('printf %s "$v" > out')
    assert read(terminal) == "recall tea"
    assert terminal.home.calls() == []


def test_a_function_gets_the_builtin(terminal: Terminal) -> None:
    line = "function say; echo remember $argv; end" if terminal.shell == "fish" else 'say() { echo remember "$@"; }'
    terminal.run(line)
    status, shown = terminal.run("say from a function")
    assert status == 0
    assert "remember from a function" in shown
    assert terminal.home.calls() == []


def test_a_sourced_file_gets_the_builtin(terminal: Terminal) -> None:
    (terminal.home.path / "sourced").write_text("echo remember from a file\n", encoding="utf-8")
    status, shown = terminal.run("source ./sourced")
    assert status == 0
    assert "remember from a file" in shown
    assert terminal.home.calls() == []


def test_a_script_gets_the_builtin_even_if_it_has_the_function(terminal: Terminal) -> None:
    text = shell_text(terminal.shell, program="echo-notes")
    (terminal.home.path / "script").write_text(f"{text}\necho remember from a script\n", encoding="utf-8")
    status, shown = terminal.run(f"{terminal.shell} ./script")
    assert status == 0
    assert "remember from a script" in shown
    assert terminal.home.calls() == []


@pytest.mark.parametrize(
    ("program", "line"),
    [
        ("make", "make -s -f makefile"),
        ("xargs", "printf 'remember x' | xargs echo"),
        ("env", "env echo remember x"),
        ("find", "find makefile -exec echo remember x '{}' ';'"),
        ("sh", "sh -c 'echo remember x'"),
    ],
)
def test_other_programs_get_the_system_echo(terminal: Terminal, program: str, line: str) -> None:
    need(program)
    (terminal.home.path / "makefile").write_text(
        "all:\n\t@echo remember x\n\t@echo recall 'y' \\\n\t  z\n", encoding="utf-8"
    )
    status, shown = terminal.run(line)
    assert status == 0
    assert "remember x" in shown.split("remember x", 1)[1] if "remember x" in line else "remember x" in shown
    assert terminal.home.calls() == []


def test_lines_typed_in_a_compound_command_are_still_typed(terminal: Terminal) -> None:
    loop = "for w in a b; echo recall $w; end" if terminal.shell == "fish" else "for w in a b; do echo recall $w; done"
    assert terminal.run(loop)[0] == STATUS
    assert terminal.home.calls() == [["recall", "a"], ["recall", "b"]]


@pytest.mark.parametrize("line", ["printf 'a\\nb\\n' | echo remember -", "echo remember - < makefile"])
def test_input_may_come_from_elsewhere(terminal: Terminal, line: str) -> None:
    (terminal.home.path / "makefile").touch()
    assert terminal.run(line)[0] == STATUS
    assert terminal.home.calls() == [["remember", "-"]]


def test_two_lines_in_one_argument_arrive_as_they_are(terminal: Terminal) -> None:
    line = r"echo remember one\ntwo" if terminal.shell == "fish" else r"echo remember $'one\ntwo'"
    assert terminal.run(line)[0] == STATUS
    assert terminal.home.calls() == [["remember", "one\ntwo"]]


@pytest.mark.parametrize("shell", SHELLS)
def test_a_start_file_gets_the_builtin(shell: str, tmp_path: Path) -> None:
    need(shell)
    text = shell_text(shell, program="echo-notes") + "\necho remember from the start file\n"
    terminal = Terminal(shell, Home(tmp_path / "home"), start=text)
    assert "remember from the start file" in terminal.started
    assert terminal.home.calls() == []
    terminal.close()


@pytest.mark.parametrize("shell", ["bash", "zsh"])
def test_an_alias_and_strict_options_of_the_person_do_not_get_in_the_way(shell: str, tmp_path: Path) -> None:
    need(shell)
    terminal = Terminal(shell, Home(tmp_path / "home"), before="alias echo='echo -n'\nset -u")
    assert terminal.run("echo > out")[0] == 0
    assert read(terminal) == ""
    terminal.run("unalias echo")
    assert terminal.run("echo recall tea")[0] == STATUS
    assert terminal.run("echo > out")[0] == 0
    assert read(terminal) == "\n"
    assert terminal.home.calls() == [["recall", "tea"]]
    terminal.close()


@pytest.mark.parametrize("shell", SHELLS)
def test_another_word_and_a_program_in_a_strange_folder(shell: str, tmp_path: Path) -> None:
    need(shell)
    home = Home(tmp_path / "it's $(a) home")
    text = shell_text(shell, program=str(home.path / "bin" / "echo-notes"), word="en")
    terminal = Terminal(shell, home, start=text)
    assert terminal.run("en recall tea")[0] == STATUS
    assert terminal.run("echo recall tea")[0] == 0
    assert terminal.run("en show ada")[0] == 127
    assert home.calls() == [["recall", "tea"]]
    terminal.close()


@pytest.mark.parametrize("shell", SHELLS)
def test_without_the_program_the_shell_says_so(shell: str, tmp_path: Path) -> None:
    need(shell)
    terminal = Terminal(shell, Home(tmp_path / "home"), start=shell_text(shell, program="echo-notes-is-not-here"))
    status, shown = terminal.run("echo recall tea")
    assert status == 127
    assert "echo-notes-is-not-here" in shown
    terminal.close()


@pytest.mark.parametrize("shell", SHELLS)
def test_the_whole_way_with_the_program_itself(shell: str, tmp_path: Path, vault: Path) -> None:
    need(shell)
    home = Home(tmp_path / "home", {"ECHO_VAULT": str(vault), "TERM": "xterm"})
    root = Path(__file__).parents[2]
    home.install("echo-notes", f'#!/bin/sh\nPYTHONPATH="{root}" exec "{sys.executable}" -m echo_notes "$@"\n')
    (home.path / ".gitconfig").write_text("[user]\nname = Sam\nemail = sam@example.org\n", encoding="utf-8")
    line = "echo-notes shell-init fish | source" if shell == "fish" else f'eval "$(echo-notes shell-init {shell})"'
    before = "autoload -Uz compinit; compinit -u -D" if shell == "zsh" else ""
    terminal = Terminal(shell, home, start=line, before=before)
    status, shown = terminal.run("echo remember 'Ada prefers green tea' --about people/ada")
    assert status == 0
    assert "remembered ada-009" in shown
    status, shown = terminal.run("echo remember 'Ada prefers mate' --about people/ada | cat")
    assert status == 0
    assert "remembered" not in shown
    assert terminal.run("echo recall nonesuchword")[0] == 1
    status, shown = terminal.run("echo-notes show zo\t")
    assert status == 0
    assert "people/zoe-nunez" in shown
    subjects = subprocess.run(["git", "-C", vault, "log", "--format=%s"], capture_output=True, text=True, check=True)
    assert subjects.stdout.splitlines()[0] == "remember: people/ada: Ada prefers green tea"
    terminal.close()


@pytest.mark.parametrize("shell", SHELLS)
def test_the_text_says_nothing_when_it_is_loaded(shell: str) -> None:
    text = shell_text(shell, program="echo-notes")
    done = subprocess.run([need(shell), "-c", text], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize("word", ["", "if", "a b", "e;cho", "$(x)", "-n", "echo-notes", "回声", "x\n"])
def test_a_word_that_cannot_be_one_is_refused(word: str) -> None:
    with pytest.raises(UsageError, match="cannot be the word"):
        shell_text("bash", program="echo-notes", word=word)


def test_a_shell_without_a_text_is_refused() -> None:
    with pytest.raises(UsageError, match="no shell text for 'ksh'"):
        shell_text("ksh", program="echo-notes")

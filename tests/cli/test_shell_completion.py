from collections.abc import Iterator

import pytest

from echo_notes.cli.shell_init import SHELLS

from .terminal import STATUS, Home, Terminal, need

NAMES = (
    "R&D | Ops: EU",
    "Zoë Núñez",
    "林晓",
    "it's $(touch bad) `touch bad`",
    'say "hi"; then > < go',
    "a*b?[c]{d,e}",
    "back\\slash",
    "~home",
    "#hash",
    "wait! what",
    "x=1:2@3^4",
    "ada-001",
)


@pytest.fixture(scope="module", params=SHELLS)
def terminal(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Terminal]:
    need(request.param)
    home = Home(tmp_path_factory.mktemp("home") / request.param, {"TERM": "xterm"})
    before = "autoload -Uz compinit; compinit -u -D" if request.param == "zsh" else ""
    opened = Terminal(request.param, home, before=before)
    yield opened
    opened.close()


def offer(terminal: Terminal, *names: str) -> None:
    (terminal.home.path / "candidates").write_text("".join(f"{name}\n" for name in names), encoding="utf-8")


@pytest.mark.parametrize("name", NAMES)
def test_any_name_is_completed_to_one_word(terminal: Terminal, name: str) -> None:
    offer(terminal, name)
    typed = name[0] if name[0].isalnum() else ""
    assert terminal.run(f"echo-notes show {typed}\t")[0] == STATUS
    assert terminal.home.calls() == [["show", name]]
    assert terminal.home.calls("completions") == [["_complete", "--", "show", typed]]
    assert not (terminal.home.path / "bad").exists()


@pytest.mark.parametrize("quote", ['"', "'"])
@pytest.mark.parametrize("name", [name for name in NAMES if "!" not in name])
def test_a_quote_that_is_open_stays_in_use(terminal: Terminal, quote: str, name: str) -> None:
    offer(terminal, name)
    typed = name[0] if name[0].isalnum() else ""
    assert terminal.run(f"echo-notes show {quote}{typed}\t")[0] == STATUS
    assert terminal.home.calls() == [["show", name]]
    assert not (terminal.home.path / "bad").exists()


def test_a_name_found_without_its_accents_replaces_what_was_typed(terminal: Terminal) -> None:
    if terminal.shell == "fish":
        pytest.skip("fish itself drops what does not start as typed; the slug is offered there")
    offer(terminal, "Zoë Núñez")
    assert terminal.run("echo-notes show zoe\t")[0] == STATUS
    assert terminal.home.calls() == [["show", "Zoë Núñez"]]


def test_the_word_completes_its_four_verbs_and_then_as_the_program(terminal: Terminal) -> None:
    offer(terminal, "林晓")
    assert terminal.run("echo rec\tx --about 林\t")[0] == STATUS
    assert terminal.home.calls() == [["recall", "x", "--about", "林晓"]]
    assert terminal.home.calls("completions")[-1] == ["_complete", "--", "recall", "x", "--about", "林"]


def test_the_word_completes_files_everywhere_else(terminal: Terminal) -> None:
    offer(terminal, "nothing")
    (terminal.home.path / "wonderful-file").touch()
    status, shown = terminal.run("echo hello wonder\t")
    assert status == 0
    assert "hello wonderful-file" in shown
    assert terminal.home.calls("completions") == []


def test_several_names_with_a_common_start_are_completed_that_far(terminal: Terminal) -> None:
    offer(terminal, "ada-001", "ada-002")
    assert terminal.run("echo-notes show a\t2")[0] == STATUS
    assert terminal.home.calls() == [["show", "ada-002"]]

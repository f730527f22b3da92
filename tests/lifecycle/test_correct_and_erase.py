"""Corrections that mend a detail, and texts that must not exist."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Ran, git

Run = Callable[..., Ran]


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("Bob works at Acme as cook", "Bob works at Acme as chef"),
        ("Bob lives in Rome", "Bob lives in Rome, Georgia"),
        ("Bob's birthday is 2 May", "Bob's birthday is 2 May 1990"),
    ],
)
def test_a_correction_may_keep_the_value_and_mend_the_rest(run: Run, vault: Path, wrong: str, right: str) -> None:
    run("remember", wrong, "--about", "people/bob", at=vault)
    ran = run("correct", "bob-001", right, at=vault)
    assert ran.status == 0, ran.err
    again = run("remember", wrong, "--about", "bob", at=vault)
    assert again.status == 4
    assert "judged wrong" in again.err


def test_another_value_is_still_rejected_in_any_words(run: Run, vault: Path) -> None:
    run("remember", "Bob lives in Rome", "--about", "people/bob", at=vault)
    assert run("correct", "bob-001", "Bob lives in Oslo", at=vault).status == 0
    assert run("observe", "Bob moved to Rome", "--about", "bob", at=vault).status == 4


def test_erased_text_leaves_generated_regions_and_the_index_and_what_is_left_is_named(run: Run, vault: Path) -> None:
    text = "Ada sings alto in the choir"
    run("remember", text, "--about", "ada", at=vault)
    run("synthesize", "--weekly", at=vault)
    run("note", f"Remember: {text}", at=vault)
    run("recall", "choir", at=vault)
    ran = run("erase", "ada-009", "--yes", at=vault)
    assert ran.status == 0, ran.err
    left = {path.relative_to(vault).as_posix() for path in vault.rglob("*")
            if path.is_file() and ".git" not in path.parts and text.encode() in path.read_bytes()}  # fmt: skip
    assert left == {"memory/2026-11-30.md"}
    assert "memory/2026-11-30.md:3" in ran.err
    assert git(vault, "status", "--porcelain") == ""
    assert run("check", at=vault).status == 0
    found = run("recall", "who sings alto in the choir", "-k", "1", at=vault)
    assert "memory/2026-11-30.md" in found.out


def test_me_in_a_question_is_the_owner(run: Run, empty_vault: Path) -> None:
    run("remember", "I live in Lisbon", at=empty_vault)
    for name in ("Zoë", "Bob", "Eve"):
        run("remember", f"{name} lives in a house in Valencia", "--about", f"people/{name}", at=empty_vault)
    assert "Lisbon" in run("recall", "where do I live", "-k", "1", at=empty_vault).out
    assert "Lisbon" in run("recall", "我住在哪里", "-k", "1", at=empty_vault).out


def test_the_bare_name_over_an_empty_page_is_no_answer(run: Run, empty_vault: Path) -> None:
    run("remember", "Mia moved to Porto last month", "--about", "people/Mia", at=empty_vault)
    first = run("recall", "where does Mia live", "-k", "1", at=empty_vault).out
    assert first.startswith("Mia moved to Porto")

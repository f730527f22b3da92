import json
from pathlib import Path
from typing import Any

from echo_notes.cli.cells import cells
from tests.conftest import git
from tests.lifecycle.test_decay import LATER, Run, by_hand, decay, head, keep


def stats(run: Run, vault: Path, *more: str, now: str = LATER) -> dict[str, Any]:
    ran = run("stats", "--json", *more, at=vault, now=now)
    assert ran.status == 0, ran.err
    return dict(json.loads(ran.out))


def test_it_fits_a_terminal_and_plots_the_curve_in_plain_characters(vault: Path, run: Run) -> None:
    before = head(vault)
    out = run("stats", at=vault, now=LATER).out
    assert max(cells(line) for line in out.splitlines()) <= 80
    assert "How an importance of 0.5 fades (half-life 30 days)" in out
    plot = [line for line in out.splitlines() if line[5:6] == "|"]
    assert len(plot) == 13
    assert all("*" in line or line[6:].strip() for line in plot[:1])
    assert all(char in " *+o-|.0123456789" for line in plot for char in line)
    assert "\x1b" not in out
    assert (head(vault), git(vault, "status", "--porcelain")) == (before, "")


def test_counts_by_what_facts_are(empty_vault: Path, run: Run) -> None:
    by_hand(
        empty_vault,
        {"id": "bo-001"},
        {"id": "bo-002", "pinned": True, "type": "user"},
        {"id": "bo-003", "status": "superseded", "supersededBy": "bo-001"},
        {"id": "bo-004", "status": "archived"},
        {"id": "bo-005", "timestamp": "2026-11-30"},
    )
    keep(run, empty_vault, "Bo rows", verb="remember", now=LATER)
    found = stats(run, empty_vault)
    assert found["facts"] == {"active": 4, "superseded": 1, "archived": 1}
    assert found["provenance"] == {"legacy": 5, "user_stated": 1}
    assert (found["pinned"], found["types"]) == (1, {"environment": 5, "user": 1})
    assert [(band["from"], band["count"]) for band in found["bands"] if band["count"]] == [
        (0.5, 2), (0.25, 1), (0.0, 2),
    ]  # fmt: skip


def test_what_fades_next_is_what_decay_archives_then(empty_vault: Path, run: Run) -> None:
    for number, day in enumerate(("2026-11-01", "2026-10-01", "2026-09-01")):
        keep(run, empty_vault, f"Bo saw whale number {number}", now=f"{day}T04:00:00+00:00")
    keep(run, empty_vault, "Bo saw a whale by himself", verb="remember", now="2026-09-01T04:00:00+00:00")
    keep(run, empty_vault, "Bo works at Acme", now="2026-09-01T04:00:00+00:00")
    found = stats(run, empty_vault)["fades_next"]
    assert [one["id"] for one in found] == ["bo-003", "bo-002", "bo-001"]
    assert [round(one["days"]) for one in found] == [10, 40, 71]
    assert decay(run, empty_vault, now="2026-12-09T04:00:00+00:00")["archived"] == []
    assert [one["id"] for one in decay(run, empty_vault, now="2026-12-10T04:00:00+00:00")["archived"]] == ["bo-003"]
    assert [one["id"] for one in stats(run, empty_vault)["fades_next"]] == ["bo-002", "bo-001"]


def test_recalls_count_before_and_after_they_are_folded(empty_vault: Path, run: Run) -> None:
    one = keep(run, empty_vault, "Bo saw a whale", now="2026-11-20T04:00:00+00:00")
    keep(run, empty_vault, "Bo ate a mango", now="2026-11-20T04:00:00+00:00")
    for hour in range(2):
        run("recall", "whale", at=empty_vault, now=f"2026-11-21T1{hour}:00:00+00:00")
    for _ in range(2):
        found = stats(run, empty_vault)["recalled"]
        assert [(row["id"], row["count"], row["last_at"]) for row in found] == [(one, 2, "2026-11-21T11:00:00+00:00")]
        decay(run, empty_vault)


def test_another_scope_is_told_only_of_what_it_may_see(empty_vault: Path, run: Run) -> None:
    by_hand(empty_vault, {"id": "bo-001", "scope": "owner"}, {"id": "bo-002", "scope": "chat-7"})
    found = stats(run, empty_vault, "--scope", "chat-7")
    assert (found["facts"]["active"], [one["id"] for one in found["fades_next"]]) == (1, ["bo-002"])


def test_an_empty_vault_has_numbers_too(empty_vault: Path, run: Run) -> None:
    out = run("stats", at=empty_vault).out
    assert "entities: none" in out
    assert out.endswith("Recalled most\n  nothing yet\n")

import json
from collections.abc import Callable, Sequence
from datetime import date
from pathlib import Path

import pytest

from echo_notes.files.review import Review
from echo_notes.guard.provenance import Standing
from echo_notes.lifecycle.contradict import Judgement, judge_facts
from echo_notes.model.entity import Entity, EntityRef
from echo_notes.model.fact import Fact
from tests.conftest import Ran, git
from tests.lifecycle.test_synthesize import BO, edit_fact, facts_of, region_of, say

Run = Callable[..., Ran]
REF = EntityRef("people", "bo")
ENTITY = Entity(REF, "Bo", BO, aliases=("小波",))
ACME, GLOBEX, INITECH = "Bo works at Acme", "Bo works at Globex", "Bo works at Initech"


def fact(number: int, text: str, day: str, **more: object) -> Fact:
    return Fact(id=f"bo-{number:03d}", text=text, entity=REF, timestamp=date.fromisoformat(day), **more)  # type: ignore[arg-type]


def judged(
    facts: Sequence[Fact],
    standings: dict[str, Standing],
    *,
    review: bytes = b"[]",
    fresh: str = "",
    today: str = "2026-11-30",
) -> Judgement:
    return judge_facts(
        ENTITY, facts, lambda one: standings.get(one.id, Standing(3, 3)), Review.parse(review),
        today=date.fromisoformat(today), fresh=lambda one: fresh in one.id,
    )  # fmt: skip


def moves(judgement: Judgement) -> list[tuple[str, str, str, str]]:
    return [(one.loser.id, one.winner.id, one.reason, one.label) for one in judgement.retirements]


def test_of_two_equal_ranks_the_newer_wins_as_a_change() -> None:
    found = judged([fact(1, ACME, "2025-01-01"), fact(2, GLOBEX, "2026-01-01")], {})
    assert moves(found) == [("bo-001", "bo-002", "changed", "user_stated")]


def test_a_higher_claim_wins_over_a_newer_one_as_a_contradiction() -> None:
    found = judged([fact(1, ACME, "2025-01-01"), fact(2, GLOBEX, "2026-01-01")], {"bo-002": Standing(1, 1)})
    assert moves(found) == [("bo-002", "bo-001", "contradiction", "user_stated")]


def test_a_newer_and_higher_claim_is_a_change_and_no_judgement_on_the_old_value() -> None:
    found = judged([fact(1, ACME, "2025-01-01"), fact(2, GLOBEX, "2026-01-01")], {"bo-001": Standing(0, 0)})
    assert moves(found) == [("bo-001", "bo-002", "changed", "user_stated")]
    same_day = judged([fact(1, ACME, "2026-01-01"), fact(2, GLOBEX, "2026-01-01")], {"bo-001": Standing(0, 0)})
    assert moves(same_day) == [("bo-001", "bo-002", "contradiction", "user_stated")]


def test_three_values_become_a_chain() -> None:
    found = judged([fact(1, ACME, "2024-01-01"), fact(2, GLOBEX, "2025-01-01"), fact(3, INITECH, "2026-01-01")], {})
    assert [move[:2] for move in moves(found)] == [("bo-001", "bo-002"), ("bo-002", "bo-003")]


@pytest.mark.parametrize("winner", [Standing(3, 0, by_hand=True), Standing(1, 1), Standing(2, 2)])
def test_what_is_protected_above_the_winners_rank_waits_for_a_person(winner: Standing) -> None:
    by_hand = Standing(3, 0, by_hand=True)
    found = judged([fact(1, ACME, "2025-01-01"), fact(2, GLOBEX, "2026-01-01")], {"bo-001": by_hand, "bo-002": winner})
    assert moves(found) == []
    assert [(one.one.id, one.other.id) for one in found.undecided] == [("bo-001", "bo-002")]


def test_equal_rank_and_day_wait_for_a_person_unless_something_newer_settles_both() -> None:
    same = [fact(1, ACME, "2026-01-01"), fact(2, GLOBEX, "2026-01-01")]
    assert len(judged(same, {}).undecided) == 1
    assert judged(same, {}).retirements == ()
    settled = judged([*same, fact(3, INITECH, "2026-02-01")], {})
    assert [move[:2] for move in moves(settled)] == [("bo-001", "bo-003"), ("bo-002", "bo-003")]
    assert settled.undecided == ()


def test_an_unknown_day_is_neither_newer_nor_older() -> None:
    undated = Fact(id="bo-001", text=ACME, entity=REF)
    assert len(judged([undated, fact(2, GLOBEX, "2026-01-01")], {}).undecided) == 1


@pytest.mark.parametrize(
    "one",
    [
        {"status": "superseded"},
        {"status": "archived"},
        {"flagged": ("en.ignore",)},
        {"valid_until": date(2026, 1, 1)},
        {"valid_from": date(2027, 1, 1)},
    ],
)
def test_what_is_not_current_takes_no_part(one: dict[str, object]) -> None:
    assert judged([fact(1, ACME, "2025-01-01", **one), fact(2, GLOBEX, "2025-06-01")], {}).retirements == ()


def test_what_was_said_in_one_session_gives_way_to_what_was_said_later_in_another() -> None:
    facts = [fact(1, ACME, "2025-01-01", scope="monday"), fact(2, GLOBEX, "2025-06-01", scope="tuesday")]
    assert [move[:3] for move in moves(judged(facts, {}))] == [("bo-001", "bo-002", "changed")]
    assert moves(judged(facts, {"bo-002": Standing(1, 1)})) == [("bo-002", "bo-001", "contradiction", "user_stated")]


def test_a_pair_that_is_or_was_before_a_person_is_left_alone() -> None:
    facts = [fact(1, ACME, "2025-01-01"), fact(2, GLOBEX, "2026-01-01")]
    for resolved in (None, "2026-02-01T00:00:00Z"):
        entry = {"kind": "contradiction", "id": "x", "entryA": "bo-002", "entryB": "bo-001", "resolvedAt": resolved}
        found = judged(facts, {}, review=json.dumps([entry]).encode())
        assert (found.retirements, found.undecided) == ((), ())


def test_facts_that_were_compared_before_are_not_compared_again() -> None:
    facts = [fact(1, ACME, "2025-01-01"), fact(2, GLOBEX, "2026-01-01")]
    assert judged(facts, {}, fresh="none").retirements == ()
    assert len(judged(facts, {}, fresh="bo-001").retirements) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Bo works at Acme", "Bo administers Acme's GitHub organisation"),
        ("Bo likes tea", "Bo likes coffee"),
        ("Bo has a cat", "Bo has a dog"),
        ("Bo works at Acme", "Bo works at Acme as CTO"),
    ],
)
def test_what_can_both_be_true_stays(one: str, other: str) -> None:
    found = judged([fact(1, one, "2025-01-01"), fact(2, other, "2026-01-01")], {})
    assert (found.retirements, found.undecided) == ((), ())


def test_leaving_retires_the_employer_in_either_language() -> None:
    assert len(judged([fact(1, ACME, "2025-01-01"), fact(2, "Bo left Acme", "2026-01-01")], {}).retirements) == 1
    chinese = [fact(1, "小波在百度工作", "2025-01-01"), fact(2, "小波在腾讯工作", "2026-01-01")]
    assert len(judged(chinese, {}).retirements) == 1


def test_one_retirement_is_within_any_share_and_two_of_four_are_not() -> None:
    facts = [fact(number, text, f"202{number}-01-01") for number, text in enumerate([ACME, GLOBEX, INITECH], 3)]
    found = judged([*facts, fact(9, "Bo likes tea", "2025-01-01")], {})
    assert len(found.retirements) == 2
    assert found.exceeds(0.3)
    assert not found.exceeds(0.5)
    pair = judged(facts[:2], {})
    assert not pair.exceeds(0.3)
    assert pair.exceeds(0)


def test_the_persons_newer_word_supersedes_the_older_one(empty_vault: Path, run: Run) -> None:
    say(run, empty_vault, ACME, day="2026-01-01")
    say(run, empty_vault, GLOBEX, day="2026-06-01")
    ran = run("synthesize", at=empty_vault)
    assert ran.status == 0
    assert f"superseded bo-001 by bo-002 (changed): {ACME} → {GLOBEX}" in ran.out
    old = facts_of(empty_vault, BO)["bo-001"]
    assert (old["status"], old["supersededBy"], old["supersededReason"]) == ("superseded", "bo-002", "changed")
    assert f"## Now\n\n- {GLOBEX} (bo-002)" in region_of(empty_vault, BO)
    assert not (empty_vault / "decisions.jsonl").exists()
    assert "bo-001 -> bo-002 (changed)" in git(empty_vault, "log", "-1", "--format=%b")
    assert run("synthesize", at=empty_vault).out == "nothing to synthesize\n"
    audit = [json.loads(line) for path in (empty_vault / "audit").iterdir() for line in path.read_text().splitlines()]
    assert {line["path"] for line in audit if line["op"] == "retire"} == {"pass.synthesize"}
    assert run("supersede", "bo-002", "Bo works at Initech", at=empty_vault).status == 0


def test_what_a_program_said_gives_way_to_the_person_and_stays_rejected(empty_vault: Path, run: Run) -> None:
    say(run, empty_vault, ACME, day="2026-01-01")
    run("observe", GLOBEX, "--about", "people/bo", at=empty_vault, now="2026-06-01T09:00:00+00:00")
    assert run("synthesize", at=empty_vault).status == 0
    assert facts_of(empty_vault, BO)["bo-002"]["supersededReason"] == "contradiction"
    assert f"- {ACME} (bo-001)" in region_of(empty_vault, BO)
    assert "Globex" not in region_of(empty_vault, BO)
    assert run("observe", "Bo is employed by Globex", "--about", "people/bo", at=empty_vault).status == 4


def test_a_fact_changed_by_hand_is_not_retired_but_put_before_the_person(empty_vault: Path, run: Run) -> None:
    say(run, empty_vault, "Bo works at Umbrella", day="2026-01-01")
    edit_fact(empty_vault, BO, "bo-001", fact=ACME)
    say(run, empty_vault, "Bo likes tea")
    run("observe", GLOBEX, "--about", "people/bo", at=empty_vault, now="2026-06-01T09:00:00+00:00")
    ran = run("synthesize", at=empty_vault)
    assert "bo-001 and bo-003 contradict each other" in ran.err
    (entry,) = json.loads((empty_vault / "review.json").read_text(encoding="utf-8"))
    assert list(entry) == [
        "kind", "id", "entryA", "entryB", "description", "confidence", "resolution", "resolvedAt", "createdAt",
    ]  # fmt: skip
    assert facts_of(empty_vault, BO)["bo-001"]["status"] == "active"
    assert "Acme" not in region_of(empty_vault, BO)
    assert run("synthesize", at=empty_vault).out == "nothing to synthesize\n"


def test_a_pass_stops_before_retiring_more_than_its_share(empty_vault: Path, run: Run) -> None:
    for day, text in (
        ("2026-01-01", ACME),
        ("2026-02-01", GLOBEX),
        ("2026-03-01", INITECH),
        ("2026-04-01", "Bo likes tea"),
    ):
        say(run, empty_vault, text, day=day)
    say(run, empty_vault, "Cy likes tea", about="people/cy")
    ran = run("synthesize", at=empty_vault)
    assert ran.status == 4
    assert "2 of 4 active facts would be superseded (bo-001, bo-002)" in ran.err
    assert "synthesize people/bo --yes" in ran.err
    assert all(one["status"] == "active" for one in facts_of(empty_vault, BO).values())
    assert region_of(empty_vault, BO) == ""
    assert "Cy likes tea" in region_of(empty_vault, "life/areas/people/cy")
    before = git(empty_vault, "rev-parse", "HEAD")
    assert run("synthesize", at=empty_vault).status == 4
    assert git(empty_vault, "rev-parse", "HEAD") == before
    assert run("synthesize", "bo", "--yes", at=empty_vault).status == 0
    assert f"{ACME} → {GLOBEX} → {INITECH}" in region_of(empty_vault, BO)


def test_an_unreadable_review_stops_every_retirement(empty_vault: Path, run: Run) -> None:
    say(run, empty_vault, ACME, day="2026-01-01")
    say(run, empty_vault, GLOBEX, day="2026-06-01")
    (empty_vault / "review.json").write_text("[{", encoding="utf-8")
    ran = run("synthesize", at=empty_vault)
    assert ran.status == 6
    assert "review.json:1:" in ran.err
    assert facts_of(empty_vault, BO)["bo-001"]["status"] == "active"

"""The evals themselves, on data small enough to check by hand."""

import json
from pathlib import Path

import pytest

from tests.evals.abstain import STRANGE
from tests.evals.hops import write_graph
from tests.evals.retrieval import DEFAULT, VARIANTS, Variant, print_tables, run_haystack
from tests.evals.scoring import difference, interval, score_ranking
from tests.evals.updates import new_before_old, triples, write_triples
from tests.evals.vaults import check_places, load_haystacks, write_vault

TURNS = [
    "Ana: I bought a kayak",
    "Ben: Where will you paddle?",
    "Ana: On the river Minho",
    "Ben: My dentist moved to Braga",
]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    corpus = [
        {"id": f"t{n}", "text": text, "date": "1:56 pm on 8 May, 2023", "session": "session_1", "speaker": text[:3]}
        for n, text in enumerate(TURNS)
    ]
    queries = [
        {"id": "q0", "text": "What did Ana buy?", "gold": ["t0"], "category": "single-hop"},
        {"id": "q1", "text": "Where did the dentist of Ben move?", "gold": ["t3"], "category": "temporal"},
        {"id": "q2", "text": "Who sings?", "gold": ["t0"], "category": "adversarial"},
    ]
    folder = tmp_path / "data"
    folder.mkdir()
    row = {"haystack": "h", "corpus": corpus, "queries": queries}
    (folder / "chat_dev.jsonl").write_text(json.dumps(row) + "\n")
    return folder


def test_scores_by_hand() -> None:
    score = score_ranking(["x", "a", "y", "b"], frozenset(["a", "b"]))
    assert score.recall == (0.0, 1.0, 1.0)
    assert score.reciprocal_rank == 0.5
    assert score.ndcg == pytest.approx((1 / 1.58496 + 1 / 2.32193) / (1 + 1 / 1.58496), abs=1e-4)
    assert score_ranking([], frozenset("a")).ndcg == 0


def test_intervals_hold_the_mean() -> None:
    values = [0.0, 1.0] * 50
    low, high = interval(values)
    assert 0.35 < low < 0.5 < high < 0.65
    assert difference(values, values) == (0.0, 0.0, 0.0)


def test_a_dialogue_becomes_a_daily_note_and_back(data: Path, tmp_path: Path) -> None:
    (haystack,) = load_haystacks(data)
    write_vault(haystack, tmp_path / "vault")
    check_places(haystack)
    note = (tmp_path / "vault/memory/2023-05-08-session-1.md").read_text()
    assert note.splitlines()[2] == "- 13:56 Ana: I bought a kayak"
    assert haystack.place["memory/2023-05-08-session-1.md:3"] == "t0"


def test_the_tables(data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (haystack,) = load_haystacks(data)
    rows = run_haystack(haystack, tmp_path / "vault", VARIANTS)
    assert {row.category for row in rows} == {"single-hop", "temporal"}
    best = [row.score.recall[1] for row in rows if row.variant == DEFAULT and row.set_name == "chat"]
    assert best == [1.0, 1.0]
    print_tables(rows)
    out = capsys.readouterr().out
    assert "## chat (2 questions)" in out
    assert all(variant.name in out for variant in VARIANTS)
    assert "grep, ranked" in out


def test_one_variant_alone(data: Path, tmp_path: Path) -> None:
    (haystack,) = load_haystacks(data)
    rows = run_haystack(haystack, tmp_path / "vault", [Variant("dense arm", mode="dense")])
    assert {row.variant for row in rows} == {"dense arm"}


def test_our_own_sets_have_the_sizes_they_claim(tmp_path: Path) -> None:
    everything = list(triples())
    assert len(everything) == len({triple.entity for triple in everything}) == 200
    assert all(triple.old != triple.new and triple.old_on < triple.new_on for triple in everything)
    assert len(set(STRANGE)) == 60
    assert len(write_graph(tmp_path / "graph")) == 60


def test_the_newer_of_two_values_comes_first(tmp_path: Path) -> None:
    chosen = list(triples())[:100:5]
    write_triples(tmp_path, chosen, superseded=True)
    first, stale = new_before_old(tmp_path, chosen, 0.2)
    assert sum(first) == len(chosen)
    assert sum(stale) == 0

import pytest

from echo_notes.index.fusion import Arms, convex, fuse, reciprocal_ranks

ARMS = Arms(lexical={1: 8.0, 2: 4.0}, cosines={1: 0.2, 2: 0.6, 3: 0.4}, low=0.0, high=0.6, count=100)


def test_rrf_is_the_sum_of_reciprocal_ranks_with_sixty() -> None:
    scores = reciprocal_ranks(ARMS)
    assert scores[1] == pytest.approx(1 / 61 + 1 / 63)
    assert scores[2] == pytest.approx(1 / 62 + 1 / 61)
    assert scores[3] == pytest.approx(1 / 62)


def test_convex_scales_each_arm_to_one() -> None:
    scores = convex(ARMS, 0.5)
    assert scores[1] == pytest.approx(0.5 + 0.5 * 0.2 / 0.6)
    assert scores[2] == pytest.approx(0.25 + 0.5)
    assert scores[3] == pytest.approx(0.5 * 0.4 / 0.6)


@pytest.mark.parametrize("method", ["auto", "convex", "zsum", "rrf"])
def test_scores_are_never_negative_and_a_silent_arm_leaves_the_other_alone(method: str) -> None:
    words = Arms({1: 8.0, 2: 4.0}, {}, 0.0, 0.0, 10)
    meaning = Arms({}, {1: -0.1, 2: 0.6}, -0.1, 0.6, 10)
    for arms, order in ((ARMS, None), (words, [1, 2]), (meaning, [2, 1])):
        scores = fuse(arms, method)
        assert all(score >= 0 for score in scores.values())
        if order:
            assert sorted(scores, key=lambda row: -scores[row]) == order
    assert fuse(Arms({}, {}, 0.0, 0.0, 10), method) == {}


def test_the_lexical_arm_keeps_its_confidence() -> None:
    arms = Arms({1: 20.0, 2: 1.0, 3: 0.9}, {1: 0.30, 2: 0.31, 3: 0.32}, 0.0, 0.4, 100)
    assert max(convex(arms), key=convex(arms).__getitem__) == 1

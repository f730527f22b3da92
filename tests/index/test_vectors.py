from array import array
from pathlib import Path
from random import Random

import numpy as np
import pytest

from echo_notes.index import vectors
from echo_notes.index.npz import write_npz
from echo_notes.index.vectors import Embedded, Segment, Vectors

DIM = 8
RANDOM = Random(3)  # noqa: S311 (test data)


def unit() -> bytes:
    values = np.array([RANDOM.gauss(0, 1) for _ in range(DIM)], np.float32)
    return bytes((values / np.linalg.norm(values)).astype(np.float32).tobytes())


def rows(first: int, count: int) -> list[Embedded]:
    return [Embedded(first + n, f"{first + n:016}".encode(), unit()) for n in range(count)]


def test_numpy_reads_what_is_written_without_it(tmp_path: Path) -> None:
    values = array("f", [1.5, -2.5, 3.5, 4.5])
    offsets = write_npz(
        tmp_path / "a.npz",
        {
            "model": ("|S3", (), b"abc"),
            "rows": ("<i8", (2,), array("q", [5, 7]).tobytes()),
            "vectors": ("<f4", (2, 2), values.tobytes()),
        },
    )
    with np.load(tmp_path / "a.npz", allow_pickle=False) as loaded:
        assert loaded["model"].item() == b"abc"
        assert loaded["rows"].tolist() == [5, 7]
        assert loaded["vectors"].tolist() == [[1.5, -2.5], [3.5, 4.5]]
    assert all(at % 64 == 0 for at in offsets.values())
    raw = (tmp_path / "a.npz").read_bytes()
    assert raw[offsets["vectors"] : offsets["vectors"] + 16] == values.tobytes()


def test_small_segments_are_merged_into_larger_ones(tmp_path: Path) -> None:
    store = Vectors(tmp_path, "m", [])
    for first in range(40):
        store.append(rows(first, 1), dead=())
    assert store.count == 40
    assert len(store.segments) <= 4
    store.sweep()
    assert len(list(tmp_path.glob("*.npz"))) == len(store.segments)
    again = Vectors(tmp_path, "m", [Segment.from_record(s.to_record()) for s in store.segments])
    assert again.is_whole()
    assert len(again.digests()) == 40


def test_dead_rows_go_with_a_merge_or_a_compaction(tmp_path: Path) -> None:
    store = Vectors(tmp_path, "m", [])
    store.append(rows(0, 10), dead=())
    store.append(rows(10, 10), dead={3, 4})
    assert store.count == 18
    store.compact({12})
    assert store.count == 17


def test_segments_of_another_model_take_no_part(tmp_path: Path) -> None:
    store = Vectors(tmp_path, "m", [])
    store.append(rows(0, 3), dead=())
    assert Vectors(tmp_path, "other", store.segments).count == 0


def test_both_ways_of_scoring_agree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Vectors(tmp_path, "m", [])
    for first in (0, 50, 60):
        store.append(rows(first, 50 if not first else 10), dead=())
    query = array("f", unit())
    for allowed, dead in ((None, set()), (None, {1, 55}), ({0, 7, 52, 65}, set()), ({0, 7, 52}, {52}), (set(), set())):
        monkeypatch.setattr(vectors, "NUMPY_FROM", 10**9)
        plain = store.score(query, allowed, dead)
        monkeypatch.setattr(vectors, "NUMPY_FROM", 0)
        quick = store.score(query, allowed, dead)
        assert type(plain) is not type(quick)
        one, other = plain.top(10), quick.top(10)
        assert [row for row, _ in one] == [row for row, _ in other]
        assert [c for _, c in one] == pytest.approx([c for _, c in other], abs=1e-6)
        assert (plain.low, plain.high) == pytest.approx((quick.low, quick.high), abs=1e-6)
        assert plain.of([0, 52, 999]).keys() == quick.of([0, 52, 999]).keys()


def test_a_missing_or_short_file_is_noticed(tmp_path: Path) -> None:
    store = Vectors(tmp_path, "m", [])
    store.append(rows(0, 3), dead=())
    path = tmp_path / store.segments[0].name
    path.write_bytes(path.read_bytes()[:-1])
    assert not store.is_whole()
    path.unlink()
    assert not store.is_whole()

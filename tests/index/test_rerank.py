import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from echo_notes.index.models import check_installed, folder_of, mark_installed
from echo_notes.index.rerank import RerankError, order_by, score_texts, squash
from echo_notes.index.results import SearchRequest
from echo_notes.index.store import Index
from echo_notes.model.settings import Settings
from tests.index.conftest import Vault
from tests.index.tiny_onnx import write_cross_encoder

NAME = "Xenova/ms-marco-MiniLM-L-6-v2"
SETTINGS = Settings(rerank_model=NAME, embedder="none")
TEXTS = ["Ada drinks tea", "Ada drinks rum", "Ada drinks coffee"]


@pytest.fixture
def models_dir(tmp_path: Path) -> Path:
    write_cross_encoder(folder_of(NAME, tmp_path))
    mark_installed(NAME, tmp_path)
    return tmp_path


def worker(tmp_path: Path, body: str) -> Path:
    """Write a worker of our own that speaks the same protocol."""
    path = tmp_path / "worker.py"
    path.write_text(f"import json, os, sys, time\nrequest = json.loads(sys.stdin.readline())\n{body}\n")
    return path


def test_a_real_cross_encoder_scores_each_text(models_dir: Path) -> None:
    scores = score_texts("Ada", TEXTS, SETTINGS, models_dir)
    assert sorted(range(3), key=lambda at: scores[at]) == [0, 2, 1]


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("time.sleep(60)", "did not load within"),
        ("print('loaded', flush=True); time.sleep(60)", "did not answer within"),
        ("sys.exit(3)", "did not load"),
        ("print('loaded', flush=True); os.kill(os.getpid(), 11)", "failed"),
        ("print('loaded'); print(json.dumps([1.0]))", "1 scores for 3 texts"),
        ("print('loaded'); print('[NaN, 1, 2]')", "unusable"),
        ("print('loaded'); print('nonsense')", "failed"),
        ("print('loaded'); print('{}')", "0 scores"),
    ],
)
def test_whatever_goes_wrong_is_said_in_time(models_dir: Path, tmp_path: Path, body: str, why: str) -> None:
    brief = replace(SETTINGS, rerank_load_timeout_seconds=0.8, rerank_timeout_seconds=0.8)
    start = time.monotonic()
    with pytest.raises(RerankError, match=why):
        score_texts("Ada", TEXTS, brief, models_dir, worker=worker(tmp_path, body))
    assert time.monotonic() - start < 10


def test_a_missing_or_cut_model_is_noticed_without_loading_it(models_dir: Path, tmp_path: Path) -> None:
    with pytest.raises(RerankError, match="not installed"):
        score_texts("Ada", TEXTS, SETTINGS, tmp_path / "elsewhere")
    model = folder_of(NAME, models_dir) / "onnx/model.onnx"
    model.write_bytes(model.read_bytes()[:10])
    assert "damaged" in check_installed(NAME, models_dir)
    model.unlink()
    assert "missing" in check_installed(NAME, models_dir)


def test_the_order_follows_the_scores_and_a_threshold_never_empties_it() -> None:
    assert order_by([0.1, 0.9, 0.5], 0) == [1, 2, 0]
    assert order_by([0.1, 0.9, 0.5], 0.4) == [1, 2]
    assert order_by([0.1, 0.9, 0.5], 5) == [1, 2, 0]
    assert order_by([-3.0, -1.0], 0) == [1, 0]
    assert 0 < squash(-800) + 1e-300 < squash(0) == 0.5 < squash(800) <= 1


def test_recall_reorders_the_first_k_only(vault: Vault, models_dir: Path) -> None:
    vault.facts("life/areas/people/ada", "Ada drinks tea tea", "Ada drinks coffee tea", "Ada drinks rum tea in port")
    plain = vault.index(replace(SETTINGS, rerank_model=""))
    plain.refresh()
    before = [hit.passage.text for hit in plain.search(SearchRequest(query="tea")).hits]

    def recall(settings: Settings, **request: Any) -> list[str]:
        index = Index(vault.root, settings, models_dir=models_dir)
        result = index.search(SearchRequest(query="tea", **request))
        assert result.degraded == ()
        return [hit.passage.text for hit in result.hits]

    reranked = recall(SETTINGS)
    assert sorted(reranked) == sorted(before)
    assert reranked != before
    two = recall(replace(SETTINGS, rerank_top_k=2))
    assert two[2] == before[2]
    assert set(two[:2]) == set(before[:2])
    assert recall(SETTINGS, rerank=False) == before
    assert recall(replace(SETTINGS, rerank_enabled=False)) == before


def test_recall_goes_on_without_the_model(vault: Vault, tmp_path: Path) -> None:
    vault.facts("life/areas/people/ada", "Ada drinks tea")
    result = Index(vault.root, SETTINGS, models_dir=tmp_path / "none").search(SearchRequest(query="tea"))
    assert [hit.passage.text for hit in result.hits] == ["Ada drinks tea"]
    assert "not installed" in result.degraded[0]

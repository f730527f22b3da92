import json
import math
import shutil
import socket
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import ClassVar

import pytest

from echo_notes.index.builtin.model import FOLDER
from echo_notes.index.embed import EmbedderError, UrlEmbedder, open_embedder, unit_rows, weighted_sum
from echo_notes.index.models import folder_of, list_models, mark_installed
from echo_notes.index.results import SearchRequest
from echo_notes.index.store import Index
from echo_notes.model.settings import Settings
from tests.index.conftest import Vault


class _Endpoint(BaseHTTPRequestHandler):
    """Answers as an OpenAI-compatible endpoint: a text's vector counts its letters."""

    seen: ClassVar[list[tuple[str, dict[str, object]]]] = []
    broken = False

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.seen.append((self.headers.get("Authorization", ""), body))
        rows = [
            {"index": n, "embedding": [text.lower().count(letter) + 0.01 for letter in "aeioust"]}
            for n, text in enumerate(body["input"])
        ]
        answer = {"data": list(reversed(rows)) if not self.broken else rows[:-1]}
        payload = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(payload)))
        self.end_headers()
        self.wfile.write(payload)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def url() -> Iterator[str]:
    _Endpoint.seen.clear()
    _Endpoint.broken = False
    server = HTTPServer(("127.0.0.1", 0), _Endpoint)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/v1"
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_url_embeds_with_the_key_and_in_the_order_asked(url: str) -> None:
    values = UrlEmbedder(url, "some-model", "secret").embed(["aaaa", "eeee"])
    assert len(values) == 14
    assert values[0] > 0.9 < values[7 + 1]
    assert math.isclose(sum(value * value for value in values[:7]), 1, rel_tol=1e-5)
    header, body = _Endpoint.seen[0]
    assert header == "Bearer secret"
    assert body == {"model": "some-model", "input": ["aaaa", "eeee"]}


def test_recall_through_a_url_embeds_each_text_once(vault: Vault, url: str) -> None:
    vault.facts("life/areas/people/ada", "Ada eats", "Ada sees seas", "Ada eats")
    settings = Settings(embedder="letters", embedder_url=url)
    result = vault.search("eats", settings)
    assert result.degraded == ()
    assert all(hit.scores.cosine is not None for hit in result.hits)
    assert sorted(len(body["input"]) for _, body in _Endpoint.seen) == [1, 2]  # type: ignore[arg-type]
    _Endpoint.seen.clear()
    vault.facts("life/areas/people/ada", "Ada eats", "Ada sees seas", "Ada eats", "Ada toasts")
    vault.search("eats", settings)
    asked = [body["input"] for _, body in _Endpoint.seen]
    assert asked == [["Ada toasts"], ["eats"]]


def test_a_wrong_answer_is_an_error_in_words(url: str) -> None:
    _Endpoint.broken = True
    with pytest.raises(EmbedderError, match="1 vectors for 2 texts"):
        UrlEmbedder(url, "m", "").embed(["a", "b"])


def test_an_endpoint_that_is_down_leaves_the_words(vault: Vault) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    vault.facts("life/areas/people/ada", "Ada eats")
    result = vault.search("eats", Settings(embedder_url=f"http://127.0.0.1:{port}/v1"))
    assert [hit.passage.text for hit in result.hits] == ["Ada eats"]
    assert any("cannot be had" in word for word in result.degraded)


def test_only_web_addresses_are_asked(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("x")
    with pytest.raises(EmbedderError, match="not a web address"):
        UrlEmbedder(f"file://{secret}", "m", "").embed(["a"])


def test_a_model_that_is_not_installed_is_said_once_and_not_waited_for(vault: Vault, tmp_path: Path) -> None:
    vault.facts("life/areas/people/ada", "Ada eats")
    start = time.monotonic()
    index = Index(vault.root, Settings(embedder="BAAI/bge-small-en-v1.5"), models_dir=tmp_path)
    index.refresh()
    result = index.search(SearchRequest(query="eats"))
    assert time.monotonic() - start < 5
    assert [hit.passage.text for hit in result.hits] == ["Ada eats"]
    assert len(result.degraded) == 1
    assert "echo-notes model use BAAI/bge-small-en-v1.5" in result.degraded[0]


def test_a_fastembed_model_by_name(vault: Vault, tmp_path: Path) -> None:
    name = "minishlab/potion-base-8M"
    folder = folder_of(name, tmp_path)
    folder.mkdir()
    for file in ("model.safetensors", "tokenizer.json", "config.json"):
        shutil.copy(FOLDER / file, folder / file)
    mark_installed(name, tmp_path)
    vault.facts("life/areas/people/ada", "Ada drinks peppermint tea", "Ada owns a bicycle", "林晓喜欢喝绿茶")
    index = Index(vault.root, Settings(embedder=name), models_dir=tmp_path)
    request = SearchRequest(query="who likes green tea", mode="dense")
    hits = index.search(request).hits
    ours = vault.index(Settings())
    ours.refresh()
    expected = ours.search(request).hits
    assert [hit.passage.id for hit in hits] == [hit.passage.id for hit in expected]
    assert [hit.scores.cosine for hit in hits] == pytest.approx([hit.scores.cosine for hit in expected], abs=1e-5)
    (folder / "model.safetensors").write_bytes(b"cut")
    damaged = Index(vault.root, Settings(embedder=name), models_dir=tmp_path).search(request)
    assert "damaged" in " ".join(damaged.degraded)


def test_none_means_words_alone() -> None:
    assert open_embedder(Settings(embedder="none"), None) is None


def test_the_models_on_offer_have_size_licence_and_state(tmp_path: Path) -> None:
    models = list_models(tmp_path)
    assert {model.kind for model in models} == {"embedder", "reranker"}
    small = next(model for model in models if model.name == "BAAI/bge-small-zh-v1.5")
    assert small.dim == 512
    assert small.licence
    assert small.size_mb > 0
    assert not small.installed


def test_rows_become_unit_vectors() -> None:
    assert unit_rows([[3.0, 4.0], [0.0, 0.0]], 2).tolist() == pytest.approx([0.6, 0.8, 0, 0])
    with pytest.raises(EmbedderError):
        unit_rows([[1.0], [1.0, 2.0]], 2)
    assert weighted_sum([(1.0, [1.0, 0.0]), (1.0, [0.0, 1.0])]).tolist() == pytest.approx([0.5**0.5] * 2)

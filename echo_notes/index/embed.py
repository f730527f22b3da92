"""Turns text into vectors: one protocol, three ways (the builtin model, a fastembed model by name, a URL)."""

from array import array
from collections.abc import Sequence
from math import sqrt
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from echo_notes.model.settings import Settings

if TYPE_CHECKING:
    from echo_notes.index.builtin.model import BuiltinModel

_URL_BATCH = 64
_URL_SECONDS = 10.0


class EmbedderError(Exception):
    """The embedder cannot be had or failed; recall goes on without it and says why, in these words."""


class Embedder(Protocol):
    """Maps texts to unit vectors of one space.

    `model_id` names the space: vectors of another one are never compared. `quick`: whether thousands of texts a second
    are no matter, so that a recall may embed whatever is new.
    """

    model_id: str
    quick: bool

    def embed(self, texts: Sequence[str], *, query: bool = False) -> "array[float]":
        """Return the float32 vectors of the texts, one after another; EmbedderError if it cannot."""


class BuiltinEmbedder:
    """The model that ships with the program."""

    quick = True

    def __init__(self, folder: Path | None = None) -> None:
        from echo_notes.index.builtin.model import MODEL_ID

        self.model_id = MODEL_ID
        self._folder = folder
        self._model: BuiltinModel | None = None

    def embed(self, texts: Sequence[str], *, query: bool = False) -> "array[float]":  # noqa: ARG002 (one side only here)
        """Return the vectors; the zero vector for a text of which it knows no token."""
        if self._model is None:
            from echo_notes.index.builtin.model import FOLDER, BuiltinModel

            try:
                self._model = BuiltinModel(self._folder or FOLDER)
            except (OSError, ValueError, KeyError) as error:
                raise EmbedderError(f"the builtin embedding model cannot be read ({error})") from None
        return self._model.embed_many(texts)


class FastembedEmbedder:
    """A model of fastembed's list, installed before by `model use`; never downloads."""

    quick = False

    def __init__(self, name: str, models_dir: Path) -> None:
        from echo_notes.index.models import check_installed

        problem = check_installed(name, models_dir)
        if problem:
            raise EmbedderError(f"{problem}; install it with: echo-notes model use {name}")
        self.model_id = f"fastembed:{name}"
        self._name = name
        self._models_dir = models_dir

    def embed(self, texts: Sequence[str], *, query: bool = False) -> "array[float]":
        """Return the vectors, with the prefixes that the model wants for queries and passages."""
        from echo_notes.index.models import load_embedding

        try:
            model = load_embedding(self._name, self._models_dir)
            rows = list(model.query_embed(list(texts)) if query else model.passage_embed(list(texts)))
        except Exception as error:  # noqa: BLE001 (onnxruntime raises its own classes; recall must go on)
            raise EmbedderError(f"the embedding model {self._name} failed: {_first_line(error)}") from None
        return unit_rows([row.tolist() for row in rows], len(texts))


class UrlEmbedder:
    """An OpenAI-compatible embeddings endpoint that the person's own config names."""

    quick = False

    def __init__(self, url: str, model: str, key: str) -> None:
        self.model_id = f"url:{url}#{model}"
        self._url = url if url.rstrip("/").endswith("/embeddings") else f"{url.rstrip('/')}/embeddings"
        self._name = model
        self._key = key

    def embed(self, texts: Sequence[str], *, query: bool = False) -> "array[float]":  # noqa: ARG002 (the protocol's)
        """Return the vectors the endpoint gives."""
        rows: list[list[float]] = []
        for start in range(0, len(texts), _URL_BATCH):
            rows += self._ask(list(texts[start : start + _URL_BATCH]))
        return unit_rows(rows, len(texts))

    def _ask(self, texts: list[str]) -> list[list[float]]:
        import json
        from urllib.request import Request, urlopen

        if not self._url.startswith(("http://", "https://")):
            raise EmbedderError(f"{self._url} is not a web address")
        body = json.dumps({"model": self._name, "input": texts}).encode()
        head = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {self._key}"} if self._key else {})
        try:
            with urlopen(Request(self._url, body, head), timeout=_URL_SECONDS) as answer:  # noqa: S310 (http(s) only, above)
                data = json.load(answer)["data"]
            return [[float(value) for value in row["embedding"]] for row in sorted(data, key=lambda row: row["index"])]
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise EmbedderError(f"the embeddings at {self._url} cannot be had: {_first_line(error)}") from None


def open_embedder(settings: Settings, models_dir: Path | None, key: str = "") -> Embedder | None:
    """Return the embedder that the settings name, None for `none`; EmbedderError if it is not there.

    `models_dir`: where `model use` puts models. `key`: for the URL, from the environment.
    """
    name = settings.embedder
    if settings.embedder_url:
        return UrlEmbedder(settings.embedder_url, "" if name == "builtin" else name, key)
    if name == "none":
        return None
    if name == "builtin":
        return BuiltinEmbedder()
    if models_dir is None:
        raise EmbedderError(f"the embedding model {name} is not installed")
    return FastembedEmbedder(name, models_dir)


def unit_rows(rows: Sequence[Sequence[float]], expected: int) -> "array[float]":
    """Return the rows scaled to length 1, one after another; EmbedderError unless there are as many as expected."""
    if len(rows) != expected or len({len(row) for row in rows}) > 1:
        raise EmbedderError(f"the embedding model gave {len(rows)} vectors for {expected} texts")
    values = array("f")
    for row in rows:
        norm = sqrt(sum(value * value for value in row))
        values.extend(value / norm for value in row) if norm else values.extend(row)
    return values


def weighted_sum(vectors: Sequence[tuple[float, Sequence[float]]]) -> "array[float]":
    """Return the weighted sum of equally long vectors, scaled to length 1 (zero stays zero)."""
    total = [0.0] * len(vectors[0][1])
    for weight, vector in vectors:
        total = [sum_ + weight * value for sum_, value in zip(total, vector, strict=True)]
    norm = sqrt(sum(value * value for value in total))
    return array("f", [value / norm for value in total] if norm else total)


def _first_line(error: Exception) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0][:200]

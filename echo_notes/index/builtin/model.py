"""Reads the builtin static model: text to unit vectors, by the standard library or, for many texts, by numpy."""

import json
import mmap
import re
import sys
import unicodedata
from array import array
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path

FOLDER = Path(__file__).parent
MODEL_ID = "builtin:1abce259"
"""Names the vectors' space: the first digits of the sha256 of model.safetensors (a test compares)."""
MAX_TOKENS = 512
MANY_TEXTS = 64
"""From this many texts on, importing numpy (about 75 ms) pays for itself."""

_CONTROL = dict.fromkeys(code for code in [*range(32), 127] if chr(code) not in "\t\n\r")
_DROPPED = {"Mn", "Cc", "Cf", "Cn", "Co", "Cs"}
_TOKEN_RUN = re.compile("[a-z]{1,40}|[0-9]{1,12}|[\u3400-\u9fff\uf900-\ufaff]+")
_HAN_FROM = "\u3400"
_HAN_RUN = 24  # tokenizer.json cuts runs of Han here too
_HAN_WORD = 4  # characters of the longest Han word in the vocabulary
_FEW_LOOKUPS = 150


def load_simplified(folder: Path = FOLDER) -> dict[int, int]:
    """Return the translation table from traditional to simplified characters."""
    traditional, simplified = (folder / "t2s.txt").read_text("utf-8").split("\n")[:2]
    return str.maketrans(traditional, simplified)


class BuiltinModel:
    """A table of token vectors; the vector of a text is the weighted sum of its tokens' rows, scaled to length 1.

    OSError or ValueError if the folder's files are missing, cut short or of another shape.
    """

    def __init__(self, folder: Path = FOLDER) -> None:
        self._folder = folder
        path = folder / "model.safetensors"
        with path.open("rb") as file:  # the safetensors format: length, JSON header, little-endian tensors
            head_size = int.from_bytes(file.read(8), "little")
            if not 0 < head_size < path.stat().st_size:
                raise ValueError(f"{path} is not a safetensors file")
            head = json.loads(file.read(head_size))
            memory = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
        self.rows_count, self.dim = head["embeddings"]["shape"]
        parts = {}
        for name in ("embeddings", "weights"):
            start, end = (8 + head_size + offset for offset in head[name]["data_offsets"])
            if end > len(memory):
                raise ValueError(f"{path} is cut short")
            parts[name] = memory[start:end]
        self._table = parts["embeddings"]
        self._weights = _floats(parts["weights"])
        self._vocabulary = b"\n" + (folder / "vocab.txt").read_bytes() + b"\n"
        self._lookups = 0

    def embed(self, text: str) -> "array[float]":
        """Return the unit vector of the text, `dim` float32; all zero if no token is known."""
        vector = [0.0] * self.dim
        table, dim = self._table.cast("b"), self.dim
        for row in self.rows(text):
            weight = self._weights[row]
            vector = [
                total + weight * value for total, value in zip(vector, table[row * dim : row * dim + dim], strict=True)
            ]
        norm = sum(value * value for value in vector) ** 0.5
        return array("f", [value / norm for value in vector] if norm else vector)

    def embed_many(self, texts: Sequence[str]) -> "array[float]":
        """Return the vectors of the texts one after another, `len(texts) * dim` float32."""
        vectors = array("f")
        if len(texts) < MANY_TEXTS:
            for text in texts:
                vectors.extend(self.embed(text))
            return vectors
        import numpy as np

        table = np.frombuffer(self._table, dtype=np.int8).reshape(self.rows_count, self.dim)
        weights = np.asarray(self._weights, dtype=np.float32)
        for text in texts:
            rows = self.rows(text)
            vector = weights[rows] @ table[rows].astype(np.float32) if rows else np.zeros(self.dim, np.float32)
            norm = float(np.sqrt(vector @ vector))
            vectors.frombytes((vector / norm if norm else vector).astype(np.float32).tobytes())
        return vectors

    def rows(self, text: str) -> list[int]:
        """Return the table rows of the text's tokens, as tokenizer.json would give them; at most 512."""
        found: list[int] = []
        for match in _TOKEN_RUN.finditer(self._normalise(text).lower()):
            if len(found) >= MAX_TOKENS:
                break
            word = match.group()
            row = self._row(word)
            if row is not None:
                found.append(row)
            elif word[0] < _HAN_FROM:
                found += self._word_pieces(word)
            else:
                found += self._han_words(word)
        return found[:MAX_TOKENS]

    def _normalise(self, text: str) -> str:
        text = unicodedata.normalize("NFKC", text[: MAX_TOKENS * 64])
        if text.isascii():
            return text.translate(_CONTROL)
        kept = (
            char
            for char in unicodedata.normalize("NFD", text)
            if (unicodedata.category(char) not in _DROPPED or char in "\t\n\r") and char != "\ufffd"
        )
        return "".join(kept).translate(self._simplified)

    def _word_pieces(self, word: str) -> list[int]:
        """Return the rows of WordPiece's greedy split; none if any piece is unknown."""
        rows = []
        start = 0
        while start < len(word):
            for end in range(len(word), start, -1):
                row = self._row(("##" if start else "") + word[start:end])
                if row is not None:
                    break
            else:
                return []
            rows.append(row)
            start = end
        return rows

    def _han_words(self, run: str) -> Iterator[int]:
        """Yield the rows of the longest known words, left to right; unknown characters separate."""
        known = "".join(char if self._row(char) is not None else " " for char in run)
        for part in known.split():
            for cut in range(0, len(part), _HAN_RUN):
                chunk = part[cut : cut + _HAN_RUN]
                start = 0
                while start < len(chunk):
                    for end in range(min(len(chunk), start + _HAN_WORD), start, -1):
                        row = self._row(chunk[start:end])
                        if row is not None:
                            yield row
                            start = end
                            break

    def _row(self, token: str) -> int | None:
        """Return the token's row: its line in the vocabulary.

        A query looks up a few tokens only; searching the raw bytes for them is cheaper than building a dict of 43,000.
        """
        self._lookups += 1
        if self._lookups > _FEW_LOOKUPS:
            return self._rows_by_token.get(token)
        at = self._vocabulary.find(f"\n{token}\n".encode())
        return None if at < 0 else self._vocabulary.count(b"\n", 0, at)

    @cached_property
    def _rows_by_token(self) -> dict[str, int]:
        tokens = self._vocabulary[1:-1].decode().split("\n")
        return dict(zip(tokens, range(len(tokens)), strict=True))

    @cached_property
    def _simplified(self) -> dict[int, int]:
        return load_simplified(self._folder)


def _floats(raw: memoryview) -> "memoryview[float] | array[float]":
    if sys.byteorder == "little":
        return raw.cast("f")
    values = array("f", bytes(raw))
    values.byteswap()
    return values

"""The dense sidecar: normalised vectors by row in memory-mapped segments, scored with or without numpy."""

import mmap
import os
import sys
from array import array
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from heapq import nlargest
from operator import itemgetter, mul
from pathlib import Path
from typing import Any, NamedTuple, Protocol

NUMPY_FROM = 8000
"""Rows from which importing numpy pays; below, the standard library is done sooner (tests/evals/README.md)."""
_SUFFIX = ".npz"
_GROWTH = 4
DIGEST_BYTES = 16


@dataclass(frozen=True, slots=True)
class Segment:
    """One immutable .npz file: rows ascending, a digest of each row's text, and `dim` float32 a row."""

    name: str
    model: str
    dim: int
    count: int
    size: int
    rows_at: int
    digests_at: int
    vectors_at: int

    @classmethod
    def from_record(cls, record: dict[str, Any]) -> "Segment":
        """Return the segment that the manifest describes; TypeError if it does not."""
        return cls(**record)

    def to_record(self) -> dict[str, Any]:
        """Return the segment as the manifest keeps it."""
        return {name: getattr(self, name) for name in self.__slots__}


class Embedded(NamedTuple):
    """A row ready to be stored: its number, the digest of its text (16 bytes), and its vector's bytes (float32)."""

    row: int
    digest: bytes
    vector: bytes


class Cosines(Protocol):
    """The cosines of one query with every row that may take part."""

    low: float
    high: float

    def top(self, limit: int) -> list[tuple[int, float]]:
        """Return the best (row, cosine) pairs, best first."""

    def of(self, rows: Iterable[int]) -> dict[int, float]:
        """Return the cosines of those rows that take part."""


class Vectors:
    """The segments of one model in an index folder."""

    def __init__(self, folder: Path, model: str, segments: Sequence[Segment]) -> None:
        self._folder = folder
        self._model = model
        self.segments = [segment for segment in segments if segment.model == model]

    @property
    def count(self) -> int:
        """How many rows the segments hold, dead ones included."""
        return sum(segment.count for segment in self.segments)

    @property
    def last_row(self) -> int:
        """The highest row that is stored, -1 if there is none."""
        if not self.segments:
            return -1
        rows, _ = self._map(self.segments[-1])
        return int(rows[-1])

    def is_whole(self) -> bool:
        """Return whether every segment's file is there in its full length."""
        for segment in self.segments:
            try:
                if (self._folder / segment.name).stat().st_size != segment.size:
                    return False
            except OSError:
                return False
        return True

    def append(self, fresh: Sequence[Embedded], dead: Collection[int]) -> None:
        """Store new rows (ascending, above all stored ones) as a segment, merged with the small ones before it."""
        if not fresh:
            return
        rows = list(fresh)
        while self.segments and self.segments[-1].count < _GROWTH * len(rows):
            rows = [item for item in self._read(self.segments.pop()) if item.row not in dead] + rows
        self.segments.append(self._write(rows))

    def compact(self, dead: Collection[int]) -> None:
        """Rewrite everything as one segment without the dead rows."""
        rows = [item for segment in self.segments for item in self._read(segment) if item.row not in dead]
        self.segments = [self._write(rows)] if rows else []

    def digests(self) -> dict[bytes, bytes]:
        """Return the vector of every stored text by its digest, so that moved text is not embedded again."""
        return {item.digest: item.vector for segment in self.segments for item in self._read(segment)}

    def sweep(self) -> None:
        """Remove files of segments that are no longer in use."""
        used = {segment.name for segment in self.segments}
        for path in self._folder.glob(f"*{_SUFFIX}"):
            if path.name not in used:
                with suppress(OSError):  # open elsewhere on Windows: the next sweep gets it
                    path.unlink()

    def score(self, query: "array[float]", allowed: Collection[int] | None, dead: Collection[int]) -> Cosines:
        """Return the cosines of a unit query vector with the rows that are allowed (None: all) and not dead."""
        if self.count >= NUMPY_FROM and (allowed is None or len(allowed) >= NUMPY_FROM):
            return _NumpyCosines(self._matrices(), query, allowed, dead)
        return _PlainCosines(self._plain_rows(allowed, dead), query)

    def _plain_rows(
        self, allowed: Collection[int] | None, dead: Collection[int]
    ) -> "Iterator[tuple[int, memoryview[float]]]":
        for segment in self.segments:
            rows, values = self._map(segment)
            dim = segment.dim
            for index, row in enumerate(rows):
                if (allowed is None or row in allowed) and row not in dead:
                    yield row, values[index * dim : (index + 1) * dim]

    def _matrices(self) -> Iterator[tuple[Any, Any]]:
        import numpy as np

        for segment in self.segments:
            rows, values = self._map(segment)
            yield (
                np.frombuffer(rows.cast("B"), "<i8"),
                np.frombuffer(values.cast("B"), "<f4").reshape(segment.count, segment.dim),
            )

    def _map(self, segment: Segment) -> "tuple[memoryview[int], memoryview[float]]":
        """Return the rows and the values of a segment, mapped from its file."""
        memory = self._bytes(segment)
        rows = memory[segment.rows_at : segment.rows_at + 8 * segment.count]
        values = memory[segment.vectors_at : segment.vectors_at + 4 * segment.dim * segment.count]
        if sys.byteorder == "little":
            return rows.cast("q"), values.cast("f")
        swapped_rows, swapped = array("q", bytes(rows)), array("f", bytes(values))
        swapped_rows.byteswap()
        swapped.byteswap()
        return memoryview(swapped_rows), memoryview(swapped)

    def _bytes(self, segment: Segment) -> memoryview:
        with (self._folder / segment.name).open("rb") as file:
            return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))

    def _read(self, segment: Segment) -> Iterator[Embedded]:
        memory = self._bytes(segment)
        rows, _ = self._map(segment)
        width = 4 * segment.dim
        for index, row in enumerate(rows):
            digest_at = segment.digests_at + index * DIGEST_BYTES
            vector_at = segment.vectors_at + index * width
            digest = bytes(memory[digest_at : digest_at + DIGEST_BYTES])
            yield Embedded(row, digest, bytes(memory[vector_at : vector_at + width]))

    def _write(self, rows: Sequence[Embedded]) -> Segment:
        from zlib import crc32

        from echo_notes.index.npz import write_npz

        values = b"".join(item.vector for item in rows)
        dim = len(rows[0].vector) // 4
        numbers = array("q", [item.row for item in rows])
        if sys.byteorder == "big":
            numbers.byteswap()
        name = f"vectors-{rows[0].row}-{len(rows)}-{crc32(values):08x}{_SUFFIX}"
        model = self._model.encode("utf-8") or b"?"
        temp_path = self._folder / f"{name}.{os.getpid()}.tmp"
        offsets = write_npz(
            temp_path,
            {
                "model": (f"|S{len(model)}", (), model),
                "rows": ("<i8", (len(rows),), numbers.tobytes()),
                "digests": (f"|V{DIGEST_BYTES}", (len(rows),), b"".join(item.digest for item in rows)),
                "vectors": ("<f4", (len(rows), dim), values),
            },
        )
        size = temp_path.stat().st_size
        temp_path.replace(self._folder / name)
        places = (offsets["rows"], offsets["digests"], offsets["vectors"])
        return Segment(name, self._model, dim, len(rows), size, *places)


class _PlainCosines:
    """Cosines by the standard library: about 9 µs a row, and nothing to import."""

    def __init__(self, rows: "Iterable[tuple[int, memoryview[float]]]", query: "array[float]") -> None:
        values = query.tolist()
        self._cosines = {row: sum(map(mul, values, vector)) for row, vector in rows}
        self.low = min(self._cosines.values(), default=0.0)
        self.high = max(self._cosines.values(), default=0.0)

    def top(self, limit: int) -> list[tuple[int, float]]:
        """Return the best (row, cosine) pairs, best first."""
        return nlargest(limit, self._cosines.items(), key=itemgetter(1))

    def of(self, rows: Iterable[int]) -> dict[int, float]:
        """Return the cosines of those rows that take part."""
        return {row: self._cosines[row] for row in rows if row in self._cosines}


class _NumpyCosines:
    """Cosines by one matrix product a segment."""

    def __init__(
        self,
        matrices: Iterable[tuple[Any, Any]],
        query: "array[float]",
        allowed: Collection[int] | None,
        dead: Collection[int],
    ) -> None:
        import numpy as np

        vector = np.frombuffer(query, dtype="f4")
        parts = [(rows, values @ vector) for rows, values in matrices]
        rows = np.concatenate([part[0] for part in parts])
        cosines = np.concatenate([part[1] for part in parts])
        if allowed is not None:
            keep = np.isin(rows, np.fromiter(allowed, "i8", len(allowed)))
            rows, cosines = rows[keep], cosines[keep]
        if dead:
            keep = np.isin(rows, np.fromiter(dead, "i8", len(dead)), invert=True)
            rows, cosines = rows[keep], cosines[keep]
        self._rows, self._cosines = rows, cosines
        self.low = float(cosines.min()) if len(rows) else 0.0
        self.high = float(cosines.max()) if len(rows) else 0.0

    def top(self, limit: int) -> list[tuple[int, float]]:
        """Return the best (row, cosine) pairs, best first."""
        import numpy as np

        limit = min(limit, len(self._rows))
        if not limit:
            return []
        best = np.argpartition(-self._cosines, limit - 1)[:limit]
        best = best[np.argsort(-self._cosines[best], kind="stable")]
        return list(zip(self._rows[best].tolist(), self._cosines[best].tolist(), strict=True))

    def of(self, rows: Iterable[int]) -> dict[int, float]:
        """Return the cosines of those rows that take part."""
        import numpy as np

        wanted = np.fromiter(rows, "i8")
        if not len(wanted) or not len(self._rows):
            return {}
        at = np.minimum(np.searchsorted(self._rows, wanted), len(self._rows) - 1)
        found = self._rows[at] == wanted
        return dict(zip(wanted[found].tolist(), self._cosines[at[found]].tolist(), strict=True))

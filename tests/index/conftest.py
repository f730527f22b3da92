"""Small vaults written by hand, and an index over them."""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from echo_notes.index.results import SearchRequest, SearchResult
from echo_notes.index.store import Index
from echo_notes.model.settings import Settings

LEXICAL_ONLY = Settings(embedder="none")


class Vault:
    """A vault in a folder, with what tests do to it; every `recall` is a fresh process as far as the index can tell."""

    def __init__(self, root: Path) -> None:
        self.root = root
        root.mkdir(parents=True, exist_ok=True)
        (root / "echo.yaml").write_text("format: 1\n", encoding="utf-8")

    def write(self, path: str, text: str | bytes) -> Path:
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))
        return target

    def facts(self, folder: str, *rows: Mapping[str, Any] | str, file: str = "items.json") -> Path:
        slug = folder.rpartition("/")[2]
        records = [
            {"id": f"{slug}-{n:03}", "timestamp": "2026-01-05", "status": "active"}
            | ({"fact": r} if isinstance(r, str) else dict(r))
            for n, r in enumerate(rows, 1)
        ]
        return self.write(f"{folder}/{file}", json.dumps(records, ensure_ascii=False, indent=2) + "\n")

    def index(self, settings: Settings = LEXICAL_ONLY, **options: Any) -> Index:
        return Index(self.root, settings, **options)

    def search(self, query: str, settings: Settings = LEXICAL_ONLY, **request: Any) -> SearchResult:
        index = self.index(settings)
        index.refresh()
        return index.search(SearchRequest(query=query, **request))

    def recall(self, query: str, settings: Settings = LEXICAL_ONLY, **request: Any) -> list[str]:
        return [hit.passage.text for hit in self.search(query, settings, **request).hits]

    def places(self, query: str, settings: Settings = LEXICAL_ONLY, **request: Any) -> list[str]:
        return [f"{hit.passage.path}:{hit.passage.line}" for hit in self.search(query, settings, **request).hits]


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    return Vault(tmp_path / "vault")


def day_note(entries: Sequence[str], day: str = "2026-03-02") -> str:
    return f"# {day}\n\n" + "".join(f"- 09:00 {entry}\n" for entry in entries)


NoteWriter = Callable[[Sequence[str]], str]

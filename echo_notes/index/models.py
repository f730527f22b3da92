"""Installed fastembed models: what there is to choose, what is on disk and whole, and how one gets there."""

import json
from dataclasses import dataclass
from pathlib import Path
from shutil import rmtree
from typing import Any

_MARKER = "echo-notes.json"


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """A model one can choose: name, size to download in MB, vector length (0 for a reranker), licence, description."""

    name: str
    kind: str
    size_mb: int
    dim: int
    licence: str
    description: str
    installed: bool
    problem: str = ""


def folder_of(name: str, models_dir: Path) -> Path:
    """Return the folder that a model is kept in."""
    return models_dir / name.replace("/", "--")


def check_installed(name: str, models_dir: Path) -> str:
    """Return what is wrong with the installed model, "" if it is there and every file has the size it came with."""
    folder = folder_of(name, models_dir)
    try:
        sizes = json.loads((folder / _MARKER).read_bytes())["files"]
    except (OSError, ValueError, KeyError, TypeError):
        return f"the model {name} is not installed"
    for file, size in sizes.items():
        try:
            found = (folder / file).stat().st_size
        except OSError:
            return f"the model {name} is incomplete: {file} is missing"
        if found != size:
            return f"the model {name} is damaged: {file} has {found} bytes of {size}"
    return ""


def list_models(models_dir: Path) -> list[ModelInfo]:
    """Return the models that fastembed knows by name, embedders first, each by name."""
    from fastembed import TextEmbedding
    from fastembed.rerank.cross_encoder import TextCrossEncoder

    found = []
    for kind, source in (("embedder", TextEmbedding), ("reranker", TextCrossEncoder)):
        for row in sorted(source.list_supported_models(), key=lambda row: str(row["model"]).lower()):
            name = str(row["model"])
            there = (folder_of(name, models_dir) / _MARKER).exists()
            problem = check_installed(name, models_dir) if there else ""
            size = int(float(row.get("size_in_GB") or 0) * 1000)
            texts = (str(row.get("license") or "?"), str(row.get("description") or ""))
            found.append(ModelInfo(name, kind, size, int(row.get("dim") or 0), *texts, there and not problem, problem))
    return found


def install(name: str, kind: str, models_dir: Path, *, retry: bool = True) -> None:
    """Download a model into its own folder and load it once; whatever fastembed raises passes.

    A folder that was there before and does not load is fetched again, once.
    """
    from loguru import logger

    logger.disable("fastembed")  # its failures are ours to tell, once
    folder = folder_of(name, models_dir)
    was_there = folder.exists() and any(folder.iterdir())
    folder.mkdir(parents=True, exist_ok=True)
    try:
        _load(name, kind, folder, offline=False)
    except Exception:
        rmtree(folder, ignore_errors=True)
        if not (retry and was_there):
            raise
        install(name, kind, models_dir, retry=False)
        return
    mark_installed(name, models_dir)


def mark_installed(name: str, models_dir: Path) -> None:
    """Note the files of a model that is known to load, with their sizes."""
    folder = folder_of(name, models_dir)
    sizes = {
        path.relative_to(folder).as_posix(): path.stat().st_size
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != _MARKER and not path.name.endswith(".lock")
    }
    (folder / _MARKER).write_text(json.dumps({"name": name, "files": sizes}), encoding="utf-8")


def load_embedding(name: str, models_dir: Path) -> Any:
    """Return fastembed's model from disk; it never downloads. Whatever fastembed raises passes."""
    return _load(name, "embedder", folder_of(name, models_dir), offline=True)


def load_reranker(name: str, models_dir: Path) -> Any:
    """Return fastembed's cross-encoder from disk; it never downloads. Whatever fastembed raises passes."""
    return _load(name, "reranker", folder_of(name, models_dir), offline=True)


_loaded: dict[tuple[str, str, Path], Any] = {}


def _load(name: str, kind: str, folder: Path, *, offline: bool) -> Any:
    key = (name, kind, folder)
    if key not in _loaded:
        options: dict[str, Any] = {"cache_dir": str(folder), "local_files_only": offline}
        if offline and (folder / "tokenizer.json").exists():  # files put here by hand, not by a download
            options["specific_model_path"] = str(folder)
        _loaded[key] = _class_of(kind)(name, **options)
    return _loaded[key]


def _class_of(kind: str) -> Any:
    if kind == "embedder":
        from fastembed import TextEmbedding

        return TextEmbedding
    from fastembed.rerank.cross_encoder import TextCrossEncoder

    return TextCrossEncoder

"""The cross-encoder: reorders the first few candidates within its budgets, or leaves everything as it was."""

import json
import subprocess
import sys
from collections.abc import Sequence
from math import exp, isfinite
from pathlib import Path
from queue import Empty, Queue
from threading import Thread

from echo_notes.model.settings import Settings

_WORKER = Path(__file__).with_name("rerank_worker.py")


class RerankError(Exception):
    """Reranking did not come about; the order stays as it was, and these words say why."""


def score_texts(
    query: str, texts: Sequence[str], settings: Settings, models_dir: Path, *, worker: Path = _WORKER
) -> list[float]:
    """Return a score for each text, higher is better, as the model gives them (logits).

    RerankError when the model is not there, does not load within `rerankLoadTimeoutSeconds`, does not answer within
    `rerankTimeoutSeconds`, crashes, or gives something else than one finite number a text.
    """
    from echo_notes.index.models import check_installed, folder_of

    name = settings.rerank_model
    problem = check_installed(name, models_dir)
    if problem:
        raise RerankError(f"not reranked: {problem}")
    request: dict[str, object] = {
        "model": name,
        "folder": str(folder_of(name, models_dir)),
        "query": query,
        "texts": list(texts),
    }
    # -P: the worker's folder is not put on its path, where our modules would stand in for others of the same name.
    with subprocess.Popen(  # noqa: S603 (our own file by our own interpreter)
        [sys.executable, "-P", str(worker)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        encoding="utf-8",
    ) as process:
        try:
            return _converse(process, request, len(texts), settings)
        finally:
            process.kill()


def _converse(
    process: "subprocess.Popen[str]", request: dict[str, object], count: int, settings: Settings
) -> list[float]:
    lines: Queue[str] = Queue()
    Thread(target=_pump, args=(process, json.dumps(request) + "\n", lines), daemon=True).start()
    if _next(lines, settings.rerank_load_timeout_seconds, "load") != "loaded":
        raise RerankError(f"not reranked: the model {settings.rerank_model} did not load")
    answer = _next(lines, settings.rerank_timeout_seconds, "answer")
    try:
        scores = [float(score) for score in json.loads(answer)]
    except (ValueError, TypeError):
        raise RerankError(f"not reranked: the model {settings.rerank_model} failed") from None
    if len(scores) != count or not all(map(isfinite, scores)):
        raise RerankError(f"not reranked: the model gave {len(scores)} scores for {count} texts, or unusable ones")
    return scores


def _pump(process: "subprocess.Popen[str]", request: str, lines: "Queue[str]") -> None:
    """Feed the worker and pass on what it says; an empty line stands for its end."""
    try:
        if process.stdin and process.stdout:
            process.stdin.write(request)
            process.stdin.close()
            for line in process.stdout:
                lines.put(line.strip())
    except (OSError, ValueError):
        pass  # the worker died or was killed: its end says it all
    finally:
        lines.put("")


def _next(lines: "Queue[str]", seconds: float, what: str) -> str:
    try:
        return lines.get(timeout=seconds)
    except Empty:
        raise RerankError(f"not reranked: the model did not {what} within {seconds:g} s") from None


def order_by(scores: Sequence[float], minimum: float) -> list[int]:
    """Return the positions that stay, best first; a minimum above 0 drops lower ones, unless it would drop all."""
    order = sorted(range(len(scores)), key=lambda at: (-scores[at], at))
    kept = [at for at in order if scores[at] >= minimum] if minimum > 0 else order
    return kept or order


def squash(score: float) -> float:
    """Return a logit as a number between 0 and 1, in the same order."""
    return 1 / (1 + exp(-score)) if score >= 0 else exp(score) / (1 + exp(score))

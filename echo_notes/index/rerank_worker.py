"""The cross-encoder's own process: reads one JSON line (model, folder, query, texts), says `loaded`, then the scores.

It stands alone, so that it can be killed at any instant, and so that a model that crashes takes nothing along.
"""

import json
import sys
from pathlib import Path
from typing import Any


def main() -> None:
    """Answer one request on standard input and end."""
    request = json.loads(sys.stdin.readline())
    from fastembed.rerank.cross_encoder import TextCrossEncoder

    folder = Path(request["folder"])
    options: dict[str, Any] = {"specific_model_path": str(folder)} if (folder / "tokenizer.json").exists() else {}
    model = TextCrossEncoder(request["model"], cache_dir=str(folder), local_files_only=True, **options)
    _say("loaded")
    _say(json.dumps([float(score) for score in model.rerank(request["query"], request["texts"])]))


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()

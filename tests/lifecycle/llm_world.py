"""A vault with a language model configured: what the tests of the model share."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.conftest import NOW, ROOT, Ran, git

ADA = "life/areas/people/ada"


@dataclass
class Llm:
    """The model of a test: its plan, what it was asked, and the program run with it configured."""

    vault: Path
    folder: Path
    run: Callable[..., Ran]
    url: str = ""
    now: str = NOW
    plan: dict[str, Any] = field(default_factory=dict)

    def answers(self, mode: str = "answer", /, *, once: bool = False, **answers: Any) -> None:
        """Say how the model behaves; an answer that is no text is sent as JSON."""
        texts = {name: one if isinstance(one, str) else json.dumps(one) for name, one in answers.items()}
        self.plan = {"mode": mode, "answers": texts, "once": once}
        (self.folder / "plan.json").write_text(json.dumps(self.plan), encoding="utf-8")

    def asked(self) -> list[dict[str, Any]]:
        """Return the requests so far."""
        log = self.folder / "log"
        return [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()] if log.exists() else []

    def configure(self, **settings: object) -> None:
        """Write the person's own config."""
        lines = [f"llm.{name}: {json.dumps(value)}\n" for name, value in settings.items()]
        (self.folder / "config.yaml").write_text("".join(lines), encoding="utf-8")

    def __call__(self, *words: str) -> Ran:
        """Run the program in the vault."""
        return self.run(*words, at=self.vault, now=self.now)

    def talk(self, text: str, key: str = "chat") -> None:
        """Leave a session to be consolidated."""
        assert self.run("session", "add", key, "-", at=self.vault, stdin=text, now=self.now).status == 0
        assert self("session", "end", key, "--no-detach").status == 0

    def commits(self) -> int:
        """Return how many commits there are."""
        return int(git(self.vault, "rev-list", "--count", "HEAD"))


def records(vault: Path) -> dict[str, dict[str, Any]]:
    """Return every fact of a vault by id."""
    found = {}
    for path in vault.glob("life/areas/*/*/items.json"):
        raw = json.loads(path.read_text(encoding="utf-8"))
        for fact in raw["facts"] if isinstance(raw, dict) else raw:
            found[fact["id"]] = {"fact": fact.get("content") or fact.get("text"), **fact}
    return found


def region(vault: Path, folder: str = ADA) -> str:
    """Return the generated region of a summary."""
    text = (vault / folder / "summary.md").read_text(encoding="utf-8")
    return text.partition("echo:begin summary")[2].partition("\n")[2].partition("<!-- echo:end")[0]


@contextmanager
def serving(plan: Path, log: Path) -> Iterator[int]:
    """Run the server, and yield its port."""
    with subprocess.Popen(
        [sys.executable, "-m", "tests.llm_server", str(plan), str(log)], cwd=ROOT, text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    ) as process:  # fmt: skip
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            yield int(process.stdout.readline())
        finally:
            process.stdin.close()
            process.wait(10)

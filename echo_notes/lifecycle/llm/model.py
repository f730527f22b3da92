"""What a language model is here: a question in, a text out, within a time limit."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

MOST_BYTES = 1_000_000
"""An answer longer than this is none: reading stops there."""


class LlmError(Exception):
    """The model cannot be had or answered amiss, in words that hold nothing of what was sent or received.

    `lasting`: asking something else in this run would fail alike (no connection, a time-out); else only this answer.
    `wait`: seconds that the server asks for before the next try.
    """

    def __init__(self, what: str, *, lasting: bool = True, wait: float = 0.0) -> None:
        super().__init__(what)
        self.lasting = lasting
        self.wait = wait


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What a model is asked: our instructions, the vault's text as fenced data, the JSON schema of the answer."""

    name: str
    instructions: str
    material: str
    schema: Mapping[str, Any]


class LanguageModel(Protocol):
    """Answers a question with text; whatever it answers is untrusted."""

    def answer(self, question: Question, *, seconds: float) -> str:
        """Return the answer's text; LlmError if there is none within that time."""

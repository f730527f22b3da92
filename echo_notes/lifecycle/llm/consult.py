"""Consulting the model during one run: its budget, one retry, giving up, and what is told of that afterwards."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from time import sleep
from typing import TYPE_CHECKING, Any

from echo_notes.guard.fence import fence
from echo_notes.lifecycle.llm.answer import parse_answer
from echo_notes.lifecycle.llm.memo import Memo, digest, memo_path
from echo_notes.lifecycle.llm.model import LanguageModel, LlmError, Question
from echo_notes.lifecycle.llm.prompts import load_prompt
from echo_notes.lifecycle.opened import OpenVault
from echo_notes.model.passage import Passage
from echo_notes.model.settings import Settings

if TYPE_CHECKING:
    from echo_notes.guard.scan import Rules

_TRIES = 2
_LONGEST_WAIT = 10.0


@dataclass(slots=True)
class Consultant:
    """The language model of one run. Ask it before the vault is locked: an answer may take as long as its time-out.

    `degraded` says, once each, what was done by the rules instead and why; nothing in it comes from the model.
    """

    model: LanguageModel | None
    seconds: float
    calls: int
    random_word: Callable[[], str]
    memo: Memo
    joiners: str = "unicode"
    rules: "Rules | None" = None
    degraded: list[str] = field(default_factory=list)
    pause: Callable[[float], None] = sleep
    _budget: int = 0

    @property
    def is_at_work(self) -> bool:
        """Whether another question may be asked in this run."""
        return self.model is not None

    def ask(self, name: str, passages: Iterable[Passage]) -> Any | None:
        """Return the answer to one of our prompts about these passages, None where there is none to be had.

        A passage in which the scan finds anything (an injection, a secret) is not sent.
        """
        quoted = [passage for passage in passages if self.may_send(passage.text)]
        material = fence(quoted, nonce=self.random_word() + self.random_word())
        if self.model is None or not material:
            return None
        instructions, schema = load_prompt(name)
        question = Question(name=name, instructions=instructions, material=material, schema=schema)
        problem: LlmError | None = None
        for _ in range(_TRIES):
            if self.calls < 1:
                self._give_up(problem or LlmError(f"this run's {self._budget} calls (llm.calls) are used up"))
                return None
            try:
                return self._try(question, problem)
            except LlmError as error:
                problem = error
        if problem and problem.lasting:
            self._give_up(problem)
        elif problem:
            self.say(f"{problem}; that part was done by the rules")
        return None

    def may_send(self, text: str) -> bool:
        """Return whether the scan has nothing against a text."""
        from echo_notes.guard.scan import scan_text

        return not scan_text(text, joiners=self.joiners, rules=self.rules)

    def was_asked(self, *parts: str) -> bool:
        """Return whether this was answered in an earlier run."""
        return digest(*parts) in self.memo.asked

    def say(self, what: str) -> None:
        """Keep one sentence for `degraded`."""
        if what not in self.degraded:
            self.degraded.append(what)

    def _try(self, question: Question, earlier: LlmError | None) -> Any:
        if self.model is None:
            raise LlmError("no model")
        self.calls -= 1
        if earlier and earlier.wait:
            self.pause(min(earlier.wait, _LONGEST_WAIT))
        return parse_answer(self.model.answer(question, seconds=self.seconds), question.schema)

    def _give_up(self, problem: LlmError) -> None:
        self.model = None
        self.say(f"{problem}; went on by the rules alone")


def is_configured(settings: Settings) -> bool:
    """Return whether the person's own config names a model: without that nothing is ever sent."""
    return bool(settings.llm_command.strip() or settings.llm_url.strip())


def open_model(settings: Settings, environ: Mapping[str, str]) -> LanguageModel | None:
    """Return the model that the settings name, None without one; a command goes before a URL.

    LlmError for a command that is no shell words, or a URL that is no web address.
    """
    if settings.llm_command.strip():
        from echo_notes.lifecycle.llm.command import CommandModel

        return CommandModel.parse(settings.llm_command, environ)
    if settings.llm_url.strip():
        from echo_notes.lifecycle.llm.chat import ChatModel

        key = environ.get(settings.llm_key_env, "") if settings.llm_key_env else ""
        return ChatModel.parse(settings.llm_url.strip(), settings.llm_model, key)
    return None


def open_consultant(opened: OpenVault) -> Consultant | None:
    """Return what a run asks the model through, None where the person's own config names no model."""
    settings = opened.settings
    if not is_configured(settings):
        return None
    consultant = Consultant(
        model=None, seconds=settings.llm_timeout_seconds, calls=settings.llm_calls, random_word=opened.random_word,
        memo=Memo.load(memo_path(opened.layout)), joiners=settings.joiners, rules=opened.context().rules,
        _budget=settings.llm_calls,
    )  # fmt: skip
    try:
        consultant.model = open_model(settings, opened.environ)
    except LlmError as error:
        consultant._give_up(error)  # noqa: SLF001 - this function makes the object
    return consultant


def finish(opened: OpenVault, consultant: Consultant | None) -> tuple[str, ...]:
    """Write down what need not be asked again, and return what was left to the rules."""
    if consultant is None:
        return ()
    if not opened.writer.dry_run:
        from echo_notes.files.lock import prepare_echo_dir

        prepare_echo_dir(opened.layout)
        consultant.memo.save()
    return tuple(consultant.degraded)


def texts_of(rows: Iterable[Mapping[str, Any]]) -> list[tuple[str, Mapping[str, Any]]]:
    """Return (its text on one line, row) for the rows of an answer that have a text."""
    found = [(" ".join(row["text"].split()), row) for row in rows]
    return [(text, row) for text, row in found if text]

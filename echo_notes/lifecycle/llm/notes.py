"""Daily notes as a model reads them: only sentences that the rules made nothing of, that name somebody, and are new."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from echo_notes.guard.durable import durable_statements
from echo_notes.guard.mentions import find_mentions, is_about_owner
from echo_notes.guard.sentences import iter_lines, iter_sentences
from echo_notes.lifecycle.llm.consult import Consultant
from echo_notes.lifecycle.llm.grounding import Names
from echo_notes.lifecycle.llm.proposals import Proposed, Source, entities_passage, is_idle, read_proposals
from echo_notes.model.entity import Entity
from echo_notes.model.passage import NOTE, Passage

_WINDOW_CHARS = 8_000
_WINDOW_LINES = 60
_ASKED = "notes"


@dataclass(frozen=True, slots=True)
class _Asked:
    """A line of a note that is put to the model, and the sentences in it that are open."""

    path: str
    number: int
    text: str
    sentences: tuple[str, ...]
    entities: tuple[Entity, ...]


@dataclass(slots=True)
class NoteReader:
    """Asks about notes before the vault is locked, and keeps what was proposed by note and sentence."""

    consultant: Consultant
    categories: Sequence[str]
    _found: dict[tuple[str, str], Proposed] = field(default_factory=dict)

    def read(self, notes: Mapping[str, str], names: Names) -> None:
        """Ask about the texts of these notes, by path."""
        asked = [one for path, text in notes.items() for one in self._open_lines(path, text, names)]
        for window in _windows(asked):
            if not self.consultant.is_at_work:
                return
            self._ask(window, names)

    def proposals(self, path: str, text: str) -> Iterator[tuple[int, Proposed]]:
        """Yield (line number, proposal) for what was proposed of a note and still stands in it."""
        for line in iter_lines(text) if self._found else ():
            for _, sentence in iter_sentences(line.text):
                proposed = self._found.get((path, sentence.strip()))
                if proposed:
                    yield line.number, proposed

    def _open_lines(self, path: str, text: str, names: Names) -> Iterator[_Asked]:
        taken = [
            (one.start, one.start + len(one.source))
            for one in durable_statements(text, names, categories=self.categories)
        ]
        for line in iter_lines(text):
            entities = {
                one.found[0]: None for one in find_mentions(line.text, names) if one.found and len(one.found) == 1
            }
            if line.quoted or line.speaker or not (entities or is_about_owner(line.text)):
                continue
            found = []
            for start, sentence in iter_sentences(line.text):
                at = line.start + start
                ruled = any(first <= at + len(sentence) - 1 and at < last for first, last in taken)
                if not (ruled or is_idle(sentence) or self.consultant.was_asked(_ASKED, line.text, sentence.strip())):
                    found.append(sentence.strip())
            if found and len(line.text) <= _WINDOW_CHARS and self.consultant.may_send(line.text):
                yield _Asked(path, line.number, line.text, tuple(found), tuple(entities))

    def _ask(self, window: Sequence[_Asked], names: Names) -> None:
        passages = [
            Passage(id=f"line {number}", layer=NOTE, path="", line=1, text=one.text)
            for number, one in enumerate(window, 1)
        ]
        last, offered = entities_passage(dict.fromkeys(entity for one in window for entity in one.entities))
        if not self.consultant.may_send(last.text):
            return
        answer = self.consultant.ask("notes", [*passages, last])
        if answer is None:
            return
        sources = {number: Source(number, one.text) for number, one in enumerate(window, 1)}
        for one in read_proposals(answer["facts"], sources, names, offered=offered, categories=self.categories):
            asked = window[one.source - 1]
            if one.quote in asked.sentences:
                self._found[asked.path, one.quote] = one
        for asked in window:
            for sentence in asked.sentences:
                self.consultant.memo.note(self.consultant.memo.asked, _ASKED, asked.text, sentence)


def _windows(lines: Sequence[_Asked]) -> Iterator[list[_Asked]]:
    window: list[_Asked] = []
    size = 0
    for line in lines:
        if window and (size + len(line.text) > _WINDOW_CHARS or len(window) == _WINDOW_LINES):
            yield window
            window, size = [], 0
        window.append(line)
        size += len(line.text)
    if window:
        yield window

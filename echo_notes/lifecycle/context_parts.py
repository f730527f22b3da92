"""What the context block may hold: facts, memory, episodes and notes that this reader may see, best first."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from itertools import islice
from pathlib import Path

from echo_notes.files.audit import AuditTrail
from echo_notes.files.decisions import load_decisions
from echo_notes.files.episodes import parse_episode
from echo_notes.files.frontmatter import split
from echo_notes.files.layout import EPISODES_DIR, MEMORY, SUMMARY, iter_daily
from echo_notes.files.markdown import COMMENT, iter_blocks
from echo_notes.files.textfile import decode_text
from echo_notes.guard.eligibility import Reader, Traits, visible
from echo_notes.guard.rejected import Decision, find_rejection
from echo_notes.guard.values import plain_statement
from echo_notes.index.passages import fact_passage
from echo_notes.lifecycle.contested import contested_ids
from echo_notes.lifecycle.entities import load_entities
from echo_notes.lifecycle.facts import claim_of, load_facts, traits_of
from echo_notes.lifecycle.opened import OpenVault
from echo_notes.model.entity import Entity
from echo_notes.model.errors import EchoError
from echo_notes.model.fact import ERASED_TEXT, USER, Fact
from echo_notes.model.forgetting import fact_importance
from echo_notes.model.passage import EPISODE, NOTE, Passage
from echo_notes.model.passage import MEMORY as MEMORY_LAYER
from echo_notes.model.passage import SUMMARY as SUMMARY_LAYER

_EPISODES = 3
_EPISODES_LOOKED_AT = 60
_CITED = re.compile(r"\(([^()]+)\)\s*$")


@dataclass(slots=True)
class Parts:
    """One look at a vault for one reader; everything it gives has passed the eligibility rules and the scan."""

    opened: OpenVault
    reader: Reader
    problems: list[EchoError] = field(default_factory=list)
    entities: tuple[Entity, ...] = ()
    effective: dict[str, float] = field(default_factory=dict)
    hidden: list[str] = field(default_factory=list)
    decisions: tuple[Decision, ...] = ()
    _seen: dict[str, bool] = field(default_factory=dict)
    _ranked: list[Fact] = field(default_factory=list)
    _trail: AuditTrail = field(init=False)
    _scan: Callable[[str], bool] | None = None

    def __post_init__(self) -> None:
        self._trail = AuditTrail(self.opened.root)

    def load(self) -> None:
        """Read the facts, and order those that hold today and may be seen by what age has left of them."""
        contested = contested_ids(self.opened)
        base = self.opened.settings.importance_decay_days
        self.entities = load_entities(self.opened)
        self.decisions = load_decisions(self.opened.root)
        for entity in self.entities:
            for fact in self._facts_of(entity):
                self._seen[fact.id] = visible(traits_of(fact, contested=fact.id in contested), self.reader)
                if self._seen[fact.id] and holds(fact, self.opened.today):
                    self.effective[fact.id] = fact_importance(fact, self.opened.now, base)
                    self._ranked.append(fact)
        self._ranked.sort(key=lambda fact: (-self.effective[fact.id], -_ordinal(fact.timestamp), fact.id))

    def pinned(self) -> tuple[Passage, ...]:
        """Return the pinned facts."""
        return self._first((fact for fact in self._ranked if fact.pinned), len(self._ranked))

    def top(self, kind: str, count: int) -> tuple[Passage, ...]:
        """Return the first facts of a type (USER or ENVIRONMENT) that are not pinned."""
        return self._first(
            (one for one in self._ranked if not one.pinned and (one.type == USER) == (kind == USER)), count
        )

    def memory(self) -> tuple[tuple[Passage, ...], int]:
        """Return MEMORY.md as one passage, if it may be seen, and how many characters it has."""
        text = self._text(MEMORY)
        if text is None or not visible(Traits(layer=MEMORY_LAYER), self.reader):
            return (), 0
        return self._whole(Passage(id=MEMORY, layer=MEMORY_LAYER, path=MEMORY, line=1, text=text)), len(text)

    def session(self, key: str) -> tuple[Passage, ...]:
        """Return what was said last in a session, as one passage."""
        from echo_notes.files.sessions import load_session
        from echo_notes.lifecycle.session import VIEW_CHARS, working_view
        from echo_notes.lifecycle.session_end import enter

        clean = enter(key, self.reader.scope)
        session = load_session(self.opened.layout, clean)
        if session is None:
            return ()
        fit = [message for message in session.messages if self._is_harmless(message.text)]
        text = working_view(replace(session, messages=tuple(fit)), VIEW_CHARS, self.opened.now.tzinfo).text
        name = f"session {clean}"
        return (Passage(id=name, layer=EPISODE, path=name, line=1, text=text, session=clean),) if text else ()

    def episodes(self) -> tuple[Passage, ...]:
        """Return the summaries of the last episodes, newest first."""
        folder = self.opened.root / EPISODES_DIR
        names = sorted((path.name for path in folder.glob("*.md")), reverse=True) if folder.is_dir() else []
        found: list[tuple[float, str, Passage]] = []
        for name in names[:_EPISODES_LOOKED_AT]:
            path = f"{EPISODES_DIR}/{name}"
            text = self._text(path)
            if text is None:
                continue
            episode = parse_episode(text, path)
            if not visible(Traits(layer=EPISODE, session=episode.session_key), self.reader):
                continue
            created = episode.created_at.timestamp() if episode.created_at else 0.0
            summary = self._without_wrong(episode.summary)
            if not summary:
                continue
            passage = Passage(
                id=f"{path}#L{episode.line}", layer=EPISODE, path=path, line=episode.line, text=summary,
                on=_day_of(name), session=episode.session_key,
            )  # fmt: skip
            found += [(created, name, shown) for shown in self._whole(passage)]
        found.sort(key=lambda row: (row[2].on or date.min, row[0], row[1]), reverse=True)
        return tuple(passage for _, _, passage in found[:_EPISODES])

    def _without_wrong(self, summary: str) -> str:
        """Return an episode's summary without the lines that say what was judged wrong since."""
        judged = {decision.entity for decision in self.decisions}
        about = [entity for entity in self.entities if str(entity.ref) in judged]
        if not about:
            return summary
        lines = []
        for line in summary.splitlines():
            said = plain_statement(line.removeprefix("- ").removeprefix("assistant: "))
            if not any(find_rejection(claim_of(entity, said), self.decisions) for entity in about):
                lines.append(line)
        return "\n".join(lines).strip()

    def notes(self) -> tuple[Passage, ...]:
        """Return today's and yesterday's notes, each as one passage."""
        if not visible(Traits(layer=NOTE), self.reader):
            return ()
        days = (self.opened.today, self.opened.today - timedelta(days=1))
        found: list[Passage] = []
        for day, path in sorted(iter_daily(self.opened.root), key=lambda row: (-row[0].toordinal(), row[1])):
            if day in days and (text := self._text(path)) is not None:
                found += self._whole(Passage(id=path, layer=NOTE, path=path, line=1, text=split(text).body, on=day))
        return tuple(found)

    def summary(self, ref: str) -> tuple[Passage, ...]:
        """Return the generated region of an entity's summary: the lines whose facts may all be seen."""
        from echo_notes.files.summary import parse_summary

        entity = next((one for one in self.entities if str(one.ref) == ref), None)
        path = f"{entity.folder}/{SUMMARY}" if entity else ""
        text = self._text(path) if path else None
        region = parse_summary(text).region if text is not None else None
        lines: list[str] = []
        for line in (region or "").splitlines():
            if line.startswith("#"):
                lines = [*(lines[:-1] if lines and lines[-1].startswith("#") else lines), line]
            elif self._is_backed(line):
                lines.append(line)
        if lines and lines[-1].startswith("#"):
            lines.pop()
        if not lines:
            return ()
        passage = Passage(id=path, layer=SUMMARY_LAYER, path=path, line=1, text="\n".join(lines), entity=ref)
        return self._whole(passage)

    def _is_backed(self, line: str) -> bool:
        """Return whether a line of a summary cites facts, and this reader may see each of them."""
        cited = _CITED.search(line)
        return cited is not None and all(self._seen.get(one.strip(), False) for one in cited[1].split(","))

    def _facts_of(self, entity: Entity) -> Sequence[Fact]:
        try:
            return load_facts(self.opened, entity, archive=False)
        except EchoError as error:
            self.problems.append(error)
            return ()

    def _first(self, facts: Iterator[Fact], count: int) -> tuple[Passage, ...]:
        """Return the first facts that the scan has nothing against, labelled as the audit trail vouches for them."""
        chosen = tuple(islice((fact for fact in facts if self._is_harmless(fact.text)), count))
        return tuple(fact_passage(fact, fact.path) for fact in self._trail.vouch(chosen))

    def _whole(self, passage: Passage) -> tuple[Passage, ...]:
        """Return a text without its comments and without the blocks that the scan objects to, if anything is left."""
        lines = passage.text.split("\n")
        gone: set[int] = set()
        for block in iter_blocks(passage.text):
            span = range(block.line - 1, max(block.end, block.line))
            if block.kind == COMMENT:
                gone |= set(span)
            elif not self._is_harmless("\n".join(lines[at] for at in span)):
                gone |= set(span)
                self._hide(passage.path)
        text = "\n".join(line.rstrip("\r") for at, line in enumerate(lines) if at not in gone).strip("\n")
        if not text.strip():
            return ()
        if not self._is_harmless(text):
            self._hide(passage.path)
            return ()
        return (replace(passage, text=text),)

    def _hide(self, path: str) -> None:
        if path not in self.hidden:
            self.hidden.append(path)

    def _is_harmless(self, text: str) -> bool:
        if self._scan is None:
            from echo_notes.guard.scan import load_rules, scan_text

            own = tuple(Path(path).expanduser() for path in self.opened.settings.scan_rules)
            rules = load_rules(own) if own else None
            joiners = self.opened.settings.joiners
            self._scan = lambda text: not scan_text(text, joiners=joiners, rules=rules)
        return self._scan(text)

    def _text(self, path: str) -> str | None:
        try:
            return decode_text(self.opened.layout.path(path).read_bytes(), path).text
        except (FileNotFoundError, NotADirectoryError):
            return None
        except EchoError as error:
            self.problems.append(error)
            return None


def holds(passage: Passage | Fact, today: date) -> bool:
    """Return whether a fact holds on a day: its text is there, and its validity neither over nor still to come."""
    if not passage.text.strip() or passage.text == ERASED_TEXT:
        return False
    starts, ends = passage.valid_from, passage.valid_until
    return not (ends and ends < today) and not (starts and starts > today)


def _ordinal(day: date | None) -> int:
    return day.toordinal() if day else 0


def _day_of(name: str) -> date | None:
    from echo_notes.model.dates import parse_day

    return parse_day(name)

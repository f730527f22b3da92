"""Thirty weeks of life_script, lived by a moving clock through sessions, notes, commands and the installed schedule."""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any

from echo_notes.lifecycle.entities import get_entity
from echo_notes.lifecycle.opened import open_vault
from echo_notes.lifecycle.schedule import TIMETABLE
from tests.conftest import Ran, git
from tests.lifecycle.life_script import (
    KESTREL,
    LAUNCH,
    LIFE,
    QUESTIONS,
    START,
    WEEKS,
    Again,
    Do,
    Event,
    Note,
    Pass,
    Talk,
    Told,
)

Run = Callable[..., Ran]
_LINK = re.compile(r"\[\[[^|\]]*\|([^\]]*)\]\]")
HALF_HOUR = timedelta(minutes=30)
BIRTH = datetime.combine(START, time(7), UTC)
END = datetime.combine(START + timedelta(weeks=WEEKS), time(), UTC)
FADING = timedelta(days=99)
PASSES = (("consolidate",), ("extract",), ("heartbeat",), ("decay",), ("gc",), ("synthesize", "--weekly"))
CURRENT = {"Now", "现状", "Preferences", "喜好", "Milestones", "大事"}


def moment(event: Event) -> datetime:
    day = START + timedelta(days=7 * (event.week - 1) + event.day)
    return datetime.combine(day, time.fromisoformat(event.time), UTC)


def sunday(week: int) -> date:
    return START + timedelta(days=7 * week - 1)


def slots(cron: str) -> Iterator[datetime]:
    """Yield when a line of the timetable is due in these weeks; all of it falls on half hours."""
    minutes, hours, _, _, weekdays = cron.split()
    at = BIRTH
    while at < END:
        hits = ((minutes, at.minute), (hours, at.hour), (weekdays, at.isoweekday() % 7))
        if all(part in {"*", str(value)} or (part == "*/30" and value % 30 == 0) for part, value in hits):
            yield at
        at += HALF_HOUR


def note_day(event: Note) -> date:
    week, day = event.dated or (event.week, event.day)
    return START + timedelta(days=7 * (week - 1) + day)


def said_in(event: Event) -> Sequence[Told | str]:
    """Return what is said, noted or stated, in order."""
    if isinstance(event, Talk):
        return event.said
    if isinstance(event, Note):
        return event.lines
    return [event.told] if isinstance(event, Do) and event.told else []


EVENTS = sorted(LIFE, key=moment)
TOLD = [(moment(event), told) for event in EVENTS for told in said_in(event) if isinstance(told, Told)]
WRONG = [(moment(event), *event.wrong) for event in EVENTS if event.wrong[1]]
ABOUT = sorted({told.about for _, told in TOLD})


def truth(about: str, until: datetime) -> dict[str, Told]:
    """Return what is true of an entity just before a moment, by key, or by itself where it has none."""
    return {told.key or told.fact: told for at, told in TOLD if told.about == about and at < until}


def is_wrong(about: str, text: str, by: datetime = END) -> bool:
    return any(about == whose and value in text for at, whose, value in WRONG if at < by)


@dataclass
class Life:
    """The vault as it is lived in, and everything that was not as it should be."""

    vault: Path
    run: Run
    faults: list[str] = field(default_factory=list)
    done: dict[str, int] = field(default_factory=dict)

    def do(self, at: datetime, *words: str, stdin: str | None = None, status: int = 0) -> Ran:
        ran = self.run(*words, at=self.vault, now=at.isoformat(), stdin=stdin)
        if ran.status != status:
            self.faults.append(f"{at:%m-%d %H:%M} {' '.join(words)}: {ran.status}: {ran.out}{ran.err}")
        return ran

    def ask(self, at: datetime, *words: str, statuses: Iterable[int] = (0,)) -> Any:
        ran = self.run(*words, "--json", at=self.vault, now=at.isoformat())
        if ran.status not in statuses:
            self.faults.append(f"{at:%m-%d} {' '.join(words)}: {ran.status}: {ran.err}")
        return json.loads(ran.out)

    def head(self) -> str:
        return (self.vault / ".git/refs/heads/main").read_text()

    def settled(self, at: datetime, *words: str) -> None:
        """Run a pass, then once more: the second run makes no commit."""
        ran = self.run(*words, "--no-input", "--quiet", at=self.vault, now=at.isoformat())
        if ran.status and not (ran.status == 4 and "judged wrong" in ran.err):
            self.faults.append(f"{at:%m-%d %H:%M} {words[0]}: {ran.status}: {ran.err}")
        self.done[words[0]] = self.done.get(words[0], 0) + 1
        before = self.head()
        self.do(at + timedelta(seconds=5), *words, "--no-input", "--quiet")
        if self.head() != before:
            said = git(self.vault, "log", "-1", "--format=%s")
            self.faults.append(f"{at:%m-%d %H:%M} a second {words[0]} made a commit: {said}")

    def folder(self, about: str) -> Path:
        opened = open_vault(self.vault, now=END, environ={}, random_word=lambda: "life")
        return self.vault / get_entity(opened, about).folder

    def facts(self, about: str) -> list[dict[str, Any]]:
        folder = self.folder(about)
        names = [name for name in ("items.json", "archive.json") if (folder / name).exists()]
        return [fact for name in names for fact in json.loads((folder / name).read_text(encoding="utf-8"))]

    def happen(self, event: Event) -> None:
        at = moment(event)
        if isinstance(event, Talk):
            self.talk(event, at)
        elif isinstance(event, Note):
            self.note(event, at)
        elif isinstance(event, Pass):
            self.settled(at, *event.words)
        elif isinstance(event, Do):
            words = list(event.words)
            if event.old:
                found = [fact for about in ABOUT for fact in self.facts(about) if fact["status"] == "active"]
                [old] = [fact["id"] for fact in found if fact["fact"] == event.old]
                words = [old if word == "{id}" else word for word in words]
            self.do(at, *words)

    def talk(self, event: Talk, at: datetime) -> None:
        if event.scope:
            self.do(at, "session", "start", event.name, "--scope", event.scope)
        said = [f"User: {line.text if isinstance(line, Told) else line}" for line in event.said]
        said += [f"Assistant: {line}" for line in event.answers]
        self.do(at, "session", "add", event.name, "-", "--quiet", stdin="\n".join(said) + "\n")
        if event.ends:
            self.do(at + timedelta(minutes=5), "session", "end", event.name, "--no-detach", "--quiet")
            self.settled(at + timedelta(minutes=5), "consolidate")

    def note(self, event: Note, at: datetime) -> None:
        for line in event.lines:
            text = line.text if isinstance(line, Told) else line
            if event.dated is None:
                self.do(at, "note", text, "--quiet")
                continue
            day = note_day(event)
            path = self.vault / f"memory/{day}.md"
            before = path.read_text(encoding="utf-8") if path.exists() else f"# {day}\n\n"
            path.write_text(f"{before}- 08:00 {text}\n", encoding="utf-8")


def timeline() -> list[tuple[datetime, Event | tuple[str, ...]]]:
    """Return what happens when: the events, decay and synthesize as scheduled, heartbeats where one may be due."""
    due: list[tuple[datetime, Event | tuple[str, ...]]] = [(moment(event), event) for event in EVENTS]
    busy = [moment(event) for event in EVENTS]
    for timed in TIMETABLE:
        for at in slots(timed.cron):
            near = any(timedelta() < at - one <= 3 * HALF_HOUR for one in busy)
            due += [(at, timed.words)] if near or timed.name != "heartbeat" else []
    return sorted(due, key=lambda one: (one[0], isinstance(one[1], tuple)))


def region(folder: Path) -> dict[str, list[str]]:
    """Return the lines of a summary's generated region by heading, without days and ids."""
    text = (folder / "summary.md").read_text(encoding="utf-8")
    found: dict[str, list[str]] = {}
    heading = ""
    for line in text.partition("echo:begin summary")[2].partition("<!-- echo:end")[0].splitlines():
        if line.startswith("## "):
            heading = line[3:]
        elif line.startswith("- "):
            told = line[2:].rpartition(" (")[0]
            dated = told[:4].isdigit() and told[4:5] == "-"
            found.setdefault(heading, []).append(told[11:] if dated else told)
    return found


def look_at_week(life: Life, week: int) -> None:
    """Compare what the vault says on a Sunday evening with what is true then."""
    at = datetime.combine(sunday(week), time(18, 30), UTC)
    for about in ABOUT:
        true = truth(about, at)
        if not true:
            continue
        lines = region(life.folder(about))
        told = [line for heading, some in lines.items() if heading in CURRENT for line in some]
        must = [one.fact for one in true.values() if not one.fades]
        may = [one.fact for one in true.values() if one.fades]
        young = [one.fact for since, one in TOLD if one.about == about and one.fades and at - since < FADING]
        fresh = [one for one in young if one in may]
        for text in set(must + fresh) - set(told):
            life.faults.append(f"week {week}: the summary of {about} does not say: {text}")
        for text in set(told) - set(must + may):
            life.faults.append(f"week {week}: the summary of {about} says: {text}")
        if len(told) != len(set(told)):
            life.faults.append(f"week {week}: the summary of {about} says something twice: {told}")
        wrong = [line for some in lines.values() for line in some if is_wrong(about, line, at)]
        life.faults += [f"week {week}: wrong in the summary of {about}: {line}" for line in wrong]
    block = life.run("context", at=life.vault, now=at.isoformat()).out
    shown = [value for since, _, value in WRONG if since < at and value in block]
    life.faults += [f"week {week}: wrong in context: {value}" for value in shown]


def look_back(life: Life, week: int, now: datetime) -> None:
    """Ask at the end what held at the end of a week."""
    at = datetime.combine(sunday(week), time(18, 30), UTC)
    for about in ABOUT:
        for key in sorted({told.key for _, told in TOLD if told.about == about and told.key}):
            rivals = dict.fromkeys(told.fact for _, told in TOLD if told.about == about and told.key == key)
            right = truth(about, at).get(key)
            expected = {right.fact} if right and not is_wrong(about, right.fact) else set()
            found = life.ask(
                now, "recall", *rivals, "--entity", about, "--layer", "fact", "--as-of", sunday(week).isoformat(),
                "-k", "50", "--no-touch", statuses=(0, 1),
            )["results"]  # fmt: skip
            got = {hit["text"] for hit in found} & set(rivals)
            if got != expected:
                life.faults.append(f"as of week {week}: {about} {key}: {sorted(got)}, not {sorted(expected)}")


def look_through_history(life: Life, now: datetime) -> None:
    for about in ABOUT:
        view = life.ask(now, "history", about)
        versions = [version for lineage in view["lineages"] for version in lineage]
        for key in sorted({told.key for _, told in TOLD if told.about == about and told.key}):
            rivals = {told.fact for _, told in TOLD if told.about == about and told.key == key}
            mine = [version for version in versions if version["text"] in rivals]
            for week in range(1, WEEKS + 1):
                day = sunday(week).isoformat()
                right = truth(about, datetime.combine(sunday(week), time(18, 30), UTC)).get(key)
                known = [one for one in mine if one["timestamp"] <= day]
                held = [one["text"] for one in known if not one["superseded_at"] or one["superseded_at"][:10] > day]
                if held != ([right.fact] if right else []):
                    life.faults.append(f"history of week {week}: {about} {key}: {held}, not {right and right.fact}")


def look_for_wrong_values(life: Life) -> None:
    """Look where no wrong value may be: in facts, and in what recall finds.

    A person's own note stays as it is, and an episode from before the judgement tells what was said then.
    """
    for at, about, value in WRONG:
        for fact in life.facts(about):
            late = datetime.fromisoformat(fact["createdAt"]) - at > HALF_HOUR
            if value in fact["fact"] and (late or fact["status"] != "superseded"):
                life.faults.append(f"a wrong value is a fact again: {fact['id']}: {fact['fact']}")
        for query in (value, f"{about.rpartition('/')[2]} {value}"):
            for hit in life.ask(END, "recall", query, "--no-touch", "-k", "30", statuses=(0, 1))["results"]:
                before = hit["layer"] == "episode" and hit["timestamp"] <= at.date().isoformat()
                if value in hit["text"] and hit["layer"] != "note" and not before:
                    life.faults.append(f"recall {query}: {hit['id']}: {hit['text']}")
    refused = {line["at"][:10] for line in audit(life.vault) if line["reason"] == "rejected_value"}
    said = [(moment(event), line) for event in EVENTS for line in said_in(event)]
    again = {at.date().isoformat() for at, line in said if isinstance(line, Again)}
    if not refused or refused - again:
        life.faults.append(f"refused on {refused}, said again on {again}")


def look_at_what_faded(life: Life) -> None:
    """Look whether silence archived what nobody asked for, and whether it is found first all the same, years later."""
    for _, told in TOLD:
        if told.fades:
            [fact] = [fact for fact in life.facts(told.about) if fact["fact"] == told.fact]
            if fact["status"] != "archived":
                life.faults.append(f"never archived: {told.fact}")
    for query, text in QUESTIONS:
        for at in (END, END + timedelta(days=730)):
            found = life.ask(at, "recall", query, "--no-touch", statuses=(0, 1))["results"]
            if not found or text not in _LINK.sub(r"\1", found[0]["text"]):
                life.faults.append(f"{at:%Y-%m}: {query}: {[hit['text'] for hit in found[:3]]}, not {text}")


def look_at_what_was_pruned(life: Life) -> None:
    """Look whether old versions left items.json, and history tells them as before."""
    ships = [told.fact for _, told in TOLD if told.key == LAUNCH]
    path = life.folder(KESTREL) / "archive.json"
    moved = [fact["fact"] for fact in json.loads(path.read_text(encoding="utf-8"))] if path.exists() else []
    if not set(ships[:3]) <= set(moved) or set(ships[-3:]) & set(moved):
        life.faults.append(f"archive.json of Kestrel has {moved}")
    [chain] = [one for one in life.ask(END, "history", "kestrel", LAUNCH)["lineages"] if one[0]["text"] == ships[-1]]
    if [version["text"] for version in chain if "9 June" not in version["text"]] != ships[::-1]:
        life.faults.append(f"history of Kestrel: {[version['text'] for version in chain]}")


def look_at_the_vault(life: Life) -> None:
    """Look whether git, the audit chains, the decisions and every file are whole, and nothing waits."""
    found = [one for one in life.ask(END, "check", statuses=(0, 1))["findings"] if one["severity"] != "info"]
    life.faults += [f"check: {one}" for one in found]
    life.faults += [f"fsck: {line}" for line in git(life.vault, "fsck", "--strict", "--no-dangling").splitlines()]
    by_hand = {f"memory/{note_day(event)}.md" for event in EVENTS if isinstance(event, Note) and event.dated}
    left = {line[3:] for line in git(life.vault, "status", "--porcelain", "-uall").splitlines()} - by_hand
    life.faults += [f"uncommitted: {path}" for path in sorted(left)]
    for path in (life.vault / "audit").iterdir():
        before = ""
        for number, line in enumerate(path.read_bytes().splitlines(), 1):
            if (json.loads(line)["seq"], json.loads(line)["prev"]) != (number, before):
                life.faults.append(f"{path.name}:{number}: the chain is broken")
            before = sha256(line).hexdigest()
    decided = (life.vault / "decisions.jsonl").read_text(encoding="utf-8").splitlines()
    verdicts = {(one["verdict"], one["statement"]) for one in map(json.loads, decided)}
    if len(verdicts) != len(WRONG) or {verdict for verdict, _ in verdicts} != {"wrong"}:
        life.faults.append(f"{len(WRONG)} values were judged wrong, decided is {verdicts}")
    if life.ask(END, "session", "list")["sessions"] or life.ask(END, "review", "list")["entries"]:
        life.faults.append("something is left over in sessions or review")
    sessions = {event.name for event in EVENTS if isinstance(event, Talk)}
    told = {path.stem[11:] for path in (life.vault / "memory/episodes").glob("*.md")}
    life.faults += [f"no session made the episode {name}" for name in told - sessions]


def audit(vault: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for path in (vault / "audit").iterdir() for line in path.read_bytes().splitlines()]


def test_a_life(tmp_path: Path, run: Run) -> None:
    vault = tmp_path / "life"
    assert run("init", vault, at=tmp_path, now=BIRTH.isoformat()).status == 0
    life = Life(vault, run)
    weeks = 0
    for at, what in timeline():
        if isinstance(what, Event):
            life.happen(what)
            continue
        life.settled(at, *what)
        if what[0] == "synthesize":
            weeks += 1
            look_at_week(life, weeks)
    for words in PASSES:
        life.settled(END, *words)
    look_at_week(life, WEEKS)
    for week in range(1, WEEKS + 1):
        look_back(life, week, END)
    look_through_history(life, END)
    look_for_wrong_values(life)
    look_at_what_faded(life)
    look_at_what_was_pruned(life)
    look_at_the_vault(life)
    assert life.faults == [], "\n".join(dict.fromkeys(life.faults))
    assert (weeks, sum(isinstance(event, Talk) for event in EVENTS), life.done["decay"]) == (30, 40, 210)

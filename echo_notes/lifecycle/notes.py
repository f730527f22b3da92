"""`note`, `learn` and `today`: an entry in a daily note, a line in MEMORY.md or in a topic note that it lists."""

from dataclasses import dataclass
from datetime import date

from echo_notes.files.change import Change, ChangeResult
from echo_notes.files.daily import append_entry
from echo_notes.files.layout import MEMORY, TOPICS_DIR, daily_path
from echo_notes.files.markdown import iter_blocks
from echo_notes.files.templates import load_template
from echo_notes.files.textfile import digest_bytes, dump_text
from echo_notes.guard.gate import Proposal
from echo_notes.guard.scan import strip_invisible
from echo_notes.lifecycle.opened import OpenVault
from echo_notes.model.errors import UsageError
from echo_notes.model.names import fold, slugify

_TOPICS = "Topics"
"""The heading of MEMORY.md under which topic notes are listed."""


@dataclass(frozen=True, slots=True)
class Noted:
    """Where text went: the file, the texts, which of them were there already, and the change."""

    path: str
    texts: tuple[str, ...]
    known: tuple[str, ...]
    change: ChangeResult


def note(opened: OpenVault, texts: tuple[str, ...], *, on: date | None = None) -> Noted:
    """Append entries to a day's note (default: today's), each with the time of day where the day is today."""
    _require_some(texts)
    with opened.change("note") as change:
        path = ""
        for text in texts:
            path = plan_entry(change, opened, _clean(change, opened, text), op="note", on=on)
        change.subject = f"note: {path}"
    return Noted(path, texts, (), change.result)


def learn(opened: OpenVault, texts: tuple[str, ...], *, section: str = "", topic: str = "") -> Noted:
    """Add lines to MEMORY.md under a section, or to a topic note that MEMORY.md then lists."""
    _require_some(texts)
    with opened.change("learn") as change:
        path = _plan_topic(change, topic) if topic else MEMORY
        known = [text for text in texts if not plan_line(change, opened, text, section=section, path=path)]
        change.subject = f"learn: {path}"
    return Noted(path, texts, tuple(known), change.result)


def plan_line(change: Change, opened: OpenVault, text: str, *, section: str = "", path: str = MEMORY) -> bool:
    """Plan one more line of MEMORY.md or of a topic note; False if it is there already."""
    line = _clean(change, opened, text)
    before = change.read_text(path)
    body = before.text if before else load_template("MEMORY.md")
    if _has_line(body, line):
        return False
    after = add_line(body, line, section)
    data = dump_text(after, bom=before.bom if before else False)
    change.put(path, data, Proposal(op="learn", target=path, texts={"line": line, "section": section or "-"}))
    return True


def plan_entry(change: Change, opened: OpenVault, text: str, *, op: str, on: date | None = None) -> str:
    """Plan an entry in a day's note and return the note's path; nothing above it is touched."""
    day = on or opened.today
    path = daily_path(day)
    before = change.read_text(path)
    time = f"{opened.now:%H:%M}" if day == opened.today else ""
    start = before.text if before else load_template("daily.md").replace("{date}", day.isoformat())
    after = append_entry(start, day, time, text, heading=opened.settings.daily_heading)
    data = dump_text(after, bom=before.bom if before else False)
    change.put(path, data, Proposal(op=op, target=path, texts={"entry": text}), digest=entry_digest(text))
    return path


def entry_digest(text: str) -> str:
    """Return the digest by which the audit knows an entry again, whatever its white space and wherever it moved."""
    return digest_bytes(" ".join(text.split()).encode("utf-8", "surrogatepass"))


def add_line(text: str, line: str, section: str) -> str:
    """Return Markdown with one more bullet: at the end of the section named (made if missing), else of the file.

    Without a section a list of topics at the end stays the end: the line goes before it.
    """
    newline = "\r\n" if "\r\n" in text else "\n"
    lines = text.splitlines(keepends=True)
    if lines and not lines[-1].endswith(("\n", "\r")):
        lines[-1] += newline
    at = len(lines)
    headings = [(block.line, block.text) for block in iter_blocks(text) if block.kind == "heading"]
    if not section and headings and fold(headings[-1][1].strip("# ")) == fold(_TOPICS):
        at = headings[-1][0] - 1
    if section:
        start = next((i for i, (_, title) in enumerate(headings) if fold(title.strip("# ")) == fold(section)), None)
        if start is None:
            gap = [newline] if lines and lines[-1].strip() else []
            return "".join([*lines, *gap, f"## {section}{newline}", newline, f"- {line}{newline}"])
        at = headings[start + 1][0] - 1 if start + 1 < len(headings) else len(lines)
    while at and not lines[at - 1].strip():
        at -= 1
    gap = [newline] if at and lines[at - 1].lstrip().startswith("#") else []
    return "".join([*lines[:at], *gap, f"- {line}{newline}", *lines[at:]])


def _plan_topic(change: Change, topic: str) -> str:
    """Return the path of a topic note, planned with MEMORY.md's line for it if it is new."""
    slug = slugify(topic)
    if not slug:
        raise UsageError(f"{topic!r} cannot name a topic", fix="Use letters or digits.")
    path = f"{TOPICS_DIR}/{slug}.md"
    link = f"[[{path.removesuffix('.md')}|{topic}]]"
    if change.read(path) is None:
        change.put(path, f"# {topic}\n".encode(), Proposal(op="learn", target=path, texts={"topic": topic}))
    before = change.read_text(MEMORY)
    body = before.text if before else load_template("MEMORY.md")
    if path.removesuffix(".md") not in body:
        after = add_line(body, link, _TOPICS)
        data = dump_text(after, bom=before.bom if before else False)
        change.put(MEMORY, data, Proposal(op="learn", target=MEMORY, texts={"topic": topic}))
    return path


def _clean(change: Change, opened: OpenVault, text: str) -> str:
    line = text.strip()
    if change.actor.strip_invisible:
        line = strip_invisible(line, joiners=opened.settings.joiners)
    _require_some(line)
    return line


def _require_some(given: str | tuple[str, ...]) -> None:
    if not given:
        raise UsageError("the text is empty", fix='For example: "Called the bank"')


def _has_line(text: str, line: str) -> bool:
    wanted = " ".join(fold(line).split())
    return any(" ".join(fold(known.strip().lstrip("-*+ ")).split()) == wanted for known in text.splitlines())

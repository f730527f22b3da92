"""Evaluation data as real vaults: one daily note a session, one entry a turn, paragraphs as notes, beliefs as facts."""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

_CHAT_TIME = "%I:%M %p on %d %B, %Y"
_CHAT_STAMP = re.compile(r"\d [ap]m on \d")
_HALVES = re.compile(r"_(dev|test|trial|held|full)$")


@dataclass(frozen=True, slots=True)
class Question:
    """A query, the ids of the texts that answer it, its category, and ids that must not be returned."""

    text: str
    gold: frozenset[str]
    category: str
    excluded: frozenset[str] = frozenset()
    scope: str | None = None


@dataclass(slots=True)
class Haystack:
    """A body of texts with its questions; `place` maps `path:line` of the vault to the id of the text there."""

    set_name: str
    name: str
    corpus: Sequence[Mapping[str, Any]]
    questions: Sequence[Question]
    place: dict[str, str] = field(default_factory=dict)
    now: datetime = datetime(2026, 11, 30, tzinfo=UTC)

    @property
    def is_chat(self) -> bool:
        """Whether the texts are turns of dated sessions."""
        return bool(_CHAT_STAMP.search(str(self.corpus[0].get("date"))))


def load_haystacks(folder: Path) -> Iterator[Haystack]:
    """Yield every haystack of a folder of JSON lines (`haystack`, `corpus`, `queries`), file by file."""
    for path in sorted(folder.glob("*.jsonl")):
        for line in path.read_text("utf-8").splitlines():
            row = json.loads(line)
            questions = [
                Question(
                    text=q["text"],
                    gold=frozenset(q["gold"]),
                    category=q["category"],
                    excluded=frozenset(q.get("must_exclude") or ()),
                    scope=q["scope"][0] if len(q.get("scope") or ()) == 1 else None,
                )
                for q in row["queries"]
            ]
            yield Haystack(_HALVES.sub("", path.stem), str(row["haystack"]), row["corpus"], questions)


def moment_of(text: Mapping[str, Any]) -> datetime | None:
    """Return when a text was written, None if it does not say."""
    stamp = str(text.get("date") or "")
    try:
        return datetime.strptime(stamp, _CHAT_TIME).replace(tzinfo=UTC)
    except ValueError:
        pass
    try:
        return datetime.fromisoformat(stamp).replace(tzinfo=UTC)
    except ValueError:
        return None


def write_vault(haystack: Haystack, root: Path) -> None:
    """Write the texts as a vault, in the form a person would keep them, and fill `place` and `now`."""
    root.mkdir(parents=True)
    (root / "echo.yaml").write_text("format: 1\n", encoding="utf-8")
    moments = [moment for text in haystack.corpus if (moment := moment_of(text))]
    if moments:
        haystack.now = max(moments)
    if "superseded_by" in haystack.corpus[0]:
        _write_facts(haystack, root)
    elif haystack.is_chat:
        _write_sessions(haystack, root)
    elif moments:
        _write_days(haystack, root)
    else:
        _write_paragraphs(haystack, root)


def _write_sessions(haystack: Haystack, root: Path) -> None:
    sessions: dict[str, list[Mapping[str, Any]]] = {}
    for text in haystack.corpus:
        sessions.setdefault(str(text["session"]), []).append(text)
    for name, texts in sessions.items():
        moment = moment_of(texts[0])
        day = moment.date().isoformat() if moment else "undated"
        clock = f"{moment:%H:%M} " if moment else ""
        _write_entries(haystack, root, f"memory/{day}-{name.replace('_', '-')}.md", day, texts, clock=clock)


def _write_days(haystack: Haystack, root: Path) -> None:
    days: dict[str, list[Mapping[str, Any]]] = {}
    for text in haystack.corpus:
        moment = moment_of(text)
        days.setdefault(moment.date().isoformat() if moment else "undated", []).append(text)
    for day, texts in days.items():
        _write_entries(haystack, root, f"memory/{day}.md", day, texts)


def _write_entries(
    haystack: Haystack, root: Path, path: str, day: str, texts: Sequence[Mapping[str, Any]], *, clock: str = ""
) -> None:
    lines = [f"# {day}", ""]
    for text in texts:
        haystack.place[f"{path}:{len(lines) + 1}"] = str(text["id"])
        lines.append(f"- {clock}{_one_line(text['text'])}")
    _write(root / path, "\n".join(lines) + "\n")


def _write_paragraphs(haystack: Haystack, root: Path) -> None:
    for text in haystack.corpus:
        path = f"notes/{text['id']}.md"
        haystack.place[f"{path}:1"] = str(text["id"])
        _write(root / path, _one_line(text["text"]) + "\n")


def _write_facts(haystack: Haystack, root: Path) -> None:
    path = "life/areas/people/me/items.json"
    rows = []
    known = {str(text["id"]) for text in haystack.corpus}
    for text in haystack.corpus:
        successor = text["superseded_by"]
        row = {"id": text["id"], "fact": text["text"], "category": "preference", "timestamp": str(text["date"])[:10]}
        row |= {"source": "conversation", "status": "superseded" if successor else "active"}
        row["supersededBy"] = successor if successor in known else None
        row["scope"] = "global" if str(text["session"]).startswith("user:") else text["session"]
        rows.append(row | ({"pinned": True} if text.get("pinned") else {}))
    body = json.dumps(rows, ensure_ascii=False, indent=2)
    for number, line in enumerate(body.splitlines(), 1):
        if line == "  {":
            start = number
        elif match := re.fullmatch(r'    "id": "(.*)",', line):
            haystack.place[f"{path}:{start}"] = match[1]
    _write(root / path, body + "\n")


def _one_line(text: str) -> str:
    return " ".join(str(text).split())


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def check_places(haystack: Haystack) -> None:
    """Raise if two texts share a place: then scores would be wrong without a sign of it."""
    doubled = [place for place, count in Counter(haystack.place.values()).items() if count > 1]
    if doubled or len(haystack.place) != len(haystack.corpus):
        raise ValueError(f"{haystack.name}: texts without a place of their own: {doubled[:5]}")

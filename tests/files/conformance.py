"""Whether a folder is a vault as VAULT-FORMAT.md has it, checked with json and yaml and no code of the program."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

import yaml

from tests.files.conformance_facts import facts_of, problems_of_facts


@dataclass(frozen=True, slots=True)
class Violation:
    """A rule of VAULT-FORMAT.md that a file breaks; `must` tells whether the rule is one."""

    rule: str
    path: str
    message: str

    @property
    def must(self) -> bool:
        """Whether the rule is a must."""
        return self.rule not in SHOULD


RULES = frozenset(
    [
        *(f"V{n}" for n in range(1, 7)),
        *(f"E{n}" for n in range(1, 4)),
        *(f"F{n}" for n in range(1, 15)),
        *(f"S{n}" for n in range(1, 6)),
        *(f"N{n}" for n in range(1, 7)),
        *(f"L{n}" for n in range(1, 6)),
    ]
)
SHOULD = frozenset(["V5", "E3", "F2", "F4", "F10", "F13", "S3", "S5", "N2", "N6"])

_MERGES = {
    "memory/**/*.md": "union",
    "decisions.jsonl": "union",
    "items.json": "echo-notes",
    "archive.json": "echo-notes",
    "review.json": "echo-notes",
}
_BEGIN = re.compile(r"^<!-- echo:begin summary sha256:([0-9a-f]{64}) -->$")
_END = "<!-- echo:end summary -->"
_AUDIT_KEYS = ["seq", "prev", "at", "actor", "path", "op", "target", "type", "provenance", "digest", "ok", "reason"]
_DECISION_KEYS = ["at", "entity", "key", "value", "statement", "verdict", "by", "fact"]
_REASONS = {"", "provenance", "en_injection", "zh_injection", "invisible_unicode", "secret", "rejected_value"}
_REASONS |= {"scope", "transient", "invalid"}
_EPISODE_KEYS = {"sessionKey", "messageRangeStart", "messageRangeEnd", "entityIds", "importance", "createdAt"}
Found = Iterator[Violation]


def problems_of_vault(root: Path) -> list[Violation]:
    """Return every violation of every rule that can be checked on files, in the order of the rules."""
    settings = _settings(root)
    found = [*_vault(root, settings), *_texts(root), *_entities(root, settings)]
    for rule, path, message in problems_of_facts(root, settings):
        found.append(Violation(rule, path, message))
    found += [*_summaries(root), *_notes(root), *_episodes(root), *_logs(root)]
    return sorted(found, key=lambda violation: (violation.rule, violation.path))


def _settings(root: Path) -> dict[str, Any]:
    path = root / "echo.yaml"
    loaded = yaml.safe_load(path.read_text(encoding="utf-8-sig")) if path.is_file() else None
    return loaded if isinstance(loaded, dict) else {}


def _vault(root: Path, settings: dict[str, Any]) -> Found:
    if settings.get("format") != 1:
        yield Violation("V1", "echo.yaml", "format: 1 is missing")
    ignored = (root / ".gitignore").read_text().split() if (root / ".gitignore").is_file() else []
    own = root / ".echo/.gitignore"
    if ".echo/" not in ignored and not (own.is_file() and own.read_text().split() == ["*"]):
        yield Violation("V3", ".gitignore", ".echo/ is not ignored")
    attributes = (root / ".gitattributes").read_text().split("\n") if (root / ".gitattributes").is_file() else []
    for pattern, driver in _MERGES.items():
        if f"{pattern} merge={driver}" not in attributes:
            yield Violation("V4", ".gitattributes", f"{pattern} does not merge by {driver}")
    if not (root / "MEMORY.md").is_file():
        yield Violation("V5", "MEMORY.md", "is missing")
    for path in root.rglob("*"):
        if path.is_symlink() and not path.resolve().is_relative_to(root.resolve()):
            yield Violation("V6", path.relative_to(root).as_posix(), "leads out of the vault")


def _texts(root: Path) -> Found:
    for path in _files(root, ".md", ".json", ".jsonl", ".yaml"):
        try:
            path.read_bytes().decode("utf-8")
        except UnicodeDecodeError:
            yield Violation("V2", path.relative_to(root).as_posix(), "is not UTF-8")


def _entities(root: Path, settings: dict[str, Any]) -> Found:
    kinds = settings.get("kinds", ["people", "companies", "projects"])
    for folder in sorted(root.glob("life/areas/*/*/")):
        path = folder.relative_to(root).as_posix()
        if folder.parent.name not in kinds:
            yield Violation("E1", path, "is of a kind that echo.yaml does not name")
        slug = folder.name
        if slug != slug.lower() or re.search(r"[\s_/\\.:]|--|^-|-$", slug) or len(slug) > 80:
            yield Violation("E2", path, "is not a lower-case kebab name")
        for name in ("items.json", "summary.md"):
            if not (folder / name).is_file():
                yield Violation("E3", path, f"has no {name}")


def _summaries(root: Path) -> Found:
    fact_ids = {record.get("id") for _, record in facts_of(root)}
    for path in sorted(root.glob("life/areas/*/*/summary.md")):
        shown = path.relative_to(root).as_posix()
        text = _read(path)
        values, body = _front_matter(text)
        lists = all(isinstance((values or {}).get(key, []), list) for key in ("aliases", "tags"))
        if not values or not values.get("name") or values.get("kind") != path.parent.parent.name or not lists:
            yield Violation("S1", shown, "front matter does not give name, kind, aliases and tags")
        yield from _region(shown, body.split("\n"), fact_ids)
        for target in re.findall(r"\[\[(life/areas/[^\]|#]+)", body):
            if not (root / f"{target}.md").is_file():
                yield Violation("S5", shown, f"[[{target}]] leads nowhere")


def _region(shown: str, lines: list[str], fact_ids: set[Any]) -> Found:
    begins = [number for number, line in enumerate(lines) if line.startswith("<!-- echo:begin summary")]
    ends = [number for number, line in enumerate(lines) if line == _END]
    if not begins and not ends:
        return
    if len(begins) != 1 or len(ends) != 1 or ends[0] < begins[0] or not _BEGIN.match(lines[begins[0]]):
        yield Violation("S2", shown, "the markers do not make one region")
        return
    inside = lines[begins[0] + 1 : ends[0]]
    digest = _BEGIN.match(lines[begins[0]])
    if digest and digest[1] != sha256("".join(line + "\n" for line in inside).encode()).hexdigest():
        yield Violation("S3", shown, "the region is not the one that was generated")
    for line in inside:
        cited = re.search(r"\(([^()]+)\)$", line)
        if line.startswith("- ") and not (cited and {part.strip() for part in cited[1].split(",")} <= fact_ids):
            yield Violation("S4", shown, f"cites no fact that exists: {line}")


def _notes(root: Path) -> Found:
    for path in sorted((root / "memory").glob("*.md")):
        shown = path.relative_to(root).as_posix()
        name = re.fullmatch(r"(\d{4}-\d{2}-\d{2})(?:-.+)?", path.stem)
        if not name or not _is_day(name[1]):
            yield Violation("N1", shown, "is not named by a day")
        elif not re.search(rf"^# {name[1]}", _read(path), re.MULTILINE):
            yield Violation("N2", shown, "has no heading with its day")
    for path in sorted((root / "memory/weekly").glob("*.md")):
        if not _is_week(path.stem):
            yield Violation("N5", path.relative_to(root).as_posix(), "is not named by a week")
    memory = _read(root / "MEMORY.md") if (root / "MEMORY.md").is_file() else ""
    for path in sorted((root / "memory/topics").glob("*.md")):
        if f"memory/topics/{path.stem}" not in memory:
            yield Violation("N6", path.relative_to(root).as_posix(), "is not listed in MEMORY.md")


def _episodes(root: Path) -> Found:
    for path in sorted((root / "memory/episodes").glob("*.md")):
        shown = path.relative_to(root).as_posix()
        values, body = _front_matter(_read(path))
        if not values or not set(values) >= _EPISODE_KEYS or not body.strip():
            yield Violation("N3", shown, "lacks a field of an episode, or its text")
        if not re.fullmatch(r"\d{4}-\d{2}-\d{2}-.+", path.stem) or not _is_day(path.stem[:10]):
            yield Violation("N4", shown, "is not named by a day and a session")


def _logs(root: Path) -> Found:
    for path in sorted((root / "audit").glob("*")):
        shown = path.relative_to(root).as_posix()
        if not re.fullmatch(r"\d{4}-(0[1-9]|1[0-2])\.[\w-]+\.jsonl", path.name):
            yield Violation("L1", shown, "is not named by a month and a writer")
        yield from _audit_lines(shown, path.read_bytes().split(b"\n")[:-1])
    decisions = root / "decisions.jsonl"
    for line in decisions.read_bytes().split(b"\n")[:-1] if decisions.is_file() else []:
        record = _object(line)
        if list(record) != _DECISION_KEYS or record["verdict"] not in {"wrong", "reinstated", "withdrawn"}:
            yield Violation("L4", "decisions.jsonl", f"not a decision: {line[:60]!r}")
    review = root / "review.json"
    if review.is_file():
        loaded = json.loads(review.read_bytes())
        ids = Counter(entry.get("id") for entry in loaded) if isinstance(loaded, list) else Counter({None: 1})
        if None in ids or any(count > 1 for count in ids.values()):
            yield Violation("L5", "review.json", "is not a list of entries with an id each")


def _audit_lines(shown: str, lines: list[bytes]) -> Found:
    prev, seq = "", 0
    for line in lines:
        record = _object(line)
        if list(record) != _AUDIT_KEYS or record["reason"] not in _REASONS or not isinstance(record["ok"], bool):
            yield Violation("L2", shown, f"not an audit line: {line[:60]!r}")
        elif record["prev"] != prev or record["seq"] != seq + 1:
            yield Violation("L3", shown, f"line {seq + 1} does not follow from the one before")
        prev, seq = sha256(line).hexdigest(), seq + 1


def _object(line: bytes) -> dict[str, Any]:
    try:
        record = json.loads(line)
    except ValueError:
        return {}
    return record if isinstance(record, dict) else {}


def _front_matter(text: str) -> tuple[dict[str, Any] | None, str]:
    match = re.match(r"---\n(.*?)^---\n", text, re.DOTALL | re.MULTILINE)
    if not match:
        return None, text
    try:
        values = yaml.safe_load(match[1])
    except yaml.YAMLError:
        return None, text
    return (values if isinstance(values, dict) else None), text[match.end() :]


def _read(path: Path) -> str:
    return path.read_bytes().decode("utf-8-sig", errors="replace").replace("\r\n", "\n")


def _files(root: Path, *suffixes: str) -> Iterator[Path]:
    for path in sorted(root.rglob("*")):
        hidden = any(part.startswith(".") for part in path.relative_to(root).parts)
        if path.suffix in suffixes and path.is_file() and not hidden:
            yield path


def _is_day(text: str) -> bool:
    try:
        return bool(date.fromisoformat(text))
    except ValueError:
        return False


def _is_week(text: str) -> bool:
    match = re.fullmatch(r"(\d{4})-W(\d{2})", text)
    try:
        return bool(match and datetime.fromisocalendar(int(match[1]), int(match[2]), 1))
    except ValueError:
        return False

import json
import re
import shutil
from collections.abc import Callable
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest

from echo_notes.files.audit import AuditLine, chain
from echo_notes.files.daily import append_entry
from echo_notes.files.episodes import Episode, episode_name, format_episode
from echo_notes.files.items import ItemsFile, digest_record, new_record
from echo_notes.files.summary import new_summary, replace_region
from echo_notes.model.entity import EntityRef
from echo_notes.model.fact import ERASED_TEXT, SUPERSEDED, Fact
from tests.files.conformance import RULES, SHOULD, problems_of_vault

ROOT = Path(__file__).parents[2]
ADA = EntityRef("people", "ada-lovelace")
FOLDER = "life/areas/people/ada-lovelace"
NOW = datetime(2026, 11, 30, 14, 32, 5, tzinfo=UTC)
TEMPLATE = "---\nname: {name}\nkind: {kind}\naliases: {aliases}\ntags: {tags}\n---\n# {name}\n"
ATTRIBUTES = (
    "memory/**/*.md merge=union\ndecisions.jsonl merge=union\n"
    "items.json merge=echo-notes\narchive.json merge=echo-notes\nreview.json merge=echo-notes\n"
)


def facts() -> list[Fact]:
    """Return facts of every kind that the program writes."""
    day = date(2026, 11, 30)
    plain: dict[str, Any] = {"entity": ADA, "timestamp": day, "provenance": "user_stated", "created_at": NOW}
    return [
        Fact(id="ada-lovelace-001", text="Ada works at Acme", key="employer", status=SUPERSEDED, superseded_at=NOW,
             superseded_by="ada-lovelace-002", superseded_reason="changed", **plain),
        Fact(id="ada-lovelace-002", text="Ada works at Öresund: #1", key="employer", version=2, **plain),
        Fact(id="ada-lovelace-003", text="she likes tea", category="preference", pinned=True, tags=("tea", "茶"),
             importance=0.9, access_count=3, last_accessed=NOW, related=("people/ada-lovelace",), **plain),
        Fact(id="ada-lovelace-004", text=ERASED_TEXT, erased_at=NOW, status="archived", valid_from=day, **plain),
    ]  # fmt: skip


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    """Return a small vault, written by the files layer."""
    root = tmp_path / "vault"
    (root / FOLDER).mkdir(parents=True)
    for folder in ("memory/episodes", "memory/weekly", "memory/topics", "audit"):
        (root / folder).mkdir(parents=True)
    items = ItemsFile.parse(b"[]\n", entity=ADA, path=f"{FOLDER}/items.json")
    for fact in facts():
        items = items.add(new_record(fact))
    (root / FOLDER / "items.json").write_bytes(items.dump())
    summary = new_summary("Ada: Lovelace", "people", TEMPLATE, aliases=["Ada"])
    region = "## Now\n\n- Ada works at Öresund: #1 (ada-lovelace-002)\n- tea (ada-lovelace-003, ada-lovelace-001)\n"
    _write(root / FOLDER / "summary.md", replace_region(summary, region)[0])
    _write(root / "echo.yaml", "format: 1\n")
    _write(root / ".gitignore", ".echo/\n")
    _write(root / ".gitattributes", ATTRIBUTES)
    _write(root / "MEMORY.md", "# Memory\n\n- [[memory/topics/tea|Tea]]\n")
    _write(root / "memory/topics/tea.md", "# Tea\n")
    _write(root / "memory/2026-11-30.md", append_entry(None, NOW.date(), "14:32", "tea"))
    _write(root / "memory/weekly/2026-W48.md", "# 2026-W48\n")
    episode = Episode(session_key="chat", summary="Tea was drunk.", created_at=NOW, entity_ids=(str(ADA),))
    _write(root / "memory/episodes" / episode_name(NOW.date(), "chat"), format_episode(episode))
    digest = digest_record(items.facts[0].record)
    line = AuditLine(at="2026-11-30T14:32:05Z", actor="user", path="cli.remember", op="add", target="x", digest=digest)
    first = chain([line, line], b"")
    (root / "audit/2026-11.laptop.jsonl").write_bytes(first + chain([line], first))
    decision = {"at": "2026-11-30T14:32:05Z", "entity": str(ADA), "key": "employer", "value": "x", "statement": "y"}
    decision |= {"verdict": "wrong", "by": "user_stated", "fact": "ada-lovelace-001"}
    _write(root / "decisions.jsonl", json.dumps(decision) + "\n")
    _write(root / "review.json", '[\n  {"id": "r-1"}\n]\n')
    return root


def _write(path: Path, text: str) -> None:
    path.write_bytes(text.encode())


def _edit(path: str, old: str, new: str) -> Callable[[Path], object]:
    def edit(root: Path) -> None:
        text = (root / path).read_text(encoding="utf-8")
        assert old in text
        _write(root / path, text.replace(old, new, 1))

    return edit


def _put(path: str, text: str | bytes) -> Callable[[Path], object]:
    def put(root: Path) -> None:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(text.encode() if isinstance(text, str) else text)

    return put


def _drop(path: str) -> Callable[[Path], object]:
    return lambda root: (root / path).unlink()


def _record(number: int, **changes: Any) -> Callable[[Path], object]:
    def change(root: Path) -> None:
        path = root / FOLDER / "items.json"
        records = json.loads(path.read_bytes())
        records[number] |= changes
        _write(path, json.dumps(records, indent=2, ensure_ascii=False) + "\n")

    return change


ITEMS, SUMMARY, EPISODE = f"{FOLDER}/items.json", f"{FOLDER}/summary.md", "memory/episodes/2026-11-30-chat.md"
AUDIT = "audit/2026-11.laptop.jsonl"
BROKEN: list[tuple[str, Callable[[Path], object]]] = [
    ("V1", _put("echo.yaml", "format: 2\n")),
    ("V1", _drop("echo.yaml")),
    ("V2", _put("reading/x.md", b"caf\xe9")),
    ("V3", _put(".gitignore", "")),
    ("V4", _edit(".gitattributes", "items.json merge=echo-notes", "items.json merge=union")),
    ("V5", _drop("MEMORY.md")),
    ("V6", lambda root: (root / "out").symlink_to(root.parent)),
    ("E1", lambda root: (root / "life/areas/gods/zeus").mkdir(parents=True)),
    ("E2", lambda root: (root / "life/areas/people/Ada L").mkdir(parents=True)),
    ("E3", _drop(SUMMARY)),
    ("F1", _put(ITEMS, "[{]")),
    ("F1", _put(ITEMS, "[1]\n")),
    ("F1", _edit(ITEMS, '"pinned": true', '"pinned": true, "pinned": true')),
    ("F2", _edit(ITEMS, '"fact"', '"content"')),
    ("F3", _record(1, id="ada-lovelace-001")),
    ("F3", _record(1, fact="")),
    ("F4", _record(2, id="deliverable-001")),
    ("F5", _record(2, category="mood")),
    ("F6", _record(2, timestamp="soon")),
    ("F7", _record(2, status="done")),
    ("F8", _record(0, supersededBy=None)),
    ("F8", _record(0, supersededBy="ada-lovelace-009")),
    ("F8", _record(1, version=3)),
    ("F8", _record(1, status="superseded", supersededBy="ada-lovelace-001")),
    ("F9", _record(2, importance=2)),
    ("F9", _record(2, pinned="yes")),
    ("F9", _record(2, createdAt="never")),
    ("F10", _record(2, version=1)),
    ("F11", _record(2, relatedEntities=["companies/nowhere"])),
    ("F12", _record(2, fact=ERASED_TEXT)),
    ("F13", lambda root: _write(root / ITEMS, (root / ITEMS).read_text(encoding="utf-8").rstrip("\n"))),
    ("F13", lambda root: _write(root / ITEMS, (root / ITEMS).read_text(encoding="utf-8").replace("    ", "\t"))),
    ("F14", _put(f"{FOLDER}/archive.json", "[]\n")),
    ("S1", _edit(SUMMARY, "kind: people", "kind: companies")),
    ("S1", _edit(SUMMARY, 'name: "Ada: Lovelace"', "name: Ada: Lovelace")),
    ("S2", _edit(SUMMARY, "<!-- echo:end summary -->", "")),
    ("S3", _edit(SUMMARY, "## Now", "## Then")),
    ("S4", _edit(SUMMARY, "(ada-lovelace-002)", "(ada-lovelace-099)")),
    ("S5", _edit(SUMMARY, "# Ada", "[[life/areas/people/nobody/summary|N]]\n# Ada")),
    ("N1", _put("memory/2026-13-01.md", "x")),
    ("N2", _put("memory/2026-11-29.md", "x")),
    ("N3", _edit(EPISODE, "importance", "weight")),
    ("N4", lambda root: (root / EPISODE).rename(root / "memory/episodes/chat.md")),
    ("N5", _put("memory/weekly/2026-W60.md", "x")),
    ("N6", _put("memory/topics/lost.md", "x")),
    ("L1", lambda root: (root / AUDIT).rename(root / "audit/laptop.jsonl")),
    ("L2", _edit(AUDIT, '"reason":""', '"reason":"mood"')),
    ("L2", _edit(AUDIT, "}\n", "\n")),
    ("L3", _edit(AUDIT, "cli.remember", "cli.forged")),
    ("L4", _edit("decisions.jsonl", '"wrong"', '"maybe"')),
    ("L5", _put("review.json", '[{"id": "a"}, {"id": "a"}]')),
]


def test_what_the_files_layer_writes_conforms(vault: Path) -> None:
    assert problems_of_vault(vault) == []


@pytest.mark.parametrize(("rule", "damage"), BROKEN, ids=[f"{rule}-{n}" for n, (rule, _) in enumerate(BROKEN)])
def test_every_rule_notices_what_breaks_it(vault: Path, rule: str, damage: Callable[[Path], object]) -> None:
    damage(vault)
    assert rule in {violation.rule for violation in problems_of_vault(vault)}


def test_every_rule_is_written_down_and_tried() -> None:
    text = (ROOT / "VAULT-FORMAT.md").read_text(encoding="utf-8")
    rules = dict(re.findall(r"^- \*\*([A-Z]\d+)\*\* (.*?)(?=\n- \*\*|\n\n)", text, re.MULTILINE | re.DOTALL))
    assert set(rules) == RULES == {rule for rule, _ in BROKEN}
    for rule, words in rules.items():
        assert ("should" in words.split(". ")[0]) == (rule in SHOULD), rule


def test_the_sample_vault_conforms_but_for_one_entity_of_unusual_shape() -> None:
    found = problems_of_vault(ROOT / "sample_vault")
    assert [violation for violation in found if violation.must] == []
    odd = {(violation.rule, violation.path) for violation in found}
    assert odd == {("F2", "life/areas/projects/learn-mandarin/items.json")}


def test_every_items_file_of_the_sample_vault_survives_an_edit(tmp_path: Path) -> None:
    root = tmp_path / "copy"
    shutil.copytree(ROOT / "sample_vault", root)
    for path in root.glob("life/areas/*/*/items.json"):
        entity = EntityRef(path.parts[-3], path.parts[-2])
        file = ItemsFile.parse(path.read_bytes(), entity=entity, path="items.json")
        new = Fact(id=f"{entity.slug}-099", text="new", entity=entity, timestamp=NOW.date())
        path.write_bytes(file.add(new_record(new)).set(0, {"importance": 0.75, "tags": ["x"]}).dump())
    assert [violation for violation in problems_of_vault(root) if violation.must] == []

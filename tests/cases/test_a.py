"""Cases of section A as tests: odd front matter and Markdown, kept byte for byte and still found."""

import base64
import hashlib
import json
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from tests.conftest import Ran, git

Run = Callable[..., Ran]

BROKEN = {
    "notes/a.md": "---\nkey: `C:\\agent\\x`\n---\nalpha aardvark\n",
    "notes/c.md": "---\ntitle: *Italic*\n---\ngamma giraffe\n",
    "notes/d.md": "---\nlinks:\n- [[link]]suffix\n---\ndelta dingo\n",
}
SOUND = {
    "notes/b.md": "---\nnever closed\nbeta buffalo\n",
    "notes/t.md": "---\ntype: null\n---\nepsilon echidna\n",
    "notes/n.md": "---\ntitle: no type here\n---\neta emu\n",
    "notes/u.md": "text --- more\n| a | b |\n|---|---|\nzeta zorilla\n",
}
HARD = [
    ": # & * ! | > ' \" % @ `", "-leading", "- item", "@x", "%y", "{a: b}", "[x, y]", "\\back\\slash", "tab\there",
    "?q", "!tag", "<<: merge", "null", "true", "2026-01-01", "it's", "two\nlines", "trailing ", 'role: lead: infra "x"',
]  # fmt: skip


def _write(vault: Path, files: dict[str, str]) -> None:
    for path, text in files.items():
        (vault / path).parent.mkdir(parents=True, exist_ok=True)
        (vault / path).write_bytes(text.encode())


def _texts(ran: Ran) -> list[str]:
    return [one["text"] for one in json.loads(ran.out)["results"]]


@pytest.mark.parametrize("title", ["Governance: Rootkeeper", "L2 (Split: Rootkeeper)"])
def test_1_a_title_with_a_colon_is_indexed_whole_warned_of_once_and_left_alone(
    run: Run, empty_vault: Path, title: str
) -> None:
    _write(empty_vault, {"notes/x.md": f"---\ntitle: {title}\n---\nThe quokka plan.\n"})
    before = (empty_vault / "notes/x.md").read_bytes()
    ran = run("recall", "rootkeeper", at=empty_vault)
    assert (ran.status, ran.out.splitlines()[0]) == (0, "The quokka plan.")
    assert ran.err.count("notes/x.md") == 1
    assert ran.err.startswith("echo-notes: notes/x.md:2:")
    assert (empty_vault / "notes/x.md").read_bytes() == before


def test_2_a_summary_with_broken_front_matter_is_named_and_the_others_are_done(run: Run, empty_vault: Path) -> None:
    for name in ("ada", "bob"):
        run("remember", f"{name} drinks tea", "--about", f"people/{name}", at=empty_vault)
    broken = b"---\nname: x\ndesc: [unclosed\n---\nbody about the zebra\n"
    path = empty_vault / "life/areas/people/ada/summary.md"
    path.write_bytes(broken)
    ran = run("synthesize", at=empty_vault)
    assert ran.status == 6
    assert "life/areas/people/ada/summary.md:4:1" in ran.err
    assert path.read_bytes() == broken
    assert "(bob-001)" in (empty_vault / "life/areas/people/bob/summary.md").read_text()
    assert _texts(run("recall", "zebra", "--json", at=empty_vault)) == ["body about the zebra"]


def test_4_and_5_files_with_bad_front_matter_are_named_each_run_and_hide_nothing(run: Run, empty_vault: Path) -> None:
    _write(empty_vault, {**BROKEN, **SOUND, **{f"notes/g{n}.md": f"good platypus{n}\n" for n in range(20)}})
    for word in ("aardvark", "giraffe", "dingo", "buffalo", "echidna", "emu", "zorilla", "platypus7", "platypus19"):
        started = time.monotonic()
        ran = run("recall", word, "-k", "1", "--json", at=empty_vault)
        assert word in _texts(ran)[0]
        assert time.monotonic() - started < 5
        named = {one.partition(":")[0] for one in json.loads(ran.out)["degraded"]}
        assert named == set(BROKEN)
    assert run("check", at=empty_vault).status == 1
    for path, text in {**BROKEN, **SOUND}.items():
        assert (empty_vault / path).read_bytes() == text.encode()


def test_5_null_in_every_field_of_a_summary_means_the_default(run: Run, empty_vault: Path) -> None:
    text = "---\ntype:\nname: null\naliases: null\ntags: 3\n---\nyak\n"
    _write(empty_vault, {"life/areas/projects/p/summary.md": text})
    assert json.loads(run("show", "p", "--json", at=empty_vault).out)["name"] == "p"
    assert run("remember", "P has a yak", "--about", "p", at=empty_vault).status == 0
    assert run("synthesize", at=empty_vault).status == 0
    left = (empty_vault / "life/areas/projects/p/summary.md").read_text()
    assert left.startswith("---\ntype:\nname: null\naliases: null\ntags: 3\nsynthesized: 2026-11-30\n---\nyak\n")


def test_7_three_hyphens_inside_a_line_or_a_table_are_no_front_matter(run: Run, empty_vault: Path) -> None:
    _write(empty_vault, SOUND)
    found = json.loads(run("recall", "zorilla", "-k", "1", "--json", at=empty_vault).out)["results"][0]
    assert (found["path"], found["line"]) == ("notes/u.md", 4)
    first = json.loads(run("recall", "text more", "-k", "1", "--json", at=empty_vault).out)["results"][0]
    assert (first["path"], first["line"]) == ("notes/u.md", 1)


def _is_crlf(raw: bytes) -> bool:
    return raw.count(b"\r\n") == raw.count(b"\n") > 0


ITEMS = [{"id": "ada-001", "fact": "Ada likes tea", "category": "preference", "timestamp": "2026-01-02",
          "source": "conversation", "status": "active", "supersededBy": None}]  # fmt: skip
WINDOWS = {
    "life/areas/people/ada/summary.md": "---\nname: Ada Lovelace\naliases: [Countess]\n---\nI wrote this.\n",
    "life/areas/people/ada/items.json": json.dumps(ITEMS, indent=2) + "\n",
    "memory/2026-11-30.md": "# 2026-11-30\n\n- 09:00 morning\n",
    "MEMORY.md": "# Memory\n\n- x\n",
}


def test_8_bom_and_crlf_survive_every_kind_of_write(run: Run, empty_vault: Path) -> None:
    _write(empty_vault, {path: "\ufeff" + text.replace("\n", "\r\n") for path, text in WINDOWS.items()})
    git(empty_vault, "add", "-A")
    git(empty_vault, "commit", "-q", "-m", "from Windows")
    assert _texts(run("recall", "tea", "--json", at=empty_vault))[0] == "Ada likes tea"
    for words in (
        ["remember", "Ada lives in London", "--about", "Countess"],
        ["supersede", "ada-001", "Ada likes coffee"],
        ["note", "evening"],
        ["learn", "check twice"],
        ["synthesize"],
        ["entity", "alias", "ada", "Lady A: #1"],
    ):
        ran = run(*words, at=empty_vault)
        assert ran.status == 0, ran.err
    for path in WINDOWS:
        raw = (empty_vault / path).read_bytes()
        assert raw.startswith(b"\xef\xbb\xbf"), path
        assert _is_crlf(raw), path
    assert git(empty_vault, "status", "--porcelain") == ""
    assert run("recall", "coffee", at=empty_vault).status == 0
    assert run("check", at=empty_vault).status == 0


def test_8_a_checkout_with_autocrlf_is_written_to_and_stays_clean(run: Run, empty_vault: Path, tmp_path: Path) -> None:
    _write(empty_vault, WINDOWS)
    git(empty_vault, "add", "-A")
    git(empty_vault, "commit", "-q", "-m", "on Linux")
    git(tmp_path, "clone", "-q", "-c", "core.autocrlf=true", str(empty_vault), "copy")
    copy = tmp_path / "copy"
    assert _is_crlf((copy / "life/areas/people/ada/items.json").read_bytes())
    for words in (["remember", "Ada plays chess", "--about", "ada"], ["synthesize"], ["note", "evening"], ["undo"]):
        ran = run(*words, at=copy)
        assert ran.status == 0, ran.err
        assert git(copy, "status", "--porcelain") == ""
    assert _is_crlf((copy / "life/areas/people/ada/items.json").read_bytes())
    assert run("check", at=copy).status == 0
    assert b"\r" not in git(copy, "show", "HEAD:life/areas/people/ada/items.json").encode()


def test_10_whatever_is_said_is_written_so_that_strict_parsers_read_it_back(run: Run, empty_vault: Path) -> None:
    for text in HARD:
        ran = run("remember", "--about", "people/bob", "--", text, at=empty_vault)
        assert ran.status == 0, ran.err
    records = json.loads((empty_vault / "life/areas/people/bob/items.json").read_text())
    assert [record["fact"] for record in records] == [text.strip() for text in HARD]
    assert git(empty_vault, "status", "--porcelain") == ""


NAMES = [
    "R&D | Ops: EU", "- dash", "# hash", '"quoted"', "it's", "true", "null", "2026", "2026-11-30", "a: b", "[list]",
    "{m}", "@at", "%pct", "`tick`", "*star*", "&anchor", "!bang", "~", "<html>", "a\\b", "?", "...", "yes", "1e3",
]  # fmt: skip


def test_10_and_11_any_name_is_front_matter_that_strict_yaml_reads_back(run: Run, empty_vault: Path) -> None:
    for name in NAMES:
        ran = run("entity", "new", f"projects/{name}", at=empty_vault)
        assert ran.status == 0, ran.err
    summaries = (empty_vault / "life/areas/projects").glob("*/summary.md")
    blocks = [yaml.safe_load(path.read_text().split("---\n")[1]) for path in summaries]
    assert sorted(block["name"] for block in blocks) == sorted(NAMES)
    listed = json.loads(run("ls", "--json", at=empty_vault).out)["entities"]
    assert sorted(one["name"] for one in listed) == sorted(NAMES)


def test_11_a_name_with_a_bar_and_a_colon_is_listed_recalled_and_written_to(run: Run, empty_vault: Path) -> None:
    run("entity", "new", "projects/R&D | Ops: EU", at=empty_vault)
    ran = run("remember", "the budget is 5M", "--about", "R&D | Ops: EU", at=empty_vault)
    assert ran.status == 0, ran.err
    assert "R&D | Ops: EU" in run("ls", at=empty_vault).out
    found = json.loads(run("recall", "R&D budget", "--json", at=empty_vault).out)["results"][0]
    assert (found["entity"], found["text"]) == ("projects/r-d-ops-eu", "the budget is 5M")


NOTE = """# 2026-11-29

| name | role |
|---|---|
| Ada  | CTO |

[24:33.098 - 24:41.260] we talked to Ada about prices

- [x] done thing
- [/] half thing
- Added [[Target]] to the roster with [[Other|the other]]
- http://x.example/#frag and issue #12 and `#code`
"""


def test_13_and_14_tables_transcripts_boxes_and_prose_mint_nothing(run: Run, empty_vault: Path) -> None:
    _write(empty_vault, {"memory/2026-11-29.md": NOTE})
    assert json.loads(run("extract", "2026-11-29", "--json", at=empty_vault).out)["facts"] == []
    assert json.loads(run("ls", "--json", at=empty_vault).out)["entities"] == []
    for tag in ("x", "/", "12", "frag", "code", "Ada"):
        assert run("recall", "thing", "--tag", tag, at=empty_vault).status == 1
    assert "Added [[Target]] to the roster with [[Other|the other]]" in _texts(
        run("recall", "roster", "--json", at=empty_vault)
    )
    assert (empty_vault / "memory/2026-11-29.md").read_text() == NOTE


KNOTS = {
    "brackets": "[" * 10_000, "links": "[a](" * 5_000, "wikilinks": "[[" * 5_000, "stars": "**" * 5_000,
    "open": "[[\n\n- [a](\n- ](", "quotes": "> " * 3_000, "bullets": "- " * 3_000, "ticks": "`" * 9_999,
    "comments": "<!--" * 3_000, "bars": "|" * 10_000,
}  # fmt: skip


@pytest.mark.parametrize("knot", KNOTS.values(), ids=KNOTS)
def test_16_no_knot_of_markup_takes_long(run: Run, empty_vault: Path, knot: str) -> None:
    _write(empty_vault, {"memory/2026-11-28.md": f"# 2026-11-28\n\n- {knot}\n- the narwhal after it\n"})
    digest = hashlib.sha256((empty_vault / "memory/2026-11-28.md").read_bytes()).hexdigest()
    started = time.monotonic()
    assert run("recall", "narwhal", at=empty_vault).status == 0
    assert run("extract", "2026-11-28", at=empty_vault).status == 0
    assert run("check", at=empty_vault).status == 0
    assert time.monotonic() - started < 5
    assert hashlib.sha256((empty_vault / "memory/2026-11-28.md").read_bytes()).hexdigest() == digest


def test_17_a_picture_inside_a_note_costs_nothing_and_hides_nothing(run: Run, empty_vault: Path) -> None:
    data = base64.b64encode(hashlib.shake_256(b"picture").digest(3_000_000)).decode()
    _write(empty_vault, {"pic.md": f"# the okapi\n\n![seen](data:image/png;base64,{data})\n\nthe tapir after it\n"})
    started = time.monotonic()
    found = json.loads(run("recall", "tapir", "-k", "1", "--json", at=empty_vault).out)["results"][0]
    assert (found["text"], found["line"]) == ("the tapir after it", 5)
    assert time.monotonic() - started < 10
    assert _texts(run("recall", "okapi seen", "-k", "1", "--json", at=empty_vault)) == [
        "![seen](data:image/png;base64,…)"
    ]

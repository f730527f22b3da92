"""What the index must notice, and what it must never lose: cases.md, section D."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from echo_notes.index import store
from echo_notes.index.embed import BuiltinEmbedder
from echo_notes.index.results import SearchRequest
from echo_notes.index.store import Index
from echo_notes.model.settings import Settings
from tests.index.conftest import LEXICAL_ONLY, Vault, day_note

BUILTIN = Settings()


def test_a_line_appended_is_found_by_the_next_recall(vault: Vault) -> None:
    note = vault.write("memory/2026-03-02.md", day_note(["bought apples"]))
    vault.search("apples")
    with note.open("a") as handle:
        handle.write("- 10:00 zebra42 seen\n")
    assert vault.places("zebra42") == ["memory/2026-03-02.md:4"]


def test_an_edit_of_the_same_length_in_the_same_second_is_seen(vault: Vault) -> None:
    note = vault.write("a.md", "the word is apple\n")
    vault.search("apple")
    note.write_text("the word is grape\n")
    assert vault.recall("grape") == ["the word is grape"]
    assert vault.recall("apple") == []


def test_an_edit_that_keeps_size_and_time_is_seen(vault: Vault) -> None:
    note = vault.write("a.md", "the word is apple\n")
    old = note.stat()
    vault.search("apple")
    note.write_text("the word is grape\n")
    os.utime(note, ns=(old.st_atime_ns, old.st_mtime_ns))
    assert vault.recall("grape") == ["the word is grape"]


def test_an_older_file_moved_over_is_seen(vault: Vault) -> None:
    note = vault.write("a.md", "the word is apple\n")
    other = vault.write("b.txt", "the word is grape\n")
    os.utime(other, (1_000_000_000, 1_000_000_000))
    vault.search("apple")
    other.replace(note)
    assert vault.recall("grape") == ["the word is grape"]


def test_deleted_emptied_and_shortened_text_is_never_returned(vault: Vault) -> None:
    vault.write("gone.md", "quokka one\n")
    empty = vault.write("empty.md", "quokka two\n")
    cut = vault.write("cut.md", "quokka three\n\nfour\n\nquokka five\n")
    assert sum("quokka" in text for text in vault.recall("quokka", BUILTIN)) == 4
    (vault.root / "gone.md").unlink()
    empty.write_text("")
    cut.write_text("quokka three\n\nfour\n")
    assert [text for text in vault.recall("quokka", BUILTIN) if "quokka" in text] == ["quokka three"]


def test_nothing_changed_means_nothing_done(vault: Vault) -> None:
    vault.facts("life/areas/people/ada", "Ada drinks tea")
    vault.write("memory/2026-03-02.md", day_note(["a", "b"]))
    vault.index(BUILTIN).refresh()
    report = vault.index(BUILTIN).refresh()
    assert (report.changed, report.removed, report.problems, report.degraded) == ((), (), (), ())


def test_a_settled_vault_is_not_even_locked(vault: Vault) -> None:
    path = vault.write("a.md", "apple\n")
    os.utime(path, (1_000_000_000, 1_000_000_000))
    vault.index().refresh()
    manifest = vault.root / ".echo/index/manifest.json"
    # As if the manifest had been written a minute after the file was last touched.
    later = time.time() + 60
    os.utime(manifest, (later, later))
    before = manifest.read_bytes()
    (vault.root / ".echo/index/lock").unlink()
    vault.index().refresh()
    assert manifest.read_bytes() == before
    assert not (vault.root / ".echo/index/lock").exists()


def test_files_that_were_there_before_are_found_first_time(vault: Vault, tmp_path: Path) -> None:
    vault.write("memory/2026-03-02.md", day_note(["the boiler was repaired"]))
    shutil.copytree(vault.root, tmp_path / "copy")
    assert Vault(tmp_path / "copy").recall("boiler") == ["the boiler was repaired"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_an_unreadable_folder_drops_nothing(vault: Vault) -> None:
    vault.facts("life/areas/people/ada", "Ada drinks tea")
    vault.search("tea")
    people = vault.root / "life/areas/people"
    people.chmod(0)
    try:
        index = vault.index()
        report = index.refresh()
        assert index.search(SearchRequest(query="tea")).hits
        assert any(path == "life/areas/people" for path, _ in report.problems)
    finally:
        people.chmod(0o755)


def test_a_folder_that_is_away_drops_nothing_and_is_named(vault: Vault) -> None:
    for number in range(4):
        vault.facts(f"life/areas/people/p{number}", f"Person {number} drinks tea")
    vault.search("tea")
    (vault.root / "life/areas/people").rename(vault.root.parent / "people")
    index = vault.index()
    report = index.refresh()
    assert len(index.search(SearchRequest(query="tea")).hits) == 4
    assert any(path == "life/areas/people" for path, _ in report.problems)
    (vault.root.parent / "people").rename(vault.root / "life/areas/people")
    report = vault.index().refresh()
    assert report.problems == ()
    assert len(vault.recall("tea")) == 4


def test_one_entity_removed_is_a_deletion(vault: Vault) -> None:
    for number in range(4):
        vault.facts(f"life/areas/people/p{number}", f"Person {number} drinks tea")
    vault.search("tea")
    shutil.rmtree(vault.root / "life/areas/people/p2")
    assert sorted(vault.recall("tea")) == [f"Person {n} drinks tea" for n in (0, 1, 3)]


def test_a_file_that_cannot_be_parsed_is_named_each_time_and_hides_nothing_else(vault: Vault) -> None:
    vault.facts("life/areas/people/ada", "Ada drinks tea")
    vault.write("life/areas/people/bob/items.json", '[{"id": "bob-001", "fact": "Bob drinks tea",]')
    for _ in range(2):
        index = vault.index()
        report = index.refresh()
        assert [path for path, _ in report.problems] == ["life/areas/people/bob/items.json"]
        assert "life/areas/people/bob/items.json:1:" in report.problems[0][1]
        assert [hit.passage.text for hit in index.search(SearchRequest(query="tea")).hits] == ["Ada drinks tea"]


def test_bad_front_matter_is_named_and_its_note_is_found(vault: Vault) -> None:
    vault.write("a.md", "---\ntitle: *Italic* and more\nnot yaml: [unclosed\n---\nthe quokka slept\n")
    vault.write("b.md", "---\ntitle: Governance: Rootkeeper\n---\nbody text\n")
    index = vault.index()
    assert {path for path, _ in index.refresh().problems} == {"a.md", "b.md"}
    assert [hit.passage.path for hit in index.search(SearchRequest(query="quokka")).hits] == ["a.md"]
    assert [hit.passage.path for hit in index.search(SearchRequest(query="Governance Rootkeeper")).hits] == ["b.md"]


@pytest.mark.parametrize("what", ["cut", "missing", "garbage", "manifest", "not json"])
def test_a_torn_index_is_made_again_and_says_so(vault: Vault, what: str) -> None:
    vault.write("a.md", "the quokka slept\n")
    vault.search("quokka", BUILTIN)
    folder = vault.root / ".echo/index"
    segment = next(path for path in (folder / "lexical").iterdir() if path.suffix == ".store")
    if what == "cut":
        segment.write_bytes(segment.read_bytes()[:-5])
    elif what == "missing":
        segment.unlink()
    elif what == "garbage":
        segment.write_bytes(b"\x00" * segment.stat().st_size)
    elif what == "manifest":
        (folder / "manifest.json").write_bytes((folder / "manifest.json").read_bytes()[:-20])
    else:
        (folder / "manifest.json").write_text("[]")
    result = vault.search("quokka", BUILTIN)
    assert [hit.passage.text for hit in result.hits] == ["the quokka slept"]
    assert result.degraded
    assert vault.search("quokka", BUILTIN).degraded == ()


def test_without_the_index_the_answers_are_the_same(vault: Vault) -> None:
    vault.facts("life/areas/people/ada", "Ada drinks tea", "Ada lives in Porto")
    vault.write("memory/2026-03-02.md", day_note(["tea with Ada", "rain"]))
    before = [(h.passage, round(h.score, 6)) for h in vault.search("Ada tea", BUILTIN).hits]
    shutil.rmtree(vault.root / ".echo")
    assert [(h.passage, round(h.score, 6)) for h in vault.search("Ada tea", BUILTIN).hits] == before


def test_damaged_vectors_leave_the_words(vault: Vault) -> None:
    vault.write("a.md", "the quokka slept\n")
    vault.search("quokka", BUILTIN)
    segment = next((vault.root / ".echo/index").glob("*.npz"))
    segment.write_bytes(segment.read_bytes()[:100])
    result = vault.search("quokka", BUILTIN)
    assert [hit.passage.text for hit in result.hits] == ["the quokka slept"]
    assert "vectors are damaged" in " ".join(result.degraded)
    index = vault.index(BUILTIN)
    index.rebuild()
    assert index.search(SearchRequest(query="quokka")).degraded == ()


def test_another_process_holding_the_index_is_not_waited_for(vault: Vault) -> None:
    note = vault.write("a.md", "the quokka slept\n")
    vault.search("quokka")
    code = (
        "import sys, time\nfrom pathlib import Path\nfrom echo_notes.index.lock import hold_index\n"
        "with hold_index(Path(sys.argv[1]), wait_seconds=0) as held:\n"
        "    print(held, flush=True)\n    sys.stdin.read()\n"
    )
    holder = subprocess.Popen(
        [sys.executable, "-c", code, str(vault.root / ".echo/index")], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert holder.stdin
    assert holder.stdout
    with holder:
        assert holder.stdout.readline() == b"True\n"
        note.write_text("the quokka woke up\n")
        index = vault.index()
        report = index.refresh(wait=False)
        assert "another process" in report.degraded[0]
        assert [hit.passage.text for hit in index.search(SearchRequest(query="quokka")).hits] == ["the quokka slept"]
        holder.send_signal(signal.SIGKILL)
    assert vault.recall("quokka") == ["the quokka woke up"]


def test_a_reader_in_the_middle_of_a_write_answers_and_blames_nobody(vault: Vault) -> None:
    note = vault.write("a.md", "the quokka slept\n")
    vault.search("quokka", BUILTIN)
    note.write_text("the quokka woke up\n")
    code = (
        "import sys\nfrom pathlib import Path\nfrom echo_notes.index.store import Index\n"
        "from echo_notes.index import update\nfrom echo_notes.model.settings import Settings\n"
        "def stopping(self):\n    print('committed', flush=True)\n    sys.stdin.read()\n    sys.exit(1)\n"
        "update.Updater.save = stopping\nIndex(Path(sys.argv[1]), Settings()).refresh()\n"
    )
    writer = subprocess.Popen(
        [sys.executable, "-c", code, str(vault.root)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert writer.stdout
    with writer:
        assert writer.stdout.readline() == b"committed\n"
        index = vault.index(BUILTIN)
        report = index.refresh(wait=False)
        assert [word for word in report.degraded if "another process" not in word] == []
        assert [hit.passage.text for hit in index.search(SearchRequest(query="quokka")).hits] == ["the quokka woke up"]
        writer.kill()
    result = vault.search("quokka", BUILTIN)
    assert [hit.passage.text for hit in result.hits] == ["the quokka woke up"]
    assert "made again" in result.degraded[0]


def test_many_first_recalls_at_once_all_find_it(vault: Vault) -> None:
    for number in range(50):
        vault.write(f"notes/{number}.md", f"note number {number} about the quokka\n")
    code = (
        "import sys\nfrom pathlib import Path\nfrom echo_notes.index.results import SearchRequest\n"
        "from echo_notes.index.store import Index\nfrom echo_notes.model.settings import Settings\n"
        "index = Index(Path(sys.argv[1]), Settings())\nindex.refresh(wait=False)\n"
        "result = index.search(SearchRequest(query='quokka', k=100))\nprint(len(result.hits), result.degraded)\n"
    )
    several = [
        subprocess.Popen([sys.executable, "-c", code, str(vault.root)], stdout=subprocess.PIPE, text=True)
        for _ in range(4)
    ]
    answers = [process.communicate()[0] for process in several]
    # All find everything; whoever asks while another still holds the index may say so.
    assert [answer.partition(" ")[0] for answer in answers] == ["50"] * 4
    assert all(answer == "50 ()\n" or "another process is refreshing the index" in answer for answer in answers)


def test_a_killed_refresh_is_resumed(vault: Vault) -> None:
    for number in range(30):
        vault.write(f"notes/{number}.md", f"note number {number} about the quokka\n")
    code = (
        "import os, sys\nfrom pathlib import Path\nfrom echo_notes.index import update\n"
        "from echo_notes.index.store import Index\nfrom echo_notes.model.settings import Settings\n"
        "update._BATCH = 10\nmark = update.Updater._mark\n"
        "def dying(self, *args):\n    mark(self, *args)\n    os.kill(os.getpid(), 9)\n"
        "update.Updater._mark = dying\nIndex(Path(sys.argv[1]), Settings()).refresh()\n"
    )
    ran = subprocess.run([sys.executable, "-c", code, str(vault.root)], check=False)
    assert ran.returncode == -signal.SIGKILL
    manifest = json.loads((vault.root / ".echo/index/manifest.json").read_text())
    assert sum(segment["count"] for segment in manifest["segments"]) == 10
    result = vault.search("quokka", BUILTIN, k=50)
    assert len(result.hits) == 30
    assert all(hit.scores.cosine is not None for hit in result.hits)
    assert result.degraded == ()


def test_a_change_of_model_never_mixes_spaces(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    vault.write("a.md", "the quokka slept\n")
    vault.write("b.md", "a wombat dug\n")
    vault.search("quokka", BUILTIN)
    assert len(vault.search("quokka", BUILTIN).hits) >= 1
    monkeypatch.setattr(store, "open_embedder", lambda *_: _OtherModel())
    vault.write("c.md", "an emu ran\n")
    vault.search("emu", BUILTIN)
    manifest = json.loads((vault.root / ".echo/index/manifest.json").read_text())
    assert {segment["model"] for segment in manifest["segments"]} == {"other:1"}
    assert sum(segment["count"] for segment in manifest["segments"]) == 3
    monkeypatch.undo()
    result = vault.search("quokka", BUILTIN)
    assert all(hit.scores.cosine is not None for hit in result.hits)
    assert len(list((vault.root / ".echo/index").glob("*.npz"))) == 1


class _OtherModel(BuiltinEmbedder):
    """The same numbers under another name: another space, as far as anyone can tell."""

    def __init__(self) -> None:
        super().__init__()
        self.model_id = "other:1"


def test_a_vault_that_cannot_be_written_says_so(vault: Vault) -> None:
    vault.write("a.md", "the quokka slept\n")
    (vault.root / ".echo").write_text("a file where the folder should be")
    result = vault.index().search(SearchRequest(query="quokka"))
    assert result.degraded


def test_a_twenty_megabyte_line_a_data_url_and_a_megabyte_of_digits(vault: Vault) -> None:
    vault.write("big.md", "the quokka slept soundly. " * 200_000 + "the end is xylograph\n")
    vault.write("image.md", "![x](data:image/png;base64," + "iVBORw0KGgo" * 200_000 + ")\n")
    vault.write("digits.md", "7" * 1_000_000 + "\n")
    vault.write("small.md", "a wombat dug\n")
    start = time.perf_counter()
    assert vault.places("wombat")[0] == "small.md:1"
    assert vault.places("xylograph")[0] == "big.md:1"
    assert time.perf_counter() - start < 60


def test_weekly_files_dot_folders_conflicts_and_nested_vaults_are_not_read(vault: Vault) -> None:
    for path in (
        "memory/weekly/2026-W10.md", ".obsidian/a.md", ".trash/b.md", "a.sync-conflict-20260101.md",
        "other/echo.yaml", "other/c.md", "CLAUDE.md", "AGENTS.md",
    ):  # fmt: skip
        vault.write(path, "quokka\n")
    vault.write("sub/CLAUDE.md", "a quokka in a folder\n")
    assert vault.recall("quokka") == ["a quokka in a folder"]


def test_links_are_not_followed(vault: Vault, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "a.md").write_text("quokka outside\n")
    (vault.root / "link").symlink_to(outside)
    (vault.root / "loop").symlink_to(vault.root)
    (vault.root / "file.md").symlink_to(outside / "a.md")
    vault.write("b.md", "quokka inside\n")
    assert vault.recall("quokka") == ["quokka inside"]


def test_forty_thousand_facts_would_index_in_pieces(vault: Vault) -> None:
    vault.facts("life/areas/companies/acme", *[f"Acme fact number {n}" for n in range(4000)])
    index = Index(vault.root, LEXICAL_ONLY)
    index.refresh()
    assert len(index.search(SearchRequest(query="acme fact", k=1000)).hits) == 1000

import os
import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from echo_notes.files.textfile import (
    decode_text,
    dump_text,
    find_merge_marker,
    find_newline,
    load_text,
    merge_markers_error,
    write_atomic,
)
from echo_notes.model.errors import ConflictError, UnreadableError


@given(st.text(), st.booleans())
def test_text_comes_back_as_the_same_bytes(text: str, bom: bool) -> None:  # noqa: FBT001 - drawn by hypothesis
    raw = dump_text(text.removeprefix("\ufeff"), bom=bom)
    read = decode_text(raw, "note.md")
    assert dump_text(read.text, bom=read.bom) == raw


def test_bom_and_crlf_are_noticed(tmp_path: Path) -> None:
    path = tmp_path / "summary.md"
    path.write_bytes(b"\xef\xbb\xbfone\r\ntwo\r\nthree\n")
    read = load_text(path)
    assert (read.text, read.bom, read.newline) == ("one\r\ntwo\r\nthree\n", True, "\r\n")


def test_newline_is_the_dominant_one() -> None:
    assert [find_newline(text) for text in ("", "a", "a\nb\n", "a\r\nb", "a\r\nb\n")] == [
        "\n",
        "\n",
        "\n",
        "\r\n",
        "\n",
    ]


def test_dump_can_make_every_newline_the_same() -> None:
    assert dump_text("a\nb\r\nc", bom=True, newline="\r\n") == b"\xef\xbb\xbfa\r\nb\r\nc"


@pytest.mark.parametrize(
    ("raw", "where"),
    [
        (b"ok\ncaf\xe9 au lait", "note.md:2:4"),
        (b"\xff", "note.md:1:1"),
        (b"\xef\xbb\xbf\xff", "note.md:1:1"),
        ("héé".encode() + b"\xff", "note.md:1:4"),
        (b"\xff\xfea\x00", "note.md:1:1"),
    ],
)
def test_bytes_that_are_not_utf8_are_named_with_line_and_column(raw: bytes, where: str) -> None:
    with pytest.raises(UnreadableError) as caught:
        decode_text(raw, "note.md")
    assert caught.value.where == where
    assert "UTF-8" in str(caught.value)


def test_a_missing_file_is_missing_not_empty(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        load_text(tmp_path / "absent.md")


def test_merge_markers_are_found_only_on_lines_of_their_own() -> None:
    assert find_merge_marker("a\n<<<<<<< HEAD\nb\n=======\nc\n>>>>>>> branch\n") == 2
    assert find_merge_marker("a\r\n>>>>>>> branch\r\n") == 2
    assert find_merge_marker("text <<<<<<< not at the start\n=======\n") is None
    assert merge_markers_error("x.json", 2).exit_code == 5


def test_write_makes_folders_and_leaves_nothing_beside_the_file(tmp_path: Path) -> None:
    path = tmp_path / "life" / "areas" / "items.json"
    write_atomic(path, b"[]\n")
    write_atomic(path, b"[1]\n")
    assert path.read_bytes() == b"[1]\n"
    assert [item.name for item in path.parent.iterdir()] == ["items.json"]


def test_write_keeps_the_mode_and_new_files_follow_the_umask(tmp_path: Path) -> None:
    old = tmp_path / "old.md"
    old.write_bytes(b"old")
    old.chmod(0o640)
    write_atomic(old, b"new")
    mask = os.umask(0o027)
    try:
        write_atomic(tmp_path / "new.md", b"new")
    finally:
        os.umask(mask)
    modes = [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("old.md", "new.md")]
    assert modes == [0o640, 0o640]


def test_a_name_of_255_bytes_can_be_written(tmp_path: Path) -> None:
    path = tmp_path / ("x" * 252 + ".md")
    write_atomic(path, b"text")
    assert path.read_bytes() == b"text"


def test_a_failed_write_leaves_the_old_bytes_and_no_temp_file(tmp_path: Path) -> None:
    folder = tmp_path / "a-folder.md"
    folder.mkdir()
    (folder / "kept").write_bytes(b"kept")
    with pytest.raises(OSError, match="directory"):
        write_atomic(folder, b"text")
    assert [item.name for item in tmp_path.iterdir()] == ["a-folder.md"]


def test_a_leftover_temp_file_does_not_stop_a_write(tmp_path: Path) -> None:
    (tmp_path / f".echo-{os.getpid()}-0.tmp").write_bytes(b"torn")
    write_atomic(tmp_path / "note.md", b"text")
    assert (tmp_path / "note.md").read_bytes() == b"text"


def test_a_symbolic_link_is_not_written_through(tmp_path: Path) -> None:
    outside = tmp_path / "outside.md"
    outside.write_bytes(b"theirs")
    link = tmp_path / "link.md"
    link.symlink_to(outside)
    with pytest.raises(ConflictError):
        write_atomic(link, b"ours")
    assert outside.read_bytes() == b"theirs"
    assert link.is_symlink()

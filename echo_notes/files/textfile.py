"""Text files as bytes: decoded strictly with BOM and newline style kept, and replaced in one step or not at all."""

import codecs
import contextlib
import hashlib
import os
import re
import stat
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path

from echo_notes.model.errors import ConflictError, MergeMarkersError, UnreadableError

LF = "\n"
CRLF = "\r\n"

_MERGE_MARKER = re.compile(r"^(?:<{7}|>{7})(?: [^\r\n]*)?\r?$", re.MULTILINE)
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


@dataclass(frozen=True, slots=True)
class TextFile:
    """A file's bytes and the text they hold: BOM removed, newlines as they are.

    `newline` is the dominant one (LF where there is none); `digest` is the SHA-256 of the bytes, in hex.
    """

    path: Path
    raw: bytes
    text: str
    bom: bool
    newline: str
    digest: str


def load_text(path: Path, *, raw: bytes | None = None, shown: str = "") -> TextFile:
    """Return the file read as UTF-8; UnreadableError at line and column of the first bad byte, or as `load_bytes`.

    `raw`: bytes to take in place of those on disk. `shown`: what messages call the file, in place of its path.
    """
    source = decode_text(load_bytes(path, shown=shown) if raw is None else raw, shown or path)
    return replace(source, path=path)


def load_bytes(path: Path, *, shown: str = "") -> bytes:
    """Return a file's bytes; UnreadableError where the disk will not let us read it; FileNotFoundError passes."""
    try:
        return path.read_bytes()
    except PermissionError:
        what, fix = "may not be read", f"chmod u+rw {shown or path}"
    except IsADirectoryError:
        what, fix = "is a folder where a file should be", "Move it away."
    raise UnreadableError(what, path=shown or path, fix=fix)


def decode_text(raw: bytes, path: Path | str) -> TextFile:
    """Return the bytes of a file (named for messages) as a TextFile; UnreadableError as `load_text`."""
    bom = raw.startswith(codecs.BOM_UTF8)
    try:
        text = raw[3 if bom else 0 :].decode("utf-8")
    except UnicodeDecodeError as error:
        raise _not_utf8(raw, error.start + (3 if bom else 0), path) from None
    return TextFile(Path(path), raw, text, bom, find_newline(text), digest_bytes(raw))


def dump_text(text: str, *, bom: bool, newline: str | None = None) -> bytes:
    """Return the text as UTF-8 bytes, with a BOM if asked, and with every newline made `newline` if one is given."""
    if newline is not None:
        text = text.replace(CRLF, LF).replace(LF, newline)
    return (codecs.BOM_UTF8 if bom else b"") + text.encode("utf-8")


def find_newline(text: str) -> str:
    """Return the newline that most lines of the text end with: CRLF, or LF on a tie and where there is none."""
    pairs = text.count(CRLF)
    return CRLF if pairs * 2 > text.count(LF) else LF


def digest_bytes(raw: bytes) -> str:
    """Return the SHA-256 of the bytes, in hex."""
    return hashlib.sha256(raw).hexdigest()


def line_column(text: str, position: int) -> tuple[int, int]:
    """Return the 1-based line and column (in characters) of an offset into the text."""
    return text.count(LF, 0, position) + 1, position - text.rfind(LF, 0, position)


def find_merge_marker(text: str) -> int | None:
    """Return the 1-based line of the first marker that an unfinished git merge left, None if there is none."""
    if "<<<<<<<" not in text and ">>>>>>>" not in text:
        return None
    match = _MERGE_MARKER.search(text)
    return line_column(text, match.start())[0] if match else None


def merge_markers_error(path: Path | str, line: int) -> MergeMarkersError:
    """Return the error for a file in which git left conflict markers."""
    return MergeMarkersError(
        "git left merge markers in this file",
        path=path,
        line=line,
        fix="Settle the conflict in an editor, then: git add the file and commit.",
    )


def write_atomic(path: Path, data: bytes) -> None:
    """Replace the file's bytes in one step: a reader, or a crash at any instant, sees the old bytes or the new.

    Temp file beside it, fsync, the old file's mode, rename, fsync of the folder. Missing folders are made. On failure
    the temp file is removed and the old file is as it was. A symbolic link is never written through nor replaced:
    ConflictError. OSError passes.
    """
    if path.is_symlink():
        raise ConflictError("is a symbolic link", where=str(path), fix="Put the file itself here in place of the link.")
    path.parent.mkdir(parents=True, exist_ok=True)
    temp_path, handle = _open_temp(path)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            with contextlib.suppress(FileNotFoundError):
                temp_path.chmod(stat.S_IMODE(path.stat().st_mode))
            os.fsync(stream.fileno())
        temp_path.replace(path)
    except BaseException:
        temp_path.unlink(missing_ok=True)
        raise
    _sync_folder(path.parent)


def _open_temp(path: Path) -> tuple[Path, int]:
    # The name is short (a slug may use all 255 bytes) and hidden, so that an indexer never takes it for a note; the
    # mode is left to the umask, which tempfile would not do.
    for number in count():
        temp_path = path.parent / f".echo-{os.getpid()}-{number}.tmp"
        with contextlib.suppress(FileExistsError):
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
            return temp_path, os.open(temp_path, flags, 0o666)
    raise AssertionError  # pragma: no cover - count() does not end


def _sync_folder(folder: Path) -> None:
    if os.name != "posix":  # folders cannot be opened, and renames are durable, on Windows
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _not_utf8(raw: bytes, position: int, path: Path | str) -> UnreadableError:
    if raw.startswith(_UTF16):
        return UnreadableError("is UTF-16, not UTF-8", path=path, fix="Save it as UTF-8 in your editor.")
    start = raw.rfind(b"\n", 0, position) + 1
    column = len(raw[start:position].decode("utf-8", errors="replace").removeprefix("\ufeff")) + 1
    return UnreadableError(
        f"byte 0x{raw[position]:02x} is not UTF-8",
        path=path,
        line=raw.count(b"\n", 0, position) + 1,
        column=column,
        fix="Save it as UTF-8 in your editor.",
    )

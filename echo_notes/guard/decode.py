"""What encoded text says: base64 and its kin, hex, binary, Morse, escapes, rot13 and reversal, decoded where readable.

Each view keeps the span it was decoded from. Decoding is linear in the text, and views of views stop at depth two.
"""

import re
from binascii import Error as BinasciiError
from binascii import a2b_base64, unhexlify
from collections.abc import Iterator
from typing import NamedTuple

# Sources, not compiled: a text that holds nothing of the kind never pays for compiling them.
_LONG = r"[A-Za-z0-9+/_=-]{16,}"
_DENSE = r"[!-~]{40,}"
_SIGN = "[.\u2022\u00b7\u2013_-]"
_RUNS = rf"(?:[01]{{8}}[ ,]{{0,2}}){{6,}}|(?:{_SIGN}{{1,6}}(?: / |[ /|])){{8,}}{_SIGN}{{1,6}}"
_CODES = r"(?i)(?:\b(?:0x[0-9a-f]{2}|[0-9a-f]{2}|1?\d\d)\b[ ,;:]{1,2}){8,}(?:0x)?[0-9a-f]{2,3}"
_ESCAPES = (
    r"(?i)\\u\{?([0-9a-f]{4,5})\}?|\\x([0-9a-f]{2})|%([0-9a-f]{2})|=([0-9a-f]{2})|&#x([0-9a-f]{1,5});|&#(\d{1,6});"
)
_ESCAPED = r"(?i)(?:(?:\\u\{?[0-9a-f]{4,5}\}?|\\x[0-9a-f]{2}|%[0-9a-f]{2}|=[0-9a-f]{2}|&#x?[0-9a-f]{1,6};)[\w.,'()-]{0,40}){3,}"
_MIN_TEXT = 6
_READABLE = 0.9
_MORSE = dict(
    zip(
        ".- -... -.-. -.. . ..-. --. .... .. .--- -.- .-.. -- -. --- .--. --.- .-. ... - ..- ...- .-- -..- -.-- --..".split(),
        "abcdefghijklmnopqrstuvwxyz",
        strict=True,
    )
)
_ROT13 = str.maketrans(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", "nopqrstuvwxyzabcdefghijklmNOPQRSTUVWXYZABCDEFGHIJKLM"
)


class View(NamedTuple):
    """A part of a text decoded: what it says, how it was encoded, and where it stands (`start` to `end`)."""

    text: str
    how: str
    start: int
    end: int


def iter_views(text: str) -> Iterator[View]:
    """Yield every readable decoding of a part of the text."""
    if len(text) < _MIN_TEXT * 2:
        return
    for match in re.finditer(_LONG, text):
        yield from _blob(match[0], match.start(), match.end())
    if len(text) >= 40:  # noqa: PLR2004 - the shortest that `_DENSE` finds
        for match in re.finditer(_DENSE, text):
            yield from _base85(match[0], match.start(), match.end())
    if "01" in text or ".-" in text or "-." in text or ".." in text:
        for match in re.finditer(_RUNS, text):
            yield from _run(match[0], match.start(), match.end())
    if any(sign in text for sign in ("\\u", "\\x", "%", "=", "&#")):
        for match in re.finditer(_ESCAPED, text):
            yield from _view(_unescape(match[0]), "escapes", match.start(), match.end())
    if sum(map(text.count, "0123456789")) >= 16:  # noqa: PLR2004 - eight codes of two figures
        for match in re.finditer(_CODES, text):
            yield from _codes(match[0], match.start(), match.end())


def rot13(text: str) -> str:
    """Return the text with Latin letters turned by thirteen."""
    return text.translate(_ROT13)


def _view(text: str | None, how: str, start: int, end: int) -> Iterator[View]:
    if text and len(text) >= _MIN_TEXT and _is_readable(text):
        yield View(text, how, start, end)


def _is_readable(text: str) -> bool:
    """Whether nearly all of a decoded text is letters, figures, spaces and common signs."""
    good = sum(char.isalnum() or char in " \n.,:;!?'\"-_@/()<>[]{}|=，。！？：；、" for char in text)
    return good >= _READABLE * len(text)


def _utf8(raw: bytes) -> str | None:
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return None


def _blob(blob: str, start: int, end: int) -> Iterator[View]:
    body = blob.rstrip("=")
    if len(body) % 2 == 0 and all(char in "0123456789abcdefABCDEF" for char in body):
        yield from _view(_utf8(unhexlify(body)), "hex", start, end)
        return
    if body.upper() == body and all(char in "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567" for char in body):
        yield from _view(_base32(body), "base32", start, end)
    yield from _view(_base64(body), "base64", start, end)


def _base64(body: str) -> str | None:
    body = body.replace("-", "+").replace("_", "/").split("=")[0]
    body = body[: len(body) - (len(body) % 4 == 1)]
    try:
        raw = a2b_base64(body + "=" * (-len(body) % 4))
    except BinasciiError:
        return None
    return _utf8(raw) or (raw.decode("utf-16-le", "replace") if raw[1:2] == b"\0" else None)


def _base32(body: str) -> str | None:
    from base64 import b32decode

    try:
        return _utf8(b32decode(body[: len(body) - (len(body) % 8 in {1, 3, 6})] + "=" * (-len(body) % 8)))
    except BinasciiError:
        return None


def _base85(blob: str, start: int, end: int) -> Iterator[View]:
    from base64 import a85decode, b85decode

    if blob.startswith("<~") and blob.endswith("~>"):
        tries = [(a85decode, blob[2:-2])]
    elif "://" in blob or blob.isalnum():
        return
    else:
        tries = [(b85decode, blob), (a85decode, blob)]
    for decode, body in tries:
        try:
            yield from _view(_utf8(decode(body)), "base85", start, end)
        except ValueError:
            continue


def _run(run: str, start: int, end: int) -> Iterator[View]:
    if run[0] in "01":
        bits = [byte for byte in re.split("[ ,]+", run) if byte]
        whole = "".join(bits)
        raw = bytes(int(whole[i : i + 8], 2) for i in range(0, len(whole) - 7, 8))
        yield from _view(_utf8(raw), "binary", start, end)
        return
    plain = run.translate(str.maketrans("\u2022\u00b7\u2013_", "..--"))
    words = [[_MORSE.get(letter, "?") for letter in word.split()] for word in re.split("[/|]", plain)]
    yield from _view(" ".join("".join(word) for word in words), "Morse code", start, end)


def _codes(run: str, start: int, end: int) -> Iterator[View]:
    parts = re.findall("[0-9a-f]+", run.lower().replace("0x", ""))
    for base, how in ((10, "character codes"), (16, "hex")):
        try:
            values = [int(part, base) for part in parts]
        except ValueError:
            continue
        if all(9 <= value < 256 for value in values):  # noqa: PLR2004 - a byte that text may hold
            yield from _view(_utf8(bytes(values)), how, start, end)


def _unescape(text: str) -> str | None:
    """Return the text with its escapes resolved; the two-figure ones are bytes of UTF-8."""
    raw = bytearray()
    at = 0
    for match in re.finditer(_ESCAPES, text):
        raw += text[at : match.start()].encode()
        wide, *narrow, hexed, number = match.groups()
        byte = next((part for part in narrow if part), None)
        if byte:
            raw.append(int(byte, 16))
        else:
            code = int(wide or hexed, 16) if wide or hexed else int(number)
            raw += chr(code).encode(errors="replace") if code < 0x110000 else b""  # noqa: PLR2004 - past Unicode
        at = match.end()
    return _utf8(bytes(raw + text[at:].encode()))

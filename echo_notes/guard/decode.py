"""What encoded text says: base64 and its kin, hex, binary, Morse, escapes and rot13, decoded where readable.

Each view keeps the span it was decoded from. Decoding is linear in the text.
"""

import re
from binascii import Error as BinasciiError
from binascii import a2b_base64, unhexlify
from collections.abc import Callable, Iterator
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
_WHOLE = r"(?s).+"  # escapes may stand anywhere in a text
_MORSE = "a.- b-... c-.-. d-.. e. f..-. g--. h.... i.. j.--- k-.- l.-.. m-- n-. o--- p.--. q--.- r.-. s... t- u..-"
_MORSE_END = "v...- w.-- x-..- y-.-- z--.."
_ALPHABET = "abcdefghijklmnopqrstuvwxyz"
_TURNED = _ALPHABET[13:] + _ALPHABET[:13]
_ROT13 = str.maketrans(_ALPHABET + _ALPHABET.upper(), _TURNED + _TURNED.upper())
_FEWEST_ESCAPES = 3
_MIN_TEXT = 6
_READABLE = 0.9
_UNICODE_END = 0x110000

_Decoded = Iterator[tuple[str | None, str]]  # what a part says, if anything, and how it was encoded


class View(NamedTuple):
    """A part of a text decoded: what it says, how it was encoded, and where it stands (`start` to `end`)."""

    text: str
    how: str
    start: int
    end: int


def iter_views(text: str) -> Iterator[View]:
    """Yield every readable decoding of a part of the text."""
    for source, signs, decode in _DECODERS:
        if signs and not any(sign in text for sign in signs):
            continue
        for match in re.finditer(source, text):
            for plain, how in decode(match[0]):
                if plain and len(plain) >= _MIN_TEXT and _is_readable(plain):
                    yield View(plain, how, match.start(), match.end())


def rot13(text: str) -> str:
    """Return the text with Latin letters turned by thirteen."""
    return text.translate(_ROT13)


def _is_readable(text: str) -> bool:
    """Whether nearly all of a decoded text is letters, figures, spaces and common signs."""
    good = sum(char.isalnum() or char in " \n.,:;!?'\"-_@/()<>[]{}|=，。！？：；、" for char in text)
    return good >= _READABLE * len(text)


def _utf8(raw: bytes) -> str | None:
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return None


def _blob(blob: str) -> _Decoded:
    body = blob.rstrip("=")
    if len(body) % 2 == 0 and all(char in "0123456789abcdefABCDEF" for char in body):
        yield _utf8(unhexlify(body)), "hex"
        return
    if body.upper() == body and all(char in "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567" for char in body):
        yield _base32(body), "base32"
    yield _base64(body), "base64"


def _base64(body: str) -> str | None:
    body = body.replace("-", "+").replace("_", "/").split("=")[0]
    body = body[: len(body) - (len(body) % 4 == 1)]
    try:
        raw = a2b_base64(body + "=" * (-len(body) % 4))
    except BinasciiError:
        return None
    return raw.decode("utf-16-le", "replace") if raw[1:2] == b"\0" else _utf8(raw)


def _base32(body: str) -> str | None:
    from base64 import b32decode

    try:
        return _utf8(b32decode(body[: len(body) - (len(body) % 8 in {1, 3, 6})] + "=" * (-len(body) % 8)))
    except BinasciiError:
        return None


def _base85(blob: str) -> _Decoded:
    from base64 import a85decode, b85decode

    if blob.startswith("<~") and blob.endswith("~>"):
        blob = blob[2:-2]
    elif "://" in blob or blob.isalnum():
        return
    decoders: tuple[Callable[[str], bytes], ...] = (b85decode, a85decode)
    for decode in decoders:
        try:
            yield _utf8(decode(blob)), "base85"
        except ValueError:
            continue


def _run(run: str) -> _Decoded:
    if run[0] in "01":
        bits = "".join(re.split("[ ,]+", run))
        yield _utf8(bytes(int(bits[i : i + 8], 2) for i in range(0, len(bits) - 7, 8))), "binary"
        return
    letters = {entry[1:]: entry[0] for entry in f"{_MORSE} {_MORSE_END}".split()}
    plain = run.translate(str.maketrans("\u2022\u00b7\u2013_", "..--"))
    words = (word.split() for word in re.split("[/|]", plain))
    yield " ".join("".join(letters.get(letter, "?") for letter in word) for word in words), "Morse code"


def _codes(run: str) -> _Decoded:
    parts = re.findall("[0-9a-f]+", run.lower().replace("0x", ""))
    for base, how in ((10, "character codes"), (16, "hex")):
        try:
            yield _utf8(bytes(int(part, base) for part in parts)), how
        except ValueError:
            continue


def _escapes(text: str) -> _Decoded:
    """Resolve escapes; the two-figure ones are bytes of UTF-8."""
    raw = bytearray()
    at = count = 0
    for match in re.finditer(_ESCAPES, text):
        raw += text[at : match.start()].encode(errors="replace")
        wide, *narrow, hexed, number = match.groups()
        byte = next((part for part in narrow if part), None)
        if byte:
            raw.append(int(byte, 16))
        else:
            code = int(wide or hexed, 16) if wide or hexed else int(number)
            raw += chr(code).encode(errors="replace") if code < _UNICODE_END else b""
        at = match.end()
        count += 1
    if count >= _FEWEST_ESCAPES:
        yield _utf8(bytes(raw + text[at:].encode(errors="replace"))), "escapes"


# A pattern, signs of which a text must hold one for it to be tried (none: always), and what decodes its matches.
_DECODERS: tuple[tuple[str, tuple[str, ...], Callable[[str], _Decoded]], ...] = (
    (_LONG, (), _blob),
    (_DENSE, (), _base85),
    (_RUNS, ("01", ".-", "-.", "..", "\u00b7", "\u2022"), _run),
    (_WHOLE, ("\\u", "\\x", "%", "=", "&#"), _escapes),
    (_CODES, tuple("0123456789"), _codes),
)

"""YAML as front matter needs it: values written so that any reader gets them back, and plain blocks read at once."""

import re
from collections.abc import Mapping
from datetime import date, datetime
from typing import Any, Final

from echo_notes.model.dates import format_instant

# Words that YAML 1.1 readers take for something else than text.
_WORDS: Final = frozenset(("y", "n", "yes", "no", "on", "off", "true", "false", "null"))
_PLAIN = re.compile(r"[^\W\d_][\w./()+']*(?: [\w./()+'-]+|-[\w./()+']*)*")
_PLAIN_KEY = re.compile(r"[^\W\d_][\w-]*")
_UNPRINTABLE = re.compile("[^ !#-\\[\\]-~\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_SHORT = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}

_MOMENT = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:T[0-9]{2}:[0-9]{2}:[0-9]{2}Z)?")
_LONGEST: Final = 400  # characters of a line; the patterns below are not linear
_COMMENT = re.compile(r"#[ -~]*\r?")
_NUMBER = re.compile(r"0|[1-9][0-9]{0,8}")
_SHARE = re.compile(r"[0-9]\.[0-9]{1,8}")
_QUICK_LINE = re.compile(r"([^\W\d_][\w-]*):(?: +(\S.*?))?(?: +#[ -~]*)? *\r?")
_QUICK_ITEM = re.compile(r"( {0,8})- (\S.*?)(?: +#[ -~]*)? *\r?")


def dump_scalar(value: Any, *, quote: str = "") -> str:
    """Return a value as one line of YAML that `yaml.safe_load` reads back; text is quoted unless it is plainly text.

    `quote`: the quotation mark that the replaced value had, kept where it can hold the new one. TypeError for a value
    that front matter does not hold.
    """
    if isinstance(value, str):
        return _dump_text(value, quote)
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(dump_scalar(item) for item in value)}]"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{dump_scalar(str(key))}: {dump_scalar(item)}" for key, item in value.items()) + "}"
    return _dump_plain(value)


def dump_key(key: str) -> str:
    """Return a front matter key as YAML, quoted if it must be."""
    return key if _PLAIN_KEY.fullmatch(key) and key.lower() not in _WORDS else _double(key)


def load_quick(block: str) -> dict[str, Any] | None:
    """Return a block that is nothing but plain keys, words, days and lists of words; None if YAML must read it.

    Most vaults hold little else, and the YAML library costs more to import than a command may take.
    """
    values: dict[str, Any] = {}
    open_list: list[Any] | None = None
    depth = -1
    for line in block.split("\n"):
        if len(line) > _LONGEST:
            return None
        item = _QUICK_ITEM.fullmatch(line)
        if item:
            if open_list is None or (depth >= 0 and len(item[1]) != depth):
                return None
            value = _quick_scalar(item[2])
            depth = len(item[1])
            open_list.append(value)
        elif line.strip("\r") and not _COMMENT.fullmatch(line):
            match = _QUICK_LINE.fullmatch(line)
            if not match or match[1] in values or match[1].lower() in _WORDS or (open_list == [] and depth < 0):
                return None
            open_list, depth = None, -1
            value = _quick_value(match[2])
            if match[2] is None:
                value = open_list = []
            values[match[1]] = value
        else:
            continue
        if value is _UNSURE:
            return None
    return None if open_list == [] else values


_UNSURE = object()


def _quick_value(text: str | None) -> Any:
    if text and text.startswith("[") and text.endswith("]"):
        items = [_quick_scalar(item.strip(" ")) for item in text[1:-1].split(",")] if text[1:-1].strip(" ") else []
        return _UNSURE if _UNSURE in items else items
    return _quick_scalar(text or "")


def _quick_scalar(text: str) -> Any:
    if _PLAIN.fullmatch(text):
        return _UNSURE if text.lower() in _WORDS else text
    if len(text) > 1 and text[0] == text[-1] == '"' and text[1:-1].isprintable() and not set('"\\') & set(text[1:-1]):
        return text[1:-1]
    if _MOMENT.fullmatch(text):
        try:
            return datetime.fromisoformat(text) if "T" in text else date.fromisoformat(text)
        except ValueError:
            return _UNSURE
    if _NUMBER.fullmatch(text):
        return int(text)
    return float(text) if _SHARE.fullmatch(text) else _UNSURE


def _dump_plain(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, datetime):
        return format_instant(value) if value.tzinfo else value.isoformat(sep=" ")
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, float):
        return _dump_float(value)
    if isinstance(value, int):
        return str(value)
    raise TypeError(type(value).__name__)


def _dump_text(text: str, quote: str) -> str:
    if quote == "'" and text.isprintable() and not _UNPRINTABLE.search(text.replace('"', "").replace("\\", "")):
        return "'" + text.replace("'", "''") + "'"
    if quote != '"' and _PLAIN.fullmatch(text) and text.lower() not in _WORDS:
        return text
    return _double(text)


def _double(text: str) -> str:
    return '"' + _UNPRINTABLE.sub(_escape, text) + '"'


def _escape(match: re.Match[str]) -> str:
    character = match[0]
    if character in _SHORT:
        return _SHORT[character]
    if _SURROGATE.match(character):  # no file can hold half of a pair
        character = "\ufffd"
    code = f"{ord(character):x}"
    return f"\\x{code:0>2}" if len(code) < 3 else f"\\u{code:0>4}" if len(code) < 5 else f"\\U{code:0>8}"  # noqa: PLR2004 - digits that each escape holds


def _dump_float(value: float) -> str:
    if value != value:  # noqa: PLR0124 - NaN is the one number that differs from itself
        return ".nan"
    if value in {float("inf"), float("-inf")}:
        return ".inf" if value > 0 else "-.inf"
    text = repr(value)
    mantissa, e, exponent = text.partition("e")
    if e:  # YAML 1.1 wants a point in the mantissa and a sign in the exponent
        mantissa = mantissa if "." in mantissa else f"{mantissa}.0"
        return f"{mantissa}e{exponent if exponent[0] in '+-' else '+' + exponent}"
    return text

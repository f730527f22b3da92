"""Front matter read: by YAML, and line by line where YAML refuses it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from echo_notes.files.yamltext import load_quick

_OPENING = re.compile(r"\ufeff?---\r?\n")
_CLOSING = re.compile(r"^---[ \t]*(?:\r?\n|\Z)", re.MULTILINE)
_NO_KEY: Final = frozenset(" \t#:[]{},\"'&*!|>%@`-?")  # what a key cannot begin with
_LARGEST = 64 * 1024  # characters; what is longer is no front matter, and would be slow as YAML
_TOO_LONG = f"2:1: longer than the {_LARGEST} characters that front matter may have"


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """A note in two parts. `block`: what stands between the fences, `body`: the rest, from 1-based line `body_line`.

    `present`: whether there is a block at all. `problem` is `line:column: what` of a block that YAML cannot read; its
    `values` are then what its lines say taken one by one.
    """

    block: str
    body: str
    body_line: int
    values: Mapping[str, Any]
    problem: str | None = None
    present: bool = False

    def text(self, key: str) -> str:
        """Return a value as it is written where YAML makes something else of it (`yes`, `007`); `""` if absent."""
        value = self.values.get(key)
        if isinstance(value, str):
            return value.strip()
        if value is None or isinstance(value, (list, dict)):
            return ""
        written = _read_lines(self.block).get(key)
        return _strip_comment(written) if isinstance(written, str) else str(value)

    def words(self, key: str) -> tuple[str, ...]:
        """Return a value as a list of words: a list's items, or text parted at commas; links come as `[[link]]`."""
        value = self.values.get(key)
        if isinstance(value, list):
            return tuple(word for item in value if (word := _word(item)))
        return tuple(part.strip() for part in self.text(key).split(",") if part.strip())


def split(text: str) -> FrontMatter:
    """Return a note's front matter and body. Never raises.

    There is front matter only where line 1 is exactly `---` and a later line closes it; without that, all is body.
    """
    span = find_block(text)
    if span is None:
        return FrontMatter("", text, 1, {})
    start, end, body_start = span
    if end - start > _LARGEST:
        return FrontMatter("", text, 1, {}, _TOO_LONG)
    block, body = text[start:end], text[body_start:]
    body_line = text.count("\n", 0, body_start) + 1
    values = load_quick(block)
    if values is not None:
        return FrontMatter(block, body, body_line, values, present=True)
    loaded, problem = load_block(block)
    if problem:
        return FrontMatter(block, body, body_line, _read_lines(block), problem, present=True)
    if not isinstance(loaded, dict):
        # Prose between two horizontal rules: it is the note's own text.
        return FrontMatter("", text, 1, {}, "2:1: what stands between the --- lines is not `key: value`")
    values = {_word(key) or str(key): value for key, value in loaded.items()}
    twice = _find_twice(block) if len(_read_lines(block)) >= len(values) else None
    return FrontMatter(block, body, body_line, values, twice, present=True)


def find_block(text: str) -> tuple[int, int, int] | None:
    """Return the offsets of a block's first character, of its closing fence and of the body; None without a block."""
    opening = _OPENING.match(text)
    closing = _CLOSING.search(text, opening.end()) if opening else None
    return (opening.end(), closing.start(), closing.end()) if opening and closing else None


def load_block(block: str) -> tuple[Any, str | None]:
    """Return what YAML makes of a block, and the problem (`line:column: what`, counted in the file) if it cannot."""
    if len(block) > _LARGEST:
        return None, _TOO_LONG
    import yaml

    try:
        loaded = yaml.load(block, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))  # noqa: S506 - both are safe
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f"{mark.line + 2}:{mark.column + 1}" if mark else "2:1"
        return None, f"{where}: {error.problem or error.context}"
    except (yaml.YAMLError, ValueError, TypeError, OverflowError, RecursionError) as error:
        return None, f"2:1: {str(error).splitlines()[0] if str(error) else type(error).__name__}"
    return {} if loaded is None else loaded, None


def _read_lines(block: str) -> dict[str, Any]:
    """Return what the lines of a block say, each by itself: `key: the rest of the line`, and lists below a key."""
    values: dict[str, Any] = {}
    key = ""
    for raw_line in block.split("\n"):
        line = raw_line.rstrip(" \t\r")
        item = line.lstrip(" \t")
        if member := _key_of(line):
            key = member
            values[key] = _lenient_value(line.partition(":")[2].strip())
        elif key and item.startswith(("- ", "-\t")):
            if not isinstance(values[key], list):
                values[key] = [values[key]] if values[key] else []
            values[key].append(_unquote(item[1:].strip()))
    return values


def _key_of(line: str) -> str:
    """Return the key with which a line at the margin begins, `""` if there is none; linear, unlike a pattern."""
    key, colon, rest = line.partition(":")
    if not key or not colon or key[0] in _NO_KEY or (rest and not rest[0].isspace()):
        return ""
    return key.rstrip(" \t")


def _lenient_value(text: str) -> Any:
    if text.startswith("[") and text.endswith("]") and not text.startswith("[["):
        return [part for item in text[1:-1].split(",") if (part := _unquote(item.strip()))]
    return _unquote(text)


def _unquote(text: str) -> str:
    quoted = len(text) > 1 and text[0] == text[-1] and text[0] in "\"'"
    return text[1:-1] if quoted else text


def _strip_comment(text: str) -> str:
    return text.partition(" #")[0].strip()


def _word(item: Any) -> str:
    """Return an item as text. YAML reads an unquoted `[[link]]` as a list in a list, `a: b` as a mapping."""
    for _ in range(2):
        if isinstance(item, list) and len(item) == 1:
            item = item[0]
            if not isinstance(item, list):
                return f"[[{item}]]"
    if isinstance(item, dict) and len(item) == 1:
        key, value = next(iter(item.items()))
        return f"{key}: {value}"
    return "" if item is None or isinstance(item, (list, dict)) else str(item).strip()


def _find_twice(block: str) -> str | None:
    seen: set[str] = set()
    for number, line in enumerate(block.split("\n"), 2):
        key = _key_of(line.rstrip("\r"))
        if key and key in seen:
            return f"{number}:1: `{key}` stands twice; the last one counts"
        seen.add(key)
    return None

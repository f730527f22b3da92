"""The splice behind `frontmatter.splice`: finds a key's own characters by YAML's marks and replaces only those."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from echo_notes.files.frontmatter_read import find_block, load_block
from echo_notes.files.record_text import REMOVE
from echo_notes.files.textfile import find_newline
from echo_notes.files.yamltext import dump_key, dump_scalar
from echo_notes.model.errors import UnreadableError

if TYPE_CHECKING:
    from yaml.nodes import Node

_LOOKS_MEANT = re.compile(r"\ufeff?---\r?\n[^\W\d_][\w -]*:(?:\s|$)")
_UNSAFE: Final = "2:1: cannot be edited safely"
_FIX: Final = "Mend the front matter by hand."


@dataclass(frozen=True, slots=True)
class _Entry:
    """A key and its value in a block. `start` and `end`: offsets of the lines that are its own."""

    key: str
    value: "Node"
    start: int
    end: int
    after_key: int


def edit_block(text: str, changes: Mapping[str, Any], path: str) -> str:
    """Return the text with its front matter changed; see `frontmatter.splice`."""
    try:
        return _edited(text, changes)
    except _UneditableError as error:
        line, column, what = str(error).split(":", 2)
        raise UnreadableError(what.strip(), path=path, line=int(line), column=int(column), fix=_FIX) from None


class _UneditableError(Exception):
    """`line:column: what` of a block that is left alone."""


def _edited(text: str, changes: Mapping[str, Any]) -> str:
    newline = find_newline(text)
    span = find_block(text)
    wanted = {key: value for key, value in changes.items() if value is not REMOVE}
    if span is None:
        return _with_new_block(text, wanted, newline) if wanted else text
    start, end, _ = span
    block = text[start:end]
    before, problem = load_block(block)
    if problem:
        raise _UneditableError(problem)
    if not isinstance(before, dict):
        raise _UneditableError("2:1: what stands between the --- lines is not `key: value`")
    for key, value in changes.items():
        if value is REMOVE or key not in before or not _same(before[key], value):
            block = _set(block, key, value, newline)
    _verify(block, {**{k: v for k, v in before.items() if k not in changes}, **wanted})
    return text[:start] + block + text[end:]


def _with_new_block(text: str, wanted: Mapping[str, Any], newline: str) -> str:
    if _LOOKS_MEANT.match(text):
        raise _UneditableError("1:1: the front matter is not closed by a line ---")
    block = "".join(_lines_of(key, value, newline, flow=False) for key, value in wanted.items())
    _verify(block, wanted)
    mark = text[: text.startswith("\ufeff")]
    return f"{mark}---{newline}{block}---{newline}{text[len(mark) :]}"


def _set(block: str, key: str, value: Any, newline: str) -> str:
    entries = _entries(block)
    entry = next((entry for entry in reversed(entries) if entry.key == key), None)
    if value is REMOVE:
        for entry in reversed([entry for entry in entries if entry.key == key]):
            block = block[: entry.start] + block[entry.end :]
        return block
    if entry is None:
        flow = any(_is_sequence(entry.value) and _is_flow(entry.value) for entry in entries)
        return block + _lines_of(key, value, newline, flow=flow)
    return _replaced(block, entry, value, newline)


def _replaced(block: str, entry: _Entry, value: Any, newline: str) -> str:
    from yaml.nodes import ScalarNode

    node = entry.value
    start, end = node.start_mark.index, node.end_mark.index
    lines = isinstance(value, (list, tuple))
    if isinstance(node, ScalarNode) and node.style not in {"|", ">"}:
        if lines and value:
            flow = _lines_of(entry.key, value, newline, flow=False)
            return block[: entry.start] + flow + block[entry.end :]
        dumped = dump_scalar(value, quote=node.style or "")
        if start == end:  # `key:` with nothing after it
            start = end = entry.after_key
            dumped = f" {dumped}"
        return block[:start] + dumped + block[end:]
    if _is_sequence(node) and lines and value:
        return _with_items(block, entry, value, newline)
    if _is_flow(node):
        return block[:start] + dump_scalar(value) + block[end:]
    return block[: entry.start] + _lines_of(entry.key, value, newline, flow=False) + block[entry.end :]


def _with_items(block: str, entry: _Entry, value: Sequence[Any], newline: str) -> str:
    """Return the block with a list's items changed; an item that stays keeps its own text and comment."""
    node = entry.value
    if _is_flow(node):
        pieces = [(item.start_mark.index, item.end_mark.index) for item in node.value]
        kept = _match_items(node.value, [block[a:b] for a, b in pieces], value)
        text = ", ".join(dump_scalar(new) if old is None else old for old, new in zip(kept, value, strict=True))
        return f"{block[: node.start_mark.index]}[{text}]{block[node.end_mark.index :]}"
    dashes = [_line_start(block, item.start_mark.index) for item in node.value]
    indent = block[dashes[0] : block.index("-", dashes[0])]
    texts = [block[a:b] for a, b in zip(dashes, [*dashes[1:], entry.end], strict=True)]
    kept = _match_items(node.value, texts, value)
    body = "".join(
        f"{indent}- {dump_scalar(new)}{newline}" if old is None else old for old, new in zip(kept, value, strict=True)
    )
    return block[: dashes[0]] + body + block[entry.end :]


def _match_items(nodes: Sequence["Node"], texts: Sequence[str], value: Sequence[Any]) -> list[str | None]:
    """Return for each wanted item the text of the old item that says the same, None where there is none left."""
    left = [(_plain(node), text) for node, text in zip(nodes, texts, strict=True)]
    kept: list[str | None] = []
    for new in value:
        found = next((number for number, (old, _) in enumerate(left) if _same(old, new)), None)
        kept.append(None if found is None else left.pop(found)[1])
    return kept


def _entries(block: str) -> list[_Entry]:
    import yaml

    try:
        root = yaml.compose(block, Loader=yaml.SafeLoader)  # the marks of the C parser count bytes
    except yaml.YAMLError:  # an anchor that an edit took away
        raise _UneditableError(_UNSAFE) from None
    if root is None:
        return []
    if not isinstance(root, yaml.MappingNode) or root.flow_style:
        raise _UneditableError("2:1: one key a line is needed to edit it")
    starts = [_line_start(block, key.start_mark.index) for key, _ in root.value]
    entries = []
    for (key, value), start, limit in zip(root.value, starts, [*starts[1:], len(block)], strict=True):
        if key.start_mark.index != start:
            mark = key.start_mark
            raise _UneditableError(
                f"{mark.line + 2}:{mark.column + 1}: a key that does not start its line cannot be edited"
            )
        after_key = block.index(":", key.end_mark.index) + 1
        entries.append(_Entry(str(key.value), value, start, _own_end(block, start, limit), after_key))
    return entries


def _own_end(block: str, start: int, limit: int) -> int:
    """Return where the lines of an entry end: blank lines and comments at the margin belong to what follows."""
    while (last := _line_start(block, limit - 1)) > start:
        line = block[last:limit]
        if line.strip() and not line.startswith("#"):
            break
        limit = last
    return limit


def _lines_of(key: str, value: Any, newline: str, *, flow: bool) -> str:
    if isinstance(value, (list, tuple)) and value and not flow:
        items = "".join(f"  - {dump_scalar(item)}{newline}" for item in value)
        return f"{dump_key(key)}:{newline}{items}"
    return f"{dump_key(key)}: {dump_scalar(value)}{newline}"


def _line_start(block: str, index: int) -> int:
    return block.rfind("\n", 0, index) + 1


def _is_sequence(node: Any) -> bool:
    from yaml.nodes import SequenceNode

    return isinstance(node, SequenceNode)


def _is_flow(node: Any) -> bool:
    return bool(getattr(node, "flow_style", False))


def _plain(node: "Node") -> Any:
    import yaml

    return yaml.load(yaml.serialize(node), Loader=yaml.SafeLoader)


def _same(old: Any, new: Any) -> bool:
    return _frozen(old) == _frozen(new)


def _frozen(value: Any) -> str:
    """Return a value in a form that compares types too (1 is not True) and knows tuples as lists."""
    from datetime import UTC, datetime

    if isinstance(value, (list, tuple)):
        return f"[{','.join(_frozen(item) for item in value)}]"
    if isinstance(value, Mapping):
        return f"{{{','.join(f'{_frozen(key)}:{_frozen(item)}' for key, item in value.items())}}}"
    if isinstance(value, datetime) and value.tzinfo:
        return repr(value.astimezone(UTC).replace(microsecond=0))
    return repr(value)


def _verify(block: str, wanted: Mapping[str, Any]) -> None:
    """Raise UnreadableError unless a block reads back as the wanted values: better no edit than a wrong one."""
    loaded, problem = load_block(block)
    if problem or not isinstance(loaded, dict):
        raise _UneditableError(problem or _UNSAFE)
    if {str(key): _frozen(value) for key, value in loaded.items()} != {k: _frozen(v) for k, v in wanted.items()}:
        raise _UneditableError(_UNSAFE)

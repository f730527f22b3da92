"""One setting of a config file changed in its text: the value's own characters, by YAML's marks, and no others."""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from echo_notes.files.textfile import LF, find_newline
from echo_notes.model.errors import UsageError

if TYPE_CHECKING:
    from yaml.nodes import Node, SequenceNode

_PLAIN = re.compile(r"[A-Za-z][\w./-]*")
_NOT_TEXT = frozenset(["null", "yes", "no", "on", "off", "y", "n", "true", "false"])


def edit(text: str, name: str, value: Any, read: Callable[[str], Mapping[str, Any]]) -> str:
    """Return the text of a config file with one dotted name set; comments, order and all other lines stay.

    A new line goes below the commented default, if there is one, else to the end. `read` gives what a text sets by
    dotted name; UsageError where it does not give the value back, so that no file is left with another meaning.
    """
    before = read(text)
    wanted = list(value) if isinstance(value, tuple) else value
    for candidate in _candidates(text, name, value):
        try:
            after = read(candidate)
        except Exception:  # noqa: BLE001, S112 - whatever the reader says, the next candidate may do
            continue
        if after == {**before, name: wanted}:
            return candidate
    raise UsageError(f"{name} cannot be set here without changing something else", fix="Set it in an editor.")


def as_yaml(value: Any) -> str:
    """Return a setting as YAML on one line; a plain word stays plain, which is read without loading YAML."""
    if isinstance(value, tuple):
        return f"[{', '.join(as_yaml(part) for part in value)}]"
    if isinstance(value, float) and value == int(value):
        return str(int(value))
    if isinstance(value, str) and _PLAIN.fullmatch(value) and value.lower() not in _NOT_TEXT:
        return value
    return json.dumps(value, ensure_ascii=False)


def _candidates(text: str, name: str, value: Any) -> Iterator[str]:
    newline = find_newline(text)
    line = f"{name}: {as_yaml(value)}"
    found = _find(text, name)
    if found:
        yield _replaced(text, found, value, newline)
    match = re.search(rf"(?m)^# ?{re.escape(name)}:[^\r\n]*", text)
    if match:
        yield f"{text[: match.end()]}{newline}{line}{text[match.end() :]}"
    gap = "" if not text or text.endswith(LF) else newline
    yield f"{text}{gap}{line}{newline}"


def _find(text: str, name: str) -> "tuple[Node, Node] | None":
    """Return key and value of the last place that sets a name, flat or in sections."""
    import yaml

    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.YAMLError:
        return None
    return _find_in(root, name)


def _find_in(node: "Node | None", name: str) -> "tuple[Node, Node] | None":
    from yaml.nodes import MappingNode, ScalarNode

    found: tuple[Node, Node] | None = None
    for key, value in node.value if isinstance(node, MappingNode) else ():
        if not isinstance(key, ScalarNode):
            continue
        if key.value == name:
            found = (key, value)
        elif name.startswith(f"{key.value}."):
            found = _find_in(value, name.removeprefix(f"{key.value}.")) or found
    return found


def _replaced(text: str, found: "tuple[Node, Node]", value: Any, newline: str) -> str:
    from yaml.nodes import CollectionNode, SequenceNode

    key, node = found
    start, end = node.start_mark.index, node.end_mark.index
    new = as_yaml(value)
    if isinstance(node, SequenceNode) and not node.flow_style and isinstance(value, tuple) and value:
        return _with_items(text, node, value, newline)
    if isinstance(node, CollectionNode) and not node.flow_style:
        start = text.index(":", key.end_mark.index) + 1
    end = start + len(text[start:end].rstrip())
    return f"{text[:start]}{' ' if text[start - 1 : start] == ':' else ''}{new}{text[end:]}"


def _with_items(text: str, node: "SequenceNode", value: tuple[Any, ...], newline: str) -> str:
    """Return the text with a list of one item a line changed; the items that stay at its head keep their comments."""
    ends = [_line_end(text, item.end_mark.index) for item in node.value]
    same = 0
    while same < min(len(value), len(ends)) and node.value[same].value == str(value[same]):
        same += 1
    lines = [f"{' ' * node.start_mark.column}- {as_yaml(part)}" for part in value[same:]]
    head = text[: ends[same - 1]] if same else text[: _line_end(text, node.start_mark.index, back=True)]
    return newline.join([head, *lines]) + text[ends[-1] :]


def _line_end(text: str, position: int, *, back: bool = False) -> int:
    """Return where the line of a position ends, its newline left out; with `back`, the line before it."""
    end = text.rfind(LF, 0, position) if back else text.find(LF, position)
    end = len(text) if end < 0 else end
    return end - (text[end - 1 : end] == "\r")

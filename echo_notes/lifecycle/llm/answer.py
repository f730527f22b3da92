"""Reading an answer: one JSON object exactly as its schema says, every string bounded and writable, or nothing."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from echo_notes.lifecycle.llm.model import LlmError

_MOST_CHARS = 200_000
_FENCED = re.compile(r"```(?:json)?[ \t]*\n(.*)\n[ \t]*```", re.DOTALL)


def parse_answer(text: str, schema: Mapping[str, Any]) -> Any:
    """Return the object that an answer is; LlmError where it is anything else.

    A code fence around it and a reasoning model's `<think>` before it are taken off; nothing else is forgiven.
    """
    body = text.rpartition("</think>")[2].strip()
    if fenced := _FENCED.fullmatch(body):
        body = fenced[1]
    if len(body) > _MOST_CHARS:
        raise _amiss("is too long")
    try:
        value = json.loads(body, object_pairs_hook=_object, parse_constant=_constant)
    except (ValueError, RecursionError):
        raise _amiss("is not JSON") from None
    if problem := _mismatch(value, schema, "answer"):
        raise _amiss(problem)
    return value


def _mismatch(value: Any, schema: Mapping[str, Any], where: str) -> str:
    """Return how a value differs from its schema, "" if it does not; the value itself is never quoted."""
    check = {
        "object": _object_mismatch, "array": _array_mismatch, "string": _string_mismatch, "integer": _number_mismatch,
        "number": _number_mismatch,
    }[schema["type"]]  # fmt: skip
    return check(value, schema, where)


def _object_mismatch(value: Any, schema: Mapping[str, Any], where: str) -> str:
    if not isinstance(value, dict):
        return f"has no object at {where}"
    if set(value) != set(schema["properties"]):
        return f"has other fields than asked for at {where}"
    found = (_mismatch(value[name], part, f"{where}.{name}") for name, part in schema["properties"].items())
    return next(filter(None, found), "")


def _array_mismatch(value: Any, schema: Mapping[str, Any], where: str) -> str:
    if not isinstance(value, list):
        return f"has no list at {where}"
    if len(value) > schema["maxItems"]:
        return f"has more than {schema['maxItems']} entries at {where}"
    return next(filter(None, (_mismatch(part, schema["items"], f"{where}[]") for part in value)), "")


def _string_mismatch(value: Any, schema: Mapping[str, Any], where: str) -> str:
    if not isinstance(value, str):
        return f"has no text at {where}"
    if "enum" in schema:
        return "" if value in schema["enum"] else f"has an unknown word at {where}"
    if len(value) > schema["maxLength"]:
        return f"has a text of more than {schema['maxLength']} characters at {where}"
    lone = any("\ud800" <= char <= "\udfff" for char in value)
    return f"has a text that is no Unicode at {where}" if lone else ""


def _number_mismatch(value: Any, schema: Mapping[str, Any], where: str) -> str:
    kinds = int if schema["type"] == "integer" else (int, float)
    if not isinstance(value, kinds) or isinstance(value, bool):
        return f"has no number at {where}"
    fits = schema["minimum"] <= value <= schema["maximum"]
    return "" if fits else f"has a number out of bounds at {where}"


def _object(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) != len(pairs):
        raise ValueError
    return record


def _constant(_: str) -> Any:
    raise ValueError


def _amiss(what: str) -> LlmError:
    return LlmError(f"the language model's answer {what}", lasting=False)

"""A real, tiny ONNX cross-encoder, written byte by byte: what `onnx` would do with a hundred megabytes of package."""

import json
from collections.abc import Iterable
from pathlib import Path

_INT64, _FLOAT = 7, 1
_OPSET = 17
WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "tea", "coffee", "rum", "ada", "drinks"]


def write_cross_encoder(folder: Path, *, outputs: int = 1) -> None:
    """Write a model whose score for a pair is the mean token id of its text: later words of WORDS score higher."""
    (folder / "onnx").mkdir(parents=True)
    names = ["input_ids", "attention_mask", "token_type_ids"]
    nodes = [
        _node("Cast", ["input_ids"], ["as_float"], [_int_attribute("to", _FLOAT)]),
        _node("ReduceMean", ["as_float"], ["mean"], [_ints_attribute("axes", [1]), _int_attribute("keepdims", 1)]),
        _node("Concat", ["mean"] * outputs, ["logits"], [_int_attribute("axis", 1)]),
    ]
    graph = b"".join(_field(1, node) for node in nodes) + _field(2, b"tiny")
    graph += b"".join(_field(11, _value(name, _INT64, ["batch", "length"])) for name in names)
    graph += _field(12, _value("logits", _FLOAT, ["batch", outputs]))
    model = _number(1, 8) + _field(7, graph) + _field(8, _number(2, _OPSET))
    (folder / "onnx/model.onnx").write_bytes(model)
    vocabulary = {word: number for number, word in enumerate(WORDS)}
    special = [
        {
            "id": n,
            "content": WORDS[n],
            "special": True,
            "single_word": False,
            "lstrip": False,
            "rstrip": False,
            "normalized": False,
        }
        for n in range(4)
    ]
    tokenizer = {
        "version": "1.0", "truncation": None, "padding": None, "added_tokens": special,
        "normalizer": {"type": "Lowercase"}, "pre_tokenizer": {"type": "Whitespace"}, "decoder": None,
        "post_processor": {"type": "BertProcessing", "sep": ["[SEP]", 3], "cls": ["[CLS]", 2]},
        "model": {"type": "WordLevel", "vocab": vocabulary, "unk_token": "[UNK]"},
    }  # fmt: skip
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer))
    (folder / "config.json").write_text(json.dumps({"pad_token_id": 0}))
    (folder / "tokenizer_config.json").write_text(json.dumps({"model_max_length": 64, "pad_token": "[PAD]"}))
    (folder / "special_tokens_map.json").write_text(json.dumps({"pad_token": "[PAD]", "unk_token": "[UNK]"}))


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _field(field: int, value: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(value)) + value


def _node(kind: str, inputs: Iterable[str], outputs: Iterable[str], attributes: Iterable[bytes]) -> bytes:
    body = b"".join(_field(1, name.encode()) for name in inputs)
    body += b"".join(_field(2, name.encode()) for name in outputs)
    return body + _field(4, kind.encode()) + b"".join(_field(5, attribute) for attribute in attributes)


def _int_attribute(name: str, value: int) -> bytes:
    return _field(1, name.encode()) + _number(3, value) + _number(20, 2)


def _ints_attribute(name: str, values: Iterable[int]) -> bytes:
    return _field(1, name.encode()) + b"".join(_number(8, value) for value in values) + _number(20, 7)


def _value(name: str, kind: int, shape: Iterable[str | int]) -> bytes:
    dims = b"".join(
        _field(1, _field(2, size.encode()) if isinstance(size, str) else _number(1, size)) for size in shape
    )
    tensor = _number(1, kind) + _field(2, dims)
    return _field(1, name.encode()) + _field(2, _field(1, tensor))

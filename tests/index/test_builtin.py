import hashlib
import shutil
from pathlib import Path

import numpy as np
import pytest

from echo_notes.index.builtin.model import FOLDER, MANY_TEXTS, MODEL_ID, BuiltinModel

TEXTS = [
    "what does Ada drink in the morning?", "Ada joined Acme as CTO", "爱丽丝喜欢喝绿茶", "愛麗絲喜歡喝綠茶",
    "用Python写脚本", "naïve café Þórður", "C++ and node.js 1.0.21", "", "   ", "Привет", "こんにちは世界", "🎉",
    "x" * 500, "12345678901234567890", "tab\tand\nnewline\x00\x07 control", "\u200b\ufeffzero width",
    "ＡＢＣ full width",
    "龘龘 rare", "word " * 700, "你好" * 300,
    "Pneumonoultramicroscopicsilicovolcanoconiosis", "user_id = 42", "它们�混", "e\u0301t\u0301",
]  # fmt: skip


@pytest.fixture(scope="module")
def model() -> BuiltinModel:
    return BuiltinModel()


def test_the_model_id_names_the_file() -> None:
    digest = hashlib.sha256((FOLDER / "model.safetensors").read_bytes()).hexdigest()
    assert f"builtin:{digest[:8]}" == MODEL_ID


def test_one_by_one_and_all_at_once_agree(model: BuiltinModel) -> None:
    many = np.frombuffer(model.embed_many(TEXTS * MANY_TEXTS), np.float32).reshape(-1, model.dim)[: len(TEXTS)]
    single = np.array([model.embed(text) for text in TEXTS], np.float32)
    assert np.abs(many - single).max() < 1e-6


def test_few_lookups_and_many_agree() -> None:
    fresh, used = BuiltinModel(), BuiltinModel()
    used.embed_many(["all the words that are needed to build the table " * 10])
    for text in TEXTS:
        assert BuiltinModel().rows(text) == used.rows(text)
    assert fresh.rows("Ada drinks tea") == used.rows("Ada drinks tea")


def test_vectors_have_length_one_or_none(model: BuiltinModel) -> None:
    for text in TEXTS:
        norm = sum(value * value for value in model.embed(text))
        assert norm == pytest.approx(1, abs=1e-5) or norm == 0


def test_unknown_scripts_have_the_zero_vector(model: BuiltinModel) -> None:
    assert not any(model.embed("Привет из Москвы"))
    assert not any(model.embed("🎉"))
    assert not any(model.embed(""))


def test_languages_share_a_space(model: BuiltinModel) -> None:
    def cosine(one: str, other: str) -> float:
        return sum(a * b for a, b in zip(model.embed(one), model.embed(other), strict=True))

    assert cosine("green tea", "绿茶") > 0.5
    assert cosine("green tea", "绿茶") > cosine("green tea", "程序员") + 0.3


def test_the_same_vectors_as_fastembed(model: BuiltinModel, tmp_path: Path) -> None:
    fastembed = pytest.importorskip("fastembed")
    for name in ("model.safetensors", "tokenizer.json", "config.json"):
        shutil.copy(FOLDER / name, tmp_path / name)
    name = next(row["model"] for row in fastembed.TextEmbedding.list_supported_models() if "potion" in row["model"])
    theirs = fastembed.TextEmbedding(name, specific_model_path=str(tmp_path), local_files_only=True)
    texts = [text for text in TEXTS if text.strip()]
    expected = np.array(list(theirs.embed(texts)), np.float32)
    ours = np.array([model.embed(text) for text in texts], np.float32)
    assert np.abs(expected - ours).max() < 1e-5


def test_a_cut_file_is_refused(tmp_path: Path) -> None:
    for name in ("model.safetensors", "vocab.txt", "t2s.txt"):
        shutil.copy(FOLDER / name, tmp_path / name)
    whole = (tmp_path / "model.safetensors").read_bytes()
    (tmp_path / "model.safetensors").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ValueError, match="cut short"):
        BuiltinModel(tmp_path)
    (tmp_path / "model.safetensors").write_bytes(b"not a model, by far")
    with pytest.raises(ValueError, match="not a safetensors"):
        BuiltinModel(tmp_path)

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from echo_notes.guard.keys import derive_key, inline_field, is_single_valued, key_group, load_key_rules
from echo_notes.guard.lexicon import load_lexicon
from echo_notes.model.errors import UsageError

ADA = ("Ada", "Ada Lovelace")
_DATA: dict[str, Any] = load_lexicon("keys")
_EXAMPLES = [(key, text, value) for key, spec in _DATA["keys"].items() for text, value in spec["examples"]]
_COUNTER = [(key, text) for key, spec in _DATA["keys"].items() for text in spec["counter"]]


@pytest.mark.parametrize(("key", "text", "value"), _EXAMPLES)
def test_every_rule_reads_its_own_examples(key: str, text: str, value: str) -> None:
    found = derive_key(text, ADA)

    assert found is not None
    assert (found.key, found.value) == (key, value)


@pytest.mark.parametrize(("key", "text"), _COUNTER)
def test_no_rule_reads_its_counter_examples(key: str, text: str) -> None:
    found = derive_key(text, ADA)

    assert found is None or found.key not in {key, f"work-{key}"}


@pytest.mark.parametrize(("text", "key", "value"), _DATA["preference"]["examples"])
def test_preferences_have_a_key_for_each_thing(text: str, key: str, value: str) -> None:
    found = derive_key(text, ADA)

    assert found is not None
    assert (found.key, found.value, found.single_valued) == (key, value, True)


@pytest.mark.parametrize("text", _DATA["preference"]["counter"])
def test_no_preference_is_read_from_hedges_negations_and_other_people(text: str) -> None:
    found = derive_key(text, ADA)

    assert found is None or not found.key.startswith("preference:")


def test_every_key_has_examples_and_counter_examples() -> None:
    assert all(spec["examples"] and spec["counter"] for spec in _DATA["keys"].values())


@pytest.mark.parametrize(
    ("text", "key", "value"),
    [
        ("- [[Ada]] employer:: Acme", "employer", "Acme"),
        ("- [[Ada]] [birthday:: 12 May] and more", "birthday", "12 May"),
        ("[[Ada]] (公司:: 腾讯)", "employer", "腾讯"),
        ("@ada role:: CTO #status", "role", "CTO"),
        ("Ada favourite tea:: oolong", "favourite-tea", "oolong"),
        ("[[life/areas/people/ada-lovelace/summary|Ada]] deadline:: 2026-05-20", "deadline", "2026-05-20"),
    ],
)
def test_an_inline_field_is_the_key_as_it_stands(text: str, key: str, value: str) -> None:
    found = inline_field(text, ADA)

    assert found is not None
    assert (found.key, found.value) == (key, value)


@pytest.mark.parametrize("text", ["std::vector", "a:: ", ":: b", "this is a very long sentence that has:: a mark"])
def test_colons_alone_make_no_field(text: str) -> None:
    found = inline_field(text, ADA)

    assert found is None or found.key == "std"


def test_someone_else_is_not_the_subject() -> None:
    assert derive_key("Bob works at Acme", ADA) is None
    assert derive_key("Bob works at Acme", ()) is not None


def test_single_valued_keys() -> None:
    assert is_single_valued("employer")
    assert is_single_valued("work-email")
    assert is_single_valued("preference:tea")
    assert not is_single_valued("language")
    assert not is_single_valued("no such key")


def test_other_names_of_a_key_are_one_group() -> None:
    assert key_group("status") == key_group("stage") == key_group("Phase")
    assert key_group("公司") == "employer"


def test_own_rules_extend_the_packaged_ones(tmp_path: Path) -> None:
    path = tmp_path / "keys.json"
    path.write_text(
        json.dumps({"keys": {"instrument": {"single": True, "verbs": ["plays the {v}"]}}}), encoding="utf-8"
    )
    rules = load_key_rules((path,))

    found = derive_key("Ada plays the cello", ADA, rules=rules)

    assert found is not None
    assert (found.key, found.value) == ("instrument", "cello")
    assert is_single_valued("instrument", rules)
    assert derive_key("Ada works at Acme", ADA, rules=rules) is not None


@pytest.mark.parametrize("content", ["{", "[1]", '{"keys": {"x": {"verbs": ["no value here"]}}}'])
def test_a_broken_rule_file_is_named(tmp_path: Path, content: str) -> None:
    path = tmp_path / "keys.json"
    path.write_text(content, encoding="utf-8")

    with pytest.raises(UsageError, match=r"keys\.json"):
        load_key_rules((path,))


def test_the_write_path_pays_for_no_heavy_import() -> None:
    code = (
        "import sys\nfrom echo_notes.guard.keys import derive_key\nderive_key('Ada works at Acme', ['Ada'])\n"
        "print([name for name in ('yaml', 'numpy', 'tantivy', 'orjson') if name in sys.modules])"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "[]"


def test_a_version_after_the_name_belongs_to_the_subject() -> None:
    found = derive_key("Ada 3.0 ships on 14 December 2026", ADA)

    assert found is not None
    assert found.key == "launch"


def test_keys_are_one_however_their_words_are_joined() -> None:
    assert key_group("due_date") == key_group("Due-Date") == key_group("deadline")


def test_a_negation_after_a_chinese_pronoun_is_no_part_of_a_name() -> None:
    assert derive_key("我不喜欢冬天", ()) is None
    assert derive_key("我也不喜欢冬天", ["我"]) is None

"""Chinese question-and-answer turns (`你喜欢爬山吗？ / 不喜欢`): what an answer asserts, and what denies it."""

from dataclasses import dataclass
from functools import cache
from typing import Any

from echo_notes.guard.lexicon import load_lexicon
from echo_notes.guard.phrases import is_unspaced
from echo_notes.guard.polarity import read_han
from echo_notes.guard.values import han_number

_MARK = " / "
_STOPS = "，。！？；,!?;…~"
_PARTICLES = ("没有", "没", "吗", "吧", "呢", "啊", "呀", "么", "嘛", "了")
_COUNTED = "岁个只条年月天次"
_SAME = 0.6
_LONGEST_PLACE = 5


@dataclass(frozen=True, slots=True)
class Turn:
    """A question with its answer.

    `told` is what was said before the answer, `question` the last question in it; `polarity` of the answer to a
    yes-or-no question is 1 for yes, -1 for no, else 0; `assertions` are the clauses of the answer in the first person.
    """

    told: str
    question: str
    answer: str
    polarity: int
    assertions: tuple[str, ...]


@cache
def _data() -> Any:
    return load_lexicon("conflict")


def is_turn(text: str) -> bool:
    """Return whether a text is a Chinese question and its answer, joined by ` / `."""
    return text.count(_MARK) == 1 and is_unspaced(text)


def read_turn(text: str) -> Turn:
    """Return what a turn asserts."""
    told, _, answer = text.partition(_MARK)
    asked = [clause for clause in _clauses(told) if clause.endswith(("？", "?", "吗"))]
    question = asked[-1] if asked else ""
    assertions = tuple(
        _in_first_person(clause.rstrip(_STOPS), from_where="哪" in question)
        for clause in _clauses(answer)
        if not clause.endswith(("？", "?", "吗", "呢")) and "你" not in clause and len(clause) > 1
    )
    return Turn(told, question, answer, _polarity(question, answer), assertions)


def _in_first_person(clause: str, *, from_where: bool) -> str:
    """Return a clause of an answer as a sentence of its own; after `你是哪里的？` also `我是洛阳的` as `我是洛阳人`."""
    for opening in ("嗯", "对呀", "是的", "你好", "啊"):
        clause = clause.removeprefix(opening)
    clause = clause if clause.startswith("我") else f"我{clause}"
    bare = clause.rstrip("啊呀呢哦")
    if from_where and bare.startswith(("我是", "我也是")) and bare.endswith(("的", "滴")):
        place = bare[:-1].removeprefix("我是").removeprefix("我也是")
        if 1 < len(place) <= _LONGEST_PLACE and not any(char in "做打玩教卖学开搞" for char in place):
            return f"我是{place}人"
    return clause


def _clauses(text: str) -> list[str]:
    clauses, start = [], 0
    for index, char in enumerate(text):
        if char in _STOPS:
            clauses.append(text[start : index + 1].strip())
            start = index + 1
    clauses.append(text[start:].strip())
    return [clause for clause in clauses if clause.strip(_STOPS)]


def _content(text: str) -> set[str]:
    for word in _data()["wh_zh"]:
        text = text.replace(word, "")
    return set(read_han(text.strip(_STOPS)).text) - set("你我您知道吗么嘛")


def _is_open(question: str) -> bool:
    return any(word in question for word in _data()["wh_zh"])


def _polarity(question: str, answer: str) -> int:
    data = _data()
    clauses = _clauses(answer)
    first = clauses[0].strip(_STOPS) if clauses else ""
    if first.strip("我呃额哦啊哈") == "" and len(clauses) > 1:
        first = clauses[1].strip(_STOPS)
    bare = first.lstrip("我呃额哦啊")
    if not question or _is_open(question) or not bare or bare.startswith(tuple(data["no_exceptions_zh"])):
        return 0
    if any(word in first for word in data["evasions_zh"]):
        return 0
    said = read_han(first)
    if said.negated:
        return -1
    if bare.startswith(tuple(data["yes_openings_zh"])):
        return -1 if _asks_negatively(question) else 1
    return 1 if set(said.text) & _content(question) else 0


def _asks_negatively(question: str) -> bool:
    """Return whether a question denies what it asks about; `不是…吗` does not, it expects a yes."""
    bare = question.strip(_STOPS)
    while bare.endswith(_PARTICLES):
        bare = bare.removesuffix(next(particle for particle in _PARTICLES if bare.endswith(particle)))
    return read_han(bare).negated and "不是" not in bare


def denies(one: Turn, other: Turn) -> str:
    """Return why two turns cannot both stand, "" if nothing says so."""
    if one.polarity * other.polarity == -1 and _same_question(one.question, other.question):
        return "the same question, answered yes and no"
    if _forgets(one, other):
        return "what was told is not known any more"
    if _counts_differ(one, other):
        return "the same question, answered with two numbers"
    return ""


def _same_question(one: str, other: str) -> bool:
    first, second = _content(one), _content(other)
    if not first or not second or _has_opposites(one, other):
        return False
    return len(first & second) / min(len(first), len(second)) >= _SAME


def _has_opposites(one: str, other: str) -> bool:
    return any(
        (first in one and second in other) or (second in one and first in other)
        for first, second in _data()["antonyms_zh"]
        if len(first) > 1
    )


def _forgets(one: Turn, other: Turn) -> bool:
    """Return whether an answer does not know what was told: `我喜欢茶`, then `你知道我喜欢什么吗？ / 不知道`."""
    if "知道" not in other.question or "我" not in other.question or one.question:
        return False
    if not other.answer.startswith(tuple(_data()["ignorance_zh"])):
        return False
    asked = _content(other.question)
    return bool(asked) and len(asked & _content(one.told)) / len(asked) >= _SAME


def _counts_differ(one: Turn, other: Turn) -> bool:
    if not one.question or not other.question or not _same_question(one.question, other.question):
        return False
    first, second = _count(one.answer), _count(other.answer)
    return bool(first and second) and first != second


def _count(answer: str) -> int | None:
    """Return the one number that the first clause of an answer counts, None for none, several or a vague one."""
    clauses = _clauses(answer)
    text = clauses[0].strip(_STOPS) if clauses else ""
    if any(vague in text for vague in ("多", "快", "几", "左右", "大概", "差不多", "半")):
        return None
    found: list[int] = []
    run = ""
    for char in f"{text} ":
        if char.isdigit() or han_number(char) is not None or char in "十百":
            run += char
            continue
        if run and (char in _COUNTED or (char in "了 " and run.isdigit())):
            found.append(int(run) if run.isdigit() else han_number(run) or 0)
        run = ""
    return found[0] if len(found) == 1 else None

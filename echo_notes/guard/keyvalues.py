"""Values of keys: cutting a value out of the rest of its sentence, and refusing what cannot be one."""

import re
from collections.abc import Mapping
from functools import cache

from echo_notes.guard.lexicon import longest_first, word_set
from echo_notes.guard.phrases import Word, is_unspaced, split_words
from echo_notes.guard.values import date_in, han_number, normalise_value
from echo_notes.model.names import fold

_HAN_STOPS = "，。；、？！,;（(！"
_HAN_CUTS = ("担任", "出任", "负责", "因为", "所以", "但是", "并且", "做", "当")
_HAN_TAILS = ("了", "呢", "啊", "啦", "呀", "哦", "的公司")
_LEGAL = frozenset(["inc", "ltd", "llc", "gmbh", "corp", "plc", "co", "limited", "incorporated"])
_MAX_TEXT = 10
_MAX_NAME = 6


@cache
def _pattern(source: str) -> re.Pattern[str]:
    return re.compile(source)


def close_up(text: str) -> str:
    """Return the text without spaces beside Chinese characters."""
    if text.isascii():
        return text
    parts = text.split(" ")
    closed = parts[0]
    for part in parts[1:]:
        beside = closed[-1:] > "\u33ff" or part[:1] > "\u33ff"
        closed += part if beside and closed and part else f" {part}"
    return closed


def clean(value: str, kind: str, closed: Mapping[str, str], *, mixed: bool, named: bool = False) -> str | None:
    """Return the value proper of what stands after a phrase, None if it is no value of this kind.

    `mixed`: the sentence has capitals, so that a proper name must have one. `named`: the sentence says that it is a
    name (`is called`).
    """
    value = value.strip(" '\"“”‘’：:=*`")
    if not value:
        return None
    if kind == "closed":
        return closed.get(fold(value)) or closed.get(" ".join(word.bare for word in _trim(split_words(value), "cut")))
    if kind in {"name", "place", "role"}:
        return _name(value, kind, mixed=mixed, named=named)
    reader = {
        "text": _text,
        "number": _number,
        "year": _year,
        "date": _date,
        "when": _when,
        "line": _line,
        "email": _email,
        "phone": _phone,
    }
    return reader[kind](value)


def _name(value: str, kind: str, *, mixed: bool, named: bool) -> str | None:
    if is_unspaced(value):
        return _han_name(value, kind, named=named)
    words = _trim(split_words(value), "cut", commas=kind != "name", inside=kind == "name")
    if kind == "role":
        return _role(value, split_words(value))
    if words and words[0].bare == "the" and len(words) > 1 and words[1].raw[:1].isupper():
        words = words[1:]
    if not words or len(words) > _MAX_NAME or words[0].bare in word_set("generic"):
        return None
    if mixed and not (any(char.isupper() for char in words[0].raw) or words[0].raw[0].isdigit()):
        return None
    if (words[0].raw[0].isdigit() and (kind == "place" or words[0].bare.isdigit())) or (
        kind == "place" and all(_is_time(word) for word in words)
    ):
        return None
    return value[words[0].start : words[-1].end].strip(" ,.;:!\"'()")


def _trim(words: list[Word], stops: str, *, commas: bool = True, inside: bool = False) -> list[Word]:
    """Return the words up to where the value ends: a clause, a date, an adverb of time.

    `commas`: a comma ends it even before a legal form. `inside`: so does `in`.
    """
    kept: list[Word] = []
    for index, word in enumerate(words):
        following = words[index + 1] if index + 1 < len(words) else None
        if index and (word.bare in word_set(stops) or (inside and word.bare == "in") or _starts_time(word, following)):
            break
        if index and word.bare == "and" and following and following.bare in word_set("verbs"):
            break
        if index and word.raw.startswith(("(", "—", "–")):
            break
        kept.append(word)
        if word.raw.endswith((",", ";", "，", "；")) and not (
            following and not commas and following.bare.rstrip(".") in _LEGAL
        ) and not word.bare.isdigit() and not (following and following.bare.isdigit()):  # fmt: skip  # one condition
            break
    while len(kept) > 1 and kept[-1].bare in word_set("tails"):
        kept.pop()
    return kept


def _starts_time(word: Word, following: Word | None) -> bool:
    return (
        following is not None
        and word.bare in {"in", "on", "from", "at"}
        and (_is_time(following) or word.bare == "from")
    )


def _is_time(word: Word) -> bool:
    return word.bare in word_set("months") or word.bare in word_set("weekdays") or (
        word.bare[:4].isdigit() and len(word.bare) >= 4  # noqa: PLR2004  # a year
    )  # fmt: skip


def _han_name(value: str, kind: str, *, named: bool) -> str | None:
    for index, char in enumerate(value):
        if char in _HAN_STOPS:
            value = value[:index]
            break
    if kind == "name":
        for cut in _HAN_CUTS:
            if value.find(cut) > 1:
                value = value[: value.find(cut)]
    changed = True
    while changed:
        changed = False
        for tail in _HAN_TAILS:
            if value.endswith(tail) and len(value) > len(tail) + 1:
                value, changed = value.removesuffix(tail), True
    if kind == "place" and value.endswith("市") and len(value) > 2:  # noqa: PLR2004  # a city has two characters
        value = value[:-1]
    if kind == "role":
        titles = longest_first("roles_zh")
        head = value.removeprefix("一名").removeprefix("一位").removeprefix("一个")
        return head if fold(head).endswith(tuple(fold(title) for title in titles)) and len(head) <= 24 else None  # noqa: PLR2004  # a title, not a clause
    if not value or len(value) > 16 or value in word_set("generic_zh") or value[0] in "了着过的得":  # noqa: PLR2004  # a name, not a clause
        return None
    if any(part in value for part in (*longest_first("generic_parts_zh"), "很", "什么", "不", "没")):
        return None
    if value.endswith(("年", "月", "日", "号")) and any(
        char.isdigit() or han_number(char) is not None for char in value
    ):
        return None
    if value.endswith(longest_first("roles_zh")) and not named:
        return None
    if kind == "place" and value.endswith(("个好", "好", "负责", "合伙", "创始", "联系", "主持", "候选", "工", "军", "个", "年轻", "老", "管理", "经纪", "发言", "女", "男", "家", "本", "名", "新", "法")):  # fmt: skip  # 是X人
        return None
    return value


def _role(value: str, words: list[Word]) -> str | None:
    """Return a job title: its head noun must be one, and it must not be somebody's."""
    if words and words[0].bare in {"a", "an", "the", "our", "its", "new", "now"}:
        words = words[1:]
    kept: list[Word] = []
    for index, word in enumerate(words):
        following = words[index + 1] if index + 1 < len(words) else None
        stop = word.bare in word_set("cut") and not (word.bare == "for" and following and following.raw[:1].isupper())
        if index and (stop or _starts_time(word, following) or word.bare == "and"):
            break
        kept.append(word)
        if word.raw.endswith((",", ";")):
            break
    while kept and kept[-1].bare in word_set("tails"):
        kept.pop()
    joint = next((index for index, word in enumerate(kept) if word.bare in {"of", "at", "in", "for"}), len(kept))
    head = kept[:joint]
    if not head or len(head) > 4 or len(kept) > 8:  # noqa: PLR2004  # a title, not a clause
        return None
    if any(
        word.raw.endswith(("'s", "’s")) or (word.bare.endswith("ing") and word is kept[0] and len(head) > 2)
        for word in head
    ):  # talking to the designer
        return None
    if head[0].bare in {"good", "great", "bad", "terrible", "nice", "natural", "decent", "fine", "real", "true"}:
        return None
    if head[-1].bare not in word_set("roles") and head[0].bare not in {"vp", "head", "director"}:
        return None
    return value[kept[0].start : kept[-1].end].strip(" ,.;")


def _text(value: str) -> str | None:
    if is_unspaced(value):
        for index, char in enumerate(value):
            if char in "，。；？！,;":
                value = value[:index]
                break
        value = value.strip("了的呢啊啦 ") if len(value) > 2 else value  # noqa: PLR2004  # 了 alone may be a name's part
        return (
            value
            if value and len(value) <= 24 and not value.startswith(("他", "她", "到")) and not value.endswith("不")
            else None
        )
    words = _trim(split_words(value), "cut_text", commas=True)
    while words and words[0].bare in {"to", "at"} and len(words) == 1:
        words = []
    if not words or len(words) > _MAX_TEXT or words[0].bare in {"about", "for", "with"}:
        return None
    if words[0].bare in {"to", "at"} and len(words) > 1 and words[1].raw[:1].isupper():
        return None
    if words[0].bare in {"at", "up"}:
        return None
    return value[words[0].start : words[-1].end].strip(" ,.;!")


def _number(value: str) -> str | None:
    words = _trim(split_words(value), "cut", commas=True)
    if is_unspaced(value):
        number = value.rstrip("了多 ")
        for opening in ("也是", "已经", "刚满", "刚", "才", "快", "约"):
            number = number.removeprefix(opening)
        return (
            number
            if len(number) <= 12 and any(char.isdigit() or han_number(char) is not None for char in number)
            else None
        )
    if not words or len(words) > 5:  # noqa: PLR2004  # a quantity, not a clause
        return None
    first = normalise_value(words[0].raw)
    if not any(char.isdigit() for char in first):
        return None
    return value[words[0].start : words[-1].end].strip(" ,.;:!")


def _year(value: str) -> str | None:
    match = _pattern(r"(?:the year )?((?:1\d|20)\d\d年?)(?:[，,。. ].*)?").fullmatch(value.strip())
    return match[1] if match else None


def _date(value: str) -> str | None:
    words = _trim(split_words(value), "cut", commas=True) if not is_unspaced(value) else []
    text = value[words[0].start : words[-1].end] if words else value.rstrip("了。 ")
    whole = _whole_date(value)
    if whole:
        return whole
    if date_in(text) and len(text) <= 40:  # noqa: PLR2004  # a date, not a clause
        return text.strip(" ,.;:").removeprefix("the ")
    return None


def _when(value: str) -> str | None:
    return _date(value) or _year(value)


def _line(value: str) -> str | None:
    return value if len(value) <= 120 else None  # noqa: PLR2004  # an address is a line


def _whole_date(value: str) -> str | None:
    """Return the value up to the end of the date that it starts with."""
    match = _pattern(
        r"(?i)(?:the )?(\d{4}[-/.]\d{1,2}(?:[-/.]\d{1,2})?|[a-z]{3,9}\.? \d{1,2}(?:st|nd|rd|th)?(?:,? \d{4})?"
        r"|\d{1,2}(?:st|nd|rd|th)? (?:of )?[a-z]{3,9}\.?(?:,? \d{4})?|\d{1,2}[./]\d{1,2}[./]\d{4})(?![\w])"
    ).match(value)
    return match[1] if match and date_in(match[1]) else None


def _email(value: str) -> str | None:
    word = value.split(maxsplit=1)[0].strip(".,;<>()。，")
    name, at, host = word.partition("@")
    return word if name and at and "." in host and host[-1].isalnum() else None


def _phone(value: str) -> str | None:
    match = _pattern(r"[+(]?\d[\d ()./-]{4,22}\d(?![\w])").match(value)
    return match[0].strip() if match and sum(char.isdigit() for char in match[0]) >= 5 else None  # noqa: PLR2004

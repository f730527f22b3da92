"""Values of keys: cutting a value out of the rest of its sentence, and refusing what cannot be one."""

import re
from collections.abc import Callable, Mapping
from functools import cache

from echo_notes.guard import keyvalues_zh
from echo_notes.guard.lexicon import word_set
from echo_notes.guard.phrases import Word, is_unspaced, split_words
from echo_notes.guard.values import date_in, normalise_value
from echo_notes.model.names import fold

_LEGAL = frozenset(["inc", "ltd", "llc", "gmbh", "corp", "plc", "co", "limited", "incorporated"])
_LONGEST_TEXT = 10
_LONGEST_NAME = 6
_LONGEST_TITLE = 8
_LONGEST_HEAD = 4
_LONGEST_QUANTITY = 5
_LONGEST_AGE = 4
_LONGEST_LINE = 120
_LONGEST_DATE = 40
_YEAR_DIGITS = 4
_PHONE_DIGITS = 5
_DATE = (
    r"(?i)(?:the )?(\d{4}[-/.]\d{1,2}(?:[-/.]\d{1,2})?|[a-z]{3,9}\.? \d{1,2}(?:st|nd|rd|th)?(?:,? \d{4})?"
    r"|\d{1,2}(?:st|nd|rd|th)? (?:of )?[a-z]{3,9}\.?(?:,? \d{4})?|\d{1,2}[./]\d{1,2}[./]\d{4})(?![\w])"
)


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
        return _closed(value, closed)
    if kind in {"name", "member", "place"}:
        if is_unspaced(value):
            return keyvalues_zh.name(value, kind, named=named)
        return _name(value, kind, mixed=mixed)
    readers: dict[str, Callable[[str], str | None]] = {
        "role": _role, "text": _text, "number": _number, "age": _age, "year": _year, "date": _date, "when": _when,
        "line": _line, "email": _email, "phone": _phone,
    }  # fmt: skip
    return readers[kind](value)


def _closed(value: str, closed: Mapping[str, str]) -> str | None:
    """Return the standard word for one of a closed list; after it only a time may stand, after `engaged to` a name."""
    folded = fold(value.rstrip("。，, "))
    if folded in closed:
        return closed[folded]
    for phrase, name in closed.items():
        if phrase.endswith((" to", " with")) and folded.startswith(f"{phrase} "):
            return name
    return closed.get(" ".join(word.bare for word in _trim(split_words(value), frozenset())))


def _name(value: str, kind: str, *, mixed: bool) -> str | None:
    words = split_words(value)
    kept = _trim(words, word_set("cut") | {"in", "on"} if kind != "place" else word_set("cut"), commas=kind == "place")
    if kind == "member" and len(kept) < len(words) and words[len(kept)].bare in {"in", "for", "at", "with"}:
        following = words[len(kept) + 1 : len(kept) + 2]
        if not (following and _is_time(following[0])):
            return None  # `joined Bob in Paris`
    if len(kept) > 1 and kept[0].bare == "the" and kept[1].raw[:1].isupper():
        kept = kept[1:]
    if not kept or len(kept) > _LONGEST_NAME or kept[0].bare in word_set("generic"):
        return None
    if mixed and not (any(char.isupper() for char in kept[0].raw) or kept[0].raw[0].isdigit()):
        return None
    if kept[0].bare.isdigit() or kept[0].bare in word_set("nationalities"):
        return None
    if kind == "place" and (kept[0].raw[0].isdigit() or all(_is_time(word) for word in kept)):
        return None
    return value[kept[0].start : kept[-1].end].strip(" ,.;:!\"'()")


def _trim(words: list[Word], stops: frozenset[str], *, commas: bool = True) -> list[Word]:
    """Return the words up to where the value ends: a clause, a date, a bracket, an adverb of time.

    `commas`: a comma ends it even before a legal form (`Acme, Inc.`).
    """
    kept: list[Word] = []
    for index, word in enumerate(words):
        following = words[index + 1] if index + 1 < len(words) else None
        if index and (word.bare in stops or word.raw.startswith(("(", "—", "–")) or _starts_clause(word, following)):
            break
        kept.append(word)
        if word.raw.endswith((",", ";", "，", "；")) and not _goes_on(word, following, commas=commas):
            break
    while len(kept) > 1 and kept[-1].bare in word_set("tails"):
        kept.pop()
    return kept


def _starts_clause(word: Word, following: Word | None) -> bool:
    if following is None:
        return False
    if word.bare == "and":
        return following.bare in word_set("verbs")
    return word.bare == "from" or (word.bare in {"in", "on", "at"} and _is_time(following))


def _goes_on(word: Word, following: Word | None, *, commas: bool) -> bool:
    """Return whether a value goes on after a comma: a legal form, or the year of a date."""
    if following is None:
        return False
    if not commas and following.bare.rstrip(".") in _LEGAL:
        return True
    return word.bare.isdigit() or following.bare.isdigit()


def _is_time(word: Word) -> bool:
    if word.bare in word_set("months") or word.bare in word_set("weekdays"):
        return True
    return len(word.bare) >= _YEAR_DIGITS and word.bare[:_YEAR_DIGITS].isdigit()


def _role(value: str) -> str | None:
    """Return a job title: its head noun must be one, and it must not be somebody's."""
    if is_unspaced(value):
        return keyvalues_zh.role(value)
    words = split_words(value)
    if words and words[0].bare in {"a", "an", "the", "our", "its", "new", "now"}:
        words = words[1:]
    kept = _title(words)
    joint = next((index for index, word in enumerate(kept) if word.bare in {"of", "at", "in", "for"}), len(kept))
    head = kept[:joint]
    if not head or len(head) > _LONGEST_HEAD or len(kept) > _LONGEST_TITLE or head[0].bare in word_set("praise"):
        return None
    if any(word.raw.endswith(("'s", "’s")) for word in head) or (len(head) > 2 and head[0].bare.endswith("ing")):  # noqa: PLR2004  # talking to the designer
        return None
    if head[-1].bare not in word_set("roles") and head[0].bare not in {"vp", "director"}:
        return None
    if head[0].bare == "head" and joint == len(kept):
        return None  # head over heels
    return value[kept[0].start : kept[-1].end].strip(" ,.;")


def _title(words: list[Word]) -> list[Word]:
    kept: list[Word] = []
    for index, word in enumerate(words):
        following = words[index + 1] if index + 1 < len(words) else None
        stop = word.bare in word_set("cut") and not (word.bare == "for" and following and following.raw[:1].isupper())
        if index and (stop or word.bare == "and" or _starts_clause(word, following)):
            break
        kept.append(word)
        if word.raw.endswith((",", ";")):
            break
    while kept and kept[-1].bare in word_set("tails"):
        kept.pop()
    return kept


def _text(value: str) -> str | None:
    if is_unspaced(value):
        return keyvalues_zh.text(value)
    words = _trim(split_words(value), word_set("cut_text"))
    if not words or len(words) > _LONGEST_TEXT or words[0].bare in word_set("object_openings"):
        return None
    if words[0].bare in {"about", "for", "with"} or (
        words[0].bare == "to" and (len(words) == 1 or words[1].raw[:1].isupper())
    ):
        return None
    return value[words[0].start : words[-1].end].strip(" ,.;!")


def _number(value: str) -> str | None:
    if is_unspaced(value):
        return keyvalues_zh.number(value)
    words = _trim(split_words(value), word_set("cut"))
    if not words or len(words) > _LONGEST_QUANTITY or not any(char.isdigit() for char in normalise_value(words[0].raw)):
        return None
    return value[words[0].start : words[-1].end].strip(" ,.;:!")


def _age(value: str) -> str | None:
    number = _number(value)
    return number if number and " " not in number and len(number) <= _LONGEST_AGE else None


def _year(value: str) -> str | None:
    match = _pattern(r"(?:the year )?((?:1\d|20)\d\d年?)(?:[，,。. ].*)?").fullmatch(value.strip())
    return match[1] if match else None


def _date(value: str) -> str | None:
    match = _pattern(_DATE).match(value)
    if match and date_in(match[1]):
        return match[1]
    words = [] if is_unspaced(value) else _trim(split_words(value), word_set("cut"))
    text = value[words[0].start : words[-1].end] if words else value.rstrip("了。 ")
    if date_in(text) and len(text) <= _LONGEST_DATE:
        return text.strip(" ,.;:").removeprefix("the ")
    return None


def _when(value: str) -> str | None:
    return _date(value) or _year(value)


def _line(value: str) -> str | None:
    telling = is_unspaced(value) or any(char.isdigit() or char.isupper() for char in value)
    return value if telling and len(value) <= _LONGEST_LINE else None


def _email(value: str) -> str | None:
    word = value.split(maxsplit=1)[0].strip(".,;<>()。，")
    name, at, host = word.partition("@")
    return word if name and at and "." in host and host[-1].isalnum() else None


def _phone(value: str) -> str | None:
    match = _pattern(r"[+(]?\d[\d ()./-]{4,22}\d(?![\w])").match(value)
    return match[0].strip() if match and sum(char.isdigit() for char in match[0]) >= _PHONE_DIGITS else None

"""One form for one value: normalising values and statements so that spelling cannot hide that they are the same."""

import re
from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from unicodedata import category

from echo_notes.guard.lexicon import load_lexicon
from echo_notes.model.names import fold

_MONTH = r"[a-z]{3,9}"
_ORDINAL = r"(\d{1,2})(?:st|nd|rd|th)?"
_REMEMBERED = 65_536  # statements whose plain form is kept in memory
_LAST_MONTH = 12
_LAST_DAY = 31
_SHORTEST_PHONE = 7
_HAN_DIGITS = {**{digit: number for number, digit in enumerate("零一二三四五六七八九")}, "〇": 0, "两": 2}
_HAN_UNITS = {"十": 10, "百": 100, "千": 1000}
_HAN_MYRIADS = {"万": 10**4, "亿": 10**8}
_HAN_NUMERALS = "零〇一二两三四五六七八九十百千万亿"
_COUNTED = "个名位岁只条台辆次年月日号天点小时分钟秒元块周人本家倍米公里克吨层楼页章版届期美%"
_CURRENCY = {"€": "eur", "$": "usd", "£": "gbp", "¥": "cny"}
_CONTRACTIONS = (
    ("can't", "cannot"), ("won't", "will not"), ("n't", " not"), ("i'm", "i am"), ("'re", " are"), ("'ve", " have"),
)  # fmt: skip
_PRONOUNS = frozenset(["she", "he", "they", "it"])
_HAN_PRONOUNS = ("他们", "她们", "它们", "他", "她", "它")
_UNSPACED = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"


@cache
def _months() -> dict[str, int]:
    """Return the number of each spelling of a month."""
    return {name: number for number, names in enumerate(load_lexicon("values")["months"], 1) for name in names.split()}


@cache
def _word_numbers() -> dict[str, int]:
    data = load_lexicon("values")
    small = {word: number for number, word in enumerate(data["numbers"])}
    return small | {word: 10 * number for number, word in enumerate(data["tens"], 2)}


@cache
def _unit_names() -> dict[str, str]:
    return {name: unit for unit, names in load_lexicon("values")["units"].items() for name in names.split()}


@cache
def _pattern(source: str) -> re.Pattern[str]:
    """Return the compiled pattern; most statements need few of them, so none is compiled at import."""
    return re.compile(source)


def _sub(source: str, replacement: str | Callable[[re.Match[str]], str], text: str) -> str:
    return _pattern(source).sub(replacement, text)


def plain_statement(text: str) -> str:
    """Return one line of a note as a bare sentence: no bullet, time, check box, tag or markup; a link is its name."""
    text = " ".join(text.split())
    text = _sub(r"^(?:>\s*|[-*+•]\s+|\d{1,3}[.)]\s+|\[[ xX/>-]\]\s+|\d{1,2}:\d{2}(?::\d{2})?\s+)+", "", text)
    if "[" in text:
        text = _sub(r"\[\[([^\[\]|]*)(?:\|([^\[\]]*))?\]\]", _link_name, text)
        text = _sub(r"\[([^\[\]]+)\]\([^()\s]*\)", r"\1", text)
    if "#" in text:
        text = _sub(r"(?:^|(?<=\s))#(?=[^\s#]*[^\W\d])[\w/-]+", "", text)
    if "@" in text:
        text = _sub(r"(?:^|(?<=[\s(]))@(?=\w)", "", text)
    for mark in ("**", "__", "`", "=="):
        text = text.replace(mark, "")
    return " ".join(text.split()).rstrip(" .。!！;；,，")


def _link_name(match: re.Match[str]) -> str:
    if match[2]:
        return match[2]
    parts = [part for part in match[1].split("#")[0].removesuffix(".md").split("/") if part]
    if len(parts) > 1 and parts[-1] == "summary":
        parts.pop()
    return parts[-1] if parts else ""


def normalise_value(text: str) -> str:
    """Return the value as it is compared.

    Case, accents, width, spaces, punctuation, thousands separators, number words, dates, units, a leading article and a
    trailing legal form (`Inc`, `有限公司`) make no difference; everything else does.
    """
    value = _normalise(plain_statement(text))
    words = value.split(" ")
    if len(words) > 1 and words[0] in {"the", "a", "an"}:
        words = words[1:]
    while len(words) > 1 and words[-1] in load_lexicon("values")["legal_forms"]:
        words = words[:-1]
    value = " ".join(words)
    for form in load_lexicon("values")["legal_forms_zh"]:
        if value.endswith(form) and len(value) > len(form) + 1:
            value = value.removesuffix(form)
    digits = value.replace(" ", "").replace("-", "")
    if len(digits) >= _SHORTEST_PHONE and digits.lstrip("+").isdigit() and not _is_iso(value):
        return digits  # a phone number, however it is grouped
    return value


def _is_iso(value: str) -> bool:
    return _pattern(r"\d{4}-\d{2}(?:-\d{2})?").fullmatch(value) is not None


def normalise_statement(text: str, subject_names: Sequence[str] = ()) -> str:
    """Return the statement as it is compared, without its subject: `Ada works at Acme.` becomes `works at acme`.

    `subject_names` are the names of the entity that the statement is about; one at the start is dropped, with its
    article, one elsewhere becomes `@`. A pronoun of the third person at the start counts as the subject.
    """
    return _normalise_about(text, tuple(subject_names))


@lru_cache(maxsize=_REMEMBERED)
def _normalise_about(text: str, subject_names: tuple[str, ...]) -> str:
    plain = _normalise(plain_statement(text))
    names = sorted({_normalise(name) for name in subject_names if name.strip()}, key=len, reverse=True)
    for name in names:
        plain = _replace_name(plain, name)
    plain = plain.removeprefix("the @") if plain.startswith("the @") else plain
    plain = plain.removeprefix("@").strip()
    first, _, rest = plain.partition(" ")
    if first in _PRONOUNS and rest:
        return rest
    for pronoun in _HAN_PRONOUNS:
        if plain.startswith(pronoun) and len(plain) > len(pronoun) + 1:
            return plain.removeprefix(pronoun).strip()
    return plain


def _replace_name(text: str, name: str) -> str:
    if not name or name not in text:
        return text
    before = r"(?<![^\W_])" if name[0].isascii() else ""
    after = r"(?![^\W_])" if name[-1].isascii() else ""
    if name.isascii():  # beside Chinese there is no border to see
        before, after = r"(?<![a-z0-9])", r"(?![a-z0-9])"
    return _tidy(_sub(before + re.escape(name) + after, "@", text))


def _normalise(text: str) -> str:
    folded = fold(text)
    plain = _plain(folded)
    if not plain:
        return " ".join(folded.split())  # nothing but marks: they are what it says
    telling = _telling(folded)
    return f"{plain} {telling}" if telling else plain


def _telling(folded: str) -> str:
    """Return the symbols that change what a text says (emoji, `<`, `~`), which `_plain` drops with the punctuation."""
    if folded.isascii():
        return "".join(char for char in folded if char in "<>~")
    return "".join(char for char in folded if char in "<>~" or (char > "\x7f" and category(char) in {"So", "Sm"}))


def _plain(text: str) -> str:
    text = text.replace("’", "'").replace("‘", "'")
    if "'" in text:
        for short, full in _CONTRACTIONS:
            text = text.replace(short, full)
        text = text.replace("'", "")
    if any(char.isdigit() for char in text) or not text.isascii():
        text = _numbers(text)
    text = _words_to_numbers(text)
    text = text.replace("&", " and ")
    text = _sub(r"(?<![^\W_])([a-f])-(?![\w-])", r"\1 minus", text)  # a mark, A-
    # Dots and hyphens inside a word or number carry meaning (node.js, 3.10, 2026-11-30); elsewhere they are style.
    text = _sub(r"(?<=\d)-(?=\d)|(?<=\s)-(?=\d)|^-(?=\d)", "\x00", text)
    text = _sub(
        r"\.(?![^\W_])|(?<![^\W_])(?<!\s)(?<!^)\.|(?<!\d)[:/]|[:/](?!\d)|[^\w\s.:/@+#%\x00]|_|(?<![^\W\d_])(?<![+#])[+#](?![\d+#])",
        " ",
        text,
    )
    text = text.replace("\x00", "-")
    return _tidy(text)


def _tidy(text: str) -> str:
    text = " ".join(text.split())
    if text.isascii():
        return text
    return _sub(rf"(?<=[{_UNSPACED}]) (?=\S)|(?<=\S) (?=[{_UNSPACED}])", "", text)


def _numbers(text: str) -> str:
    if not text.isascii():
        text = _sub(f"百分之([{_HAN_NUMERALS}\\d.]+)", lambda match: f"{_han_or_same(match[1])}%", text)
        text = _sub(
            # A numeral that counts something, or that ends the text; then what multiplies digits (3.5万).
            f"(?<!\\d)[{_HAN_NUMERALS}]++(?=[{_COUNTED}])|(?<!\\d)[{_HAN_NUMERALS}]{{2,}}$|^[{_HAN_NUMERALS}]$"
            "|(?<=\\d)[百千万亿](?![克米])",
            _han_match,
            text,
        )
        text = _pattern(r"(?<![\d.])(\d{1,30}(?:\.\d{1,30})?)\x01(\d{1,9})").sub(_multiply, text)
    text = _sub(r"(?<=\d)[,，](?=\d{3}(?!\d))", "", text)
    return _units(_dates(text.replace("per cent", "percent")))


def _han_match(match: re.Match[str]) -> str:
    word = match[0]
    if match.start() and match.string[match.start() - 1].isdigit():
        return f"\x01{(_HAN_MYRIADS | _HAN_UNITS)[word]}"
    return _han_or_same(word)


def _multiply(match: re.Match[str]) -> str:
    number = float(match[1]) * int(match[2])
    return str(int(number)) if number == int(number) else str(number)


def _han_or_same(word: str) -> str:
    number = han_number(word)
    return word if number is None else str(number)


def han_number(word: str) -> int | None:
    """Return the integer that Chinese numerals write (`一千`, `二〇二六`, `三万五千`), None for any other text."""
    if not word or any(
        char not in _HAN_DIGITS and char not in _HAN_UNITS and char not in _HAN_MYRIADS for char in word
    ):
        return None
    if all(char in _HAN_DIGITS for char in word):
        return int("".join(str(_HAN_DIGITS[char]) for char in word))
    total = section = digit = 0
    for char in word:
        if char in _HAN_DIGITS:
            digit = _HAN_DIGITS[char]
        elif char in _HAN_UNITS:
            section += (digit or 1) * _HAN_UNITS[char]
            digit = 0
        else:
            total = (
                (total + section + digit) * _HAN_MYRIADS[char]
                if section or digit
                else max(total, 1) * _HAN_MYRIADS[char]
            )
            section = digit = 0
    return total + section + digit


def _dates(text: str) -> str:
    """Write every unambiguous date as ISO; a day without a year as `--11-30`, a month with one as `2026-11`."""
    text = _sub(r"(?<!\d)(\d{4})\s*年\s*(\d{1,2})\s*月\s*(\d{1,2})\s*[日号]?", _iso(1, 2, 3), text)
    text = _sub(r"(\d{4})\s*年\s*(\d{1,2})\s*月", _iso(1, 2, 0), text)
    text = _sub(r"(?<![\d-])(\d{1,2})\s*月\s*(\d{1,2})\s*[日号]?", _iso(0, 1, 2), text)
    text = _sub(r"(\d{4})\s*年", r"\1", text)
    text = _sub(r"(?<![\d./-])(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?![\d/-])", _iso(1, 3, 4), text)
    if any(month in text for month in _months()):
        text = _sub(rf"\b({_MONTH})\.?\s+(?:the\s+)?{_ORDINAL}(?:,?\s+(\d{{4}}))?\b(?!\d)", _iso(3, 1, 2), text)
        text = _sub(rf"\b(?:the\s+)?{_ORDINAL}\s+(?:of\s+)?({_MONTH})\b\.?(?:,?\s+(\d{{4}})\b)?", _iso(3, 2, 1), text)
        text = _sub(rf"\b({_MONTH})\.?,?\s+(\d{{4}})\b", _iso(2, 1, 0), text)
    return _sub(r"(?<![\d./-])(\d{1,2})([/.])(\d{1,2})\2(\d{4})(?!\d)", _day_first, text)


def _iso(year: int, month: int, day: int) -> Callable[[re.Match[str]], str]:
    """Return a replacement that writes a date from these group numbers; 0 is a part that is not there."""

    def write(match: re.Match[str]) -> str:
        name = match[month]
        number = int(name) if name.isdecimal() else _months().get(name, 0)
        if not 1 <= number <= _LAST_MONTH or (day and not 1 <= int(match[day]) <= _LAST_DAY):
            return match[0]
        head = (match[year] if year else None) or "-"
        tail = f"-{int(match[day]):02d}" if day else ""
        return f" {head}-{number:02d}{tail} "

    return write


def _day_first(match: re.Match[str]) -> str:
    """Write `30/11/2026` as ISO where only one reading is a date, or both are the same."""
    first, second = int(match[1]), int(match[3])
    day, month = (first, second) if first > _LAST_MONTH or first == second else (second, first)
    if month > _LAST_MONTH or day > _LAST_DAY or (day <= _LAST_MONTH and day != month):
        return match[0]
    return f" {match[4]}-{month:02d}-{day:02d} "


def _units(text: str) -> str:
    if any(sign in text for sign in _CURRENCY):
        text = _sub(r"(?:us)?([€$£¥])\s?(\d+(?:\.\d+)?)", lambda m: f"{m[2]}{_CURRENCY[m[1]]}", text)
    return _sub(r"(?<![\d.])(\d{1,30}(?:\.\d{1,30})?)[\s-]?(%|[a-z]{1,20}|[\u4e00-\u9fff]{1,5})", _unit, text)


def _unit(match: re.Match[str]) -> str:
    """Write `5 kilometres` as `5km`; of Chinese the longest unit that the characters start with."""
    word = match[2]
    units = _unit_names()
    if word in units:
        return f"{match[1]}{units[word]} "
    for length in range(len(word) - 1, 0, -1) if not word.isascii() else ():
        if word[:length] in units:
            return f"{match[1]}{units[word[:length]]} {word[length:]}"
    return match[0]


def _words_to_numbers(text: str) -> str:
    words = text.split(" ")
    numbers = _word_numbers()
    if not any(word in numbers for word in words):
        return text
    return _units(" ".join(str(numbers.get(word, word)) for word in words))


def date_in(text: str) -> str:
    """Return the first date in the text as ISO (`2026-11-30`, `2026-11`, `--11-30`), "" if there is none."""
    found = _pattern(r"(?<![\d-])(?:\d{4}-\d{2}(?:-\d{2})?|--\d{2}-\d{2})(?![\d-])").search(_numbers(fold(text)))
    return found[0] if found else ""

"""What kind of fact a sentence states: relationship, milestone, preference or status, by rules that are data."""

from dataclasses import dataclass
from functools import cache

from echo_notes.guard.lexicon import load_lexicon, longest_first, word_set
from echo_notes.guard.phrases import Word, is_unspaced, split_words
from echo_notes.model.names import fold

_WIDEST_GAP = 4
_WIDEST_HAN_GAP = 12


@dataclass(frozen=True, slots=True)
class _Cue:
    """A pattern of durable.json: words in order, or for Chinese what it starts with and what must follow."""

    category: str
    words: tuple[str, ...] = ()
    head: tuple[str, ...] = ()
    tail: tuple[str, ...] = ()
    never: tuple[str, ...] = ()


@cache
def _cues() -> tuple[tuple[_Cue, ...], tuple[_Cue, ...]]:
    """Return the English and the Chinese cues."""
    spaced: list[_Cue] = []
    unspaced: list[_Cue] = []
    for category, sources in load_lexicon("durable")["patterns"].items():
        for source in sources:
            if is_unspaced(source):
                head, _, never = source.partition("!")
                head, _, tail = head.partition("*")
                unspaced.append(_Cue(category, head=_parts(head), tail=_parts(tail), never=_parts(never)))
            else:
                spaced.append(_Cue(category, words=tuple(source.split())))
    return tuple(spaced), tuple(unspaced)


def _parts(source: str) -> tuple[str, ...]:
    return tuple(source.split("|")) if source else ()


def match_category(predicate: str) -> str | None:
    """Return the category of what is said of a subject, None if it is nothing that lasts.

    `predicate` is the sentence after its subject: `got promoted to VP`, `升职了`.
    """
    spaced, unspaced = _cues()
    words = split_words(predicate)
    fillers = word_set("fillers")
    starts = [0]
    while starts[-1] < len(words) and words[starts[-1]].bare in fillers:
        starts.append(starts[-1] + 1)
    for start in starts:
        for cue in spaced:
            if _follows(cue.words, words, start):
                return cue.category
    if is_unspaced(predicate):
        for tail in iter_han_starts(fold(predicate).replace("的新", "的").replace("的亲", "的")):
            for cue in unspaced:
                if _starts(cue, tail):
                    return cue.category
    return None


def iter_han_starts(text: str) -> list[str]:
    """Return a Chinese predicate and what is left of it without adverbs and dates in front (`2014年`, `现在`)."""
    starts = [text]
    changed = True
    while changed:
        changed = False
        bare = text.lstrip("0123456789年月日号，, ")
        if bare != text and bare and any(mark in text[: len(text) - len(bare)] for mark in "年月日号"):
            text, changed = bare, True
        if text.startswith("从") and 0 < text.find("开始") <= _WIDEST_HAN_GAP:
            text, changed = text.partition("开始")[2], True
        for filler in longest_first("fillers_zh"):
            if text.startswith(filler) and len(text) > len(filler) + 1:
                text, changed = text.removeprefix(filler), True
                break
        if changed:
            starts.append(text)
    return starts


def _follows(elements: tuple[str, ...], words: list[Word], at: int) -> bool:
    for index, element in enumerate(elements):
        if element == "*":
            return any(_follows(elements[index + 1 :], words, at + gap) for gap in range(_WIDEST_GAP + 1))
        word = words[at].bare if at < len(words) else ""
        if element.startswith("!"):
            if not word or word in element[1:].split("|"):
                return False
        elif word and word in element.rstrip("?").split("|"):
            at += 1
        elif not element.endswith("?"):
            return False
    return True


def _starts(cue: _Cue, text: str) -> bool:
    for head in cue.head:
        if not text.startswith(head):
            continue
        rest = text[len(head) :]
        if cue.never and rest.lstrip("了").startswith(cue.never):
            return False
        if not cue.tail:
            return cue.category != "preference" or (_has_object(rest) and not _is_over(text))
        if any(0 <= rest.find(tail) <= _WIDEST_HAN_GAP for tail in cue.tail):
            return True
    return False


def _is_over(text: str) -> bool:
    """Return whether a denial is of the moment: `不吃了`."""
    return text.startswith(("不", "没")) and text.rstrip("。！!，, ").endswith("了")


def _has_object(rest: str) -> bool:
    """Return whether something follows `喜欢` that a preference can be about."""
    thing = rest.strip("了啊呢啦呀吧的嘛，,。!！ ")
    return (
        bool(thing) and not thing.startswith(("你", "这", "那", "他", "她", "它", "我")) and not rest.startswith("的")
    )

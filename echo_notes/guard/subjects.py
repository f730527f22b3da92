"""Who a statement is about: cutting the subject off the front of a sentence."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from echo_notes.guard.phrases import is_unspaced
from echo_notes.model.names import fold

OWNER_WORDS = ("i", "i'm", "i've", "i'd", "my", "mine", "myself")
OWNER_HAN = ("我们家", "我家", "本人", "我自己", "我")
_POSSESSIVE = frozenset(["my", "our", "his", "her", "their", "its"])
_PRONOUNS = frozenset(["i", "we", "she", "he", "they", "it", *_POSSESSIVE])
_HAN_PRONOUNS = ("我们", "咱们", "他们", "她们", "它们", "本人", "我", "他", "她", "它")
_LONGEST_HAN_NAME = 7
_NOT_IN_NAMES = "我你您他她它的不没是在了着也都还才就会有很想要能可吗呢吧，。、；：！？ ,.;:!?"
_SHORT = {
    "i'm": "i am", "i've": "i have", "we're": "we are", "we've": "we have", "they're": "they are",
    "they've": "they have", "she's": "she is", "he's": "he is", "it's": "it is",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Predicate:
    """What a sentence says of its subject. `possessive`: what follows is something of theirs (`'s`, `my`, `的`)."""

    text: str
    possessive: bool = False
    first_person: bool = False


def spell_out(text: str) -> str:
    """Return the sentence with a contraction of its first word written out: `I'm …` is `I am …`."""
    first, space, rest = text.partition(" ")
    full = _SHORT.get(fold(first).replace("’", "'"))
    return f"{full}{space}{rest}" if full else text


def cut_prefix(text: str, name: str) -> str | None:
    """Return what follows a name at the start of a text, None if the text does not start with it as a whole word."""
    head, rest = text[: len(name)], text[len(name) :]
    if fold(head) != fold(name):
        return None
    if (
        rest
        and name[-1:].isascii()
        and name[-1:].isalnum()
        and rest[0].isascii()
        and (rest[0].isalnum() or rest[0] == "_")
    ):
        return None
    return rest


def iter_predicates(text: str, names: Sequence[str]) -> Iterator[Predicate]:
    """Yield the ways to read a plain sentence as one about the entity of these names, the likeliest first.

    Without names any short proper name will do. A missing subject (`works at Acme`) is the entity itself.
    """
    for name in sorted(names, key=len, reverse=True):
        for start in (text, text[4:] if fold(text[:4]) == "the " else ""):
            rest = cut_prefix(start, name.strip()) if name.strip() and start else None
            if rest is not None:
                yield from _after(rest)
    pronoun = list(_after_pronoun(text))
    yield from pronoun
    if not names and not pronoun:
        yield from _after_any_name(text)
    yield Predicate(text)


def _after(rest: str) -> Iterator[Predicate]:
    for mark in ("'s ", "’s ", "' ", "’ "):
        if rest.startswith(mark):
            yield Predicate(rest[len(mark) :].strip(), possessive=True)
            return
    rest = rest.strip()
    if rest.startswith("的") and len(rest) > 1:
        yield Predicate(rest[1:].strip(), possessive=True)
    elif rest:
        yield Predicate(rest)
        first, _, more = rest.partition(" ")
        if more and first.lstrip("vV").replace(".", "").isdigit():
            yield Predicate(more.strip())  # `Waymark 3.0 ships on …`


def _after_pronoun(text: str) -> Iterator[Predicate]:
    first, _, rest = text.partition(" ")
    word = fold(first)
    if word in _PRONOUNS and rest:
        yield Predicate(rest.strip(), possessive=word in _POSSESSIVE, first_person=word in {"i", "my"})
        return
    for pronoun in _HAN_PRONOUNS:
        if text.startswith(pronoun):
            for predicate in _after(text[len(pronoun) :]):
                yield Predicate(predicate.text, predicate.possessive, first_person=pronoun == "我")
            return


def _after_any_name(text: str) -> Iterator[Predicate]:
    words = text.split(" ")
    for count in range(1, min(4, len(words))):
        if not words[count - 1][:1].isupper():
            break
        name = " ".join(words[:count])
        for mark in ("'s", "’s"):
            if name.endswith(mark):
                yield Predicate(" ".join(words[count:]), possessive=True)
        yield Predicate(" ".join(words[count:]))
    if is_unspaced(text[:4]):
        for count in range(2, min(_LONGEST_HAN_NAME, len(text) - 1)):
            if any(char in _NOT_IN_NAMES for char in text[:count]):
                return
            yield from _after(text[count:])

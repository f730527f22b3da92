"""Passing task state: recognising what belongs to a turn and not to a memory.

Only for what a program worded: the caller must never apply this to a fact that the person stated.
"""

from collections.abc import Iterable
from functools import cache

from echo_notes.guard.lexicon import load_lexicon
from echo_notes.guard.phrases import is_unspaced
from echo_notes.model.names import fold


def is_transient(text: str, key: str = "", tags: Iterable[str] = ()) -> bool:
    """Return whether a statement is task state of the moment.

    By a tag, by its key, by how it opens (`Next steps: …`), or by a part of its key (`release-status`) together with a
    value that has the shape of a state (`in progress`, `3 of 5`, `已完成`).
    """
    if any(normalise_key(tag.lstrip("#")) in _words("tags") for tag in tags):
        return True
    name = normalise_key(key)
    if name in _words("keys"):
        return True
    folded = fold(text)
    if _opens(folded):
        return True
    return bool(name) and name not in _words("durable_keys") and _has_part(name) and _has_state(folded)


def normalise_key(key: str) -> str:
    """Return a key as it is looked up here: folded, every run of other characters as one underscore."""
    return "_".join("".join(char if char.isalnum() else " " for char in fold(key)).split())


@cache
def _words(name: str) -> frozenset[str]:
    return frozenset(load_lexicon("transient")[name])


def _opens(folded: str) -> bool:
    text = folded.lstrip("-*+# ").removeprefix("the ").removeprefix("my ")
    for opening in load_lexicon("transient")["openings"]:
        rest = text.removeprefix(opening)
        if rest != text and rest.lstrip().startswith((":", "is ", "are ", "-", "—", "：")):
            return True
    return any(text.startswith(opening) for opening in load_lexicon("transient")["openings_zh"])


def _has_part(name: str) -> bool:
    if any(part in _words("parts") for part in name.split("_")):
        return True
    return is_unspaced(name) and any(part in name for part in _words("parts_zh"))


def _has_state(folded: str) -> bool:
    words = [word.strip(".,;:!?()\"'") for word in folded.split()]
    spaced = f" {' '.join(words)} "
    if any(f" {state} " in spaced for state in _words("states")):
        return True
    if is_unspaced(folded) and any(state in folded for state in _words("states_zh")):
        return True
    return any(_is_share(one, other) for one, other in zip(words, [*words[1:], ""], strict=True))


def _is_share(word: str, following: str) -> bool:
    """Return whether words are a part of a whole: `60%`, `3/5`, `3 of`."""
    if word.endswith("%") and word[:-1].replace(".", "", 1).isdigit():
        return True
    part, slash, whole = word.partition("/")
    return (bool(slash) and part.isdigit() and whole.isdigit()) or (word.isdigit() and following == "of")

"""Secrets: whether what a pattern caught is a credential or only looks like one."""

from collections import Counter
from math import log2

ASSIGNMENT = "assignment"
_MIN_BITS = 2.8  # bits a character; English words stay below at these lengths, random strings do not
_MIN_LENGTH = 8
_PLACEHOLDERS = (
    "example", "your", "xxxx", "****", "....", "change", "placeholder", "redacted", "dummy", "sample", "todo", "secret",
    "password", "token", "none", "null", "true", "false", "<", "${", "{{", "%(", "$(", "env", "vault", "manager",
)  # fmt: skip


def is_secret(kind: str, caught: str) -> bool:
    """Return whether the text that a secret rule of this kind caught should be kept out.

    Keys of known services are recognised by their shape. An assignment (`password = …`) counts only if its value has
    the entropy of something generated: no placeholder, no word, no path.
    """
    if kind != ASSIGNMENT:
        return True
    _, sign, value = caught.partition("=") if "=" in caught else caught.partition(":")
    if not sign:
        *_, value = caught.split()
    value = value.strip(" \t\"'`“”")
    lower = value.lower()
    if len(value) < _MIN_LENGTH or any(word in lower for word in _PLACEHOLDERS):
        return False
    return entropy(value) >= _MIN_BITS and _classes(value) > 1


def entropy(text: str) -> float:
    """Return the Shannon entropy of a text's characters, in bits a character."""
    total = len(text)
    return -sum(count / total * log2(count / total) for count in Counter(text).values()) if total else 0.0


def _classes(value: str) -> int:
    """Return how many kinds of character occur: lower case, upper case, figures, signs."""
    kinds = [any(map(str.islower, value)), any(map(str.isupper, value)), any(map(str.isdigit, value))]
    return sum(kinds) + (not value.isalnum())

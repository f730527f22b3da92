"""Session keys: which are fit to be one, and the file that each stands for.

Small on purpose: the end of a session is to cost no more than starting the program does.
"""

from pathlib import Path

from echo_notes.files.layout import Layout
from echo_notes.model.errors import UsageError

SUFFIX = ".ndjson"

_LONGEST_KEY = 200
_LONGEST_NAME = 64
_SCOPES = ("owner", "global")  # SCOPE_OWNER and SCOPE_GLOBAL of model/fact.py, whose import is half a session end
_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-")
_UNSEEN = frozenset(["Cc", "Cf", "Co", "Cs", "Zl", "Zp"])


def check_key(key: str) -> str:
    """Return a session key that is fit to be one; UsageError says why it is not."""
    clean = key.strip()
    if not clean or len(clean) > _LONGEST_KEY:
        raise UsageError(f"a session key has 1 to {_LONGEST_KEY} characters", fix="For example: session start monday")
    if not _PLAIN.issuperset(clean) and _has_unseen(clean):
        raise UsageError(
            f"the session key {clean!r} holds characters that cannot be seen", fix="Use letters and digits."
        )
    if clean in _SCOPES:
        raise UsageError(f"no session may be called {clean!r}: it is the name of a scope", fix="Choose another key.")
    return clean


def session_name(key: str) -> str:
    """Return the file name, without ending, that stands for a key: itself where that is safe on every system."""
    from echo_notes.model.names import slugify

    if len(key) <= _LONGEST_NAME and _PLAIN.issuperset(key) and slugify(key) == key:
        return key
    from hashlib import sha256

    return f"{slugify(key)[:40] or 'session'}.{sha256(key.encode('utf-8', 'surrogatepass')).hexdigest()[:12]}"


def sessions_dir(layout: Layout) -> Path:
    """Return the folder of the buffers."""
    return layout.state_dir / "sessions"


def buffer_path(layout: Layout, key: str) -> Path:
    """Return the file that holds a session's messages."""
    return sessions_dir(layout) / f"{session_name(key)}{SUFFIX}"


def has_messages(layout: Layout, key: str) -> bool:
    """Return whether a session has a buffer with anything after its first line, without reading it."""
    try:
        with buffer_path(layout, key).open("rb") as handle:
            return bool(handle.readline()) and bool(handle.readline())
    except OSError:
        return False


def _has_unseen(text: str) -> bool:
    from unicodedata import category

    return any(category(char) in _UNSEEN for char in text)

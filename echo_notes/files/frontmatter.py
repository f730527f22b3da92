"""Front matter: read leniently, and edited key by key without touching the bytes of any other key."""

from collections.abc import Mapping
from typing import Any

from echo_notes.files.frontmatter_read import FrontMatter, find_block, load_block, split

__all__ = ["FrontMatter", "find_block", "load_block", "splice", "split"]


def splice(text: str, changes: Mapping[str, Any], *, path: str = "front matter") -> str:
    """Return the note with front matter keys set, or deleted (REMOVE), and every other byte as it was.

    Comments, order, quotation marks, list layout and newlines stay; a note without front matter gets one.
    UnreadableError names `path:line:column` of a block that cannot be read or edited safely.
    """
    from echo_notes.files.frontmatter_edit import edit_block  # yaml's own parser, needed for writing only

    return edit_block(text, changes, path)

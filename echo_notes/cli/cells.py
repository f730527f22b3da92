"""Columns of a terminal: Chinese characters take two, combining marks none."""

from unicodedata import combining, east_asian_width


def cells(text: str) -> int:
    """Return how many columns a text takes."""
    if text.isascii():
        return len(text)
    return sum(0 if combining(char) else 2 if east_asian_width(char) in "WF" else 1 for char in text)


def pad(text: str, width: int) -> str:
    """Return a text filled with spaces up to a width in columns."""
    return text + " " * max(0, width - cells(text))

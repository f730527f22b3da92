"""Long lines on a terminal: broken between words, with a hanging indent; colour and wide characters counted right."""

import re

from echo_notes.cli.cells import cells

_CODE = re.compile("\x1b\\[[0-9;]*m")
_PIECE = re.compile("\x1b\\[[0-9;]*m|[ ]+|[\u2e80-\uffef]|[^\x1b \u2e80-\uffef]+")


def wrap(text: str, width: int, hang: int) -> str:
    """Return the text in lines of at most `width` columns, all but the first indented by `hang`.

    A word longer than a line is cut. Spaces at a break are dropped.
    """
    if cells(_CODE.sub("", text)) <= width:
        return text
    lines: list[str] = []
    line, used = "", 0
    start = hang = min(hang, width // 2)
    for piece in _PIECE.findall(text):
        if piece.startswith("\x1b"):
            line += piece
            continue
        size = cells(piece)
        if used + size > width and used > (start if lines else 0):
            lines.append(line.rstrip(" "))
            line, used = " " * hang, hang
            if piece.isspace():
                continue
        while used + cells(piece) > width:
            cut = max(1, width - used)
            lines.append(line + piece[:cut])
            piece, line, used = piece[cut:], " " * hang, hang  # noqa: PLW2901 - what is left of the word
        line, used = line + piece, used + cells(piece)
    return "\n".join([*lines, line.rstrip(" ")])

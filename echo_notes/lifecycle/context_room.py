"""How much of each part of the context block fits: shares of a budget, and texts cut where a line ends."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from echo_notes.guard.fence import fence_sections, fenced_item
from echo_notes.model.passage import Passage

HEAD = "head"
TAIL = "tail"
_NUMBER = 100
"""Items are sized as if they had three-digit numbers; more of them fit into no budget that anybody reads."""
_BETWEEN = 2
_LEAST = 120
"""Characters below which the rest of a text is left out rather than cut."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """One part of the block: its passages in the order of their importance, and what it may count on.

    `share` of the budget is its own if it needs it; what others do not need goes to the sections in their order.
    `keeps`: which end of a text stays where it must be cut, "" where passages are shown whole or not at all.
    """

    name: str
    title: str
    share: float
    passages: tuple[Passage, ...] = ()
    keeps: str = ""


@dataclass(frozen=True, slots=True)
class Placed:
    """A section as the block shows it. `left_out`: how many passages are not shown; `cut`: those shown in part."""

    section: Section
    passages: tuple[Passage, ...]
    left_out: int = 0
    cut: tuple[str, ...] = ()


def place(sections: Sequence[Section], budget: int) -> tuple[Placed, ...]:
    """Return what of each section fits into a fence of at most `budget` characters."""
    room = max(0, budget - len(fence_sections([("", [_nothing()])], nonce="0" * 12)))
    wanted = [_size(section) for section in sections]
    given = [min(size, int(section.share * room)) for size, section in zip(wanted, sections, strict=True)]
    spare = room - sum(given)
    for index, size in enumerate(wanted):
        more = min(size - given[index], max(0, spare))
        given[index] += more
        spare -= more
    placed = []
    carried = max(0, spare)
    for section, allotted in zip(sections, given, strict=True):
        done, used = _fill(section, allotted + carried)
        carried += allotted - used
        placed.append(done)
    return tuple(placed)


def _fill(section: Section, room: int) -> tuple[Placed, int]:
    """Return what fits of one section, and how many characters that takes."""
    used = _title_size(section)
    shown: list[Passage] = []
    cut = []
    for passage in section.passages:
        size = len(fenced_item(_NUMBER, passage)) + _BETWEEN
        if used + size > room and section.keeps and room - used >= _LEAST:
            shorter = _cut(passage, room - used - _BETWEEN, section.keeps)
            if shorter is None:
                continue
            passage, size = shorter, len(fenced_item(_NUMBER, shorter)) + _BETWEEN  # noqa: PLW2901 - as it is shown
            cut.append(passage.path)
        if used + size <= room:
            shown.append(passage)
            used += size
    if not shown:
        return Placed(section, (), len(section.passages)), 0
    return Placed(section, tuple(shown), len(section.passages) - len(shown), tuple(cut)), used


def _cut(passage: Passage, room: int, keeps: str) -> Passage | None:
    """Return a passage with as many whole lines of its text as fit, and one that says so; None if none fits."""
    lines = passage.text.split("\n")
    if keeps == TAIL:
        lines.reverse()
    for count in range(len(lines) - 1, 0, -1):
        kept = lines[:count]
        while kept and not kept[-1].strip():
            kept.pop()
        if not kept:
            return None
        gone = len(passage.text) - sum(len(line) + 1 for line in kept)
        mark = f"[cut: {gone} more characters in {passage.path}]"
        whole = [mark, *reversed(kept)] if keeps == TAIL else [*kept, mark]
        shorter = replace(passage, text="\n".join(whole))
        if len(fenced_item(_NUMBER, shorter)) <= room:
            return shorter
    return None


def _size(section: Section) -> int:
    if not section.passages:
        return 0
    return _title_size(section) + sum(len(fenced_item(_NUMBER, one)) + _BETWEEN for one in section.passages)


def _title_size(section: Section) -> int:
    return len(f"## {section.title}") + _BETWEEN


def _nothing() -> Passage:
    return Passage(id="", layer="", path="", line=0, text="")

"""What an erased text leaves elsewhere: lines of generated regions go with it, and the rest is named to the person."""

import re
from collections.abc import Iterable, Iterator

from echo_notes.files.change import Change
from echo_notes.files.layout import DECISIONS, REVIEW, SUMMARY, WEEKLY_DIR
from echo_notes.files.summary import parse_summary, replace_region
from echo_notes.files.textfile import dump_text
from echo_notes.guard.gate import Proposal
from echo_notes.lifecycle.opened import OpenVault
from echo_notes.model.errors import EchoError
from echo_notes.model.fact import Fact


def plan_regions(change: Change, opened: OpenVault, facts: Iterable[Fact]) -> None:
    """Plan every generated region without the lines that rest on these facts; what a person wrote is not touched."""
    ids = "|".join(re.escape(fact.id) for fact in facts)
    cites = re.compile(rf"(?<![\w-])(?:{ids})(?![\w-])")
    for path in _pages(opened):
        if not (path.endswith(f"/{SUMMARY}") or path.startswith(f"{WEEKLY_DIR}/")):
            continue
        try:
            page = change.read_text(path)
            region = parse_summary(page.text).region if page else None
            if page is None or region is None or not cites.search(region):
                continue
            kept = "".join(line for line in region.splitlines(keepends=True) if not cites.search(line))
            after, _ = replace_region(page.text, kept, path=path)
        except EchoError:
            continue
        change.put(path, dump_text(after, bom=page.bom), Proposal(op="erase", target=path), kind="summary")


def find_left(opened: OpenVault, texts: Iterable[str]) -> tuple[str, ...]:
    """Return where a text still stands, as `path:line`: notes of the person's own, episodes, decisions, review."""
    wanted = [" ".join(text.split()).casefold() for text in texts]
    found = []
    for path in (*_pages(opened), REVIEW, DECISIONS):
        try:
            lines = (opened.root / path).read_text(encoding="utf-8", errors="replace").splitlines()
        except OSError:
            continue
        for number, line in enumerate(lines, 1):
            plain = " ".join(line.split()).casefold()
            if any(text in plain for text in wanted):
                found.append(f"{path}:{number}")
    return tuple(found)


def _pages(opened: OpenVault) -> Iterator[str]:
    from echo_notes.index.manifest import walk_vault

    yield from (path for path in walk_vault(opened.root).files if path.endswith(".md"))
    yield from (opened.layout.relative(path) for path in sorted((opened.root / WEEKLY_DIR).glob("*.md")))

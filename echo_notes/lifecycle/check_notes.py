"""`check` of the Markdown: files that are no text, front matter, generated regions, links, the size of MEMORY.md."""

from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath

from echo_notes.files.frontmatter import split
from echo_notes.files.layout import AREAS, MEMORY, SUMMARY
from echo_notes.files.markdown import links, mask_code
from echo_notes.files.summary import parse_summary
from echo_notes.files.textfile import find_merge_marker, load_text, merge_markers_error
from echo_notes.lifecycle.findings import ERROR, INFO, WARNING, Finding, unreadable
from echo_notes.lifecycle.opened import OpenVault
from echo_notes.model.entity import Entity
from echo_notes.model.errors import EchoError
from echo_notes.model.names import fold, fold_name


def check_notes(opened: OpenVault, paths: Iterable[str], entities: Iterable[Entity]) -> Iterator[Finding]:
    """Yield what is odd in the notes of a vault; links that lead nowhere are for information only."""
    notes = sorted(path for path in paths if not path.endswith(".json"))
    known = _known_targets(notes, entities)
    folders = {entity.folder for entity in entities}
    for path in notes:
        try:
            text = load_text(opened.root / path, shown=path).text
        except EchoError as error:
            yield unreadable(error, path)
            continue
        except OSError as error:
            reason = (error.strerror or "cannot be read").lower()
            yield Finding(severity=ERROR, path=path, code="unreadable", message=reason, status=6)
            continue
        if marker := find_merge_marker(text):
            yield unreadable(merge_markers_error(path, marker), path)
        yield from _check_front(path, text)
        if path.endswith(f"/{SUMMARY}") and path.rpartition("/")[0] in folders:
            yield from _check_region(path, text)
        if path == MEMORY and len(text) > opened.settings.memory_budget:
            yield Finding(
                severity=WARNING, path=path, code="memory-budget",
                message=f"has {len(text)} characters, {opened.settings.memory_budget} are loaded first "
                "(context.memoryBudget); move what is long to memory/topics",
            )  # fmt: skip
        if "[[" in text:
            yield from _check_targets(opened, path, text, known)


def _check_front(path: str, text: str) -> Iterator[Finding]:
    problem = split(text).problem
    if problem:
        line, column, what = problem.split(":", 2)
        yield Finding(
            severity=WARNING, path=path, line=int(line), column=int(column), code="front-matter",
            message=f"front matter: {what.strip()}",
        )  # fmt: skip


def _check_region(path: str, text: str) -> Iterator[Finding]:
    summary = parse_summary(text)
    if summary.conflict:
        line, what = summary.conflict.split(": ", 1)
        message = f"{what}; leave one pair of echo:begin and echo:end lines"
        yield Finding(severity=WARNING, path=path, line=int(line), code="markers", message=message)
    elif not summary.region_digest_ok:
        message = "the generated region was edited by hand; the next synthesize moves the edit below it"
        yield Finding(severity=INFO, path=path, line=summary.region_line, code="region-edited", message=message)


def _known_targets(notes: Iterable[str], entities: Iterable[Entity]) -> frozenset[str]:
    """Return everything that a wikilink may say: names and refs of entities, paths and file names of notes."""
    known: set[str] = set()
    for entity in entities:
        known |= entity.folded_names()
        for place in (str(entity.ref), entity.folder, f"{entity.folder}/summary"):
            known.add(fold(place))
        known |= {fold(f"{entity.ref.kind}/{name}") for name in entity.names()}
    for path in notes:
        plain = path[:-3]
        known |= {fold(path), fold(plain), fold_name(PurePosixPath(plain).name)}
    return frozenset(known)


def _check_targets(opened: OpenVault, path: str, text: str, known: frozenset[str]) -> Iterator[Finding]:
    for number, line in enumerate(mask_code(text).split("\n"), 1):
        for target in links(line) if "[[" in line else ():
            plain = target.removesuffix(".md").strip("/")
            if fold(plain) in known or fold_name(plain) in known or fold(plain.removeprefix(f"{AREAS}/")) in known:
                continue
            if "." in PurePosixPath(plain).name and (opened.root / plain).exists():
                continue
            message = f"[[{target}]] leads nowhere here"
            yield Finding(severity=INFO, path=path, line=number, code="broken-link", message=message)

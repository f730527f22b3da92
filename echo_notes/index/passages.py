"""The unit that recall finds: cuts a vault's files into passages, each with the text it is indexed by."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from echo_notes.files.layout import ARCHIVE, EPISODES_DIR, MEMORY, SUMMARY
from echo_notes.files.textfile import decode_text
from echo_notes.index.manifest import is_fact_file
from echo_notes.model.entity import Entity
from echo_notes.model.fact import ACTIVE, ARCHIVED, ERASED_TEXT, SUPERSEDED, Fact
from echo_notes.model.forgetting import used_on
from echo_notes.model.names import fold, fold_name
from echo_notes.model.passage import EPISODE, FACT, NOTE, Passage
from echo_notes.model.passage import MEMORY as MEMORY_LAYER
from echo_notes.model.passage import SUMMARY as SUMMARY_LAYER

if TYPE_CHECKING:
    from echo_notes.files.frontmatter import FrontMatter

NEIGHBOURS = 2
"""Entries before and after that count as an entry's surroundings; chosen on LoCoMo (see tests/evals/README.md)."""
NEIGHBOUR_CHARS = 600
"""Of what stands on either side, at most."""
NEIGHBOUR_WEIGHT = 0.4
NAMES_WEIGHT = 0.3
PIECE_CHARS = 1600
"""A longer paragraph becomes several passages, cut where a sentence ends; nothing is left out."""
ALWAYS = 0
NEVER = 3_652_060  # the day after 9999-12-31

Vouch = Callable[[Iterable[Fact]], tuple[Fact, ...]]

_DATA = re.compile(r";base64,[A-Za-z0-9+/=_-]{64,}")
_SENTENCE_END = re.compile(r"(?<=[.!?。！？；\n])\s*")
_FILE_DAY = re.compile(r"(\d{4}-\d{2}-\d{2})(?:\D|$)")


@dataclass(frozen=True, slots=True)
class Draft:
    """A passage as it goes into the index.

    `about`: the words that stand for it without being in it (names, title, headings, tags, day). `window`: text,
    `about` and the neighbours together, for the lexical arm. `parts`: (weight, text) for the dense arm, which
    sums their vectors. `holds_from`, `holds_until`: the half-open run of days, as ordinals, on which it was current.
    """

    passage: Passage
    about: str
    window: str
    parts: tuple[tuple[float, str], ...]
    holds_from: int = ALWAYS
    holds_until: int = NEVER
    transient: bool = False


def draft_file(
    path: str, raw: bytes, entity: Entity | None, scan: Callable[[str], tuple[str, ...]], vouch: Vouch = tuple
) -> tuple[list[Draft], str]:
    """Return the passages of a file, in file order, and what is wrong with it ("" if nothing is).

    `entity`: whose folder the file is in, if it is one. `scan` gives the rule ids that a text trips, `vouch` the
    facts with the labels that the audit trail vouches for.
    UnreadableError if the file cannot be parsed.
    """
    if is_fact_file(path):
        return [_with_flags(draft, scan) for draft in _draft_facts(path, raw, entity, vouch)], ""
    from echo_notes.files.frontmatter import split

    text = decode_text(raw, path).text
    front = split(text)
    problem = f"{path}:{front.problem}" if front.problem else ""
    return [_with_flags(draft, scan) for draft in _draft_note(path, text, front, entity)], problem


def _with_flags(draft: Draft, scan: Callable[[str], tuple[str, ...]]) -> Draft:
    found = scan(draft.passage.text)
    if not found:
        return draft
    flagged = tuple(dict.fromkeys([*draft.passage.flagged, *found]))
    return replace(draft, passage=replace(draft.passage, flagged=flagged))


def _draft_facts(path: str, raw: bytes, entity: Entity | None, vouch: Vouch) -> Iterator[Draft]:
    from echo_notes.files.items import ItemsFile
    from echo_notes.guard.eligibility import is_inferred
    from echo_notes.guard.transient import is_transient
    from echo_notes.model.entity import EntityRef

    folder = PurePosixPath(path).parent
    ref = entity.ref if entity else EntityRef(folder.parent.name or "notes", folder.name or "notes")
    names = entity.names() if entity else (ref.slug,)
    facts = ItemsFile.parse(raw, entity=ref, path=path).facts
    days = {fact.id: fact.timestamp for fact in facts}
    archive = path.endswith(ARCHIVE)
    for fact, vouched in zip(facts, vouch(facts), strict=True):
        if not fact.text.strip() or fact.text == ERASED_TEXT:
            continue
        passage = fact_passage(vouched, path, archive=archive)
        words = " ".join([*names, passage.key, *passage.tags, *(_words(ref) for ref in passage.related)])
        mentioned = any(fold(name) in fold(fact.text) for name in names)
        parts = ((1.0, fact.text),) if mentioned else ((1.0, fact.text), (NAMES_WEIGHT, names[0]))
        yield Draft(
            passage=replace(passage, context=names[0]),
            about=words,
            window=f"{fact.text}\n{words}",
            parts=parts,
            holds_from=max(_ordinal(fact.valid_from, ALWAYS), _ordinal(fact.timestamp, ALWAYS)),
            holds_until=_holds_until(fact, days.get(fact.superseded_by or "")),
            transient=is_inferred(fact.provenance) and is_transient(fact.text, fact.key, fact.tags),
        )


def fact_passage(fact: Fact, path: str, *, archive: bool = False) -> Passage:
    """Return a fact as a passage; `archive`: it stands in archive.json, and counts as archived."""
    return Passage(
        id=fact.id,
        layer=FACT,
        path=path,
        line=fact.line,
        text=fact.text,
        entity=str(fact.entity),
        related=fact.related,
        category=fact.category,
        key=fact.key,
        status=ARCHIVED if archive and fact.status == ACTIVE else fact.status,
        tags=fact.tags,
        on=fact.timestamp,
        valid_from=fact.valid_from,
        valid_until=fact.valid_until,
        superseded_on=fact.superseded_at.date() if fact.superseded_at else None,
        superseded_by=fact.superseded_by or "",
        provenance=fact.provenance,
        scope=fact.scope,
        owner_type=fact.type,
        session=fact.source_session,
        importance=fact.importance,
        pinned=fact.pinned,
        access_count=fact.access_count,
        accessed_on=used_on(fact),
        flagged=fact.flagged,
    )


def _holds_until(fact: Fact, successor_day: date | None) -> int:
    """Return the day from which a fact no longer held: validity, supersession, or its successor's day."""
    until = _ordinal(fact.valid_until, NEVER)
    if fact.superseded_at:
        until = min(until, fact.superseded_at.date().toordinal())
    elif fact.status == SUPERSEDED:
        until = min(until, _ordinal(successor_day, ALWAYS))
    return until


def _ordinal(day: date | None, default: int) -> int:
    return day.toordinal() if day else default


def _words(ref: str) -> str:
    return ref.rpartition("/")[2].replace("-", " ")


@dataclass(frozen=True, slots=True)
class _Piece:
    """A stretch of a note: its text, first line, heading path, and tags."""

    text: str
    line: int
    headings: tuple[str, ...]
    tags: tuple[str, ...] = ()


def _draft_note(path: str, text: str, front: "FrontMatter", entity: Entity | None) -> Iterator[Draft]:
    """Yield the passages of a Markdown file: layer and context come from where it lies."""
    name = PurePosixPath(path).stem
    if entity and PurePosixPath(path).name == SUMMARY:
        layer = SUMMARY_LAYER
        # The name over an empty page answers nothing.
        pieces = [piece for piece in _summary_pieces(text) if fold_name(piece.text) not in entity.folded_names()]
    else:
        layer = _layer(path)
        pieces = list(_pieces(front.body, front.body_line))
    title = front.text("title") or front.text("name")
    described = [title, *front.words("aliases"), *front.words("tags"), front.text("description")]
    if not pieces and title and layer != SUMMARY_LAYER:
        pieces = [_Piece(title, 1, ())]
    base = _note_passage(path, name, layer, entity, front)
    subject = " ".join(dict.fromkeys([*described, *(entity.names() if entity else ()), _name_words(name)]))
    dated = _day_words(base.on)
    for index, piece in enumerate(pieces):
        around = list(_neighbours(pieces, index))
        about = "\n".join([*piece.headings, subject, dated])
        context = " › ".join([title or _name_words(name), *piece.headings])
        yield Draft(
            passage=replace(
                base, id=f"{path}#L{piece.line}", line=piece.line, text=piece.text, context=context, tags=piece.tags
            ),
            about=about,
            window="\n".join([piece.text, *around, about]),
            parts=((1.0, piece.text), *((NEIGHBOUR_WEIGHT, text) for text in around)),
            holds_from=_ordinal(base.on, ALWAYS),
        )


def _note_passage(path: str, name: str, layer: str, entity: Entity | None, front: "FrontMatter") -> Passage:
    """Return what all passages of a note share."""
    from echo_notes.model.dates import parse_day

    day = _FILE_DAY.match(name)
    on = parse_day(day[1]) if day else None
    for key in ("createdAt", "date", "created"):
        on = on or parse_day(front.values.get(key))
    importance = front.values.get("importance") if layer == EPISODE else None
    related = front.words("entityIds") if layer == EPISODE else ()
    return Passage(
        id=path,
        layer=layer,
        path=path,
        line=1,
        text="",
        entity=str(entity.ref) if entity else "",
        related=related,
        on=on,
        session=front.text("sessionKey") if layer == EPISODE else "",
        importance=float(importance) if isinstance(importance, int | float) else 0.5,
        accessed_on=float(on.toordinal()) if on else 0.0,
    )


def _layer(path: str) -> str:
    if path.startswith(f"{EPISODES_DIR}/"):
        return EPISODE
    return MEMORY_LAYER if path == MEMORY else NOTE


def _summary_pieces(text: str) -> Iterator[_Piece]:
    """Yield the person's own parts of a summary; the generated region repeats the facts and is left out."""
    from echo_notes.files.summary import parse_summary

    for part in parse_summary(text).parts:
        yield from _pieces(part.text, part.line)


def _pieces(text: str, first_line: int) -> Iterator[_Piece]:
    """Yield the blocks of a text; a heading counts as one only where nothing stands under it."""
    from echo_notes.files.markdown import iter_blocks, tags

    waiting: _Piece | None = None
    for block in iter_blocks(text, first_line):
        if block.kind == "heading":
            if waiting and block.headings[: len(waiting.headings) + 1] != (*waiting.headings, waiting.text):
                yield waiting
            waiting = _Piece(block.text, block.line, block.headings)
            continue
        waiting = None
        found = tuple(tags(block.text)) if "#" in block.text else ()
        for shift, piece in _cut(_without_data(block.text)):
            if piece.strip():
                yield _Piece(piece, block.line + shift, block.headings, found)
    if waiting and waiting.text:
        yield waiting


def _without_data(text: str) -> str:
    """Return a text without the bytes of pictures and files inside it: no one searches, and no agent reads, base64."""
    return _DATA.sub(";base64,…", text) if ";base64," in text else text


def _cut(text: str) -> Iterator[tuple[int, str]]:
    """Yield (lines from the start, piece) for pieces of at most PIECE_CHARS, cut at sentence ends if there are any."""
    if len(text) <= PIECE_CHARS:
        yield 0, text
        return
    start = 0
    line = 0
    while start < len(text):
        end = min(len(text), start + PIECE_CHARS)
        if end < len(text):
            ends = [match.end() for match in _SENTENCE_END.finditer(text, start + PIECE_CHARS // 2, end)]
            space = text.rfind(" ", start + PIECE_CHARS // 2, end)
            end = ends[-1] if ends else space + 1 if space > 0 else end
        yield line, text[start:end].strip("\n")
        line += text.count("\n", start, end)
        start = end


def _neighbours(pieces: Sequence[_Piece], index: int) -> Iterator[str]:
    """Yield what stands before and after a piece under the same headings, nearest first, within the limits."""
    headings = pieces[index].headings
    for step in (-1, 1):
        room = NEIGHBOUR_CHARS
        for other in range(index + step, index + step * (NEIGHBOURS + 1), step):
            if room <= 0 or not 0 <= other < len(pieces) or pieces[other].headings != headings:
                break
            text = pieces[other].text
            yield text[-room:] if step < 0 else text[:room]
            room -= len(text)


def _name_words(name: str) -> str:
    return name.replace("-", " ").replace("_", " ") if not _FILE_DAY.match(name) else name


def _day_words(day: date | None) -> str:
    """Return a day in words that a query may use, without its bare number, which would match any other."""
    if day is None:
        return ""
    return f"{day:%B %Y %A %Y-%m-%d} 星期{'一二三四五六日'[day.weekday()]}"

"""The lexical arm: BM25 by Tantivy over terms that `analysis` made, and the filters that come before any ranking."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from datetime import date
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from echo_notes.guard.eligibility import Traits
from echo_notes.index.analysis import Kind, Term, index_terms
from echo_notes.model.passage import EPISODE, Passage

if TYPE_CHECKING:
    import tantivy

    from echo_notes.index.passages import Draft

SCHEMA = 2
"""Goes into the manifest's key: another number means another layout, and the index is made again."""

FIELD_WEIGHTS = {"stems": 1.0, "exact": 0.25, "window": 1.75}
"""BM25 weights of what the text says, its words as written, and the text with its surroundings (tests/evals)."""
WHOLE_WEIGHT = 2.75
"""An identifier (`C++`, `node.js`) is in `exact` alone, and counts there what a word counts in the other two."""
SINGLE_WEIGHT = 0.5
"""A lone Han character, kana or syllable counts half of a pair."""
_SMALL_HEAP = 15_000_000  # Tantivy's floor for one thread
_BULK_HEAP = 200_000_000
_BULK = 2000
_DAYS = ("on", "valid_from", "valid_until", "superseded_on")
_NO_DAY = 0


class Found(NamedTuple):
    """A row that matched, its BM25 score, and where Tantivy keeps it."""

    row: int
    score: float
    address: "tantivy.DocAddress"


class Stored(NamedTuple):
    """What the index gives back of a passage: enough that recall opens no file of the vault."""

    passage: Passage
    transient: bool


class Lexical:
    """A Tantivy index of passages; open it with `open_lexical`."""

    def __init__(self, index: "tantivy.Index") -> None:
        self._index = index
        self._schema = index.schema
        self.searcher = index.searcher()

    @property
    def count(self) -> int:
        """How many passages can be found."""
        return int(self.searcher.num_docs)

    def write(self, removed: Iterable[str], drafts: "Sequence[tuple[int, Draft]]") -> int:
        """Drop the passages of the removed paths, add the drafts under their rows, commit; return the stamp of that."""
        bulk = len(drafts) >= _BULK
        writer = self._index.writer(_BULK_HEAP if bulk else _SMALL_HEAP, 0 if bulk else 1)
        for path in removed:
            writer.delete_documents_by_term("path", path)
        for row, draft in drafts:
            writer.add_document(_document(row, draft))
        stamp = writer.commit()
        writer.wait_merging_threads()
        self._index.reload()
        self.searcher = self._index.searcher()
        return int(stamp)

    def search(self, terms: Iterable[Term], only: "tantivy.Query | None", limit: int) -> list[Found]:
        """Return the passages that match any of the terms and the filter, best first."""
        from tantivy import Occur, Query

        wanted = [(Occur.Should, query) for term in terms for query in self._term_queries(term)]
        if not wanted or limit < 1:
            return []
        query = Query.boolean_query(wanted)
        if only is not None:
            query = Query.boolean_query([(Occur.Must, query), (Occur.Must, Query.const_score_query(only, 0.0))])
        hits = self.searcher.search(query, limit=limit, count=False).hits
        rows = self.searcher.fast_field_values("row", [address for _, address in hits])
        return [Found(int(row or 0), score, address) for (score, address), row in zip(hits, rows, strict=True)]

    def rows(self, only: "tantivy.Query") -> set[int]:
        """Return the rows that a filter lets through."""
        if not self.count:
            return set()
        return {int(row) for row, _ in self.searcher.search(only, self.count, count=False, order_by_field="row").hits}

    def addresses(self, rows: Sequence[int]) -> dict[int, "tantivy.DocAddress"]:
        """Return where the rows are kept; rows that are no more are left out."""
        from tantivy import Query

        if not rows:
            return {}
        query = Query.term_set_query(self._schema, "row", list(rows))
        hits = self.searcher.search(query, limit=len(rows), count=False, order_by_field="row").hits
        return {int(row): address for row, address in hits}

    def load(self, address: "tantivy.DocAddress") -> Stored:
        """Return the passage that is kept at an address."""
        data = json.loads(bytes(self.searcher.doc(address).get_first("data") or b""))
        transient = data.pop("transient", False)
        for name in _DAYS:
            if name in data:
                data[name] = date.fromordinal(data[name])
        for name in ("related", "tags", "flagged"):
            if name in data:
                data[name] = tuple(data[name])
        return Stored(Passage(**data), transient)

    def holding(self, term: Term, rows: Sequence[int], *, around: bool) -> list[int]:
        """Return those of the rows that hold a term: in their text or what they are about, or also `around` them."""
        from tantivy import Occur, Query

        fields = ["exact"] if not term.stem else ["window"] if around else ["stems", "about"]
        words = [(field, term.stem or term.exact) for field in fields]
        here = Query.boolean_query(
            [(Occur.Should, Query.term_query(self._schema, field, text, "basic")) for field, text in words]
        )
        among = Query.term_set_query(self._schema, "row", list(rows))
        query = Query.boolean_query([(Occur.Must, here), (Occur.Must, among)])
        hits = self.searcher.search(query, limit=max(1, len(rows)), count=False, order_by_field="row").hits
        return [int(row) for row, _ in hits]

    def is_transient(self, passage_id: str) -> bool:
        """Return whether the passage was found to be transient state from an inferred source."""
        hits = self.searcher.search(self.facet("id", [passage_id]), limit=1, count=False).hits
        return any(self.load(address).transient for _, address in hits)

    def having(self, tokens: Iterable[str]) -> list[Passage]:
        """Return the passages of these kinds of visibility, by path and line."""
        if not self.count:
            return []
        hits = self.searcher.search(self.facet("seen", tokens), self.count, count=False).hits
        found = [self.load(address).passage for _, address in hits]
        return sorted(found, key=lambda passage: (passage.path, passage.line))

    def frequency(self, term: Term) -> int:
        """Return how many passages hold a term in their own text or surroundings."""
        if term.stem:
            return int(self.searcher.doc_freq("window", term.stem))
        return int(self.searcher.doc_freq("exact", term.exact))

    def facet(self, name: str, values: Iterable[str]) -> "tantivy.Query":
        """Return the filter for passages of which the facet has one of the values."""
        from tantivy import Query

        return Query.term_set_query(self._schema, "facet", [f"{name}:{value}" for value in values])

    def days(self, name: str, low: int | None, high: int | None) -> "tantivy.Query":
        """Return the filter `low ≤ field ≤ high` on a day field, either end open."""
        from tantivy import FieldType, Query

        return Query.range_query(self._schema, name, FieldType.Integer, low, high)

    def _term_queries(self, term: Term) -> "Iterable[tantivy.Query]":
        from tantivy import Query

        weight = SINGLE_WEIGHT if term.kind is Kind.SINGLE else 1.0
        if term.kind is Kind.WHOLE:
            query = Query.term_query(self._schema, "exact", term.exact, "freq")
            yield Query.boost_query(query, WHOLE_WEIGHT)
            return
        for field, text in (("stems", term.stem), ("window", term.stem), ("exact", term.exact)):
            if text:
                query = Query.term_query(self._schema, field, text, "freq")
                yield Query.boost_query(query, weight * FIELD_WEIGHTS[field])


def open_lexical(folder: Path) -> Lexical:
    """Open the Tantivy index in a folder, or make one there; ValueError or OSError if another thing is there."""
    import tantivy

    if (folder / "meta.json").exists():
        return Lexical(tantivy.Index.open(str(folder)))
    folder.mkdir(parents=True, exist_ok=True)
    return Lexical(tantivy.Index(_schema(), path=str(folder), reuse=False))


def fingerprint(folder: Path) -> dict[str, int]:
    """Return name and size of the files that hold the index; differing ones mean it is torn or foreign."""
    return {
        path.name: path.stat().st_size
        for path in sorted(folder.iterdir())
        if not path.name.startswith(".") and not path.name.endswith(".lock")
    }


def _schema() -> "tantivy.Schema":
    from tantivy import SchemaBuilder

    builder = SchemaBuilder()
    for name in FIELD_WEIGHTS:
        # Terms come joined by spaces, and Tantivy's whitespace tokenizer takes them apart again unchanged, whatever
        # their length: five times as fast as handing over PreTokenizedString objects, token by token.
        builder.add_text_field(name, tokenizer_name="whitespace", index_option="freq")
    builder.add_text_field("about", tokenizer_name="whitespace", index_option="basic")
    for name in ("facet", "path"):
        builder.add_text_field(name, tokenizer_name="raw", index_option="basic")
    for name in ("row", "day", "holds_from", "holds_until"):
        builder.add_integer_field(name, indexed=True, fast=True)
    builder.add_bytes_field("data", stored=True)
    return builder.build()


def _document(row: int, draft: "Draft") -> "tantivy.Document":
    from tantivy import Document

    passage = draft.passage
    document = Document()
    stems, exact = index_terms(passage.text)
    document.add_text("stems", stems)
    document.add_text("exact", exact)
    document.add_text("window", index_terms(draft.window)[0])
    document.add_text("about", index_terms(draft.about)[0])
    for facet in _facets(draft):
        document.add_text("facet", facet)
    document.add_text("path", passage.path)
    document.add_integer("row", row)
    if passage.on:
        document.add_integer("day", passage.on.toordinal())
    document.add_integer("holds_from", draft.holds_from)
    document.add_integer("holds_until", draft.holds_until)
    document.add_bytes("data", _dump(draft))
    return document


def _facets(draft: "Draft") -> Iterable[str]:
    passage = draft.passage
    yield f"id:{passage.id}"
    yield f"layer:{passage.layer}"
    yield f"tier:{passage.tier}"
    yield f"status:{passage.status}"
    yield f"seen:{token_of(draft)}"
    if passage.entity:
        yield f"entity:{passage.entity}"
        yield f"kind:{passage.entity.partition('/')[0].casefold()}"
    if passage.category and passage.layer == "fact":
        yield f"category:{passage.category.casefold()}"
    for ref in passage.related:
        yield f"related:{ref}"
        # An episode lies in no entity's folder; it is of those that it names.
        if passage.layer == EPISODE:
            yield f"entity:{ref}"
    for tag in passage.tags:
        yield f"tag:{tag.casefold().lstrip('#')}"


def token_of(draft: "Draft") -> str:
    """Return what the visibility of a draft depends on, as the index keeps it."""
    return _token(traits_of(draft.passage, transient=draft.transient))


@lru_cache(maxsize=1024)
def _token(traits: Traits) -> str:  # a vault has few of them, and thousands of passages with each
    return traits.token()


def traits_of(passage: Passage, *, transient: bool) -> Traits:
    """Return what the visibility of a passage depends on; open contradictions are the caller's (`exclude_ids`)."""
    return Traits(
        layer=passage.layer,
        status=passage.status,
        scope=passage.scope,
        type=passage.owner_type,
        session=passage.session,
        flagged=bool(passage.flagged),
        transient=transient,
    )


_DEFAULTS = asdict(Passage(id="", layer="", path="", line=0, text=""))


def _dump(draft: "Draft") -> bytes:
    """Return the passage as JSON, without what is at its default."""
    data: dict[str, Any] = {}
    for name, default in _DEFAULTS.items():
        value = getattr(draft.passage, name)
        if value != default or name in {"id", "layer", "path", "line", "text"}:
            data[name] = value.toordinal() if name in _DAYS else value
    if draft.transient:
        data["transient"] = True
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")

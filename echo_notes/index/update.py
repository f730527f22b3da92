"""Brings an index up to date with the files: what changed by stat, then by digest; only that is read and embedded."""

from array import array
from collections.abc import Callable, Iterable, Sequence
from hashlib import sha256
from pathlib import Path

from echo_notes.files.audit import AuditTrail
from echo_notes.files.layout import JOURNAL_PLAN
from echo_notes.index.catalogue import Catalogue
from echo_notes.index.embed import Embedder, weighted_sum
from echo_notes.index.lexical import Lexical, fingerprint, token_of
from echo_notes.index.manifest import Entry, Manifest, Stat, is_fact_file, replace_file
from echo_notes.index.passages import Draft, draft_file
from echo_notes.index.plan import Plan, depends_on
from echo_notes.index.vectors import DIGEST_BYTES, Embedded, Segment, Vectors
from echo_notes.model.errors import EchoError

_DEAD_SHARE = 5  # vectors are compacted when more than one row in five is dead
_DEAD_FLOOR = 200
_NO_STAT = Stat(0, 0, -1, 0)
_SLOW_BATCH = 64
_BATCH = 10_000
"""Passages embedded between two saves, so that a killed run resumes where it was."""


class Updater:
    """One refresh, under the index lock: writes the lexical index, then the vectors, and the manifest last."""

    def __init__(
        self,
        root: Path,
        folder: Path,
        manifest: Manifest,
        catalogue: Catalogue,
        scan: Callable[[str], tuple[str, ...]],
    ) -> None:
        self._root = root
        self._folder = folder
        self._manifest = manifest
        self._catalogue = catalogue
        self._scan = scan
        self._trail = AuditTrail(root)
        self._drafts: dict[str, list[tuple[int, Draft]]] = {}
        self.changed: list[str] = []

    def apply(self, plan: Plan, lexical: Lexical) -> None:
        """Make the lexical index match the files; vectors come after (`embed_pending`)."""
        files = self._manifest.files
        gone = list(plan.removed)
        fresh: list[tuple[int, Draft]] = []
        for path in plan.removed:
            self._drop(path)
        for path, stat in plan.stale.items():
            read = self._read(path, stat)
            if read is None:
                continue
            drafts, entry = read
            if path in files:
                gone.append(path)
                self._drop(path)
            first = self._manifest.next_row
            self._manifest.next_row += len(drafts)
            self._drafts[path] = [(first + number, draft) for number, draft in enumerate(drafts)]
            fresh += self._drafts[path]
            self._manifest.tokens.update(token_of(draft) for draft in drafts)
            self.changed.append(path)
            files[path] = entry._replace(first_row=first, rows=len(drafts))
        if gone or fresh:
            lexical.write(gone, fresh)
        self.save()

    def save(self) -> None:
        """Write the manifest, last of all: until then what it described before is what counts."""
        self._manifest.lexical = fingerprint(self._folder / "lexical")
        replace_file(self._folder / "manifest.json", self._manifest.dump())

    def embed_pending(self, embedder: Embedder, *, seconds: Callable[[], float], budget: float) -> int:
        """Embed what has no vector in the embedder's space yet; return how many passages still wait.

        A slow embedder stops after `budget` seconds, and goes on in the next refresh.

        EmbedderError passes; what was embedded until then is saved.
        """
        manifest = self._manifest
        vectors = Vectors(self._folder, embedder.model_id, self._segments())
        known = {} if embedder.quick else vectors.digests()
        waiting = self._waiting(embedder.model_id)
        if waiting and vectors.segments and manifest.files[waiting[0]].first_row <= vectors.last_row:
            # A model that was in use before: its old segments and the new rows would overlap. Begin again, in order.
            vectors.segments = []
            for path, entry in manifest.files.items():
                manifest.files[path] = entry._replace(model="")
            waiting = self._waiting(embedder.model_id)
        start = seconds()
        batch: list[tuple[int, Draft]] = []
        done: list[str] = []
        for number, path in enumerate(waiting, 1):
            batch += self._draft_again(path)
            done.append(path)
            if len(batch) >= (_BATCH if embedder.quick else _SLOW_BATCH) or number == len(waiting):
                vectors.append(_embed(embedder, batch, known), manifest.dead_rows())
                self._mark(done, embedder.model_id, vectors)
                batch, done = [], []
                if not embedder.quick and seconds() - start > budget:
                    break
        left = self._waiting(embedder.model_id)
        if waiting and not left:
            vectors.sweep()
        return sum(manifest.files[path].rows for path in left)

    def _waiting(self, model: str) -> list[str]:
        """Return the files without vectors of a model, by row: so the rows of the segments always ascend."""
        files = self._manifest.files
        return sorted((path for path in files if files[path].model != model), key=lambda path: files[path].first_row)

    def _mark(self, paths: Iterable[str], model: str, vectors: Vectors) -> None:
        """Save that these files have their vectors, in segments that are already on disk."""
        manifest = self._manifest
        for path in paths:
            manifest.files[path] = manifest.files[path]._replace(model=model)
        dead = manifest.dead_rows()
        if len(dead) > max(_DEAD_FLOOR, vectors.count // _DEAD_SHARE):
            vectors.compact(dead)
            manifest.dead.clear()
        others = [] if not self._waiting(model) else [r for r in manifest.segments if r["model"] != model]
        manifest.segments = [*others, *(segment.to_record() for segment in vectors.segments)]
        self.save()

    def _segments(self) -> list[Segment]:
        return [Segment.from_record(record) for record in self._manifest.segments]

    def _drop(self, path: str) -> None:
        entry = self._manifest.files.pop(path)
        if entry.model and entry.rows:
            self._manifest.dead.append([entry.first_row, entry.rows])

    def _read(self, path: str, stat: Stat) -> tuple[list[Draft], Entry] | None:
        """Return the passages of a file and its entry (rows yet to be given); None if what is indexed still holds."""
        manifest = self._manifest
        old = manifest.files.get(path)
        try:
            raw = (self._root / path).read_bytes()
        except OSError as error:
            problem = error.strerror or "cannot be read"
            manifest.files[path] = (old or Entry(_NO_STAT, "", manifest.next_row, 0))._replace(
                problem=problem, stat=_NO_STAT
            )
            return None
        entity = self._catalogue.find_by_path(path)
        entry = Entry(stat, sha256(raw).hexdigest(), 0, 0, depends_on(entity))
        if old and (old.digest, old.depends) == (entry.digest, entry.depends):
            manifest.files[path] = old._replace(stat=stat)
            return None
        try:
            drafts, problem = draft_file(path, raw, entity, self._scan, self._trail.vouch)
        except EchoError as error:
            return [], entry._replace(problem=str(error).splitlines()[0])
        if is_fact_file(path) and (self._root / JOURNAL_PLAN).exists():
            # A change is being made: its audit lines, which say who labelled these facts, may come a moment later.
            entry = entry._replace(stat=_NO_STAT, digest="")
        return drafts, entry._replace(problem=problem)

    def _draft_again(self, path: str) -> list[tuple[int, Draft]]:
        """Return the passages of an indexed file with their rows; none if it moved since, for the next refresh."""
        entry = self._manifest.files[path]
        if path in self._drafts:
            return self._drafts.pop(path)
        if not entry.rows:
            return []
        try:
            raw = (self._root / path).read_bytes()
            if sha256(raw).hexdigest() != entry.digest:
                return []
            drafts, _ = draft_file(path, raw, self._catalogue.find_by_path(path), lambda _: (), self._trail.vouch)
        except (OSError, EchoError):
            return []
        return [(entry.first_row + number, draft) for number, draft in enumerate(drafts)]


def _embed(embedder: Embedder, batch: Sequence[tuple[int, Draft]], known: dict[bytes, bytes]) -> list[Embedded]:
    """Return the vectors of drafts; each text once, and none whose parts a stored vector already covers."""
    digests = [_digest(draft.parts) for _, draft in batch]
    fresh = [draft for (_, draft), digest in zip(batch, digests, strict=True) if digest not in known]
    texts = list(dict.fromkeys(text for draft in fresh for _, text in draft.parts))
    values = embedder.embed(texts) if texts else array("f")
    dim = len(values) // len(texts) if texts else 0
    vector_of = {text: values[at * dim : (at + 1) * dim] for at, text in enumerate(texts)}
    found = []
    for (row, draft), digest in zip(batch, digests, strict=True):
        vector = known.get(digest)
        if vector is None:
            parts = [(weight, vector_of[text]) for weight, text in draft.parts]
            vector = (parts[0][1] if len(parts) == 1 else weighted_sum(parts)).tobytes()
        found.append(Embedded(row, digest, vector))
    return found


def _digest(parts: Iterable[tuple[float, str]]) -> bytes:
    text = "\0".join(f"{weight}\0{text}" for weight, text in parts)
    return sha256(text.encode("utf-8", "surrogatepass")).digest()[:DIGEST_BYTES]

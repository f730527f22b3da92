"""The index of a vault: kept up to date with the files, and asked; derived, disposable, never in the way."""

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from pathlib import Path

from echo_notes.files.layout import ECHO_DIR
from echo_notes.guard.eligibility import Traits
from echo_notes.index.catalogue import Catalogue
from echo_notes.index.embed import Embedder, EmbedderError, open_embedder
from echo_notes.index.lexical import SCHEMA, Lexical, fingerprint, open_lexical
from echo_notes.index.manifest import Manifest, Walk, walk_vault
from echo_notes.index.results import RefreshReport, SearchRequest, SearchResult
from echo_notes.index.search import Search
from echo_notes.model.errors import EchoError
from echo_notes.model.passage import Passage
from echo_notes.model.settings import Settings

_KEY = f"1.{SCHEMA}"
_MANIFEST = "manifest.json"
_WRITER_WAITS = 10.0
_RECALL_BUDGET = 2.0
_NO_BUDGET = float("inf")


class Index:
    """The index in `.echo/index`. Refresh it, then search; neither ever writes outside that folder.

    `models_dir`: where installed models are. `embedder_key`: the key for an embeddings URL, from the environment.
    `own_rules`: the person's own scan rule files.
    """

    def __init__(
        self,
        root: Path,
        settings: Settings,
        *,
        models_dir: Path | None = None,
        embedder_key: str = "",
        own_rules: Sequence[Path] = (),
    ) -> None:
        self.root = root
        self.settings = settings
        self.catalogue = Catalogue(root)
        self._models_dir = models_dir
        self._embedder_key = embedder_key
        self._own_rules = tuple(own_rules)
        self._folder = root / ECHO_DIR / "index"
        self._manifest: Manifest | None = None
        self._lexical: Lexical | None = None
        self._report = RefreshReport()

    def refresh(self, *, wait: bool = True, walk: Walk | None = None) -> RefreshReport:
        """Bring the index up to date with the files and say what that took.

        `wait`: queue for the index's lock up to ten seconds; without it, a busy index is left to the process that has
        it, and the report's `degraded` says so. `walk`: one just made of this vault.
        """
        start = time.perf_counter()
        self._report = self._refresh(walk or walk_vault(self.root), wait=wait, budget=_RECALL_BUDGET)
        self._report = replace(self._report, took_ms=(time.perf_counter() - start) * 1000)
        return self._report

    def behind(self, walk: Walk) -> RefreshReport | None:
        """Return what a refresh would read again and drop, by stat and digest, doing nothing; None without an index."""
        from hashlib import sha256

        from echo_notes.index.plan import depends_on, plan_update

        self._load()
        if self._manifest is None:
            return None
        with suppress(OSError):
            self.catalogue.refresh(walk)
        plan = plan_update(self._manifest, walk, self.catalogue)
        changed = []
        for path in plan.stale:
            entry = self._manifest.files.get(path)
            owner = depends_on(self.catalogue.find_by_path(path))
            with suppress(OSError):
                if (
                    entry
                    and entry.depends == owner
                    and sha256((self.root / path).read_bytes()).hexdigest() == entry.digest
                ):
                    continue
            changed.append(path)
        return RefreshReport(tuple(changed), plan.removed, plan.problems)

    def rebuild(self) -> RefreshReport:
        """Make the index again from nothing but the files, vectors included, however long that takes."""
        start = time.perf_counter()
        self._forget()
        report = self._refresh(walk_vault(self.root), wait=True, budget=_NO_BUDGET, anew=True)
        self._report = replace(report, took_ms=(time.perf_counter() - start) * 1000)
        return self._report

    def search(self, request: SearchRequest) -> SearchResult:
        """Return the passages that answer; what an enhancement could not do is named in `degraded`, never raised."""
        try:
            return self._search(request)
        except BaseException as error:
            if not _is_torn(error):
                raise
        # The files of the index are of the right size and yet unreadable: make them again, once.
        report = self.rebuild()
        self._report = replace(report, degraded=("the index was damaged and has been made again", *report.degraded))
        return self._search(request)

    def flagged(self, walk: Walk) -> list[Passage]:
        """Return the passages that the scan, or their own record, objects to; writes nothing.

        What the index does not know yet is read and scanned here.
        """
        behind = self.behind(walk)
        unseen = set(walk.files) if behind is None else {*behind.changed, *behind.removed}
        found: list[Passage] = []
        if behind is not None and self._manifest is not None and self._lexical is not None:
            tokens = [token for token in self._manifest.tokens if Traits.parse(token).flagged]
            found = self._lexical.having(tokens) if tokens else []
        fresh = (passage for path in sorted(unseen & walk.files.keys()) for passage in self._flagged_in(path))
        return [*(passage for passage in found if passage.path not in unseen), *fresh]

    def _flagged_in(self, path: str) -> list[Passage]:
        from echo_notes.index.passages import draft_file

        try:
            raw = (self.root / path).read_bytes()
            drafts, _ = draft_file(path, raw, self.catalogue.find_by_path(path), self._scan)
        except (OSError, EchoError):
            return []
        return [draft.passage for draft in drafts if draft.passage.flagged]

    def _search(self, request: SearchRequest) -> SearchResult:
        if self._manifest is None or self._lexical is None:
            self.refresh(wait=False)
        if self._manifest is None or self._lexical is None:
            return SearchResult(degraded=self._report.degraded)
        embedder, problem = self._embedder
        search = Search(
            request,
            self.settings,
            folder=self._folder,
            manifest=self._manifest,
            lexical=self._lexical,
            catalogue=self.catalogue,
            embedder=embedder,
            models_dir=self._models_dir,
        )
        result = search.run()
        degraded = dict.fromkeys([*self._report.degraded, *([problem] if problem else []), *result.degraded])
        took = {"refresh": self._report.took_ms, **result.took_ms}
        took["total"] = took["refresh"] + took["total"]
        return replace(result, degraded=tuple(degraded), took_ms=took)

    @cached_property
    def _embedder(self) -> tuple[Embedder | None, str]:
        try:
            return open_embedder(self.settings, self._models_dir, self._embedder_key), ""
        except EmbedderError as error:
            return None, str(error)

    def _refresh(self, walk: Walk, *, wait: bool, budget: float, anew: bool = False) -> RefreshReport:
        self.catalogue.refresh(walk)
        notes: list[str] = []
        problems = list(self.catalogue.problems)
        self._load()
        if not anew and self._manifest is not None:
            from echo_notes.index.plan import plan_update

            plan = plan_update(self._manifest, walk, self.catalogue)
            if not plan.stale and not plan.removed and not self._unembedded():
                return RefreshReport(problems=(*problems, *plan.problems, *self._file_problems()))
        from echo_notes.index.lock import hold_index

        # Where there is no index at all there is nothing to answer from, so even a reader waits for the one being made.
        patient = wait or not (self._folder / _MANIFEST).exists()
        try:
            with hold_index(self._folder, wait_seconds=_WRITER_WAITS if patient else 0.0) as held:
                if not held:
                    self._load(under_way=True)
                    notes.append("another process is refreshing the index; this answer may miss the newest changes")
                    return RefreshReport(problems=tuple(problems), degraded=tuple(notes))
                return self._update(walk, notes, problems, budget=budget, anew=anew)
        except (OSError, ValueError) as error:
            if isinstance(error, ValueError) and "No space left" not in str(error):  # Tantivy's word for a full disk
                raise
            why = getattr(error, "strerror", "") or "No space left on device"
            notes.append(f"the index cannot be written ({why}); this answer may be out of date")
            return RefreshReport(problems=tuple(problems), degraded=tuple(notes))

    def _update(
        self, walk: Walk, notes: list[str], problems: list[tuple[str, str]], *, budget: float, anew: bool
    ) -> RefreshReport:
        """Refresh under the lock: another process may have done some of it meanwhile, so look again first."""
        from echo_notes.index.plan import plan_update
        from echo_notes.index.update import Updater

        if anew:
            self._wipe()
        torn = self._load()
        if self._manifest is None or self._lexical is None:
            notes += [torn] if torn else []
            self._wipe()
            self._manifest = Manifest(_KEY)
            self._lexical = open_lexical(self._folder / "lexical")
        plan = plan_update(self._manifest, walk, self.catalogue)
        updater = Updater(self.root, self._folder, self._manifest, self.catalogue, self._scan)
        if plan.stale or plan.removed or not self._manifest.lexical:
            updater.apply(plan, self._lexical)
        embedder, _ = self._embedder
        if embedder is not None:
            try:
                left = updater.embed_pending(embedder, seconds=time.monotonic, budget=budget)
                if left:
                    notes.append(f"{left} passages have no vector yet; finish with: echo-notes reindex")
            except EmbedderError as error:
                notes.append(str(error))
        found = (*problems, *plan.problems, *self._file_problems())
        return RefreshReport(tuple(updater.changed), plan.removed, found, tuple(notes))

    def _load(self, *, under_way: bool = False) -> str:
        """Open what is on disk; leave None what is missing or torn, and return what to say once it is made again.

        `under_way`: another process is writing, so the lexical index may be a commit ahead of the manifest. It is whole
        all the same; rows that one side does not know yet are passed over.
        """
        self._forget()
        manifest = Manifest.load(self._folder / _MANIFEST, _KEY)
        if manifest is None:
            there = (self._folder / _MANIFEST).exists()
            return "the index was made by another version, or torn, and has been made again" if there else ""
        lexical_dir = self._folder / "lexical"
        try:
            if not under_way and fingerprint(lexical_dir) != manifest.lexical:
                return "the index was cut off in the middle of a write, and has been made again"
            self._lexical = open_lexical(lexical_dir)
        except BaseException as error:
            if not _is_torn(error):
                raise
            return "the index was damaged, and has been made again"
        self._manifest = manifest
        return ""

    def _forget(self) -> None:
        self._manifest = None
        self._lexical = None

    def _wipe(self) -> None:
        """Remove everything derived but the lock and the catalogue, which its owner checks for itself."""
        from shutil import rmtree

        self._forget()
        rmtree(self._folder / "lexical", ignore_errors=True)
        for path in self._folder.glob("*.npz"):
            path.unlink(missing_ok=True)
        (self._folder / _MANIFEST).unlink(missing_ok=True)

    def _unembedded(self) -> bool:
        embedder, _ = self._embedder
        if embedder is None or self._manifest is None:
            return False
        return any(entry.model != embedder.model_id and entry.rows for entry in self._manifest.files.values())

    def _file_problems(self) -> tuple[tuple[str, str], ...]:
        files = self._manifest.files if self._manifest else {}
        return tuple((path, entry.problem) for path, entry in files.items() if entry.problem)

    @cached_property
    def _scan(self) -> Callable[[str], tuple[str, ...]]:
        from echo_notes.guard.scan import load_rules, scan_text

        rules = load_rules(self._own_rules) if self._own_rules else None
        joiners = self.settings.joiners

        def scan(text: str) -> tuple[str, ...]:
            found = scan_text(text, joiners=joiners, rules=rules)
            return tuple(dict.fromkeys(finding.rule for finding in found))

        return scan


def _is_torn(error: BaseException) -> bool:
    """Return whether an error comes of damaged index files. Tantivy's Rust panics arrive as BaseException."""
    return isinstance(error, ValueError | OSError | EOFError) or type(error).__name__ == "PanicException"

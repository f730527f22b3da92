"""`init`: make a folder a vault, or adopt one that already holds notes or facts; nothing there is rewritten."""

from dataclasses import dataclass

from echo_notes.files.change import Change, ChangeResult
from echo_notes.files.layout import MARKER, MEMORY, find_vault
from echo_notes.files.templates import DEFAULT_TEMPLATE, load_template
from echo_notes.files.textfile import dump_text
from echo_notes.guard.gate import Proposal
from echo_notes.lifecycle.opened import OpenVault
from echo_notes.model.errors import ConflictError, UsageError


@dataclass(frozen=True, slots=True)
class Initialised:
    """What `init` did: whether the folder was a vault before, whether git began here, and what it found to adopt."""

    was_vault: bool
    began_git: bool
    notes: int
    fact_files: int
    change: ChangeResult


def init(opened: OpenVault, *, template: str = DEFAULT_TEMPLATE, nested: bool = False) -> Initialised:
    """Put echo.yaml, MEMORY.md and git's two files into a folder, where they are missing, in one commit."""
    root = opened.root
    if root.exists() and not root.is_dir():
        raise UsageError("is a file, not a folder", where=str(root), fix="Name a folder.")
    if all((root / name).exists() for name in ("HEAD", "objects", "refs")):
        raise UsageError("is a bare git repository", where=str(root), fix="Clone it, and make the vault in the clone.")
    outer = find_vault(root.parent)
    if outer and not nested and not (root / MARKER).exists():
        raise ConflictError(f"lies inside the vault {outer}", where=str(root), fix="To nest one anyway: add --yes")
    was_vault = (root / MARKER).is_file()
    wanted = {name: load_template(name, name=template) for name in ("echo.yaml", MEMORY)}
    notes, fact_files = _count(opened)
    if opened.writer.dry_run and not root.exists():
        return Initialised(was_vault, began_git=True, notes=0, fact_files=0, change=_preview(wanted))
    root.mkdir(parents=True, exist_ok=True)
    began = False if opened.writer.dry_run else opened.history().init()
    with opened.change("init") as change:
        for path, text in wanted.items():
            if change.read(path) is None:
                change.put(path, text.encode(), Proposal(op="init", target=path), kind="settings")
        _amend(change, ".gitattributes", load_template("gitattributes", name=template))
        _amend(change, ".gitignore", load_template("gitignore", name=template))
        change.subject = "init: a vault" if not fact_files and not notes else "init: adopt this folder as a vault"
    return Initialised(was_vault, began, notes, fact_files, change.result)


def _amend(change: Change, path: str, text: str) -> None:
    """Plan a file with the template's lines that it does not have yet after its own."""
    before = change.read_text(path)
    if before is None:
        change.put(path, text.encode(), Proposal(op="init", target=path), kind="settings")
        return
    have = {line.strip() for line in before.text.splitlines()}
    missing = [line for line in text.splitlines() if line.strip() and line.strip() not in have]
    if missing:
        gap = "" if not before.text or before.text.endswith("\n") else before.newline
        after = before.text + gap + "".join(line + before.newline for line in missing)
        change.put(path, dump_text(after, bom=before.bom), Proposal(op="init", target=path), kind="settings")


def _count(opened: OpenVault) -> tuple[int, int]:
    """Return how many notes and fact files are there already."""
    if not opened.root.is_dir():
        return 0, 0
    from echo_notes.index.manifest import walk_vault

    names = [path.rpartition("/")[2] for path in walk_vault(opened.root).files]
    return sum(name.endswith(".md") for name in names), names.count("items.json")


def _preview(wanted: dict[str, str]) -> ChangeResult:
    diff = "".join(f"--- /dev/null\n+++ b/{path}\n" + "".join(f"+{line}\n" for line in text.splitlines())
                   for path, text in wanted.items())  # fmt: skip
    return ChangeResult(written=tuple(wanted), subject="init: a vault", diff=diff)

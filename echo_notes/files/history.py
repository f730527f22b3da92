"""git, and nothing but git: the one module that knows it, through GitPython and the person's own git program."""

import io
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from echo_notes.model.errors import GitFailedError

_LEAKY = ("GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR", "GIT_PREFIX")
_UNDER_WAY = {
    "rebase-merge": "a rebase",
    "rebase-apply": "a rebase",
    "MERGE_HEAD": "a merge",
    "CHERRY_PICK_HEAD": "a cherry-pick",
    "REVERT_HEAD": "a revert",
}
_IDENTITY = 'git config --global user.name "Your Name"\ngit config --global user.email you@example.com'
_MANY_PATHS = 100


@dataclass(frozen=True, slots=True)
class Commit:
    """One commit: full id, aware ISO time of the author, subject, body, and the trailers by name."""

    id: str
    at: str
    subject: str
    body: str
    trailers: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Reply:
    """What git answered: exit status, standard output, standard error."""

    status: int
    out: str
    err: str


class History:
    """The git history that a vault is part of; the vault may be a folder inside the work tree."""

    def __init__(self, root: Path, environ: Mapping[str, str]) -> None:
        self.root = root
        self._leaked = any(name in environ for name in _LEAKY)
        self._git: Any = None
        self._found: tuple[Path, Path] | None = None

    def warm(self) -> None:
        """Load GitPython now, so that no one waits for it while the lock is held."""
        self._command()

    def find_work_tree(self) -> Path | None:
        """Return the top of the work tree that holds the vault, None if it is not under git."""
        found = self._find()
        return found[0] if found else None

    def require(self) -> None:
        """Raise GitFailedError where a commit is known to be impossible: no git, no repository, a rebase under way."""
        self._command()
        found = self._find()
        if found is None:
            raise GitFailedError("is not under git", where=str(self.root), fix=f"git init {_quoted(self.root)}")
        for name, what in _UNDER_WAY.items():
            if (found[1] / name).exists():
                raise GitFailedError(
                    f"{what} is under way", where=str(found[0]),
                    fix="Finish or abort it with git; the next command commits what is written now.",
                )  # fmt: skip

    def dirty(self, paths: Sequence[str]) -> tuple[str, ...]:
        """Return those of the vault's paths that differ from the last commit: changed, staged, untracked or deleted."""
        return tuple(self.states(paths))

    def states(self, paths: Sequence[str]) -> dict[str, str]:
        """Return git's two-letter state (`??` is untracked) of those of the vault's paths that differ."""
        if not paths:
            return {}  # to git, no path means every path
        reply = self._on_paths(["status", "--porcelain=v1", "-z", "--untracked-files=all", "--no-renames"], paths)
        if reply.status:
            raise _failure(reply)
        prefix = self._prefix()
        found = (entry for entry in reply.out.split("\0") if len(entry) > 3)  # noqa: PLR2004 - "XY " and a name
        return {entry[3:].removeprefix(prefix): entry[:2] for entry in found}

    def ignored(self, paths: Sequence[str]) -> tuple[str, ...]:
        """Return those of the vault's paths that a .gitignore keeps out and that git does not track."""
        # It takes plain names only, and refuses to run where the environment asks for literal ones.
        words = ["--no-literal-pathspecs", "check-ignore", "-z", "--stdin"]
        reply = self._run(words, stdin="\0".join(paths))
        return tuple(name for name in reply.out.split("\0") if name) if reply.status == 0 else ()

    def commit(self, states: Mapping[str, str], subject: str, body: str = "") -> str:
        """Commit exactly these paths, with their states as `states` gives them, and return the short id.

        GitFailedError in git's own words; nothing is left staged then.
        """
        self.require()
        paths = list(states)
        fresh = [path for path, state in states.items() if state == "??"]
        if fresh:
            reply = self._on_paths(["add", "--intent-to-add"], fresh)
            if reply.status:
                raise _failure(reply)
        messages = ["-m", subject, *(["-m", body] if body else [])]
        reply = self._on_paths(["commit", "--quiet", "--only", *messages], paths)
        if reply.status:
            if fresh:
                self._on_paths(["rm", "--cached", "--quiet", "--force"], fresh)
            raise _failure(reply)
        return self.head()

    def head(self) -> str:
        """Return the short id of the last commit, "" if there is none."""
        reply = self._run(["rev-parse", "--short", "--verify", "--quiet", "HEAD"])
        return reply.out.strip() if reply.status == 0 else ""

    def log(self, *, paths: Sequence[str] = (), limit: int = 0) -> tuple[Commit, ...]:
        """Return the commits that touch these paths (default: the vault's folder), newest first."""
        count = [f"--max-count={limit}"] if limit else []
        form = "--format=%H%x1f%aI%x1f%s%x1f%b%x1f%(trailers:only,unfold)%x1e"
        reply = self._run(["log", *count, form, "--", *(paths or ["."])])
        return tuple(_parse_commit(entry) for entry in reply.out.split("\x1e") if entry.strip())

    def shrunk(self, folder: str) -> tuple[tuple[str, str], ...]:
        """Return (path, short commit id) for every file of a folder that lost bytes or lines, newest first.

        For a folder whose files only ever grow. The id is "" for what is not committed yet, where any line that was
        removed or altered counts; of commits, which are many, sizes are compared. () without git or commits.
        """
        if self.find_work_tree() is None:
            return ()
        here = self._run(["diff", "--numstat", "--no-renames", "--relative", "HEAD", "--", folder]).out.splitlines()
        found = [(parts[2], "") for line in here if (parts := line.split("\t"))[1:2] not in ([], ["0"])]
        steps: list[tuple[str, str, str, str]] = []
        words = ["log", "-m", "--raw", "--no-abbrev", "--no-renames", "--relative", "--format=%h", "--", folder]
        commit = ""
        for line in self._run(words).out.splitlines():
            if line.startswith(":"):
                change, _, path = line.partition("\t")
                before, after = change.split()[2:4]
                steps.append((path, commit, before, after))
            elif line.strip():
                commit = line.strip()
        sizes = self._sizes({blob for step in steps for blob in step[2:]})
        found += [(path, at) for path, at, before, after in steps if sizes.get(after, 0) < sizes.get(before, 0)]
        return tuple(dict.fromkeys(found))

    def _sizes(self, blobs: Iterable[str]) -> dict[str, int]:
        """Return the sizes of objects; one that is not there (the id of nothing) has none."""
        reply = self._run(["cat-file", "--batch-check=%(objectname) %(objectsize)"], stdin="\n".join(blobs) + "\n")
        rows = (line.split() for line in reply.out.splitlines())
        return {row[0]: int(row[1]) for row in rows if len(row) > 1 and row[1].isdecimal()}

    def changed_in(self, commit: str) -> tuple[str, ...]:
        """Return the vault's paths that a commit touched."""
        reply = self._run(["diff-tree", "-r", "--root", "--no-commit-id", "--name-only", "--no-renames", "-z", commit])
        prefix = self._prefix()
        names = [name for name in reply.out.split("\0") if name]
        return tuple(name.removeprefix(prefix) for name in names if name.startswith(prefix))

    def read(self, commit: str, path: str) -> bytes | None:
        """Return a vault file as it was at a commit, None if it was not there."""
        kind, data = self._object(f"{commit}:{self._prefix()}{path}")
        return data if kind == "blob" else None

    def merge(self, mine: Path, base: Path, theirs: Path) -> bytes | None:
        """Return the three-way merge of three files, None where they overlap."""
        from git.exc import GitCommandError

        try:
            merged = self._command().execute(
                ["git", "merge-file", "-p", "-q", str(mine), str(base), str(theirs)],
                stdout_as_string=False, strip_newline_in_stdout=False, env=self._env(),
            )  # fmt: skip
        except GitCommandError:
            return None
        return bytes(merged)

    def merge_bytes(self, *, mine: bytes, base: bytes, theirs: bytes) -> bytes | None:
        """Return the three-way merge of three versions of a file, None where they overlap."""
        import tempfile

        with tempfile.TemporaryDirectory(prefix="echo-notes-") as folder:
            paths = [Path(folder, name) for name in ("mine", "base", "theirs")]
            for path, data in zip(paths, (mine, base, theirs), strict=True):
                path.write_bytes(data)
            return self.merge(*paths)

    def configure(self, name: str, value: str) -> None:
        """Set a config value of this clone unless it has it already."""
        if self._run(["config", "--local", "--get", name]).out.strip() != value:
            self._run(["config", "--local", name, value])

    def init(self) -> bool:
        """Put the vault under git unless it is; return whether a repository was made."""
        self._command()
        if self._find():
            return False
        reply = self._run(["init", "--quiet"])
        if reply.status:
            raise _failure(reply)
        self._found = None
        return True

    def _object(self, name: str) -> tuple[str, bytes]:
        from git.exc import GitCommandError

        try:
            data = self._command().execute(
                ["git", "cat-file", "blob", name], stdout_as_string=False, strip_newline_in_stdout=False,
                env=self._env(),
            )  # fmt: skip
        except GitCommandError:
            return "", b""
        return "blob", bytes(data)

    def _prefix(self) -> str:
        """Return the vault's folder inside the work tree, `notes/` or ""."""
        found = self._find()
        if found is None:
            return ""
        inside = os.path.relpath(os.path.realpath(self.root), os.path.realpath(found[0])).replace(os.sep, "/")
        return "" if inside == "." else inside + "/"

    def _find(self) -> tuple[Path, Path] | None:
        if self._found is None:
            for folder in (self.root, *self.root.resolve().parents):
                mark = folder / ".git"
                if mark.is_dir():
                    self._found = (folder, mark)
                elif mark.is_file():
                    target = mark.read_text(encoding="utf-8").partition("gitdir:")[2].strip()
                    self._found = (folder, folder / target)
                if self._found:
                    break
        return self._found

    def _env(self) -> dict[str, str]:
        """Variables that put right what a hook or a wrapper left in the environment; `-C` does not override them."""
        env = {"GIT_LITERAL_PATHSPECS": "1"}
        found = self._find()
        if self._leaked and found:
            env |= {"GIT_DIR": str(found[1]), "GIT_WORK_TREE": str(found[0]), "GIT_INDEX_FILE": str(found[1] / "index")}
            common = found[1] / "commondir"
            shared = found[1] / common.read_text(encoding="utf-8").strip() if common.is_file() else found[1]
            env |= {"GIT_COMMON_DIR": str(shared), "GIT_OBJECT_DIRECTORY": str(shared / "objects"), "GIT_PREFIX": ""}
        return env

    def _on_paths(self, words: Sequence[str], paths: Iterable[str]) -> Reply:
        names = list(paths)
        if len(names) <= _MANY_PATHS or words[0] in {"status", "ls-files", "rm"}:
            return self._run([*words, "--", *names])
        return self._run([*words, "--pathspec-from-file=-", "--pathspec-file-nul"], stdin="\0".join(names))

    def _run(self, words: Sequence[str], *, stdin: str | None = None) -> Reply:
        git, feed = self._command(), None
        from git.exc import GitCommandNotFound

        if stdin is not None:
            feed = _as_file(stdin.encode("utf-8", "surrogateescape"))
        try:
            status, out, err = git.execute(
                ["git", *words], istream=feed, with_extended_output=True, with_exceptions=False,
                stdout_as_string=False, strip_newline_in_stdout=False, env=self._env(),
            )  # fmt: skip
        except GitCommandNotFound:
            raise _no_git() from None
        finally:
            if feed is not None:
                feed.close()
        message = err if isinstance(err, str) else bytes(err).decode("utf-8", "replace")
        return Reply(int(status), bytes(out).decode("utf-8", "surrogateescape"), message)

    def _command(self) -> Any:
        if self._git is None:
            try:
                from git.cmd import Git
            except ImportError:
                raise _no_git() from None
            # A Path: in a string GitPython would expand what looks like a variable or a home folder.
            self._git = Git(self.root)
        return self._git


def _as_file(data: bytes) -> Any:
    import tempfile

    handle = tempfile.TemporaryFile()  # noqa: SIM115 - git reads it as its standard input; the caller closes it
    handle.write(data)
    handle.seek(0, io.SEEK_SET)
    return handle


def _no_git() -> GitFailedError:
    return GitFailedError(
        "git is not installed",
        fix="Install it: Echo Notes keeps its history in it. The next command commits what is written now.",
    )


def _failure(reply: Reply) -> GitFailedError:
    words = (reply.err or reply.out).strip()
    if "Please tell me who you are" in words or "unable to auto-detect email" in words or "empty ident" in words:
        return GitFailedError(
            "git does not know who you are", fix=f"The files are written. Tell git once:\n{_IDENTITY}"
        )
    if "index.lock" in words and "File exists" in words:
        return GitFailedError(
            "git's index is locked", where=words.partition("'")[2].partition("'")[0],
            fix="Another git command is running, or one was killed: then remove that file. "
            "The files are written; the next command commits them.",
        )  # fmt: skip
    if "gpg failed to sign" in words or "failed to write commit object" in words:
        return GitFailedError(
            f"git could not sign the commit: {_last_lines(words)}",
            fix="The files are written. Unlock the key, or: git config commit.gpgsign false",
        )
    return GitFailedError(
        f"git said: {_last_lines(words) or f'exit status {reply.status}'}",
        fix="The files are written; the next command commits them.",
    )


def _last_lines(words: str) -> str:
    return "\n".join(words.splitlines()[-6:])


def _parse_commit(entry: str) -> Commit:
    commit, at, subject, body, trailers = entry.strip("\n").split("\x1f")
    pairs = (line.partition(": ") for line in trailers.splitlines())
    return Commit(commit, at, subject, body, {name: value for name, colon, value in pairs if colon})


def _quoted(path: Path) -> str:
    import shlex

    return shlex.quote(str(path))

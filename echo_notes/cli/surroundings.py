"""What surrounds a run of the program: the clock, the environment, the person's own folders, and the vault meant."""

import os
import sys
from datetime import datetime
from pathlib import Path

from echo_notes.model.errors import NotFoundError, UsageError


def now() -> datetime:
    """Return this moment in the local zone; `ECHO_NOTES_NOW` (ISO) pins it, for tests and documentation."""
    pinned = os.environ.get("ECHO_NOTES_NOW")
    if pinned:
        try:
            return datetime.fromisoformat(pinned).astimezone()
        except ValueError:
            raise UsageError(f"ECHO_NOTES_NOW is {pinned!r}", fix="It takes an ISO time, or nothing.") from None
    return datetime.now().astimezone()


def random_word() -> str:
    """Return six random hexadecimal digits; `secrets` would do, at 8 ms a cold start."""
    return os.urandom(3).hex()


def is_agent(environ: "os._Environ[str] | dict[str, str]", variables: tuple[str, ...]) -> bool:
    """Return whether a coding agent runs this shell; the environment can lower a rank, never raise it."""
    return environ.get("ECHO_ACTOR", "").lower() == "agent" or any(environ.get(name) for name in variables)


def own_config_path() -> Path:
    """Return the person's own config file (`ECHO_CONFIG`, else where the platform keeps it); it need not exist."""
    if named := os.environ.get("ECHO_CONFIG"):
        return Path(named).expanduser()
    if sys.platform.startswith("linux"):
        # What platformdirs answers on Linux, without its import on every cold start.
        base = os.environ.get("XDG_CONFIG_HOME", "").strip()
        home = Path(base) if base.startswith("/") else Path(os.path.expanduser("~/.config"))  # noqa: PTH111 - no HOME is no error
        return home / "echo-notes" / "config.yaml"
    from platformdirs import user_config_path

    return user_config_path("echo-notes", appauthor=False) / "config.yaml"


def find_root(named: str, own: Path) -> Path:
    """Return the vault: `--vault`, ECHO_VAULT, upwards from here, own config; NotFoundError says how to make one."""
    from echo_notes.files.layout import MARKER, find_vault

    for source, value in (("--vault", named), ("ECHO_VAULT", os.environ.get("ECHO_VAULT", ""))):
        if value:
            root = Path(value).expanduser().absolute()
            if not (root / MARKER).is_file():
                raise NotFoundError(
                    f"{source} names no vault", where=str(root), fix=f"Make it one: echo-notes init {value}"
                )
            return root
    try:
        found = find_vault(Path.cwd())
    except FileNotFoundError:
        found = None
    if found:
        return found
    from echo_notes.files.config import load_settings

    default = load_settings(None, own).settings.vault
    if default:
        root = Path(default).expanduser()
        if not (root / MARKER).is_file():
            raise NotFoundError(
                "your config's default vault is not there", where=str(root), fix="echo-notes config set vault PATH"
            )
        return root
    raise NotFoundError("no vault here, and no default one", fix="Make one: echo-notes init ~/notes")


def models_dir() -> Path:
    """Return the folder of installed models: `ECHO_MODELS`, else where the platform keeps a person's caches."""
    if named := os.environ.get("ECHO_MODELS"):
        return Path(named).expanduser()
    if sys.platform.startswith("linux"):
        # What platformdirs answers on Linux, without its import on every cold start.
        base = os.environ.get("XDG_CACHE_HOME", "").strip()
        home = Path(base) if base.startswith("/") else Path(os.path.expanduser("~/.cache"))  # noqa: PTH111 - no HOME is no error
        return home / "echo-notes" / "models"
    from platformdirs import user_cache_path

    return user_cache_path("echo-notes", appauthor=False) / "models"

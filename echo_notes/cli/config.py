"""`config get`, `set` and `list`: the person's own settings, and with `--in-vault` those of the vault."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from echo_notes.cli.command import new_app
from echo_notes.cli.invocation import Invocation
from echo_notes.cli.output import one_line, say, say_diff, say_json, say_ndjson
from echo_notes.cli.report import finish, tail
from echo_notes.cli.surroundings import find_root, is_agent, own_config_path

if TYPE_CHECKING:
    from echo_notes.files.config import Loaded
    from echo_notes.model.settings import SettingInfo, Settings

config_app = new_app()
config_app.info.help = (
    "Show and change settings; your own, or the vault's with --in-vault.\n\necho-notes config set recall.limit 5"
)
apps = {"config": config_app}

_InVault = Annotated[bool, typer.Option("--in-vault", help="In the vault's echo.yaml, for every machine that has it.")]
_Name = Annotated[str, typer.Argument(metavar="NAME", help="A setting, for example recall.limit.")]


@dataclass(frozen=True, slots=True)
class _Place:
    """Where settings come from in this run: the vault (None outside one) and how it was found, and both together."""

    root: Path | None
    found: str
    loaded: "Loaded"

    def origin(self, info: "SettingInfo") -> str:
        """Return the file that sets a value, or `default`."""
        return {"own config": str(own_config_path()), "echo.yaml": str(self.root and self.root / "echo.yaml")}.get(
            self.loaded.origins.get(info.name, ""), "default"
        )


@config_app.command()
def get(ctx: typer.Context, name: _Name, in_vault: _InVault = False) -> None:
    """Print the value in force.

    echo-notes config get recall.limit
    """
    from echo_notes.model.settings import get_setting

    invocation: Invocation = ctx.find_root().obj
    info = get_setting(name)
    place = _place(invocation, need_vault=in_vault, only_vault=in_vault)
    if invocation.machine:
        say_json(_record(info, place))
    else:
        say(one_line(_shown(getattr(place.loaded.settings, info.attribute))))
    _warn(invocation, place)


@config_app.command(name="set")
def set_(
    ctx: typer.Context,
    name: _Name,
    value: Annotated[list[str], typer.Argument(metavar="VALUE…", help="Its new value; several words make a list.")],
    in_vault: _InVault = False,
) -> None:
    """Set a value in your own config, or in the vault's echo.yaml (one commit).

    echo-notes config set categories relationship,milestone,status,preference,decision --in-vault
    """
    from echo_notes.model.settings import get_setting

    invocation: Invocation = ctx.find_root().obj
    info = get_setting(name)
    text = (", " if isinstance(info.default, tuple) else " ").join(value)
    if in_vault:
        _set_in_vault(invocation, info, text)
    else:
        _set_own(invocation, info, text)


@config_app.command(name="list")
def list_(ctx: typer.Context, in_vault: _InVault = False) -> None:
    """List every setting with its value, and where that comes from.

    echo-notes config list
    """
    from echo_notes.model.settings import iter_settings

    invocation: Invocation = ctx.find_root().obj
    place = _place(invocation, need_vault=in_vault, only_vault=in_vault)
    infos = [info for info in iter_settings() if not in_vault or info.name in place.loaded.origins]
    if invocation.ndjson:
        say_ndjson(_record(info, place) for info in infos)
    elif invocation.json:
        vault = {"path": str(place.root), "found_by": place.found} if place.root else None
        say_json({"vault": vault, "own_config": str(own_config_path()), "settings": [_record(i, place) for i in infos]})
    else:
        say(f"vault: {place.root} ({place.found})" if place.root else "vault: none here")
        say(f"own config: {own_config_path()}{'' if own_config_path().exists() else ' (not there yet)'}")
        width = max((len(info.name) for info in infos), default=0)
        for info in infos:
            shown = one_line(_shown(getattr(place.loaded.settings, info.attribute))) or '""'
            say(f"{info.name:<{width}}  {shown}  ({place.origin(info)})")
    _warn(invocation, place)


def write_own(name: str, value: str, *, dry_run: bool = False) -> tuple[bytes, bytes]:
    """Set one value in the person's own config; return its bytes before and after."""
    from echo_notes.files.config import set_value
    from echo_notes.files.textfile import decode_text, dump_text, write_atomic

    own = own_config_path().resolve()  # a config that is a link into a folder of dot files stays one
    raw = own.read_bytes() if own.exists() else b""
    source = decode_text(raw, own)
    data = dump_text(set_value(source.text, name, value, path=own), bom=source.bom)
    if data != raw and not dry_run:
        write_atomic(own, data)
    return raw, data


def _set_own(invocation: Invocation, info: "SettingInfo", value: str) -> None:
    own = own_config_path()
    _refuse_program(info, _own_settings(own))
    if info.name == "vault":
        value = _vault_path(invocation, value)
    shown = str(own)
    raw, data = write_own(info.name, value, dry_run=invocation.dry_run)
    changed = data != raw
    loaded = _own_settings(own) if not invocation.dry_run else None
    kept = getattr(loaded, info.attribute) if loaded else value
    if invocation.machine:
        say_json({
            "name": info.name, "value": kept, "path": shown, "changed": changed, "dry_run": invocation.dry_run,
        })  # fmt: skip
    elif invocation.dry_run:
        _say_own_diff(raw, data, shown)
    else:
        say(f"{info.name} is {one_line(_shown(kept))}{'' if changed else ' already'} in {shown}")


def _set_in_vault(invocation: Invocation, info: "SettingInfo", value: str) -> None:
    from echo_notes.lifecycle.config import set_in_vault
    from echo_notes.model.settings import coerce

    opened = invocation.open()
    change = set_in_vault(opened, info.name, value, _own_settings(own_config_path()))
    kept = coerce(info, value)
    if invocation.machine:
        say_json({"name": info.name, "value": kept, "path": "echo.yaml", **tail(change, invocation)})
    elif invocation.dry_run:
        say_diff(change.diff, change.subject)
    else:
        end = f" in echo.yaml ({change.commit})" if change.commit else " in echo.yaml"
        say(f"{info.name} is {one_line(_shown(kept))}{'' if change.written else ' already'}{end}")
    finish(invocation, change)


def _place(invocation: Invocation, *, need_vault: bool, only_vault: bool) -> _Place:
    from echo_notes.files.config import load_settings
    from echo_notes.files.layout import MARKER
    from echo_notes.model.errors import NotFoundError

    own = own_config_path()
    try:
        root = find_root(invocation.vault, own)
    except NotFoundError:
        if need_vault or invocation.vault or os.environ.get("ECHO_VAULT"):
            raise
        return _Place(None, "", load_settings(None, own))
    return _Place(root, _found_by(invocation, root), load_settings(root / MARKER, None if only_vault else own))


def _found_by(invocation: Invocation, root: Path) -> str:
    from echo_notes.files.layout import find_vault

    if invocation.vault:
        return "--vault"
    if os.environ.get("ECHO_VAULT"):
        return "ECHO_VAULT"
    return "above this folder" if find_vault(Path.cwd()) == root else "vault in your own config"


def _own_settings(own: Path) -> "Settings":
    from echo_notes.files.config import load_settings

    return load_settings(None, own).settings


def _refuse_program(info: "SettingInfo", settings: "Settings") -> None:
    """Refuse a coding agent: own settings run programs and decide who counts as one."""
    from echo_notes.model.errors import RefusedError

    if is_agent(os.environ, settings.agent_variables):
        raise RefusedError(
            f"refused to set {info.name}: your own config is yours alone", reason="provenance", op="config",
            target=info.name, fix="Run it from your own shell.",
        )  # fmt: skip


def _vault_path(invocation: Invocation, value: str) -> str:
    from echo_notes.files.layout import MARKER

    root = Path(value).expanduser().absolute()
    if value and not (root / MARKER).is_file():
        invocation.warn(f"{root} is no vault yet; make it one: echo-notes init {value}")
    return str(root) if value else ""


def _say_own_diff(before: bytes, after: bytes, path: str) -> None:
    from difflib import unified_diff

    old, new = (data.decode("utf-8").splitlines() for data in (before, after))
    for line in unified_diff(old, new, path, path, lineterm=""):
        say(line)


def _warn(invocation: Invocation, place: _Place) -> None:
    for problem in place.loaded.problems:
        invocation.warn(problem)


def _record(info: "SettingInfo", place: _Place) -> dict[str, Any]:
    return {
        "name": info.name, "value": getattr(place.loaded.settings, info.attribute), "default": info.default,
        "origin": place.loaded.origins.get(info.name, "default"), "path": place.origin(info), "own_only": info.own,
        "meaning": info.doc,
    }  # fmt: skip


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        return ", ".join(str(part) for part in value)
    return f"{value:g}" if isinstance(value, float) else str(value)

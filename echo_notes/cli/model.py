"""`model list`, `use` and `status`: which model embeds, which reranks; the one place that downloads, when asked."""

import os
from typing import TYPE_CHECKING, Annotated, Any

import typer

from echo_notes.cli.command import new_app
from echo_notes.cli.output import CYAN, DIM, one_line, paint, say, say_json, say_ndjson, tell
from echo_notes.cli.surroundings import is_agent, models_dir, own_config_path

if TYPE_CHECKING:
    from echo_notes.cli.invocation import Invocation
    from echo_notes.index.models import ModelInfo
    from echo_notes.model.settings import Settings

model_app = new_app()
model_app.info.help = (
    "Choose the model that embeds, or one that reranks.\n\necho-notes model use BAAI/bge-small-en-v1.5"
)
apps = {"model": model_app}

BUILTIN, NONE = "builtin", "none"
_HUB = "huggingface.co"


@model_app.command("list")
def list_(ctx: typer.Context) -> None:
    """List the models that can be used by name: size, vector length, licence, languages as described.

    echo-notes model list
    """
    from echo_notes.index.models import list_models

    invocation: Invocation = ctx.find_root().obj
    settings = _settings()
    used = {settings.embedder, settings.rerank_model}
    records = [_builtin_record(used), *(_record(info, used) for info in list_models(models_dir()))]
    if invocation.ndjson:
        say_ndjson(records)
    elif invocation.json:
        say_json({"models": records})
    else:
        for record in records:
            mark = "*" if record["in_use"] else "+" if record["installed"] else " "
            size = f"{record['size_mb']} MB"
            about = f"{record['kind']}, {size}, {record['licence']}: {one_line(record['description'])}"
            say(f"{mark} {paint(record['name'], CYAN)}  {paint(about, DIM)}", hang=4)
        say(paint("* in use, + installed", DIM))


@model_app.command()
def use(
    ctx: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME", help="builtin, none, or a name from the list.")],
) -> None:
    """Use a model: fetch it once if it is not here, write it to your own config, and embed this vault anew.

    echo-notes model use BAAI/bge-small-en-v1.5
    """
    from echo_notes.cli.config import write_own
    from echo_notes.index.models import check_installed
    from echo_notes.model.errors import RefusedError

    invocation: Invocation = ctx.find_root().obj
    if is_agent(os.environ, _settings().agent_variables):
        raise RefusedError(
            "refused to change the model: it is the person's own setting",
            reason="scope",
            op="model use",
            target=name,
            fix="Run it from your own shell.",
        )
    info = None if name in {BUILTIN, NONE} else _find(name)
    setting = "memory.rerankModel" if info and info.kind == "reranker" else "recall.embedder"
    cost = f"downloads about {info.size_mb} MB" if info and check_installed(name, models_dir()) else "downloads nothing"
    if invocation.dry_run:
        say(f"would set {setting} to {name}: {cost}")
        return
    if info and check_installed(name, models_dir()):
        _fetch(invocation, info)
    write_own(setting, name)
    embedded = _embed_anew(invocation) if setting == "recall.embedder" else None
    if invocation.machine:
        say_json({"name": name, "setting": setting, "path": str(own_config_path()), "embedded_files": embedded})
    else:
        say(f"{setting} is {name} in {own_config_path()}")
        if embedded is not None:
            say(f"embedded {embedded} files anew")


@model_app.command()
def status(ctx: typer.Context) -> None:
    """Show which models are in use and whether they are whole.

    echo-notes model status
    """
    from echo_notes.index.models import check_installed

    invocation: Invocation = ctx.find_root().obj
    settings = _settings()
    rows = []
    for role, name in (("embedder", settings.embedder_url or settings.embedder), ("reranker", settings.rerank_model)):
        own = name in {"", BUILTIN, NONE} or bool(role == "embedder" and settings.embedder_url)
        rows.append({"role": role, "name": name or NONE, "problem": "" if own else check_installed(name, models_dir())})
    if invocation.machine:
        say_json({"models": rows, "folder": str(models_dir())})
        return
    for row in rows:
        say(f"{row['role']}: {row['name']}{'  ' + row['problem'] if row['problem'] else ''}")
    say(paint(f"models are kept in {models_dir()}", DIM))


def _fetch(invocation: "Invocation", info: "ModelInfo") -> None:
    from echo_notes.index.models import install
    from echo_notes.model.errors import NotFoundError

    if not invocation.quiet:
        tell(f"fetching {info.name}, about {info.size_mb} MB, licence {info.licence}")
    fix = "It needs the network once. What is in use now stays in use."
    if not any(
        os.environ.get(name) for name in ("HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy", "HF_ENDPOINT")
    ):
        _require_network(fix)
    try:
        install(info.name, info.kind, models_dir())
    except Exception as error:  # noqa: BLE001 - the hub's client raises its own classes, a dozen of them
        first = (str(error).strip().splitlines() or [type(error).__name__])[0]
        raise NotFoundError(f"the model {info.name} could not be fetched: {first}", fix=fix) from None


def _require_network(fix: str) -> None:
    """Raise NotFoundError at once where the hub has no address; fastembed would try for more than half a minute."""
    import socket

    from echo_notes.model.errors import NotFoundError

    try:
        socket.getaddrinfo(_HUB, 443)
    except OSError:
        raise NotFoundError(f"no network: {_HUB} is not found", fix=fix) from None


def _embed_anew(invocation: "Invocation") -> int | None:
    """Return how many files were embedded with the new model, None where there is no vault here."""
    from echo_notes.cli.reindex import run
    from echo_notes.model.errors import NotFoundError

    try:
        opened = invocation.open()
    except NotFoundError:
        return None
    done = run(opened)
    for note in done.degraded:
        invocation.warn(note)
    return done.files


def _find(name: str) -> "ModelInfo":
    from difflib import get_close_matches

    from echo_notes.index.models import list_models
    from echo_notes.model.errors import UsageError

    table = {info.name.lower(): info for info in list_models(models_dir())}
    if name.lower() not in table:
        near = get_close_matches(name.lower(), table, n=3)
        hint = f"Did you mean {', '.join(table[match].name for match in near)}? " if near else ""
        raise UsageError(f"no model is called {name!r}", fix=f"{hint}List them: echo-notes model list")
    return table[name.lower()]


def _settings() -> "Settings":
    from echo_notes.files.config import load_settings

    return load_settings(None, own_config_path()).settings


def _builtin_record(used: set[str]) -> dict[str, Any]:
    return {"name": BUILTIN, "kind": "embedder", "size_mb": 12, "dim": 256, "licence": "see NOTICE in the package",
            "description": "English and Chinese, in the package", "installed": True, "in_use": BUILTIN in used,
            "problem": ""}  # fmt: skip


def _record(info: "ModelInfo", used: set[str]) -> dict[str, Any]:
    return {"name": info.name, "kind": info.kind, "size_mb": info.size_mb, "dim": info.dim, "licence": info.licence,
            "description": info.description, "installed": info.installed, "in_use": info.name in used,
            "problem": info.problem}  # fmt: skip

"""The files that `init` and new entities start from: found in a wheel and in a working copy alike."""

import json
from pathlib import Path
from typing import Any

from echo_notes.model.errors import UsageError
from echo_notes.model.settings import iter_settings

DEFAULT_TEMPLATE = "default"
TEMPLATE_FILES = ("echo.yaml", "MEMORY.md", "daily.md", "summary.md", "gitattributes", "gitignore")


def load_template(file: str, *, name: str = DEFAULT_TEMPLATE) -> str:
    """Return the text of one template file, LF newlines; a set without that file lends the default's.

    echo.yaml comes complete, with every setting a vault may hold. The others keep their fields for the caller:
    `{date}` in daily.md; `{name}`, `{kind}` and `{aliases}` in summary.md. UsageError for an unknown set.
    """
    if file not in TEMPLATE_FILES:
        raise ValueError(file)
    if name not in template_names():
        raise UsageError(f"no template is called {name!r}", fix=f"Choose one of {', '.join(template_names())}.")
    path = _folder() / name / file
    if not path.is_file():
        path = _folder() / DEFAULT_TEMPLATE / file
    text = path.read_text(encoding="utf-8")
    return text.replace("{settings}\n", settings_block()) if file == "echo.yaml" else text


def template_names() -> tuple[str, ...]:
    """Return the names that `init --template` takes, the default first."""
    found = sorted(path.name for path in _folder().iterdir() if path.is_dir())
    return (DEFAULT_TEMPLATE, *(name for name in found if name != DEFAULT_TEMPLATE))


def settings_block() -> str:
    """Return the lines of echo.yaml for every setting that a vault may hold: its meaning, and `#name: default`."""
    lines = []
    for info in iter_settings():
        if info.own or info.name == "format":
            continue
        choices = f" ({', '.join(info.choices)})" if info.choices else ""
        lines += ["", f"# {info.doc}{choices}", f"#{info.name}: {_as_yaml(info.default)}"]
    return "".join(f"{line}\n" for line in lines)


def _as_yaml(value: Any) -> str:
    """Return a default as a person would write it."""
    if isinstance(value, tuple):
        return f"[{', '.join(value)}]"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, str) and value:
        return value
    return json.dumps(value)


def _folder() -> Path:
    """Return the folder of template sets: inside the package of a wheel, else at the root of the working copy."""
    packaged = Path(__file__).parents[1] / "_templates"
    return packaged if packaged.is_dir() else Path(__file__).parents[2] / "templates"

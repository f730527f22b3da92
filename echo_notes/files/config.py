"""Settings on disk: echo.yaml of a vault, and the person's own config, which alone may name programs and addresses."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from echo_notes.files.layout import MARKER
from echo_notes.model.errors import UnreadableError, UsageError
from echo_notes.model.settings import FORMAT, SettingInfo, Settings, apply, coerce, get_setting, iter_settings

_FLAT_LINE = re.compile(
    r"([A-Za-z][\w.]*): +(true|false|-?\d{1,9}(?:\.\d{1,9})?|[A-Za-z][\w./-]*|\"[^\"\\]*\")[ \t]*(?:[ \t]#.*)?"
)

DEFAULT = "default"
IN_VAULT = "echo.yaml"
OWN = "own config"


@dataclass(frozen=True, slots=True)
class Loaded:
    """The settings in force, where each value that is not the default comes from, and what was not accepted."""

    settings: Settings
    origins: Mapping[str, str]
    problems: tuple[str, ...]


def load_settings(vault_file: Path | None, own_file: Path | None) -> Loaded:
    """Return the settings in force: default, then own config, then echo.yaml.

    echo.yaml may tighten a security setting, never loosen it, and may not name programs or addresses; what it may not
    do is a problem, not an error. UnreadableError for a file that is no YAML.
    """
    table = {info.name: info for info in iter_settings()}
    values: dict[str, Any] = {}
    origins: dict[str, str] = {}
    problems: list[str] = []
    for file, origin in ((own_file, OWN), (vault_file, IN_VAULT)):
        for name, raw in _flatten(_load_yaml(file)):
            info = table.get(name)
            if info is None:
                problems.append(f"{origin}: no setting is called {name!r}")
                continue
            if raw is None:
                continue
            if origin == IN_VAULT and info.own:
                problems.append(f"{origin}: {name} is read only from your own config, not from a vault")
                continue
            if name == "format" and isinstance(raw, int) and raw > FORMAT:
                raise UnreadableError(
                    f"is a vault of format {raw}, which this version does not know", path=MARKER,
                    fix="Upgrade echo-notes; nothing was read or written.",
                )  # fmt: skip
            try:
                value = coerce(info, raw)
            except UsageError as error:
                problems.append(f"{origin}: {error.what}; {error.fix}")
                continue
            if origin == IN_VAULT and _loosens(info, value, values):
                problems.append(f"{origin}: {name} may be made stricter by a vault, not looser")
                continue
            values[name], origins[name] = value, origin
    return Loaded(apply(Settings(), values), origins, tuple(problems))


def set_value(text: str, name: str, value: Any, *, path: Path | str = "config") -> str:
    """Return a config file's text with one setting changed; every other line stays as it is.

    `path` names the file in messages. UsageError for an unknown name, a value that it does not take, or a file in which
    it cannot be set safely; UnreadableError for a file that is no YAML.
    """
    from echo_notes.files.config_edit import edit

    info = get_setting(name)
    return edit(text, name, coerce(info, value), lambda text: dict(_flatten(_parse_yaml(text, path))))


def loosens(name: str, value: Any, own: Settings) -> bool:
    """Return whether a vault that set this would be looser than the person's own setting, and so not be heard."""
    info = get_setting(name)
    return _loosens(info, coerce(info, value), {name: getattr(own, info.attribute)})


def _loosens(info: SettingInfo, value: Any, values: Mapping[str, Any]) -> bool:
    if info.strictest is None or value == info.strictest:
        return False
    return bool(values.get(info.name, info.default) == info.strictest)


def _load_yaml(file: Path | None) -> Mapping[str, Any]:
    if file is None:
        return {}
    try:
        text = file.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        return {}
    except UnicodeDecodeError:
        raise UnreadableError("is not UTF-8", path=file, fix="Save it as UTF-8.") from None
    return _parse_yaml(text, file)


def _parse_yaml(text: str, file: Path | str) -> Mapping[str, Any]:
    if not any(line.strip() and not line.lstrip().startswith("#") for line in text.splitlines()):
        return {}
    if simple := _parse_flat(text):
        return simple
    import yaml

    try:
        parsed = yaml.safe_load(text)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = {"line": mark.line + 1, "column": mark.column + 1} if mark else {}
        raise UnreadableError("is not YAML", path=file, fix="Mend that line in an editor.", **where) from None
    if parsed is not None and not isinstance(parsed, dict):
        raise UnreadableError("holds no settings", path=file, fix="Write lines such as `recall.limit: 5`.")
    return parsed or {}


def _parse_flat(text: str) -> dict[str, Any]:
    """Return a file that is only `name: plain scalar` lines without loading YAML, which costs a fifth of a recall."""
    values: dict[str, Any] = {}
    for line in text.splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        match = _FLAT_LINE.fullmatch(line)
        if not match or match[2].lower() in {"null", "yes", "no", "on", "off", "y", "n"}:
            return {}
        word = match[2]
        if word[0] == '"':
            values[match[1]] = word[1:-1]
            continue
        if word in {"true", "false"}:
            values[match[1]] = word == "true"
        elif word[0].isalpha():
            values[match[1]] = word
        else:
            values[match[1]] = float(word) if "." in word else int(word)
    return values


def _flatten(values: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in values.items():
        if isinstance(value, dict):
            yield from _flatten(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value

"""Imports point down only, there are no cycles, and each layer keeps to what it may know."""

import ast
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "echo_notes"
LAYERS = ("model", "guard", "files", "index", "lifecycle", "cli")
MODULES = sorted(path for path in PACKAGE.rglob("*.py") if path.parent != PACKAGE)


def _name(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _imports(path: Path) -> Iterator[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            module = node.module or ""
            for alias in node.names:
                full = f"{module}.{alias.name}"
                yield full if (PACKAGE.parent / Path(*full.split("."))).with_suffix(".py").exists() else module


def test_there_are_modules_in_every_layer() -> None:
    found = {path.relative_to(PACKAGE).parts[0] for path in MODULES}
    assert found >= set(LAYERS)


@pytest.mark.parametrize("path", MODULES, ids=_name)
def test_imports_point_down_only(path: Path) -> None:
    layer = path.relative_to(PACKAGE).parts[0]
    allowed = LAYERS[: LAYERS.index(layer) + 1]
    for name in _imports(path):
        if name.startswith("echo_notes."):
            assert name.split(".")[1] in allowed, f"{_name(path)} imports {name}"


def test_no_cycles_even_through_lazy_imports() -> None:
    graph = {
        _name(path): {name for name in _imports(path) if name.startswith("echo_notes.") and name != _name(path)}
        for path in MODULES
    }
    tuple(TopologicalSorter(graph).static_order())


@pytest.mark.parametrize("path", [path for path in MODULES if "cli" not in path.parts], ids=_name)
def test_core_knows_neither_terminal_nor_environment_nor_now(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for name in _imports(path):
        assert name.split(".")[0] not in {"typer", "rich", "click", "argparse", "getpass"}, name
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            assert node.func.id not in {"print", "input", "exit", "quit"}, f"{path}:{node.lineno}"
        if isinstance(node, ast.Attribute):
            assert node.attr not in {"environ", "getenv", "utcnow"} or _is_parameter(node), f"{path}:{node.lineno}"
            if node.attr in {"now", "today"} and isinstance(node.value, ast.Name):
                assert node.value.id not in {"datetime", "date"}, f"{path}:{node.lineno} reads the clock"


def _is_parameter(node: ast.Attribute) -> bool:
    return isinstance(node.value, ast.Name) and node.value.id in {"self", "opened"}


def test_only_history_knows_git() -> None:
    users = {_name(path) for path in MODULES for name in _imports(path) if name.split(".")[0] == "git"}
    assert users == {"echo_notes.files.history"}


def test_model_is_standard_library_only() -> None:
    import sys

    for path in MODULES:
        if path.relative_to(PACKAGE).parts[0] == "model":
            for name in _imports(path):
                assert name.split(".")[0] in sys.stdlib_module_names or name.startswith("echo_notes.model"), name

"""How every command's Typer app is made."""

import typer


def new_app() -> typer.Typer:
    """Return an app for one command or one group: plain help text, and no completion flags of its own."""
    return typer.Typer(add_completion=False, rich_markup_mode=None)

"""The language model on the command line: `--no-llm`, and what was left to the rules, told once."""

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from echo_notes.cli.invocation import Invocation
    from echo_notes.lifecycle.llm.consult import Consultant
    from echo_notes.lifecycle.opened import OpenVault

NoLlm = Annotated[bool, typer.Option("--no-llm", help="By rules alone, even where a language model is configured.")]


def consult(opened: "OpenVault", *, no_llm: bool) -> "Consultant | None":
    """Return the model that the person's own config names, None without one or with `--no-llm`."""
    settings = opened.settings
    if no_llm or not (settings.llm_command or settings.llm_url):
        return None  # nothing of the model is loaded, let alone asked
    from echo_notes.lifecycle.llm.consult import open_consultant

    return open_consultant(opened)


def conclude(invocation: "Invocation", opened: "OpenVault", consultant: "Consultant | None") -> list[str]:
    """Write down what need not be asked again; tell, and return, what the rules did in the model's place."""
    if consultant is None:
        return []
    from echo_notes.lifecycle.llm.consult import finish

    degraded = list(finish(opened, consultant))
    for what in degraded:
        invocation.warn(what)
    return degraded

"""A setting of the vault itself: written to echo.yaml by the person only, and never looser than their own."""

from echo_notes.files.change import ChangeResult
from echo_notes.files.config import loosens, set_value
from echo_notes.files.config_edit import as_yaml
from echo_notes.files.layout import MARKER
from echo_notes.files.textfile import dump_text
from echo_notes.guard.gate import Proposal
from echo_notes.guard.provenance import Standing, rank
from echo_notes.lifecycle.opened import OpenVault
from echo_notes.model.errors import UsageError
from echo_notes.model.fact import USER_STATED
from echo_notes.model.settings import Settings, coerce, get_setting


def set_in_vault(opened: OpenVault, name: str, value: str, own: Settings) -> ChangeResult:
    """Set a value in echo.yaml, in one commit. `own`: the settings that the person's own config makes.

    UsageError for a setting that a vault may not hold, or a value looser than the person's own; RefusedError for a
    program: the settings are the person's.
    """
    info = get_setting(name)
    if info.own:
        raise UsageError(
            f"{name} is read only from your own config: a vault may have come from anywhere",
            fix=f"echo-notes config set {name} {value}",
        )
    if name == "format":
        raise UsageError("format says how the vault is laid out", fix="It is changed by a migration, not by hand.")
    wanted = coerce(info, value)
    if loosens(name, wanted, own):
        raise UsageError(f"{name} may be made stricter by a vault, not looser", fix=f"Yours is {info.strictest!r}.")
    with opened.change("config") as change:
        held = rank(USER_STATED)
        proposal = Proposal(op="config", target=MARKER, texts={"value": as_yaml(wanted)}, standing=Standing(held, held))
        source = change.read_text(MARKER)
        if source is None:
            change.put(MARKER, set_value("", name, value).encode(), proposal, kind="setting")
        elif getattr(opened.settings, info.attribute) != wanted or name not in opened.loaded.origins:
            text = set_value(source.text, name, value, path=MARKER)
            change.put(MARKER, dump_text(text, bom=source.bom), proposal, kind="setting")
        else:
            change.check(proposal)
        change.subject = f"config: {name} is {as_yaml(wanted)}"
    return change.result

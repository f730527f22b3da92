"""`open`: the file that an entity, a fact id or a date stands for."""

from pathlib import Path

from echo_notes.files.layout import SUMMARY, daily_path, iter_daily
from echo_notes.lifecycle.entities import get_entity, load_entities
from echo_notes.lifecycle.facts import get_fact
from echo_notes.lifecycle.opened import OpenVault
from echo_notes.model.dates import parse_date
from echo_notes.model.errors import NotFoundError, UsageError


def locate(opened: OpenVault, what: str) -> Path:
    """Return the file to open: an entity's summary, the file of a fact, a day's note (it need not exist yet)."""
    try:
        day = parse_date(what, opened.today)
    except UsageError:
        pass
    else:
        paths = [path for on, path in iter_daily(opened.root) if on == day]
        return opened.root / (paths[0] if paths else daily_path(day))
    entities = load_entities(opened)
    try:
        return opened.root / get_fact(opened, what, entities).path
    except NotFoundError:
        return opened.root / get_entity(opened, what, entities).folder / SUMMARY

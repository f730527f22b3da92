"""The end of a session: a durable job for `consolidate`, left in no time."""

from echo_notes.files.jobs import find_job, queue_job
from echo_notes.files.layout import Layout
from echo_notes.files.session_key import check_key, has_messages
from echo_notes.model.errors import RefusedError

NOTHING = "nothing"
QUEUED = "queued"
KNOWN = "known"


def end_session(layout: Layout, key: str, *, at: str, scope: str | None) -> str:
    """Leave a job for a session and return QUEUED, KNOWN if there was one, or NOTHING where no message waits.

    `at` is this moment, as files write it.
    """
    clean = enter(key, scope)
    if not has_messages(layout, clean):
        return NOTHING
    known = find_job(layout, clean) is not None
    queue_job(layout, clean, at)
    return KNOWN if known else QUEUED


def enter(key: str, scope: str | None) -> str:
    """Return the clean key of a session that a scope may enter: one session does not see another."""
    clean = check_key(key)
    if scope not in {None, "", "owner", "global", clean}:
        raise RefusedError(
            f"refused to enter the session {clean!r}: it is outside the scope {scope!r}",
            reason="scope", op="session", target=clean, fix="A session sees itself only.",
        )  # fmt: skip
    return clean

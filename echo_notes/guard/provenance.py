"""Who may write over whom: provenance ranks, and the guard that compares them.

The writing path decides the label; a payload never does. An unknown word ranks 0, so the guard fails closed.
"""

from dataclasses import dataclass

from echo_notes.model.fact import CONSOLIDATED, LEGACY, MODEL_INFERRED, USER_STATED

_RANKS = {USER_STATED: 3, CONSOLIDATED: 2, MODEL_INFERRED: 1, LEGACY: 0}
BY_HAND = "by_hand"
LABELS = {rank: label for label, rank in _RANKS.items()}


def rank(label: str) -> int:
    """Return the rank of a provenance label, 3 down to 0; any unknown word is 0."""
    return _RANKS.get(label, 0)


@dataclass(frozen=True, slots=True)
class Standing:
    """How much a stored fact counts: the rank that protects it, and the rank with which its claim speaks.

    They differ for what was changed or labelled by hand: it protects as the person's own and claims as legacy.
    """

    protects: int
    claims: int
    by_hand: bool = False


def standing(label: str, *, audited: str | None, known: bool) -> Standing:
    """Return the standing of a stored fact whose record carries this provenance label.

    `audited` is the label in the audit line that has the digest of the record as it is now, None if there is no such
    line; `known` says whether the trail has any line for this fact. A record that nobody labelled and no line knows is
    legacy.
    """
    if audited is not None and audited != BY_HAND:
        return Standing(rank(audited), rank(audited))
    if audited == BY_HAND or known or label:
        return Standing(rank(USER_STATED), rank(LEGACY), by_hand=True)
    return Standing(rank(LEGACY), rank(LEGACY))


def vouched_label(audited: str | None) -> str:
    """Return the label with which a record may be shown, given the one that its audit line has (None: no line).

    What nobody vouches for, or was changed by hand, is legacy whatever it says of itself.
    """
    return LABELS[rank(audited or "")]


def provenance_guard(actor_rank: int, protecting_rank: int) -> bool:
    """Return whether a path of this rank may change what that rank protects: at or above, yes."""
    return actor_rank >= protecting_rank

"""Echo Notes: a plain-files knowledge-graph memory for people and their agents.

from echo_notes import Vault

vault = Vault.open("~/notes")
for hit in vault.recall("what does Ada drink").hits:
    print(hit.passage.text)
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from echo_notes.vault import Vault

__version__ = "0.1.0"
__all__ = ["Vault", "__version__"]


def __getattr__(name: str) -> Any:
    """Return `Vault` when it is first asked for; importing the package alone loads nothing."""
    if name == "Vault":
        from echo_notes.vault import Vault

        return Vault
    raise AttributeError(name)

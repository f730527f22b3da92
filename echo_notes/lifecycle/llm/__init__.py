"""The optional language model: asked before the vault is locked, its answers weighed as untrusted text."""

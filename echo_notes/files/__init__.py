"""Bytes to model and back: every file format of the vault, and the one door through which they change."""

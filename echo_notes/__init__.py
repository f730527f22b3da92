"""Echo Notes: a plain-files knowledge-graph memory for people and their agents."""

__version__ = "0.1.0"

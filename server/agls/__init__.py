"""agls: an agent language server, one process that hosts a coding agent for every editor."""

__version__ = "0.1.0"

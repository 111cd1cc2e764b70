"""Implementations of the engine's `ModelClient` port, over HTTP or from a script."""

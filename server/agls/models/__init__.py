"""The models: clients of the engine's `ModelClient` port, over HTTP or from a script."""

"""Few tools in few words, for models with a small context."""

from aglet.features.lean.feature import build

__all__ = ["build"]

"""Few tools in few words, for models with a small context."""

from agls.features.lean.feature import build

__all__ = ["build"]

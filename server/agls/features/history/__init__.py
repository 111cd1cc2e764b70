"""How sessions are filed: their tags, and whether they are put away."""

from agls.features.history.feature import build

__all__ = ["build"]

"""A run has only so much time."""

from aglet.features.deadline.feature import build

__all__ = ["build"]

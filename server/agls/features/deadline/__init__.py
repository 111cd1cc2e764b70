"""A run has only so much time."""

from agls.features.deadline.feature import build

__all__ = ["build"]

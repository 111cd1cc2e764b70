"""The user is shown where the agent works."""

from agls.features.follow_along.feature import build

__all__ = ["build"]

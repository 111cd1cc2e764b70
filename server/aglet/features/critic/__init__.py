"""Somebody watches whether a run gets anywhere."""

from aglet.features.critic.feature import build

__all__ = ["build"]

"""Somebody watches whether a run gets anywhere."""

from agls.features.critic.feature import build

__all__ = ["build"]

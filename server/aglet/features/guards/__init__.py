"""Loops that lead nowhere are named once and then stopped."""

from aglet.features.guards.feature import build

__all__ = ["build"]

"""Loops that lead nowhere are named once and then stopped."""

from agls.features.guards.feature import build

__all__ = ["build"]

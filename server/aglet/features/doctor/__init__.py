"""Looks for what keeps the agent from working, when the user asks for it."""

from aglet.features.doctor.feature import build

__all__ = ["build"]

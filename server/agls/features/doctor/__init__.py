"""Looks for what keeps the agent from working, when the user asks for it."""

from agls.features.doctor.feature import build

__all__ = ["build"]

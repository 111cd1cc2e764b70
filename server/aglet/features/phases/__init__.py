"""Runs in several phases, each with its own prompt, tier, tools and step limit."""

from aglet.features.phases.feature import build

__all__ = ["build"]

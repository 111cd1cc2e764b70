"""Runs in several phases, each with its own prompt, tier, tools and step limit."""

from agls.features.phases.feature import build

__all__ = ["build"]

"""Subagents: pieces of work are handed to children, which work side by side."""

from .feature import build

__all__ = ["build"]

"""Checkpoints: what files were before the agent changed them, and the way back."""

from .feature import build

__all__ = ["build"]

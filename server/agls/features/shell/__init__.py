"""Shell: the tool that runs one command and waits for it."""

from .feature import build

__all__ = ["build"]

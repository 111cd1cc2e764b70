"""Search: the tools that find files by name and by content."""

from .feature import build

__all__ = ["build"]

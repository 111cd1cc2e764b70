"""Files: the tools that read, list, write and edit text files."""

from .feature import build

__all__ = ["build"]

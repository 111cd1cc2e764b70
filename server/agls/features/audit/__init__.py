"""One record for each run: who asked, what was done, what it used, how it ended."""

from agls.features.audit.feature import build

__all__ = ["build"]

"""What a crash left behind is removed, and what it cut off can be gone on with."""

from agls.features.recovery.feature import build

__all__ = ["build"]

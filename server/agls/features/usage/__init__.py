"""What a run and a session used, as doors show it, and a warning when a limit comes near."""

from agls.features.usage.feature import build

__all__ = ["build"]

"""A folder of the session's own for what nobody wants to keep."""

from agls.features.scratchpad.feature import build

__all__ = ["build"]

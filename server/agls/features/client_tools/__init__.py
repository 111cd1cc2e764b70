"""Tools that the client brings."""

from agls.features.client_tools.feature import build

__all__ = ["build"]

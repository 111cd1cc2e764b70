"""Tools that the client brings."""

from aglet.features.client_tools.feature import build

__all__ = ["build"]

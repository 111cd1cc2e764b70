"""What a run gave is posted somewhere when it is over."""

from agls.features.delivery.feature import build

__all__ = ["build"]

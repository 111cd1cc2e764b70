"""What a run may spend, checked before it is spent."""

from agls.features.budget.feature import build

__all__ = ["build"]

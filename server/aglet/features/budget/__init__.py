"""What a run may spend, checked before it is spent."""

from aglet.features.budget.feature import build

__all__ = ["build"]

"""Room in the model's context: old results taken out, the beginning of a conversation summarised."""

from agls.features.compaction.feature import build

__all__ = ["build"]

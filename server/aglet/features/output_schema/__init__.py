"""Answers that fit a JSON Schema."""

from aglet.features.output_schema.feature import build

__all__ = ["build"]

"""Answers that fit a JSON Schema."""

from agls.features.output_schema.feature import build

__all__ = ["build"]

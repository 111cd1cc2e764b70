"""The single changes that the agent made: which wait for the user, and keeping or undoing them."""

from agls.features.review.feature import build

__all__ = ["build"]

"""Replies that broke off, or never came, are asked to go on."""

from agls.features.continuation.feature import build

__all__ = ["build"]

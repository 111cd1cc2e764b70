"""Redaction: what tools give is without the user's keys."""

from .feature import build

__all__ = ["build"]

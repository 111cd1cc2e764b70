"""Who may do what: every call with an effect passes here, and only the user can widen what passes."""

from agls.features.permissions.feature import build

__all__ = ["build"]

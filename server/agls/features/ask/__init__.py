"""Ask: the tool with which the model asks the user something."""

from .feature import build

__all__ = ["build"]

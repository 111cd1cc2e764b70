"""Files that the user attached to a prompt, within reach of the tools."""

from agls.features.attachments.feature import build

__all__ = ["build"]

"""What the model is told before it hears the user: the system prompt and where it is."""

from agls.features.instructions.feature import build

__all__ = ["build"]

"""Figures of models, and providers."""

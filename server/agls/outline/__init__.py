"""Outlines of texts by their grammar: which symbols there are, without any knowledge of types."""

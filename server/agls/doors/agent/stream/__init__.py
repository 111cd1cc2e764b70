"""Bytes to messages and back, in threads of their own; only the standard library."""

"""The doors: each turns messages from outside into calls on sessions, and facts into messages."""

"""The stores of sessions: journals in files or in memory, large contents, and the list of sessions."""

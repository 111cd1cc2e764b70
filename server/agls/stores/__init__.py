"""Where sessions are kept: journals in files or in memory, large contents, and the list of sessions."""

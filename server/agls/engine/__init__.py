"""The engine: facts, their fold, the loop and the sessions. It does no I/O and knows no feature."""

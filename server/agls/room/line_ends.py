"""Which line end a text has."""


def line_end_of(text: str) -> str:
    """Return the line end that this text uses most, LF when it has none."""
    both = text.count("\r\n")
    counts = {"\n": text.count("\n") - both, "\r\n": both, "\r": text.count("\r") - both}
    return max(counts, key=lambda end: counts[end])

"""Text as UTF-8 can encode it."""


def valid_unicode(text: str) -> str:
    """Return text that UTF-8 can encode: surrogate pairs joined, lone surrogates replaced (U+FFFD)."""
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")

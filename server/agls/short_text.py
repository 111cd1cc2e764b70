"""Texts that must be short: cut, with an ellipsis that says so."""


def cut(text: str, most: int) -> str:
    """Return the text, or its beginning and an ellipsis: no more than `most` characters."""
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"


def brief(text: str, most: int) -> str:
    """Return the text on one line, cut."""
    return cut(" ".join(text.split()), most)

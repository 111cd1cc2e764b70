"""Texts that must be short: cut, with an ellipsis that says so; and texts that another sentence follows."""


def cut(text: str, most: int) -> str:
    """Return the text, or its beginning and an ellipsis: no more than `most` characters."""
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"


def brief(text: str, most: int) -> str:
    """Return the text on one line, cut."""
    return cut(" ".join(text.split()), most)


def sentence(text: str) -> str:
    """Return the text with a full stop, unless it ends as a sentence does: another one can follow."""
    text = text.rstrip()
    is_whole = text.rstrip("\"'`)]}»”’").endswith((".", "!", "?", "…"))
    return text if is_whole else f"{text.rstrip(',;:')}."


def number_of(count: int, one: str) -> str:
    """Return `1 turn`, `2 turns`: a count of things whose plural ends with an s."""
    return f"{count} {one}" if count == 1 else f"{count} {one}s"


def cut_around(line: str, other: str, limit: int, *, counted: bool = True) -> str:
    """The line; of a longer one than `limit` characters, what is around the first difference to another.

    How many characters are left out is said where they are `counted`.
    """
    if len(line) <= limit:
        return line
    head = next((at for at, (one, two) in enumerate(zip(line, other, strict=False)) if one != two), 0)
    start = min(max(0, head - limit // 2), len(line) - limit)
    more = len(line) - start - limit
    if not counted:
        return f"{'… ' * bool(start)}{line[start : start + limit]}{' …' * bool(more)}"
    before, behind = f"[{start} characters …] " * bool(start), f" [… {more} characters]" * bool(more)
    return f"{before}{line[start : start + limit]}{behind}"

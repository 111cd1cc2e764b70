"""Names of files that differ in their Unicode form alone: composed (é) or decomposed (e and an accent)."""

import os
from unicodedata import normalize


def in_form_of_disk(path: str) -> str:
    """Return an absolute path with each name that is there in another form alone in that form.

    A name that is there in several other forms stays as it is, and so does all that follows it.
    """
    at, *parts = path.split("/")
    for number, part in enumerate(parts):
        name = part if part.isascii() or os.path.lexists(f"{at}/{part}") else _alike(at, part)
        if not name:
            return "/".join((at, *parts[number:]))
        at = f"{at}/{name}"
    return at


def _alike(folder: str, name: str) -> str:
    """Return the only name in the folder that is this one in another form, "" for none."""
    wanted = normalize("NFC", name)
    try:
        with os.scandir(folder or "/") as entries:
            names = [entry.name for entry in entries]
    except OSError:
        return ""
    found = [each for each in names if normalize("NFC", each) == wanted]
    return found[0] if len(found) == 1 else ""

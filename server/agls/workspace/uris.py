"""`file:` URIs and the paths they name, spelled the way editors spell them (RFC 3986, RFC 8089)."""

import os
import re
from urllib.parse import quote, unquote, unquote_to_bytes, urlsplit

from agls.engine.ports import WorkspaceError
from agls.regex import regex

_SEPARATOR_OR_NUL = regex("%(2f|00)", re.IGNORECASE)


def is_file_uri(text: str) -> bool:
    """Return whether this is a `file:` URI; `file:x` without a slash is an ordinary name."""
    return text[:6].lower() == "file:/"


def to_uri(path: str) -> str:
    """Return the URI of an absolute path; everything but unreserved characters and `/` is percent-encoded."""
    return "file://" + quote(os.fsencode(path), safe="/")


def unescaped(uri: str) -> str:
    """Return the URI without escapes: the same for all its spellings, and never the same for two files."""
    return unquote(uri, errors="surrogateescape")


def to_path(uri: str) -> str:
    """Return the absolute path of a `file:` URI.

    **Raises** `WorkspaceError` for another scheme, another machine, and encoded slashes or NULs, which no
    honest client writes.
    """
    try:
        parts = urlsplit(uri)
    except ValueError as error:
        raise WorkspaceError(f"{uri!r} is not a URI: {error}.") from error
    if not is_file_uri(uri) or parts.netloc not in {"", "localhost"}:
        raise WorkspaceError(f"{uri!r} does not name a file of this machine. Give a plain path.")
    if _SEPARATOR_OR_NUL.search(parts.path):
        raise WorkspaceError(f"{uri!r} hides a slash or a NUL in its path. Give a plain path.")
    return os.fsdecode(unquote_to_bytes(parts.path))

"""The kind of an answer, whatever its server calls it, and its bytes as text."""

import re
from typing import Literal

from agls.frozen import frozen
from agls.pictures import media_type as picture_type
from agls.regex import regex

Kind = Literal["html", "pdf", "image", "text", "binary"]
_HTML = {"text/html", "application/xhtml+xml"}
_LOOKS_LIKE_HTML = regex(
    rb"\s*(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html|head|body)\b", re.IGNORECASE | re.DOTALL
)
_MEDIA_TYPE = regex(r"[\w.+-]{1,60}/[\w.+-]{1,60}")
_CHARSET = regex(r"charset\s*=\s*\"?([\w.:-]{1,40})", re.IGNORECASE)
_KNOWN = regex(
    r"utf[-_]?(?:8|16|32)(?:[-_]?[bl]e)?|us-ascii|ascii|latin[-_]?\d+|iso[-_]?8859[-_]?\d+|(?:windows|cp)[-_]?\d{3,4}"
    r"|koi8[-_]?[rtu]|gb(?:2312|k|18030)|big5(?:[-_]?hkscs)?|euc[-_]?(?:jp|kr)|shift[-_]?jis|sjis|iso[-_]?2022[-_]?jp",
    re.IGNORECASE,
)
_MARKS = (
    (b"\xef\xbb\xbf", "utf-8"),
    (b"\xff\xfe\x00\x00", "utf-32"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)
FEW = 0.01  # of the characters of a text may be damaged, before it is taken for another encoding
_PACKED = (b"\x1f\x8b", b"PK\x03\x04")
_HEAD = 2_000  # bytes that show the kind


@frozen
class ContentKind:
    """What a body is, its media type as it really is, and its encoding, as far as its server says it."""

    kind: Kind
    media_type: str
    charset: str = ""


def content_kind(header: str, body: bytes) -> ContentKind:
    """Return what a body is. The header decides only what the bytes leave open."""
    declared = header.partition(";")[0].strip().lower()
    declared = declared if _MEDIA_TYPE.fullmatch(declared) else ""
    found = _CHARSET.search(header)
    charset = found[1] if found and _KNOWN.fullmatch(found[1]) else ""
    if body.startswith(b"%PDF-"):
        return ContentKind("pdf", "application/pdf")
    if seen := picture_type(body):
        return ContentKind("image", seen)
    if _is_binary(body, charset):
        return ContentKind("binary", declared or "application/octet-stream")
    if declared in _HTML or (not _is_plain(declared) and _LOOKS_LIKE_HTML.match(body[:_HEAD])):
        return ContentKind("html", declared if declared in _HTML else "text/html", charset or _unsaid(body))
    return ContentKind("text", declared or "text/plain", charset)


def _unsaid(body: bytes) -> str:
    """Return the encoding of a page that names none itself, "" for one that does."""
    if b"charset" in body[:_HEAD] or b"encoding" in body[:_HEAD]:
        return ""
    text = body.decode("utf-8", "replace")
    marked = any(body.startswith(mark) for mark, _ in _MARKS)
    return "" if marked else "utf-8" if text.count("\ufffd") <= len(text) * FEW else "cp1252"


def as_text(body: bytes, charset: str) -> str:
    """Return a body as text. Never raises."""
    name = next((name for mark, name in _MARKS if body.startswith(mark)), charset)
    try:
        return body.decode(
            "utf-8-sig" if name == "utf-8" else name or "utf-8-sig", "replace" if name else "strict"
        )
    except LookupError:
        return body.decode("utf-8", "replace")
    except UnicodeError:
        text = body.decode("utf-8", "replace")  # it may only be cut within a character
        return text if text.count("\ufffd") <= len(text) * FEW else body.decode("cp1252", "replace")


def _is_plain(declared: str) -> bool:
    """Return whether the server says that it is text to be read as it is."""
    return declared.startswith("text/") or declared.endswith(("json", "xml", "javascript", "yaml", "toml"))


def _is_binary(body: bytes, charset: str) -> bool:
    wide = charset.lower().startswith(("utf-16", "utf16", "utf-32", "utf32"))
    marked = any(body.startswith(mark) for mark, _ in _MARKS)
    return body.startswith(_PACKED) or (b"\0" in body[:_HEAD] and not (wide or marked))

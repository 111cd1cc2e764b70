"""Pages of PDFs: which are wanted, and what to say of those that were read."""

import re
from typing import NamedTuple

from agls.engine.ports import OpenFile, WorkspaceError
from agls.names import spelled
from agls.regex import regex
from agls.room.folder_ports import PdfPages

PDF_MARK = "%PDF-"
BEFORE = 1024  # bytes in which a PDF begins, by its specification
_BEGIN = regex(rb"%PDF-[12]\.\d")
_LINE = regex(r"^%PDF-[12]\.\d\s*$", re.MULTILINE)
_RANGE = regex(r"\s*([1-9]\d{0,6})\s*(-\s*(\d{0,7}))?\s*")


class PageRange(NamedTuple):
    """Pages from `first` to `last`, counted from 1 (0: the end)."""

    first: int
    last: int


class DescribedPages(NamedTuple):
    """What stands above the text of pages, and below it ("": nothing)."""

    head: str
    foot: str


def is_pdf(data: bytes) -> bool:
    """Return whether these bytes, which are no text, are a PDF: others may stand before it."""
    return bool(_BEGIN.search(data, 0, BEFORE))


def is_pdf_file(file: OpenFile) -> bool:
    """Return whether an open file is a PDF, by its ends: text at its beginning may be about one."""
    return is_pdf(file.head) and (file.head.startswith(PDF_MARK.encode()) or b"%%EOF" in file.tail)


def is_pdf_as_text(text: str) -> bool:
    """Return whether a text is a PDF without a byte that text has not: it begins and ends as one."""
    return text.startswith(PDF_MARK) or bool(_LINE.search(text, 0, BEFORE) and "%%EOF" in text[-BEFORE:])


def page_range(text: str) -> PageRange:
    """Return the pages that `3`, `2-5` or `7-` mean; all for nothing. **Raises** `WorkspaceError`."""
    if not text.strip():
        return PageRange(1, 0)
    found = _RANGE.fullmatch(text)
    first = int(found[1]) if found else 0
    last = first if not found or found[2] is None else int(found[3] or 0)
    if not first or 0 < last < first:
        raise WorkspaceError(
            f"{text!r} are no pages of a PDF. Write 3 for one, 2-5 for several, 7- to the end."
        )
    return PageRange(first, last)


def described_pages(shown: str, found: PdfPages, wanted: PageRange) -> DescribedPages:
    """Return what to say of the pages. **Raises** `WorkspaceError` when the PDF ends before them."""
    if wanted.first > found.count:
        raise WorkspaceError(f"{shown} ends with page {found.count}.")
    title = f' "{found.title}"' if found.title else ""
    pages = f"page {wanted.first}" if found.last == wanted.first else f"pages {wanted.first} to {found.last}"
    head = f"[{spelled(shown)}: PDF{title}, {pages} of {found.count}"
    if not found.text:
        return DescribedPages(
            f"{head}: no text, so they are probably images of text. "
            "A program for text recognition (ocrmypdf, tesseract) can make text of them.]",
            "",
        )
    end = min(wanted.last or found.count, found.count)
    rest = f"{found.last + 1}-{wanted.last or ''}"
    foot = f"[These are {pages} of {found.count}; go on with pages {rest}.]" if found.last < end else ""
    return DescribedPages(f"{head}.]", foot)

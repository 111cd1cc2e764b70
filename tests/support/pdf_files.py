"""PDFs with words on their pages."""

import io
from collections.abc import Sequence

from pypdf import PdfWriter
from pypdf.generic import DecodedStreamObject, DictionaryObject, NameObject, PdfObject


def pdf(pages: Sequence[str], title: str = "", password: str = "", padding: int = 0) -> bytes:
    """Return a PDF with a page for each of these texts, one line of the page for each of theirs.

    It has so many bytes of `padding` that no page needs, as a manual has pictures.
    """
    writer = PdfWriter()
    fonts = _names(Font=_names(Type="Font", Subtype="Type1", BaseFont="Helvetica"))
    kinds = _named({"Font": _named({"F1": fonts["/Font"]})})
    for text in pages:
        page = writer.add_blank_page(600, 800)
        drawn = " ".join(f"({line}) Tj 0 -14 Td" for line in text.split("\n")) if text else ""
        stream = DecodedStreamObject()
        stream.set_data(f"BT /F1 12 Tf 20 780 Td {drawn} ET".encode())
        page[NameObject("/Resources")] = kinds
        page[NameObject("/Contents")] = stream
    if padding:
        picture = DecodedStreamObject()
        picture.set_data(bytes(padding))
        writer.root_object[NameObject("/Padding")] = writer._add_object(picture)  # pyright: ignore[reportPrivateUsage]
    if title:
        writer.add_metadata({"/Title": title})
    if password:
        writer.encrypt(password, algorithm="RC4-128")
    written = io.BytesIO()
    writer.write(written)
    return written.getvalue()


def _names(**values: str | DictionaryObject) -> DictionaryObject:
    return _named(
        {key: NameObject(f"/{value}") if isinstance(value, str) else value for key, value in values.items()}
    )


def _named(values: dict[str, PdfObject]) -> DictionaryObject:
    return DictionaryObject({NameObject(f"/{key}"): value for key, value in values.items()})

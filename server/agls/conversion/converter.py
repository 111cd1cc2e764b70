"""Starts the program that makes text of documents: one for each document, ended with it."""

import asyncio
import json
from base64 import b64encode
from typing import NamedTuple

from agls.engine.ports import WorkspaceError
from agls.frozen import frozen
from agls.workspace.isolated import IsolatedProgram, ProgramFailed
from agls.workspace.processes import Processes

PROGRAM = IsolatedProgram(
    "agls.conversion.program",
    ("bs4", "markdownify", "pypdf", "soupsieve", "six", "typing_extensions"),
)


class ConversionError(Exception):
    """The document cannot be converted to text; the message says why."""


@frozen(kw_only=True)
class ConvertibleDocument:
    """What is to be made text. `kind` is html or pdf.

    Its bytes are `data`, or those of the open file `handle`, where that is not negative. Of HTML, `base` is
    the address that links are relative to, and `charset` its encoding ("": what it says itself). Of a PDF,
    the pages from `first` to `last` (0: the end) are read, as many as have `most` characters together
    (0: all).
    """

    kind: str
    data: bytes = b""
    handle: int = -1
    base: str = ""
    charset: str = ""
    first: int = 1
    last: int = 0
    most: int = 0


class Converted(NamedTuple):
    """A document as text. Of a PDF, `pages` is how many it has, and `last` the last one that was read."""

    title: str
    text: str
    pages: int = 0
    last: int = 0


async def convert(processes: Processes, document: ConvertibleDocument, *, seconds: float) -> Converted:
    """Make text of a document. **Raises** `ConversionError`. Cancelling ends the program."""
    question = await asyncio.to_thread(_question, document)
    kind = document.kind.upper()
    handles = () if document.handle < 0 else (document.handle,)
    try:
        answer = await PROGRAM.answer(processes, question, seconds, handles)
    except WorkspaceError as problem:
        raise ConversionError(f"The {kind} cannot be read: {problem}") from problem
    except ProgramFailed as problem:
        why = f"within {seconds:g} seconds" if problem.timed_out else "within its memory limit"
        raise ConversionError(f"The {kind} cannot be converted to text {why}.") from None
    if problem := answer.get("problem"):
        raise ConversionError(f"The {kind} cannot be read ({problem}).")
    return Converted(**answer)


def _question(document: ConvertibleDocument) -> str:
    """Return the document as the program reads it."""
    return json.dumps(
        {
            "kind": document.kind,
            "data": b64encode(document.data).decode("ascii"),
            "handle": document.handle,
            "base": document.base,
            "charset": document.charset,
            "first": document.first,
            "last": document.last,
            "most": document.most,
        }
    )

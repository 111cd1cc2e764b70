"""PDFs of the workspace as text: the port `PdfReader` over the program that converts documents."""

from agls.conversion.converter import ConversionError, ConvertibleDocument, convert
from agls.engine.ports import OpenFile, WorkspaceError
from agls.frozen import frozen
from agls.room.folder_ports import PdfPages
from agls.terminal_codes import spelled_out
from agls.workspace.processes import Processes

SECONDS = 60.0  # for the pages of one read


@frozen
class ProcessPdfReader:
    """Implements `PdfReader`."""

    processes: Processes

    async def __call__(self, source: bytes | OpenFile, *, first: int, last: int, most: int) -> PdfPages:
        """Return pages as text. **Raises** `WorkspaceError`. Cancelling ends the program that reads them."""
        is_whole = isinstance(source, bytes)
        data, handle = (source, -1) if is_whole else (b"", source.handle)
        document = ConvertibleDocument(
            kind="pdf", data=data, handle=handle, first=first, last=last, most=most
        )
        try:
            made = await convert(self.processes, document, seconds=SECONDS)
        except ConversionError as problem:
            raise WorkspaceError(
                f"{problem} Ask for fewer pages, or use a command that understands PDFs."
            ) from None
        return PdfPages(
            title=spelled_out(made.title), text=spelled_out(made.text), last=made.last, count=made.pages
        )

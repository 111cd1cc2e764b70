"""What the server asks about the client's open documents, beside LSP. Written as `items.py` is."""

from attrs import define

from agls_protocol.items import JsonObject


@define
class DocumentVersion:
    """One version of an open document."""

    uri: str
    version: int


@define
class SaveDocumentsParams:
    """`agent/saveDocuments`: save these versions as the user would; the answer follows their `didSave`."""

    session_id: str
    documents: list[DocumentVersion]
    reason: str


@define
class NotSaved:
    """A document that was not saved, and why."""

    uri: str
    message: str


@define
class SaveDocumentsAnswer:
    """The documents that were saved, and those that were not."""

    saved: list[str]
    failed: list[NotSaved] | None = None


@define
class DiagnosticsParams:
    """`agent/diagnostics`: what the client shows as wrong, in all files, or in the one with this `uri`."""

    session_id: str
    uri: str | None = None


@define
class FileDiagnostics:
    """The diagnostics of a file (LSP 3.17, Diagnostic); positions are in the position encoding."""

    uri: str
    diagnostics: list[JsonObject]


@define
class DiagnosticsAnswer:
    """The files that have any."""

    files: list[FileDiagnostics]

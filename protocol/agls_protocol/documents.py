"""What the server asks about the client's open documents, beside LSP. Written as `items.py` is."""

from attrs import define


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

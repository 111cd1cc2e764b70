"""What the server asks about the client's open documents, beside LSP. Written as `items.py` is."""

from typing import Any

from agls_protocol.items import JsonObject
from agls_protocol.record import record


@record
class DocumentVersion:
    """One version of an open document."""

    uri: str
    version: int


@record
class SaveDocumentsParams:
    """`agent/saveDocuments`: save these versions as the user would; the answer follows their `didSave`."""

    session_id: str
    documents: list[DocumentVersion]
    reason: str


@record
class NotSaved:
    """A document that was not saved, and why."""

    uri: str
    message: str


@record
class SaveDocumentsAnswer:
    """The documents that were saved, and those that were not."""

    saved: list[str]
    failed: list[NotSaved] | None = None


@record
class DiagnosticsParams:
    """`agent/diagnostics`: what the client shows as wrong, in all files, or in the one with this `uri`.

    `waitMs`: that file changed just now; wait so long at most until what is shown for it changes.
    """

    session_id: str
    uri: str | None = None
    wait_ms: int | None = None


@record
class FileDiagnostics:
    """The diagnostics of a file (LSP 3.17, Diagnostic); positions are in the position encoding."""

    uri: str
    diagnostics: list[JsonObject]


@record
class DiagnosticsAnswer:
    """The files that have any."""

    files: list[FileDiagnostics]


@record
class ShownCell:
    """A cell of a notebook. `type` is `code`, `markdown` or `raw`; `output` is what it printed, in words."""

    type: str
    source: str
    execution_count: int | None = None
    output: str | None = None


@record
class ShownNotebook:
    """A notebook as the client has it open. `version` is the client's own word for its present content."""

    version: str
    cells: list[ShownCell]
    unsaved: bool | None = None


@record
class NotebookParams:
    """`agent/notebook`: the notebook with this URI, as the client has it open."""

    session_id: str
    uri: str


@record
class NotebookAnswer:
    """`notebook` is left out or `null` where it is not open as a notebook."""

    notebook: ShownNotebook | None = None


@record
class EditNotebookParams:
    """`agent/editNotebook`: one change of one cell, if the notebook is still at this version.

    `action` is `replace`, `insert` (before `cell`; behind the last one it appends) or `delete`; `type` is
    that of an inserted cell.
    """

    session_id: str
    uri: str
    version: str
    cell: int
    action: str
    label: str
    source: str | None = None
    type: str | None = None


@record
class EditNotebookAnswer:
    """The `notebook` after the change; without it nothing was changed, and `failureReason` says why."""

    notebook: ShownNotebook | None = None
    failure_reason: str | None = None


@record
class CodeQueryParams:
    """`agent/codeQuery`: a request of LSP 3.17 to the language servers of the client, with its params."""

    session_id: str
    method: str
    params: JsonObject


@record
class CodeQueryAnswer:
    """`result` as LSP has it; without `answered` no language server of the client knows such files."""

    answered: bool
    result: Any = None

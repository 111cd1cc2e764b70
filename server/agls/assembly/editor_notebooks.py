"""Notebooks that are open in the editor: the port `EditorNotebooks` over two requests to it."""

from typing import Any, cast

from agls.engine.ports import Stale, WorkspaceError
from agls.engine.vocabulary import JsonObject
from agls.frozen import frozen
from agls.room.notebook_ports import CellEdit, CellText, OpenNotebook
from agls.workspace.editor import Editor

ODD = (
    "The editor's answer about the notebook could not be read: it needs a `version`, and `cells` that have a "
    "`type` and a `source`."
)


@frozen
class AskedNotebooks:
    """Implements `EditorNotebooks` for one session."""

    editor: Editor
    session_id: str

    async def find(self, uri: str) -> OpenNotebook | None:
        """Return the notebook that is open. **Raises** `WorkspaceError`."""
        if not self.editor.has_notebooks:
            return None
        answer = await self.editor.ask_notebook("agent/notebook", {"sessionId": self.session_id, "uri": uri})
        return _notebook(uri, answer) if answer.get("notebook") is not None else None

    async def edit(self, notebook: OpenNotebook, edit: CellEdit, label: str) -> OpenNotebook:
        """Change a cell. **Raises** `Stale` and `WorkspaceError`."""
        asked: JsonObject = {
            "sessionId": self.session_id,
            "uri": notebook.uri,
            "version": notebook.version,
            "cell": edit.cell,
            "action": edit.action,
            "label": label,
        }
        if edit.action != "delete":
            asked["source"] = edit.source
        if edit.action == "insert":
            asked["type"] = edit.type
        answer = await self.editor.ask_notebook("agent/editNotebook", asked)
        if answer.get("notebook") is None:
            reason = str(answer.get("failureReason") or "no reason given")
            raise Stale(f"The editor did not change the notebook: {reason}.")
        return _notebook(notebook.uri, answer)


def _notebook(uri: str, answer: JsonObject) -> OpenNotebook:
    try:
        given = cast("dict[str, Any]", answer["notebook"])
        cells = tuple(
            CellText(
                str(cell["type"]),
                str(cell["source"]),
                cell.get("executionCount"),
                str(cell.get("output") or ""),
            )
            for cell in given["cells"]
        )
        return OpenNotebook(uri, str(given["version"]), given.get("unsaved") is True, cells)
    except (KeyError, TypeError, AttributeError):
        raise WorkspaceError(ODD) from None

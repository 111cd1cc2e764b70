"""The port to notebooks that are open in the editor, and what is one. The assembly implements it."""

from typing import Literal, Protocol

from agls.frozen import frozen

CellType = Literal["code", "markdown", "raw"]
CellAction = Literal["replace", "insert", "delete"]


@frozen
class CellText:
    """A cell in words: its type, its text, its execution count, and what it printed."""

    type: str
    source: str
    count: int | None = None
    printed: str = ""


@frozen
class OpenNotebook:
    """A notebook as the editor holds it; `version` is the editor's word for this content."""

    uri: str
    version: str
    unsaved: bool
    cells: tuple[CellText, ...]


@frozen
class CellEdit:
    """A change of one cell. `insert` is before it; `type` is that of an inserted one."""

    cell: int
    action: CellAction
    source: str
    type: CellType


class EditorNotebooks(Protocol):
    """The notebooks that are open as such in the editor.

    `find` **returns** the one with this URI, `None` when it is not open; `edit` changes a cell and
    **returns** the notebook after that. Both raise `Stale` and `WorkspaceError`.
    """

    async def find(self, uri: str) -> OpenNotebook | None: ...
    async def edit(self, notebook: OpenNotebook, edit: CellEdit, label: str) -> OpenNotebook: ...


def is_notebook(name: str) -> bool:
    """Return whether a file with this name is meant as a notebook."""
    return name.casefold().endswith(".ipynb")

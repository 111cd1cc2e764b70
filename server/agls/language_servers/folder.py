"""The language servers for the folder of one run: the port `CodeServers`."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

from agls.frozen import frozen
from agls.language_servers.editor_servers import EditorServers
from agls.language_servers.registry import LanguageServers
from agls.room.code_ports import CodeServer, OwnServer, ServerProgram
from agls.workspace.workspace import OpenWorkspace

if TYPE_CHECKING:
    from agls.language_servers.server import Confine

LOCAL = ("node_modules/.bin", ".venv/bin", "venv/bin")  # where a project keeps its own tools


@frozen
class FolderServers:
    """Implements `CodeServers`. `allowed` is whether the user trusts the folder.

    A server that lies in the folder runs in the sandbox, to which `enter` leads: commands of the agent may
    write there, and what they wrote may not run outside.
    """

    servers: LanguageServers
    workspace: OpenWorkspace
    allowed: bool
    session_id: str
    enter: "Confine"

    def editor(self) -> CodeServer | None:
        """Return the language servers of the editor, if it answers for them."""
        editor = self.workspace.editor
        return EditorServers(editor, self.session_id) if editor.knows_code else None

    def find(self, program: str) -> str:
        """Return the absolute path of a program, "" when there is none that may be started."""
        if not self.allowed:
            return ""
        if Path(program).is_absolute():
            return program if os.access(program, os.X_OK) else ""
        local = (Path(self.workspace.root, place, program) for place in LOCAL)
        found = next((str(path) for path in local if os.access(path, os.X_OK)), "")
        return found or self.workspace.which(program)

    def own(self, program: ServerProgram) -> OwnServer:
        """Return a server of this process, which may not run yet."""
        is_local = self.workspace.place(program.argv[0]).inside
        return self.servers.get(self.workspace.root, program, self.enter if is_local else None)

    def shows(self, path: str) -> bool:
        """Return whether a file may be shown."""
        return self.workspace.lists(path)

"""The files of agents of a session's folder: the port `AgentStore`."""

from collections.abc import Sequence
from pathlib import Path

from agls.assembly.services import RunServices
from agls.config import agents_in
from agls.config.agent_files import with_models_told
from agls.engine.actions import ActionError
from agls.prompt_files.agent_places import OURS
from agls.prompt_files.found_agents import FoundAgent

UNTRUSTED = "Agents of {} do not count: nobody trusts the folder. To trust it: agls trust"
THERE = "{} is there already. /agent.update changes it."
FAILED = "{} cannot be changed: {}."


class FolderAgents:
    """Implements `AgentStore` for the folder of a run."""

    def __init__(self, run: RunServices) -> None:
        self._setup, self._root = run.setup, run.folder.root
        self._own_files = run.process.own_files

    def found(self) -> Sequence[FoundAgent]:
        """**Returns** the agents of files. What the configuration itself says of one hides its file."""
        folders = self._setup.agent_folders(self._root)
        said = self._setup.said_in(self._root)
        return with_models_told(agents_in(folders, said), said)

    def write(self, name: str, text: str, *, project: bool) -> str:
        """Make a file. **Raises** `ActionError`."""
        if project and not self._setup.trusts_folder(self._root):
            raise ActionError(UNTRUSTED.format(self._root))
        own = self._setup.config_file.with_name("agents")
        file = (Path(self._root, OURS) if project else own) / f"{name}.md"
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            with file.open("x", encoding="utf-8") as stream:
                stream.write(text)
        except FileExistsError:
            raise ActionError(THERE.format(file)) from None
        except OSError as problem:
            raise ActionError(FAILED.format(file, problem.strerror)) from None
        self._own_files.settle(file)
        return str(file)

    def replace(self, path: str, text: str) -> str:
        """Put another text into a file. **Raises** `ActionError`."""
        try:
            Path(path).write_text(text, encoding="utf-8")
        except OSError as problem:
            raise ActionError(FAILED.format(path, problem.strerror)) from None
        self._own_files.settle(Path(path))
        return path

    def remove(self, path: str) -> str:
        """Delete a file. **Raises** `ActionError`."""
        try:
            Path(path).unlink()
        except OSError as problem:
            raise ActionError(FAILED.format(path, problem.strerror)) from None
        self._own_files.settle(Path(path))
        return path

"""A session over real files: an agent that edits and runs commands, a user who edits as well."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from agls.engine.actions import ActionOutcome
from agls.engine.facts import Admitted, Notice, Replied
from agls.engine.feature import Feature, RunSetup
from agls.engine.run_action import invoke
from agls.engine.session import Session
from agls.engine.sessions import Sessions
from agls.engine.vocabulary import JsonObject, Message, Text, ToolCall, ToolResult, UserMessage
from agls.features import checkpoints, shell
from agls.features.checkpoints.settings import Settings
from agls.features.shell.settings import Settings as ShellSettings
from agls.room.run_ports import RunInfo
from agls.room.session_ports import Ancestors
from agls.stores.blobs import Blobs
from agls.stores.files import FileStore
from agls.workspace.processes import Processes
from agls.workspace.workspace import OpenWorkspace
from support.fake_editor import FakeEditor
from support.file_tools import file_tools
from support.kept_outputs import NOTHING_KEPT, no_keys
from support.scenario import FakeClock, FakeModel, Part, say


class Scene:
    """One session in the folder `root`. `notices` are the texts of the notices that were shown."""

    def __init__(self, folder: Path, **settings: Any) -> None:
        self.root, self.state_folder = folder / "project", folder / "state"
        self.root.mkdir(exist_ok=True)
        self.editor, self.model = FakeEditor(), FakeModel([])
        self.blobs = Blobs(self.state_folder)
        self.notices: list[str] = []
        self.more: tuple[Feature, ...] = ()
        self.session: Session
        self._settings, self._processes, self._calls = Settings(**settings), Processes(), 0
        self.sessions = Sessions(FileStore(self.state_folder), self._build_run, FakeClock())

    def _build_run(self, session: Session, admitted: Admitted) -> RunSetup:
        workspace = OpenWorkspace(str(self.root), (), self.editor, self._processes)
        room = checkpoints.ROOM.build(
            self._settings, workspace.snapshots, self.blobs, Ancestors(), RunInfo(), list
        )
        tools = (
            file_tools(),
            shell.ROOM.build(
                ShellSettings(), session.questions, session.background, RunInfo(), no_keys, NOTHING_KEPT
            ),
        )
        return RunSetup((room, *self.more, *tools), self.model, workspace)

    # --- the agent ---

    async def prompt(self, *turns: list[Part]) -> str:
        """One prompt and its run; the prompt's item."""
        self.model.turns.extend([*turns, say()])
        admission = await self.session.prompt((Text("go"),))
        await self.session.finished(admission.run_id)
        return self.prompts()[-1]

    async def write(self, path: str, text: str) -> str:
        """The agent reads a file and writes it; the prompt's item."""
        read = self.call("read_file", path=path)
        return await self.prompt(turn(read), turn(self.call("write_file", path=path, content=text)))

    async def read(self, path: str) -> str:
        """The agent reads a file."""
        return await self.prompt(turn(self.call("read_file", path=path)))

    async def run(self, command: str) -> str:
        """The agent runs a command."""
        return await self.prompt(turn(self.call("shell", command=command)))

    def call(self, name: str, **arguments: Any) -> ToolCall:
        """A call with a new id."""
        self._calls += 1
        return ToolCall(f"call_{self._calls}", name, arguments)

    # --- what came of it ---

    def prompts(self) -> list[str]:
        """The items of the user's prompts."""
        return [one.item_id for one in self.transcript if isinstance(one, UserMessage)]

    @property
    def transcript(self) -> Sequence[Message]:
        """What was said."""
        return self.session.state.transcript

    def before(self, item_id: str) -> str:
        """The item before a prompt, "" for none."""
        place = next(n for n, one in enumerate(self.transcript) if getattr(one, "item_id", "") == item_id)
        if not place:
            return ""
        earlier = self.transcript[place - 1]
        return earlier.call_id if isinstance(earlier, ToolResult) else earlier.item_id

    async def act(self, action: str, **arguments: Any) -> ActionOutcome:
        """The user invokes an action."""
        return await invoke(self.session, action, arguments)

    async def data(self, action: str, **arguments: Any) -> JsonObject:
        """What it gives to programs."""
        return (await self.act(action, **arguments)).data or {}

    def bytes(self, path: str) -> bytes | None:
        """What the disk holds."""
        file = self.root / path
        return file.read_bytes() if file.exists() else None

    def uri(self, path: str) -> str:
        """The URI of a file of the project."""
        return (self.root / path).as_uri()

    def listen(self) -> None:
        """Collect the notices from now on."""

        def look(event: Any, state: object) -> None:
            if isinstance(event, Notice):
                self.notices.append(event.text)

        self.session.log.subscribe(look)

    async def reopen(self) -> None:
        """Close the session and open it again from its journal."""
        session_id = self.session.session_id
        await self.sessions.close(session_id)
        self.session = await self.sessions.open(session_id)
        self.listen()

    async def aclose(self) -> None:
        """End what runs."""
        await self._processes.aclose()


def turn(*calls: ToolCall) -> list[Part]:
    """A turn of the model that makes these calls."""
    return [Replied("", "", tool_calls=calls, finish="tool_calls")]


@asynccontextmanager
async def opened(folder: Path, **settings: Any) -> AsyncGenerator[Scene]:
    """A scene with a new session."""
    scene = Scene(folder, **settings)
    try:
        async with scene.sessions:
            scene.session = await scene.sessions.create(str(scene.root))
            scene.listen()
            yield scene
    finally:
        await scene.aclose()

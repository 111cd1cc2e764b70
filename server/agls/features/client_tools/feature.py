"""The wiring of the room."""

from collections.abc import Sequence

from agls.engine.facts import GateFact, Notice
from agls.engine.feature import Feature, RunView
from agls.engine.vocabulary import Stop
from agls.room.process_ports import ToolClient
from agls.room.run_ports import RunInfo, ToolNames

from .client_tool import ClientTool, usable
from .settings import Settings


def build(settings: Settings, client: ToolClient, run: RunInfo, taken: ToolNames) -> Feature:
    """Build the feature of one run; `taken` are the names of the other tools."""
    session_id, run_id = run.session_id, run.run_id
    offered = client.tools(session_id, run_id) if settings.enabled else ()
    kept, problems = usable(offered, taken()) if offered else ((), ())

    async def before_turn(view: RunView) -> Sequence[Stop | GateFact]:
        if problems and view.state.run.turns == 0:
            view.show(Notice("warning", "Tools of the editor are left out", "\n".join(problems)))
        return ()

    tools = tuple(ClientTool(tool, client, session_id, run_id) for tool in kept)
    return Feature(name="client_tools", tools=tools, before_turn=before_turn)

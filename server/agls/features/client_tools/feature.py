"""The wiring of the room."""

from collections.abc import Collection, Sequence

from agls.engine.facts import GateFact, Notice
from agls.engine.feature import Feature, RunView
from agls.engine.vocabulary import Stop

from .calling import Client, ClientTool, usable
from .settings import Settings


def build(
    settings: Settings, client: Client, session_id: str, run_id: str, taken: Collection[str]
) -> Feature:
    """The feature of one run; `taken` are the names of the other tools."""
    kept, problems = usable(client.tools(session_id, run_id) if settings.enabled else (), taken)

    async def before_turn(view: RunView) -> Sequence[Stop | GateFact]:
        if problems and view.state.run.turns == 0:
            view.show(Notice("warning", "Tools of the editor are left out", "\n".join(problems)))
        return ()

    tools = tuple(ClientTool(offered, client, session_id, run_id) for offered in kept)
    return Feature(name="client_tools", tools=tools, before_turn=before_turn)

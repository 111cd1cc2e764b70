"""The wiring of the room."""

from collections.abc import Sequence
from dataclasses import replace

from agls.engine.facts import GateFact, Notice
from agls.engine.feature import Feature, RunView
from agls.engine.ports import ToolSpec
from agls.engine.state import State
from agls.engine.vocabulary import Stop
from agls.features.lean.settings import Settings
from agls.room.run_ports import RunInfo

ROOM, NOTICED = "lean", "told"  # the kind of the notes in journals
TITLE = "This model has a small context"
TEXT = (
    "It holds {:,} tokens, so the model gets a short prompt and only these tools: {}. If it can hold more, "
    "give it a larger context at its server and write that as context_window; [lean] changes the rest."
)


def build(settings: Settings, run: RunInfo) -> Feature | None:
    """Build the feature of a run whose model has a small context."""
    window = run.window
    if window is None or not run.is_small:
        return None

    async def before_turn(view: RunView) -> Sequence[Stop | GateFact]:
        notes = view.state.notes.get(ROOM, ())
        if not any(note.kind == NOTICED and note.data.get("window") == window for note in notes):
            view.note(ROOM, NOTICED, {"window": window})
            view.show(Notice("info", TITLE, TEXT.format(window, ", ".join(settings.tools))))
        return ()

    def show_tools(tools: Sequence[ToolSpec], state: State) -> Sequence[ToolSpec]:
        return [_short(tool) for tool in tools if tool.name in settings.tools]

    return Feature(name=ROOM, before_turn=before_turn, show_tools=show_tools)


def _short(tool: ToolSpec) -> ToolSpec:
    """Return the tool with the first sentence of its description."""
    first, stop, _ = tool.description.partition(". ")
    return replace(tool, description=first + stop.strip())

"""The wiring of the room."""

from collections.abc import Sequence

from agls.engine.facts import GateFact, Injected
from agls.engine.feature import CallTool, Feature, Invocation, RunView
from agls.engine.ports import Workspace, new_id
from agls.engine.vocabulary import Stop, Text, ToolOutcome, UserMessage
from agls.features.scoped_instructions.shown_texts import ROOM, SHOWN, ScopedTexts, shown_in, words
from agls.instruction_files import InstructionFiles
from agls.room import NoSettings
from agls.room.files_at_hand import FilesAtHand


def build(settings: NoSettings, workspace: Workspace, files: InstructionFiles) -> Feature | None:
    """Build the feature; it has no part where no files of the folder count."""
    if not (files.settings.project_files and files.folders.roots):
        return None
    scope = ScopedTexts(files)
    touched = FilesAtHand(workspace)

    async def around_tool(invocation: Invocation, view: RunView, inner: CallTool) -> ToolOutcome:
        outcome = await inner(invocation)
        touched.add_call(invocation, outcome)
        return outcome

    async def before_turn(view: RunView) -> Sequence[Stop | GateFact]:
        state = view.state
        if not state.run.turns:
            touched.add_prompt(state)
        new = touched.take()
        shown = shown_in(state.notes.get(ROOM, ()))
        if not (new or scope.must_look(state, shown)):
            return ()
        texts, gone = scope.missing(state, shown, new)
        if not (texts or gone):
            return ()
        item = UserMessage(new_id("item"), (Text(words(texts, gone)),), ROOM)
        view.note(ROOM, SHOWN, scope.noted(shown, new, texts, gone, item.item_id))
        return (Injected((item,)),)

    return Feature(name=ROOM, before_turn=before_turn, around_tool=around_tool)

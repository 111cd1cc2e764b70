"""The wiring of the room."""

from collections.abc import Iterator, Sequence

from agls.engine.facts import GateFact, Injected
from agls.engine.feature import CallTool, Feature, Invocation, RunView
from agls.engine.ports import Effect, PathInfo, Workspace, WorkspaceError, new_id
from agls.engine.vocabulary import Stop, Text, ToolOutcome, UserMessage
from agls.features.scoped_instructions.shown_texts import ROOM, SHOWN, ScopedTexts, shown_in, words
from agls.instruction_files import InstructionFiles
from agls.room import NoSettings

FILES = {Effect.READS, Effect.WRITES}


def build(settings: NoSettings, workspace: Workspace, files: InstructionFiles) -> Feature | None:
    """Build the feature; it has no part where no files of the folder count."""
    if not (files.settings.project_files and files.folders.roots):
        return None
    scope = ScopedTexts(files)
    touched: dict[str, None] = {}  # what was touched since the last gate

    async def around_tool(invocation: Invocation, view: RunView, inner: CallTool) -> ToolOutcome:
        outcome = await inner(invocation)
        preview = invocation.preview
        if preview and outcome.status == "completed":
            values = [target.value for target in preview.targets if target.effect in FILES]
            touched.update(dict.fromkeys(_paths(workspace, values)))
        return outcome

    async def before_turn(view: RunView) -> Sequence[Stop | GateFact]:
        state = view.state
        if not state.run.turns:
            touched.update(dict.fromkeys(_paths(workspace, scope.pointed_at(state))))
        new = [*touched]
        touched.clear()
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


def _paths(workspace: Workspace, values: Sequence[str]) -> Iterator[str]:
    """Yield the absolute paths of what is in the workspace, as the client spells its folders."""
    for value in values:
        try:
            place: PathInfo = workspace.place(value)
        except WorkspaceError:
            continue
        if place.inside:
            shown = place.shown
            yield shown if shown.startswith("/") else f"{workspace.root}/{shown}"

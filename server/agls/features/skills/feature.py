"""The wiring of the room."""

from collections.abc import Sequence
from dataclasses import replace

from agls.engine.actions import FoundActions
from agls.engine.facts import GateFact, Injected
from agls.engine.feature import CallTool, Feature, Invocation, RunView
from agls.engine.vocabulary import Stop, ToolOutcome
from agls.features.skills.found import FoundSkills
from agls.features.skills.loaded import again, lost_in, note_of, typed_skill
from agls.features.skills.offered import OfferedSkill, named_skills
from agls.features.skills.settings import Settings
from agls.features.skills.tool import Loader, offer_of, preloaded, tool
from agls.instruction_files.folder_texts import FolderTexts
from agls.room import OnUse
from agls.room.opened_folders import LOADED, ROOM
from agls.room.permission_memory import PermissionMemory
from agls.room.run_ports import RunInfo
from agls.room.session_ports import KnownModels, TakenNames

ACTIONS = OnUse("agls.features.skills.actions", "actions_of")


def build(
    settings: Settings,
    run: RunInfo,
    texts: FolderTexts,
    taken: TakenNames,
    knows_model: KnownModels,
    memory: PermissionMemory,
) -> Feature | None:
    """Build the feature. Without trust not one byte of the folder is read."""
    if not settings.enabled:
        return None
    found, limit = FoundSkills(settings, texts), settings.within(run.window)
    offer = offer_of(found, limit)
    catalogue, offered = offer.catalogue, offer.tool

    def find() -> Sequence[OfferedSkill]:
        return named_skills(found.files(), taken())

    async def before_turn(view: RunView) -> Sequence[Stop | GateFact]:
        state = view.state
        name = "" if state.run.turns else typed_skill(state)
        if name and (skill := found.typed(name)):
            view.note(ROOM, LOADED, note_of(skill, state, memory.grants, by_model=False))
        new = preloaded(found, settings.preload, view, memory.grants) if not state.run.turns else ()
        message = again(state, lost_in(state), run.window)
        return tuple(Injected((each,)) for each in (*new, message) if each)

    async def around_tool(invocation: Invocation, view: RunView, inner: CallTool) -> ToolOutcome:
        if invocation.tool is offered:
            work = Loader(found, memory.grants, view, run.session_id).load
            return await inner(replace(invocation, tool=tool(work)))
        return await inner(invocation)

    return Feature(
        name=ROOM,
        tools=(offered,) if catalogue.names or catalogue.left_out else (),
        actions=FoundActions(lambda: ACTIONS(find, found, limit, knows_model)),
        before_turn=before_turn,
        around_tool=around_tool,
    )

"""The wiring of the room."""

from collections.abc import Sequence
from dataclasses import replace

from agls.engine.actions import FoundActions
from agls.engine.facts import GateFact
from agls.engine.feature import CallTool, Feature, Invocation, RunView
from agls.engine.vocabulary import Stop, ToolOutcome
from agls.features.skills.forked import SkillHelpers
from agls.features.skills.found import FoundSkills
from agls.features.skills.offered import OfferedSkill, named_skills
from agls.features.skills.settings import Settings
from agls.features.skills.skill_file import SkillFile
from agls.features.skills.tool import Loader, offer_of, tool
from agls.instruction_files.folder_texts import FolderTexts
from agls.prompt_files.shell_lines import LineRunner
from agls.room import OnUse
from agls.room.files_at_hand import FilesAtHand
from agls.room.opened_folders import REACHED, ROOM
from agls.room.run_ports import ToolNames
from agls.room.session_ports import TakenNames
from agls.room.skill_ports import SkillPorts

ACTIONS = OnUse("agls.features.skills.actions", "actions_of")
GATE = OnUse("agls.features.skills.gate", "SkillGate")


def build(
    settings: Settings, ports: SkillPorts, texts: FolderTexts, taken: TakenNames, tools: ToolNames
) -> Feature | None:
    """Build the feature. Without trust not one byte of the folder is read."""
    if not settings.enabled:
        return None
    run, grants = ports.run, ports.memory.grants
    found, limit = FoundSkills(settings, texts), settings.within(run.window)
    if any(note.kind == REACHED for note in run.state.notes.get(ROOM, ())):
        found.nested.recall(run.state)
    offer = offer_of(found, limit)
    catalogue, offered = offer.catalogue, offer.tool
    runner = LineRunner(ports.consents)
    helpers, touched = SkillHelpers(tools, ports.agents, ports.knows_model), FilesAtHand(ports.workspace)

    def find() -> Sequence[OfferedSkill]:
        return named_skills(found.files_at_hand(), taken())

    def hands_over(skill: SkillFile) -> bool:
        return helpers.takes(skill, run.state)

    async def around_tool(invocation: Invocation, view: RunView, inner: CallTool) -> ToolOutcome:
        if invocation.tool is offered:
            work = Loader(found, grants, view, run.session_id, helpers, runner).load
            return await inner(replace(invocation, tool=tool(work)))
        outcome = await inner(invocation)
        touched.add_call(invocation, outcome)
        return outcome

    async def before_turn(view: RunView) -> Sequence[Stop | GateFact]:
        gate = GATE(settings, run, found, grants, helpers, runner, touched, ports.workspace.root, limit)
        return await gate.before_turn(view)

    return Feature(
        name=ROOM,
        tools=(offered,) if catalogue.names or catalogue.left_out else (),
        actions=FoundActions(lambda: ACTIONS(find, found, limit, ports, hands_over)),
        before_turn=before_turn,
        around_tool=around_tool,
    )

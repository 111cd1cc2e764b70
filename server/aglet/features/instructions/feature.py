"""The wiring of the room."""

from collections.abc import Callable, Sequence
from functools import partial

from aglet.engine.facts import GateFact, Injected, PhaseStarted
from aglet.engine.feature import Feature, RunView
from aglet.engine.ports import Workspace, new_id
from aglet.engine.state import State
from aglet.engine.vocabulary import Stop, Text, UserMessage
from aglet.features.instructions.environment import ORIGIN, Environment, describe, git_head, last_told
from aglet.features.instructions.files import Found, find
from aglet.features.instructions.nested import Walks
from aglet.features.instructions.prompt import Sources, render
from aglet.features.instructions.settings import Settings

MAIN = "main"
_walks = Walks()


def build(
    settings: Settings,
    workspace: Workspace,
    *,
    trusted: bool,
    user_instructions: str,
    now: Callable[[], float],
) -> Feature:
    """The feature. Without trust not one byte of the folder is read."""

    async def before_turn(view: RunView) -> Sequence[Stop | GateFact]:
        state = view.state
        if state.run.turns:  # the prompt is looked at once, at the first gate of a run
            return ()
        verdicts: list[Stop | GateFact] = []
        if state.context.phase in {"", MAIN}:
            found, system = await compose(view)
            if system != state.context.system:
                verdicts.append(PhaseStarted(MAIN, system, state.context.model, state.context.tools))
                for notice in found.notices:
                    view.show(notice)
        snapshot = describe(await surroundings(state))
        if snapshot != last_told(state.context.messages):
            verdicts.append(Injected((UserMessage(new_id("item"), (Text(snapshot),), ORIGIN),)))
        return verdicts

    async def compose(view: RunView) -> tuple[Found, str]:
        found = Found()
        if trusted and settings.project_files:
            files = partial(_walks.files, workspace, now(), lambda walk: view.spawn(walk, "session"))
            found = await find(workspace, user_instructions, settings.file_limit, files)
        own = Sources(settings.system, settings.append, user_instructions, roots=workspace.roots)
        return found, render(own, found.files, found.nested)

    async def surroundings(state: State) -> Environment:
        head = await git_head(workspace) if trusted else ""
        mode = str(state.settings.get("mode", ""))
        return Environment(now(), state.cwd, head, mode, workspace.focus(), workspace.unsaved())

    return Feature(name="instructions", before_turn=before_turn)

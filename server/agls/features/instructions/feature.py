"""The wiring of the room."""

from collections.abc import Sequence

from agls.engine.context import ENVIRONMENT, Context
from agls.engine.facts import GateFact, Injected, PhaseStarted
from agls.engine.feature import Feature, RunView
from agls.engine.ports import Workspace, WorkspaceError, new_id
from agls.engine.vocabulary import Stop, Text, UserMessage
from agls.features.instructions.environment import HEAD, around, describe, snapshots
from agls.features.instructions.files import Found, Read, find, unread, with_above
from agls.features.instructions.nested import NAMES, Walks
from agls.features.instructions.prompt import render
from agls.features.instructions.settings import Settings
from agls.room.ports import RunInfo, Surroundings

MAIN = "main"
NOTHING: tuple[Read, ...] = (None,)  # what is read where nobody trusts the folder
_walks = Walks()


def build(settings: Settings, run: RunInfo, workspace: Workspace, place: Surroundings) -> Feature:
    """Build the feature. Without trust not one byte of the folder is read. The model is told the `place`."""
    settings = settings.for_run(run)
    names = (*NAMES, HEAD) if settings.project_files else (HEAD,)
    own = settings.sources(place.instructions, workspace.roots)

    async def before_turn(view: RunView) -> Sequence[Stop | GateFact]:
        state = view.state
        if state.run.turns:  # the prompt is looked at once, at the first gate of a run
            return ()
        *read, head = await workspace.read_each(*names) if place.trusted else NOTHING
        verdicts: list[Stop | GateFact] = []
        found = await look(view, read) if read else Found()
        system = render(own, found.files, found.nested)
        context = state.context if state.context.phase == MAIN else Context()
        if system != context.system:
            verdicts.append(PhaseStarted(MAIN, system, context.model, context.tools))
            for notice in found.notices:
                view.show(notice)
        here = around(place, workspace, state, head)
        if (snapshot := describe(here)) != snapshots.of(run.session_id, state.context.messages):
            verdicts.append(Injected((UserMessage(new_id("item"), (Text(snapshot),), ENVIRONMENT),)))
        return verdicts

    async def look(view: RunView, read: Sequence[Read]) -> Found:
        try:
            nearest = await _walks.known(workspace, place.now(), lambda walk: view.spawn(walk, "session"))
        except WorkspaceError as problem:
            return Found(notices=(unread("the folder", str(problem)),))
        found = find(read, nearest, place.instructions, settings.file_limit)
        return with_above(place.above(NAMES), found, settings.file_limit)

    return Feature(name="instructions", before_turn=before_turn)

"""The wiring of the room."""

from collections.abc import Sequence
from functools import partial

from agls.engine.actions import FoundActions
from agls.engine.facts import GateFact, Injected
from agls.engine.feature import Feature, RunView
from agls.engine.ports import Workspace, new_id
from agls.engine.vocabulary import Stop, Text, UserMessage
from agls.features.instructions.actions import actions
from agls.features.instructions.first_words import FIRST_WORDS, agent_in, first_words
from agls.features.instructions.notices import notices
from agls.features.instructions.prompt_updates import KNOWN, ROOM, next_fact, prepared
from agls.features.instructions.settings import Settings
from agls.instruction_files import InstructionFiles
from agls.room.process_ports import HeldKeys
from agls.room.run_ports import RunInfo


def build(
    settings: Settings, run: RunInfo, workspace: Workspace, files: InstructionFiles, keys: HeldKeys
) -> Feature:
    """Build the feature. Without trust not one byte of the folder is read."""
    settings = settings.for_run(run)
    prepare = partial(
        prepared,
        settings.sources(workspace.roots),
        limit=settings.limit,
        file_limit=settings.file_limit,
        keys=frozenset(keys()),
    )

    async def before_turn(view: RunView) -> Sequence[Stop | GateFact]:
        state = view.state
        if state.run.turns:  # the prompt is looked at once, at the first gate of a run
            return ()
        survey = files.survey()
        fact, noted = next_fact(state, now := prepare(survey))
        if noted:
            view.note(ROOM, KNOWN, noted)
            for notice in notices(survey, now.texts):
                view.show(notice)
        facts = (fact,) if fact else ()
        if not (first := first_words(run, state)):
            return facts
        view.note(ROOM, FIRST_WORDS, {"agent": agent_in(run)})
        return (*facts, Injected((UserMessage(new_id("item"), (Text(first),), ROOM),)))

    return Feature(name=ROOM, before_turn=before_turn, actions=FoundActions(partial(actions, files, prepare)))

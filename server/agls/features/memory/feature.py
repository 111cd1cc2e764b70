"""The wiring of the room."""

from collections.abc import Sequence
from functools import partial

from agls.engine.actions import FoundActions
from agls.engine.facts import GateFact, Injected, Notice
from agls.engine.feature import Feature, RunView
from agls.engine.ports import Asker, Clock, new_id
from agls.engine.vocabulary import Stop, Text, UserMessage
from agls.features.memory.actions import actions
from agls.features.memory.messages import ROOM, first_message, next_message, seen_memory
from agls.features.memory.record import MemoryRecord
from agls.features.memory.settings import Settings
from agls.features.memory.tool import Proposals
from agls.features.memory.wording import MemoryProblem
from agls.room import OnUse
from agls.room.memory_ports import MemoryFiles
from agls.room.process_ports import HeldKeys
from agls.room.run_ports import RunInfo

OWN_MEMORY = OnUse("agls.features.memory.own_file", "OwnMemory")  # few agents have one


def build(
    settings: Settings, run: RunInfo, files: MemoryFiles, keys: HeldKeys, clock: Clock, asker: Asker
) -> Feature | None:
    """Build the feature. The tool is only there where somebody can decide about what the model proposes."""
    if not settings.enabled:
        return None
    record = MemoryRecord(files, keys, clock)
    limit = settings.within(run.window, is_small=run.is_small)
    own = [OWN_MEMORY(file, keys, asker.available) for file in files.own]
    proposes = settings.propose and asker.available and not run.works_for

    async def before_turn(view: RunView) -> Sequence[Stop | GateFact]:
        return (*user_notes(view), *own_notes(view))

    def own_notes(view: RunView) -> Sequence[GateFact]:
        try:
            looking = () if view.state.run.turns else own
            messages = [message for memory in looking for message in memory.messages(view.state)]
        except OSError as problem:
            view.show(Notice("warning", "The notes of the agent are not used", str(problem)))
            return ()
        return (Injected(tuple(messages)),) if messages else ()

    def user_notes(view: RunView) -> Sequence[GateFact]:
        state = view.state
        seen = seen_memory.of(state.context.messages)
        if state.run.turns and seen.is_shown:  # the message from the begin of the run is in its context
            return ()
        try:
            now = record.for_model()
        except MemoryProblem as problem:
            if not state.run.turns:
                view.show(Notice("warning", "The memory is not used", str(problem)))
            return ()
        text = next_message(seen.entries, now, limit)
        if text and not seen.is_shown:
            text = first_message(now, limit) or text
        return (Injected((UserMessage(new_id("item"), (Text(text),), ROOM),)),) if text else ()

    return Feature(
        name=ROOM,
        tools=(
            *((Proposals(record, run.session_id).tool,) if proposes else ()),
            *(tool for memory in own for tool in memory.tools),
        ),
        actions=FoundActions(partial(actions, record, limit)),
        before_turn=before_turn,
    )

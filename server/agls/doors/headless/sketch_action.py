"""Actions that only look, done in a sketch: on a session that another process may have open, or on none."""

from collections.abc import Sequence

from agls.config import Setup
from agls.doors.headless.exits import CannotBegin, Exit
from agls.doors.typed_text import screen_action
from agls.engine.actions import ActionError, ActionOutcome
from agls.engine.facts import Entry
from agls.engine.run_action import invoke
from agls.engine.vocabulary import JsonObject
from agls.room import PromptRefused
from agls.workspace.editor import NoEditor
from agls.world import open_world


async def invoke_in_sketch(
    setup: Setup,
    here: str,
    name: str,
    arguments: JsonObject,
    session_id: str = "sketch",
    entries: Sequence[Entry] = (),
) -> ActionOutcome:
    """Do the action of this name in the folder `here`; nothing that it notes is kept.

    **Raises** `CannotBegin` and `ConfigError`.
    """
    async with open_world(setup, editor=NoEditor(), headless=True) as world:
        try:
            session = world.sketch(here, session_id, entries)
            await screen_action(world, session, name, arguments)
            return await invoke(session, name, arguments)
        except ActionError as problem:
            raise CannotBegin(str(problem), "usage") from problem
        except PromptRefused as problem:
            raise CannotBegin(str(problem), "failed", Exit.FAILED) from problem

"""Actions that only look, done in a sketch: on a session that another process may have open, or on none."""

from collections.abc import Callable, Sequence

from agls.config import Setup
from agls.doors.headless.exits import CannotBegin, Exit
from agls.doors.typed_text import screen_action
from agls.engine.actions import ActionError, ActionOutcome
from agls.engine.facts import Entry
from agls.engine.run_action import invoke
from agls.engine.session import Session
from agls.engine.vocabulary import JsonObject
from agls.frozen import frozen
from agls.room import PromptRefused
from agls.workspace.editor import NoEditor
from agls.world import open_world


@frozen
class Sketch:
    """The session that an action sees: its identifier and facts. `attend` may take care of what is asked."""

    session_id: str = "sketch"
    entries: Sequence[Entry] = ()
    attend: Callable[[Session], None] | None = None


NEW = Sketch()


async def invoke_in_sketch(
    setup: Setup, here: str, name: str, arguments: JsonObject, sketch: Sketch = NEW
) -> ActionOutcome:
    """Do the action of this name in the folder `here`; nothing that it notes is kept.

    **Raises** `CannotBegin` and `ConfigError`.
    """
    async with open_world(setup, editor=NoEditor(), headless=True) as world:
        try:
            session = world.sketch(here, sketch.session_id, sketch.entries)
            if sketch.attend:
                sketch.attend(session)
            await screen_action(world, session, name, arguments)
            return await invoke(session, name, arguments)
        except ActionError as problem:
            raise CannotBegin(str(problem), "usage") from problem
        except PromptRefused as problem:
            raise CannotBegin(str(problem), "failed", Exit.FAILED) from problem

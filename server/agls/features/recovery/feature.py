"""The wiring of the room."""

import logging
from collections.abc import Awaitable, Callable

from agls.engine.feature import Attempt, Feature, RunView
from agls.engine.ports import WorkspaceError
from agls.engine.vocabulary import Stop

Clean = Callable[[], Awaitable[object]]
_log = logging.getLogger(__name__)


def build(*clean: Clean) -> Feature:
    """The feature of the first run after a crash: beside it, what the crash left behind is removed."""

    async def tidy() -> None:
        for places in clean:
            try:
                await places()
            except (OSError, WorkspaceError) as problem:
                _log.warning("what a crash left behind could not be removed: %s", problem)

    async def around_run(attempt: Attempt, view: RunView) -> Stop:
        view.spawn(tidy(), "session")
        return await attempt()

    return Feature(name="recovery", around_run=around_run)

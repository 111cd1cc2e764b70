"""The wiring of the room."""

import logging

from agls.engine.feature import Attempt, Feature, RunView
from agls.engine.ports import WorkspaceError
from agls.engine.recovery import interrupted_run
from agls.engine.vocabulary import Stop
from agls.features.recovery.settings import Settings
from agls.room.process_ports import Leftovers
from agls.room.run_ports import RunInfo

_log = logging.getLogger(__name__)


def build(settings: Settings, run: RunInfo, leftovers: Leftovers) -> Feature | None:
    """Build the feature of the first run after a crash, which removes what the crash left behind."""
    if not interrupted_run(run.state):
        return None

    async def tidy() -> None:
        for clean in leftovers.clean:
            try:
                await clean()
            except (OSError, WorkspaceError) as problem:
                _log.warning("what a crash left behind could not be removed: %s", problem)

    async def around_run(attempt: Attempt, view: RunView) -> Stop:
        view.spawn(tidy(), "session")
        return await attempt()

    return Feature(name="recovery", around_run=around_run)

"""Wiring of the room `checkpoints`."""

import logging

from aglet.engine.feature import Attempt, Feature, RunView
from aglet.engine.vocabulary import Stop

from .actions import actions_of
from .keeping import Keeper, Recorder
from .ports import Blobs, Files
from .settings import Settings
from .timeline import ROOM
from .totals import Total

DAY = 86_400.0  # seconds
_log = logging.getLogger(__name__)


def build(settings: Settings, files: Files, blobs: Blobs) -> Feature:
    """Keeps what files were before they are changed, and brings them back. For one session."""
    keeper = Keeper(settings, files, blobs)

    async def collect() -> None:
        try:
            await blobs.collect(settings.keep_days * DAY, settings.max_bytes)
        except OSError as problem:
            _log.warning("old contents of files could not be removed: %s", problem)

    async def around_run(attempt: Attempt, view: RunView) -> Stop:
        view.spawn(collect(), "session")  # beside the work: a command line's session ends with its run
        return await attempt()

    return Feature(
        name=ROOM,
        actions=actions_of(keeper),
        around_run=around_run,
        around_tool=Recorder(keeper, Total(keeper).tell).around,
    )

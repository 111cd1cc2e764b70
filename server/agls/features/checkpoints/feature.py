"""Wiring of the room `checkpoints`."""

import logging
from functools import partial

from agls.engine.actions import FoundActions
from agls.engine.facts import Entry
from agls.engine.feature import Attempt, Feature, RunView
from agls.engine.state import State
from agls.engine.vocabulary import Stop
from agls.room.folder_ports import WORKTREE, BlobStore, FileSnapshots
from agls.room.process_ports import HeldKeys
from agls.room.run_ports import RunInfo
from agls.room.session_ports import Ancestors

from .actions import actions_of
from .child_changes import ChangeRelay
from .recorder import Recorder, SnapshotStore
from .settings import Settings
from .timeline import ROOM
from .totals import Total

DAY = 86_400.0  # seconds
_log = logging.getLogger(__name__)


def build(
    settings: Settings,
    files: FileSnapshots,
    blobs: BlobStore,
    above: Ancestors,
    run: RunInfo,
    keys: HeldKeys,
) -> Feature:
    """Keep what files were before they are changed, and bring them back. For one session."""
    keeper = SnapshotStore(settings, files, blobs)
    parents = () if run.options.get(WORKTREE) else above.sessions  # their folder stays as it is
    relays = [ChangeRelay(keeper, parent) for parent in parents]

    def on_fact(entry: Entry, state: State) -> None:
        for relay in relays:
            relay.on_fact(entry, state)

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
        actions=FoundActions(partial(actions_of, keeper, keys)),
        around_run=around_run,
        around_tool=Recorder(keeper, Total(keeper).report).around,
        on_fact=on_fact,
    )

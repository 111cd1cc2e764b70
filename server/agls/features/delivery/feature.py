"""The wiring of the room."""

import asyncio
import logging

from agls.engine.facts import Notice
from agls.engine.feature import Attempt, Feature, RunView
from agls.engine.history import last_words
from agls.engine.ports import Workspace, WorkspaceError
from agls.engine.vocabulary import Stop, StopReason
from agls.features.delivery.destinations import Courier, NotDelivered, Parcel
from agls.features.delivery.settings import Settings, target_from
from agls.room.process_ports import Post
from agls.room.run_ports import RunInfo

ROOM = "delivery"
DELIVERED = "delivered"
FAILED = "failed"
HURRY = 0.8  # seconds for a delivery that whoever cancelled the run waits for (protocol#cancel)
_log = logging.getLogger(__name__)


def build(settings: Settings, run: RunInfo, workspace: Workspace, post: Post) -> Feature | None:
    """Build the feature of a run that names a target."""
    name = target_from(settings, run.options)
    if not name:
        return None
    courier = Courier(workspace, post, settings.seconds)

    async def deliver(stop: Stop, view: RunView) -> str:
        """Bring it there; gives why it did not arrive, "" when it did."""
        state = view.state
        used = {"turns": state.run.turns, "toolCalls": state.run.tool_calls, "tokens": state.run.total_tokens}
        parcel = Parcel(run.session_id, state.run_id, stop, last_words(state.transcript), used)
        seconds = min(settings.seconds, HURRY) if stop.reason is StopReason.CANCELLED else settings.seconds
        try:
            async with asyncio.timeout(seconds):
                await courier.deliver(parcel, settings.targets[name], view)
        except TimeoutError:
            return f"it took longer than {seconds:g} seconds"
        except (NotDelivered, WorkspaceError, OSError) as problem:
            return str(problem)
        except Exception as bug:  # noqa: BLE001 - what is wrong with a delivery is never wrong with the run
            _log.exception("the delivery to %s failed", name)
            return f"{type(bug).__name__}: {bug}"
        return ""

    async def around_run(attempt: Attempt, view: RunView) -> Stop:
        stop = await attempt()
        if stop.reason is StopReason.INTERRUPTED:  # it is not over: it can be gone on with
            return stop
        if why := await deliver(stop, view):
            view.note(ROOM, FAILED, {"target": name, "why": why})
            view.show(Notice("warning", f"The result was not delivered to {name}", why))
        else:
            view.note(ROOM, DELIVERED, {"target": name})
        return stop

    return Feature(name=ROOM, around_run=around_run)

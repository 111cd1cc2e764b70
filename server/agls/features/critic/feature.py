"""The wiring of the room."""

from collections.abc import Sequence

from agls.engine.facts import GateFact
from agls.engine.feature import Attempt, Feature, RunView
from agls.engine.ports import ModelResolver
from agls.engine.vocabulary import Stop
from agls.features.critic.model_verdict import ROOM
from agls.features.critic.settings import Settings
from agls.features.critic.watch import Means, Watch
from agls.room.run_ports import Ceilings
from agls.room.session_ports import SessionRecord


def build(
    settings: Settings, models: ModelResolver, session: SessionRecord, ceilings: Ceilings
) -> Feature | None:
    """Build the feature of one run."""
    if not settings.enabled:
        return None
    means = Means(settings=settings, models=models, most=ceilings.most, ceiling=ceilings.seconds)
    watches: list[Watch] = []

    async def around_run(attempt: Attempt, view: RunView) -> Stop:
        watch = Watch(means, view)
        leave = session.watch(watch.see)
        watches.append(watch)
        view.spawn(watch.keep(), "run")
        try:
            return await attempt()
        finally:
            leave()
            watch.end()
            watches.clear()

    async def before_turn(view: RunView) -> Sequence[Stop | GateFact]:
        for watch in watches:
            await watch.look_at_turns()
        return ()

    return Feature(name=ROOM, around_run=around_run, before_turn=before_turn)

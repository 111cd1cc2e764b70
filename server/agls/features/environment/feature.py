"""The wiring of the room."""

from collections.abc import Sequence
from functools import partial

from agls.engine.actions import FoundActions
from agls.engine.context import ENVIRONMENT
from agls.engine.facts import GateFact, Injected
from agls.engine.feature import Feature, RunView
from agls.engine.ports import Workspace, new_id
from agls.engine.vocabulary import Stop, Text, UserMessage
from agls.features.environment.actions import actions
from agls.features.environment.look import EnvironmentLook
from agls.features.environment.settings import Settings
from agls.features.environment.snapshot import known_facts, unknown, written
from agls.room.folder_ports import Machine, Repository, Surroundings
from agls.room.run_ports import RunInfo

ROOM = "environment"


def build(
    settings: Settings,
    run: RunInfo,
    workspace: Workspace,
    place: Surroundings,
    machine: Machine,
    repository: Repository,
) -> Feature:
    """Build the feature. Of a folder that nobody trusts nothing is read, and git is not asked."""
    look = EnvironmentLook(settings, workspace, place, machine, repository, brief=run.is_small)

    async def before_turn(view: RunView) -> Sequence[Stop | GateFact]:
        state = view.state
        known = known_facts.of(state.context.messages)
        if state.run.turns:  # in the middle of a run only what the run itself may have changed
            news = unknown(head, known, known) if (head := look.head()) else {}
        else:
            now = await look.facts(state, first=not known)
            news = unknown(now, known, look.once)
            if look.is_old():
                view.spawn(look.again(), "session")
        if not news:
            return ()
        text = written(news, first=not known)
        return (Injected((UserMessage(new_id("item"), (Text(text),), ENVIRONMENT),)),)

    return Feature(name=ROOM, before_turn=before_turn, actions=FoundActions(partial(actions, look)))

"""The actions of a session: the list of them, and doing one."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial

from agls.engine.actions import Action, ActionContext, ActionOutcome, ActionSpec, ActionValue
from agls.engine.admission import Refused
from agls.engine.facts import Admitted, LimitsChanged, Noted
from agls.engine.feature import RunSetup
from agls.engine.replies import model_name
from agls.engine.session import Session
from agls.engine.upcoming import upcoming_request
from agls.engine.vocabulary import Content, JsonObject, Limits

NO_PROMPT = Admitted("", "", ())
"""Stands for a prompt where features are built without a run."""
ONLY_ACTIONS = Admitted("", "", ())
"""As `NO_PROMPT`, where features without actions need not be built."""


def actions(session: Session) -> Sequence[ActionSpec]:
    """Return what the features of this session offer, in their order."""
    return [action.spec for _, action in _offered(session.run_setup(ONLY_ACTIONS))]


def spec_of(session: Session, name: str) -> ActionSpec:
    """**Returns** what is said of the action of this name. **Raises** `Refused` (`noSuchAction`)."""
    action, _ = _found(session, name, nullcontext)
    return action.spec


async def invoke(
    session: Session,
    name: str,
    arguments: JsonObject,
    breakable: Callable[[], AbstractContextManager[None]] = nullcontext,
) -> ActionOutcome:
    """Do the action of this name.

    **Raises** `Refused` (`noSuchAction`, `runActive`, `noActiveRun`) and `ActionError`.
    """
    action, context = _found(session, name, breakable)
    _check_moment(session, action.spec)
    return session.log.clean(await action(arguments, context))


async def values(session: Session, name: str, member: str) -> Sequence[ActionValue]:
    """**Returns** what a member of an action's input may be. **Raises** `Refused` (`noSuchAction`)."""
    action, context = _found(session, name, nullcontext)
    return await action.values(member, context)


def _found(
    session: Session, name: str, breakable: Callable[[], AbstractContextManager[None]]
) -> tuple[Action, ActionContext]:
    """**Returns** the action of this name and what it works on. **Raises** `Refused` (`noSuchAction`)."""
    run_setup = session.run_setup(NO_PROMPT)
    offered = {action.spec.name: (room, action) for room, action in _offered(run_setup)}
    if name not in offered:
        known = ", ".join(offered) or "none"
        raise Refused(f"There is no action {name[:100]!r}. There are: {known}.", "noSuchAction")
    room, action = offered[name]
    return action, ActionContext(
        session_id=session.session_id,
        state=session.state,
        workspace=run_setup.workspace,
        note=partial(_note, session, room),
        show=session.log.show,
        begin=partial(_begin, session),
        limit=partial(_limit, session),
        model=lambda: run_setup.models.resolve(model_name(session.state)),
        next_request=partial(upcoming_request, session.state, run_setup, session.session_id),
        breakable=breakable,
    )


def _check_moment(session: Session, spec: ActionSpec) -> None:
    busy = session.state.running or bool(session.state.queue)
    if spec.when == "idle" and busy:
        message = f"{spec.title} is possible when no run is active. Wait for its end, or cancel it."
        raise Refused(message, "runActive", session.state.run_id)
    if spec.when == "running" and not busy:
        raise Refused(f"“{spec.title}” works only while a run is active.", "noActiveRun")


def _offered(run_setup: RunSetup) -> list[tuple[str, Action]]:
    return [(feature.name, action) for feature in run_setup.features for action in feature.actions]


def _note(session: Session, room: str, kind: str, data: JsonObject) -> None:
    session.log.record(Noted(room, kind, data))


def _limit(session: Session, limits: Limits) -> None:
    session.log.record(LimitsChanged(limits))


async def _begin(session: Session, content: tuple[Content, ...]) -> str:
    return (await session.prompt(content)).run_id

"""The bounds of a run: from its options, the configuration, and the door it came through."""

from collections import deque
from collections.abc import Mapping
from dataclasses import replace

from agls.config.agents import agent_of
from agls.config.load import Loaded
from agls.config.recall import REMEMBERED, recalled
from agls.engine.limits import tightest
from agls.engine.vocabulary import Limits
from agls.frozen import frozen
from agls.room.budgets import Allowance
from agls.room.exposed import SpendingLimits
from agls.room.limit_options import limits_from


@frozen
class Usual:
    """The limits of a run for which nobody set one; `answers`: its last turn is for its answer."""

    limits: Limits
    answers: bool = False


EDITOR = Usual(Limits(max_turns=100))
PROGRAM = Usual(Limits(max_turns=12, max_seconds=60.0))  # of the library
TERMINAL = Usual(Limits(), answers=True)  # somebody sits there, sees what happens, and can stop it
UNATTENDED = Usual(Limits(max_turns=50, max_seconds=1800.0), answers=True)


@frozen
class RunBounds:
    """The limits of a run, those its options alone ask for, and those of its session and its day.

    `answers` is whether its last turn is for its answer.
    """

    limits: Limits
    asked: Limits
    allowance: Allowance
    answers: bool = False


_known: deque[tuple[object, RunBounds]] = deque(maxlen=REMEMBERED)


def bounds_of(
    loaded: Loaded, options: Mapping[str, object], own: Mapping[str, object], *, usual: Usual
) -> RunBounds:
    """**Returns** the bounds of a run with these options; `own` are of the run. **Raises** `ValueError`.

    The options may set what the configuration leaves open or says otherwise, but neither above what the
    agent may spend nor above the managed file: that is the most there can be.
    """
    question = (loaded, dict(options), dict(own), usual)
    return recalled(_known, question, lambda: _found(loaded, options, own, usual))


def _found(
    loaded: Loaded, options: Mapping[str, object], own: Mapping[str, object], usual: Usual
) -> RunBounds:
    settings, policy = loaded.config.exposed(SpendingLimits), loaded.policy
    said = settings.limits
    fallback = {
        field: getattr(usual.limits, field)
        for field in ("max_turns", "max_seconds")
        if getattr(said, field) is None
    }
    limits = limits_from(options, replace(said, **fallback))
    agent = agent_of(loaded.config.agents, options).most
    return RunBounds(
        limits=tightest(limits, agent, policy.limits),
        asked=limits_from(own, Limits()),
        allowance=settings.allowance(policy, str(options.get("caller", ""))),
        answers=usual.answers,
    )

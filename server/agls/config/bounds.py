"""What a run may spend: from its options, the configuration, and the door it came through."""

from collections.abc import Mapping
from dataclasses import replace

from agls.config.agents import agent_of
from agls.config.load import Loaded
from agls.engine.limits import tightest
from agls.engine.vocabulary import Limits
from agls.features import budget
from agls.frozen import frozen
from agls.room.budgets import Allowance
from agls.room.limit_options import limits_from


@frozen
class Usual:
    """What holds for a run for which nobody set a limit; `answers`: its last turn is for its answer."""

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


def bounds_of(
    loaded: Loaded, options: Mapping[str, object], own: Mapping[str, object], *, usual: Usual
) -> RunBounds:
    """The bounds of a run with these options, of which `own` are not the session's. Raises `ValueError`.

    The options may set what the configuration leaves open or says otherwise, but neither above what the
    agent may spend nor above the managed file: that is the most there can be.
    """
    settings, policy = loaded.config.section(budget.ROOM), loaded.policy
    said = settings.limits
    fallback = {
        field: getattr(usual.limits, field)
        for field in ("max_turns", "max_seconds")
        if getattr(said, field) is None
    }
    limits = limits_from(options, replace(said, **fallback))
    agent = agent_of(loaded.config.agents, options).limits
    return RunBounds(
        limits=tightest(limits, agent.limits, policy.limits),
        asked=limits_from(own, Limits()),
        allowance=settings.allowance(policy, str(options.get("caller", ""))),
        answers=usual.answers,
    )

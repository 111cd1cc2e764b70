"""Ports about the run that is built. The assembly implements them."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import field
from typing import Any, Protocol

from agls.engine.ports import Tool
from agls.engine.state import State
from agls.engine.vocabulary import JsonObject, Limits
from agls.frozen import frozen

OUTPUT_SCHEMA = "outputSchema"  # the option of a run whose answer must follow a JSON Schema


@frozen
class Handoff:
    """Whom an agent suggests for what comes next: the `agent`, and the `prompt` that it gets."""

    label: str
    agent: str
    prompt: str = ""


@frozen(kw_only=True)
class RunInfo:
    """Which run the rooms are built for, as it is known before it begins.

    `state` is that of the session then, `options` are those of the run over those of its session.
    `works_for` is the session for whose call this one works ("": none). `prompt` is the system prompt of
    the agent ("": the built-in one), `initial_prompt` what goes with the first prompt of a session of
    its own. `model` is the model's name at its server, `advice` what the prompt says of its tools;
    `window` is how many tokens it can see (`None`: not known), `is_small` whether that is little.
    `lasting` is whether the process outlives the run, `answers` whether the last turn is for the answer.
    """

    session_id: str = ""
    run_id: str = ""
    state: State = field(default_factory=State)
    works_for: str = ""
    options: JsonObject = field(default_factory=dict[str, Any])
    prompt: str = ""
    initial_prompt: str = ""
    hooks: JsonObject = field(default_factory=dict[str, Any])
    handoffs: Sequence[Handoff] = ()
    model: str = ""
    advice: str = ""
    window: int | None = None
    is_small: bool = False
    lasting: bool = True
    answers: bool = False

    @property
    def agent(self) -> str:
        """The name of the agent that works in it, "" for none."""
        return str(self.options.get("agent") or "")

    @property
    def wants_schema(self) -> bool:
        """Whether the answer must follow a JSON Schema."""
        return bool(self.options.get(OUTPUT_SCHEMA))


@frozen
class ToolNames:
    """**Returns** the names of the tools of all rooms that come before in the order."""

    names: Callable[[], frozenset[str]]

    def __call__(self) -> frozenset[str]:
        """Look at the tools."""
        return self.names()


@frozen
class Ceilings:
    """What nobody can raise a limit above: `most` of each kind, and `seconds` for a run that is watched."""

    most: Limits
    seconds: float


class Remaining(Protocol):
    """What the running run may still spend, by everything that holds for it."""

    def __call__(self) -> Limits: ...


@frozen
class HookVerdict:
    """What hooks say of what a room is about to do, or did.

    `objection` is why it should not be ("": nothing is against it), `text` what they add. `reply` are the
    members with which some answer in the place of others, as their convention names them; `by` are these.
    """

    objection: str = ""
    text: str = ""
    reply: JsonObject = field(default_factory=dict[str, Any])
    by: str = ""


AskHooks = Callable[[str, Sequence[str], JsonObject], Awaitable[HookVerdict]]


class HookPoints:
    """Where rooms let hooks see what they do: who answers put itself here while it was built.

    It is asked with the event, the names that matchers are compared with, and what the hooks get.
    """

    def __init__(self) -> None:
        self.ask: AskHooks = _nothing_against_it


NO_OBJECTION = HookVerdict()


async def _nothing_against_it(event: str, subjects: Sequence[str], data: JsonObject) -> HookVerdict:
    return NO_OBJECTION


class RunTools:
    """The tools of the run by their names, for a room that said while it was built that they are `wanted`.

    There are none before all rooms are built.
    """

    def __init__(self) -> None:
        self.wanted = False
        self.all: Mapping[str, Tool] = {}

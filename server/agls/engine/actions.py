"""Actions: what a feature offers to the user, as a tool is what it offers to the model."""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Literal, Protocol

from agls.engine.facts import Transient
from agls.engine.ports import ModelClient, ModelRequest, Workspace
from agls.engine.state import State
from agls.engine.vocabulary import Content, JsonObject, Limits
from agls.frozen import frozen


@frozen
class ActionSpec:
    """An action as a user sees it: also a slash command, `/name`. `when` says in which sessions it works."""

    name: str
    title: str
    description: str
    schema: JsonObject
    when: Literal["idle", "running", "any"] = "any"


@frozen
class ActionOutcome:
    """The result of an action: `text` (Markdown) for people, `data` for programs, and the run it began."""

    text: str
    data: JsonObject | None = None
    run_id: str = ""


class ActionError(Exception):
    """The action cannot be done; the message tells the user what to do instead."""


@frozen
class ActionContext:
    """The session that an action works on.

    `note` records a fact of the action's room (kind and data), `begin` admits a prompt and returns its run,
    `limit` changes the limits of the running run. `next_request` returns the model and its next request; it
    raises `ModelError`. In a block of `breakable` the user may give the action up: it leaves everything as it
    was until then.
    """

    session_id: str
    state: State
    workspace: Workspace
    note: Callable[[str, JsonObject], None]
    show: Callable[[Transient], None]
    begin: Callable[[tuple[Content, ...]], Awaitable[str]]
    limit: Callable[[Limits], None]
    next_request: Callable[[], tuple[ModelClient, ModelRequest]]
    breakable: Callable[[], AbstractContextManager[None]] = nullcontext


@frozen
class ActionValue:
    """A value that a member of an action's input may have; `detail` says what it is."""

    text: str
    detail: str = ""


class Action(Protocol):
    """Something the user may do. **Raises** `ActionError` with the reason and the remedy.

    `values` **returns** what a member of the input may be now, as far as its schema does not say that.
    """

    @property
    def spec(self) -> ActionSpec: ...
    async def values(self, member: str, context: ActionContext) -> Sequence[ActionValue]: ...
    async def __call__(self, arguments: JsonObject, context: ActionContext) -> ActionOutcome: ...

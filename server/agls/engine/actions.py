"""Actions: what a feature offers to the user, as a tool is what it offers to the model."""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import field
from functools import cached_property
from typing import Any, Literal, Protocol, overload

from agls.engine.facts import Transient
from agls.engine.ports import ModelClient, ModelRequest, Workspace
from agls.engine.state import State
from agls.engine.vocabulary import Content, JsonObject, Limits
from agls.frozen import frozen

MORE = "More"  # the group of an action that names none
# The groups, as they are shown.
GROUPS = ("Conversation", "Model and context", "Changes", "Work", "Yours", "Settings", MORE)
RAW = "words"  # the format of a member that takes all words as they were typed, quotes included


@frozen
class ActionSpec:
    """An action as a user sees it: also a slash command, `/name`. `when` says in which sessions it works.

    `aliases` are other names under which people know the command, `group` is the heading under which it
    stands in the list of commands. The outcome of one that `prompts` may have a prompt, so a model must be
    there. A line that begins with the first text of its `shorthand` is this command, with the second before
    the other words. What is typed for a `screened` one reaches a model, though no run has it as its prompt:
    the rooms may refuse it as they may refuse a prompt. One that is `outside` shows or
    changes what is the same in every session.
    """

    name: str
    title: str
    description: str
    schema: JsonObject
    when: Literal["idle", "running", "any"] = "any"
    aliases: tuple[str, ...] = ()
    group: str = MORE
    prompts: bool = False
    shorthand: tuple[str, str] = ("", "")
    screened: bool = False
    outside: bool = False


@frozen
class ActionPrompt:
    """A prompt that an action made for the model: whoever invoked the action admits it as a run.

    `content` goes behind what the user typed. `typed` is the part of its text that may point at things
    (`@path`), as what the user typed may. `options` hold for the run where nobody names others.
    """

    content: tuple[Content, ...]
    typed: str = ""
    options: JsonObject = field(default_factory=dict[str, Any])


@frozen
class ActionOutcome:
    """The result of an action: `text` (Markdown) for people, `data` for programs, and the run it began.

    With a `prompt` nothing is done yet: the run is what the action is for.
    """

    text: str
    data: JsonObject | None = None
    run_id: str = ""
    prompt: ActionPrompt | None = None


class ActionError(Exception):
    """The action cannot be done; the message says what the user can do instead."""


class UnknownName(ActionError):
    """What the user typed names nothing: a mistake of usage, as an unknown command is."""


@frozen
class ActionContext:
    """The session that an action works on.

    `note` records a fact of the action's room (kind and data), `begin` admits a prompt and returns its run,
    `limit` changes the limits of the running run. `model` returns the model that is asked next and raises
    `ModelError`; `next_request` returns what it would be asked, without the prompt. In a block of `breakable`
    the user may give the action up: it leaves everything as it was until then.
    """

    session_id: str
    state: State
    workspace: Workspace
    note: Callable[[str, JsonObject], None]
    show: Callable[[Transient], None]
    begin: Callable[[tuple[Content, ...]], Awaitable[str]]
    limit: Callable[[Limits], None]
    model: Callable[[], ModelClient]
    next_request: Callable[[], Awaitable[ModelRequest]]
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


class FoundActions(Sequence[Action]):
    """Actions that are looked for when somebody asks for them: most runs need none."""

    def __init__(self, find: Callable[[], Sequence[Action]]) -> None:
        self._find = find

    @cached_property
    def _found(self) -> Sequence[Action]:
        return self._find()

    def __len__(self) -> int:
        return len(self._found)

    @overload
    def __getitem__(self, index: int) -> Action: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Action]: ...
    def __getitem__(self, index: int | slice) -> Action | Sequence[Action]:
        """Return an action, or some of them."""
        return self._found[index]

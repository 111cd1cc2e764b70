"""Hooks in the forms of other products: what such a hook gets, which calls it sees, what its answer means.

`cursor`, `copilot` and `gemini` have one each. A hook without a form has that of Claude Code, which is ours.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Protocol

from agls.engine.vocabulary import JsonObject
from agls.features.hooks.answers import HookAnswer
from agls.features.hooks.matching import check_matcher, matches
from agls.features.hooks.settings import ALL, Event
from agls.frozen import frozen
from agls.json_values import object_in, text_in

ALL_BUT = "(?!"  # begins what a matcher leaves out


class HookForm(Protocol):
    """How hooks of a product differ from ours. `ours` is what a hook without a form gets.

    The `pattern` is for the calls that it `fits`, `folder_names` are variables with the folder. It sees the
    events of `also` besides its own. One that `sees_content` gets the text of the `file` of a call. `answer`
    **raises** `HookFailed`.
    """

    @property
    def pattern(self) -> str: ...
    @property
    def folder_names(self) -> Sequence[str]: ...
    @property
    def also(self) -> Sequence[Event]: ...
    @property
    def sees_content(self) -> bool: ...
    def fits(self, data: JsonObject) -> bool: ...
    def given(self, ours: JsonObject, content: str = "") -> JsonObject: ...
    def file(self, ours: JsonObject) -> str: ...
    def answer(self, code: int | None, output: str, errors: str, ours: JsonObject) -> HookAnswer: ...


@frozen
class ToolHookForm(ABC):
    """What forms share whose `pattern` is for names of tools, and whose hooks get no text of a file."""

    event: str
    pattern: str = ""

    @property
    @abstractmethod
    def after_tools(self) -> str:
        """The event behind a call, whose hooks run behind one that failed, too."""

    @abstractmethod
    def tool_names(self, tool: str) -> Sequence[str]:
        """**Returns** the names by which a pattern means a tool of ours, theirs first."""

    @property
    def also(self) -> Sequence[Event]:
        """The events that it sees besides its own."""
        return ("PostToolUseFailure",) if self.event == self.after_tools else ()

    @property
    def sees_content(self) -> bool:
        """Whether it gets the text of a file."""
        return False

    def fits(self, data: JsonObject) -> bool:
        """**Returns** whether a call is one that it wants to see: the pattern fits anywhere in a name."""
        tool = text_in(object_in(data, "agls_tool").get("name"))
        return not (tool and self.pattern) or matches(_expression(self.pattern), *self.tool_names(tool))


def checked_pattern(said: object) -> str:
    """**Returns** a matcher for the names of tools, "" for all. **Raises** `ValueError`."""
    if isinstance(said, str) and said not in ALL:
        check_matcher(_expression(said))
        return said
    if said and said not in ALL:
        raise ValueError("a matcher is a text: correct it")
    return ""


def _expression(pattern: str) -> str:
    return pattern if ALL_BUT in pattern else f"(?:{pattern})"

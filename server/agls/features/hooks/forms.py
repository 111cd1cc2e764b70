"""Hooks in the forms of other products: what such a hook gets, which calls it sees, what its answer means.

`cursor`, `copilot` and `gemini` have one each. A hook without a form has that of Claude Code, which is ours.
"""

from collections.abc import Sequence
from typing import Protocol

from agls.engine.vocabulary import JsonObject
from agls.features.hooks.answers import HookAnswer
from agls.features.hooks.matching import check_matcher, matches
from agls.features.hooks.settings import ALL, Event

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


def checked_pattern(said: object) -> str:
    """**Returns** a matcher for the names of tools, "" for all. **Raises** `ValueError`."""
    if isinstance(said, str) and said not in ALL:
        check_matcher(_expression(said))
        return said
    if said and said not in ALL:
        raise ValueError("a matcher is a text: correct it")
    return ""


def pattern_fits(pattern: str, names: Sequence[str]) -> bool:
    """**Returns** whether a pattern fits anywhere in one of these names, also where it is a list of names."""
    return not pattern or matches(_expression(pattern), *names)


def _expression(pattern: str) -> str:
    return pattern if ALL_BUT in pattern else f"(?:{pattern})"

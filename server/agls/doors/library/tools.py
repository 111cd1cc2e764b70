"""Python functions as tools of the model."""

import inspect
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Protocol, overload

from pydantic import ValidationError, create_model

from agls.argument_faults import faults_in
from agls.doors.library.foreign_code import called
from agls.doors.library.results import Artifact
from agls.engine.vocabulary import ToolCall, ToolOutcome
from agls.frozen import frozen
from agls.pictures import Unshowable, whole_picture
from agls.room.process_ports import OfferedTool
from agls.toolkit import Arguments, schema_of

ToolValue = str | bytes | Artifact | Awaitable[str | bytes | Artifact]
Function = Callable[..., ToolValue]
_log = logging.getLogger(__name__)


@frozen
class FunctionTool:
    """A function, the model of its arguments, and its description for the language model."""

    function: Function
    arguments: type[Arguments]
    offered: OfferedTool


@overload
def tool(function: Function) -> FunctionTool: ...
@overload
def tool(*, reads_only: bool = False) -> Callable[[Function], FunctionTool]: ...
def tool(
    function: Function | None = None, *, reads_only: bool = False
) -> FunctionTool | Callable[[Function], FunctionTool]:
    """Make a tool of a function: the model sees its name, its docstring and its annotated parameters.

    The function returns text for the model, the bytes of an image (PNG, JPEG, GIF, WebP) for it to see, or an
    `Artifact` for the result. What it raises becomes a failed call. One that is `reads_only` needs no
    permission. A function that is not `async` works in a thread of its own.
    """
    if function is None:
        return lambda given: _made(given, reads_only=reads_only)
    return _made(function, reads_only=reads_only)


def _made(function: Function, *, reads_only: bool) -> FunctionTool:
    fields: dict[str, Any] = {}
    for name, parameter in inspect.signature(function, eval_str=True).parameters.items():
        annotation = str if parameter.annotation is parameter.empty else parameter.annotation
        fields[name] = (annotation, ... if parameter.default is parameter.empty else parameter.default)
    arguments = create_model(function.__name__, __base__=Arguments, **fields)
    described = inspect.cleandoc(function.__doc__ or function.__name__)
    offered = OfferedTool(function.__name__, described, schema_of(arguments), reads_only, own=True)
    return FunctionTool(function, arguments, offered)


class Lent(Protocol):
    """The tools of one run, and the artifacts that they made."""

    tools: tuple[FunctionTool, ...]
    made: list[Artifact]


@dataclass(slots=True)
class Functions:
    """The functions of an agent as tools of the client, and those that each run was lent."""

    lent: dict[str, Lent] = field(default_factory=dict[str, Lent])

    def tools(self, session_id: str, run_id: str) -> Sequence[OfferedTool]:
        """Return the tools that the model may call in this run."""
        return [one.offered for one in self.lent[run_id].tools] if run_id in self.lent else []

    async def call(self, session_id: str, run_id: str, call: ToolCall) -> ToolOutcome:
        """Call the function. **Returns** a failed outcome, which the model reads, for whatever goes wrong."""
        lent = self.lent[run_id]
        one = next(one for one in lent.tools if one.offered.name == call.name)
        try:
            arguments = one.arguments.model_validate(call.arguments)
        except ValidationError as error:
            return ToolOutcome(faults_in(call.name, schema_of(one.arguments), error), status="failed")
        try:
            given = {name: getattr(arguments, name) for name in one.arguments.model_fields}
            value = await called(partial(one.function, **given))
        except Exception as problem:  # noqa: BLE001 - the program's code: the model reads what went wrong
            _log.warning("the tool %s failed", call.name, exc_info=True)
            return ToolOutcome(f"{call.name} failed: {problem}", status="failed")
        if isinstance(value, Artifact):
            lent.made.append(value)
            return ToolOutcome(f"The artifact {value.name} was made.")
        return _image(call.name, value) if isinstance(value, bytes) else ToolOutcome(str(value))


def _image(name: str, data: bytes) -> ToolOutcome:
    try:
        seen = whole_picture(name, data)
    except Unshowable as problem:
        return ToolOutcome(str(problem), status="failed")
    if seen is None:
        return ToolOutcome(
            f"{name} returned bytes that are no PNG, JPEG, GIF or WebP image.", status="failed"
        )
    return ToolOutcome(seen.words, images=(seen.image,))

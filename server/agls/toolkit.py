"""Rooms write tools and actions with this: each is a pydantic model and an async function."""

import json
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import KW_ONLY, field, replace
from functools import cache
from inspect import cleandoc
from pathlib import Path
from typing import Any, ClassVar, Generic, Literal, Protocol, TypeVar, cast

from pydantic import BaseModel, ConfigDict, ValidationError, model_validator

from agls.engine.actions import MORE, ActionContext, ActionError, ActionOutcome, ActionSpec, ActionValue
from agls.engine.limits import Totals
from agls.engine.ports import (
    Effect,
    Loading,
    PathOutside,
    Preview,
    Target,
    Tool,
    ToolContext,
    ToolSpec,
    WorkspaceError,
)
from agls.engine.vocabulary import FileChange, FileVersion, JsonObject, ToolCall, ToolOutcome
from agls.frozen import frozen
from agls.names import camel

NULL = {"type": "null"}
SCHEMAS = Path(__file__).with_name("argument_schemas.json")
DATA = frozenset({"default", "enum", "const", "examples"})  # schema keys that hold values, not schemas


class Arguments(BaseModel):
    """The arguments of a tool. The docstring of a subclass is the description of the tool for the model.

    A subclass whose `descriptions` say other words of some members, which follow from settings, has the
    schema of its base with these: to make one takes longer than the rest of a request.
    """

    descriptions: ClassVar[Mapping[str, str]] = {}

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    @model_validator(mode="before")
    @classmethod
    def _drop_nulls(cls, data: Any) -> Any:
        """Leave out arguments that are `null`: many models write them instead of leaving them out."""
        if not isinstance(data, Mapping):
            return data
        given = cast("Mapping[str, Any]", data)
        required = {name for name, field in cls.model_fields.items() if field.is_required()}
        return {name: value for name, value in given.items() if value is not None or name in required}


Given = TypeVar("Given", bound=Arguments)


def no_targets(arguments: Arguments) -> tuple[Target, ...]:
    """Return no targets: the permission depends on the tool's effects alone."""
    return ()


async def no_description(arguments: Arguments, context: ToolContext) -> Preview:
    """Return an empty preview: the name and the arguments are shown."""
    return Preview("", {})


@frozen(eq=False)
class TypedTool(Generic[Given]):
    """A tool (`engine.ports.Tool`) made of an argument model and the function that does the work.

    `work` may raise `WorkspaceError`: its message becomes a failed outcome. `targets` says what a
    call would touch, from its arguments alone, so that it cannot fail. `describe` makes the preview;
    it may raise `WorkspaceError` and may leave title or subject empty: then the name and the
    arguments are shown. Its own targets are ignored. `polls`, `output_limit` and `load` are as in `ToolSpec`.
    """

    name: str
    arguments: type[Given]
    work: Callable[[Given, ToolContext], Awaitable[ToolOutcome]]
    effects: frozenset[Effect]
    targets: Callable[[Given], tuple[Target, ...]] = no_targets
    describe: Callable[[Given, ToolContext], Awaitable[Preview]] = no_description
    _: KW_ONLY
    polls: bool = False
    output_limit: int | None = None
    load: Loading = "always"

    @property
    def spec(self) -> ToolSpec:
        """The tool as the model sees it."""
        return _spec_of(
            self.name, self.arguments, self.effects, self.output_limit, self.load, polls=self.polls
        )

    async def preview(self, call: ToolCall, context: ToolContext) -> Preview:
        """Return the intended effect of the call, or why it would fail."""
        basic = Preview(self.name, {"type": "tool", "name": call.name, "input": call.arguments})
        try:
            arguments = self.arguments.model_validate(call.arguments)
        except ValidationError as error:
            return replace(basic, problem=_faults(self.name, self.arguments, error))
        basic = replace(basic, targets=self.targets(arguments))
        try:
            better = await self.describe(arguments, context)
        except PathOutside:
            return basic  # allowing the call is what opens that path
        except WorkspaceError as problem:
            return replace(basic, problem=str(problem))
        subject = better.subject or basic.subject
        title = better.title or basic.title
        return replace(basic, title=title, subject=subject, essence=better.essence, problem=better.problem)

    async def __call__(self, call: ToolCall, context: ToolContext) -> ToolOutcome:
        """Check the arguments and do the work. **Returns** errors as failed outcomes for the model."""
        try:
            arguments = self.arguments.model_validate(call.arguments)
        except ValidationError as error:
            return ToolOutcome(_faults(self.name, self.arguments, error), status="failed")
        try:
            return await self.work(arguments, context)
        except WorkspaceError as problem:
            return ToolOutcome(str(problem), status="failed")


@frozen(eq=False)
class SpecifiedTool:
    """A tool (`engine.ports.Tool`) that the model sees with this `spec` instead of its own."""

    tool: Tool
    spec: ToolSpec

    async def preview(self, call: ToolCall, context: ToolContext) -> Preview:
        """Return the intended effect of the call."""
        return await self.tool.preview(call, context)

    async def __call__(self, call: ToolCall, context: ToolContext) -> ToolOutcome:
        """Do the work."""
        return await self.tool(call, context)


Choices = Callable[[ActionContext], Awaitable[Sequence[ActionValue]]]


@frozen(eq=False)
class TypedAction(Generic[Given]):
    """An action (`engine.actions.Action`) made of an argument model and the function that does the work.

    The docstring of the model describes the action to the user. `work` may raise
    `ActionError`, and `WorkspaceError`, whose message is passed on as one. `choices` are the values of its
    members, by their names on the wire; `aliases`, `group`, `prompts`, `shorthand`, `screened` and `outside`
    are as in `ActionSpec`.
    """

    name: str
    title: str
    arguments: type[Given]
    work: Callable[[Given, ActionContext], Awaitable[ActionOutcome]]
    _: KW_ONLY
    when: Literal["idle", "running", "any"] = "any"
    aliases: tuple[str, ...] = ()
    group: str = MORE
    prompts: bool = False
    shorthand: tuple[str, str] = ("", "")
    screened: bool = False
    outside: bool = False
    choices: Mapping[str, Choices] = field(default_factory=dict[str, Choices])

    async def values(self, member: str, context: ActionContext) -> Sequence[ActionValue]:
        """What this member may be now; nothing where that cannot be known: the action says why."""
        try:
            return await self.choices[member](context) if member in self.choices else ()
        except (ActionError, WorkspaceError):
            return ()

    @property
    def spec(self) -> ActionSpec:
        """The action as the user sees it."""
        description = cleandoc(self.arguments.__doc__ or "")
        schema = schema_of(self.arguments)
        return ActionSpec(
            self.name,
            self.title,
            description,
            schema,
            self.when,
            self.aliases,
            self.group,
            prompts=self.prompts,
            shorthand=self.shorthand,
            screened=self.screened,
            outside=self.outside,
        )

    async def __call__(self, arguments: JsonObject, context: ActionContext) -> ActionOutcome:
        """Check the arguments and do the work. **Raises** `ActionError`."""
        try:
            return await self.work(self.arguments.model_validate(arguments), context)
        except ValidationError as error:
            raise ActionError(_faults(self.name, self.arguments, error)) from None
        except WorkspaceError as problem:
            raise ActionError(str(problem)) from problem


def _faults(name: str, arguments: type[Arguments], error: ValidationError) -> str:
    from agls.argument_faults import faults_in  # noqa: PLC0415 - most arguments are right

    return faults_in(name, schema_of(arguments), error)


# --- schemas -------------------------------------------------------------------------------------


@cache
def _spec_of(
    name: str,
    arguments: type[Arguments],
    effects: frozenset[Effect],
    output_limit: int | None,
    load: Loading,
    *,
    polls: bool,
) -> ToolSpec:
    described = cleandoc(arguments.__doc__ or "")
    return ToolSpec(name, described, schema_of(arguments), effects, polls, output_limit, load)


@cache
def schema_of(arguments: type[Arguments]) -> JsonObject:
    """Return the JSON schema of a tool's arguments, as short as possible. Do not change it.

    There are no titles, references are inlined (so a model may not contain itself), and an argument that may
    be left out is not nullable as well. Those of rooms are shipped.
    """
    if descriptions := vars(arguments).get("descriptions"):
        return _described(schema_of(cast("type[Arguments]", arguments.__base__)), descriptions)
    return shipped_schemas().get(name_of(arguments)) or _made_schema(arguments)


def _described(schema: JsonObject, descriptions: Mapping[str, str]) -> JsonObject:
    """Return the schema with these descriptions of members."""
    members: dict[str, JsonObject] = schema["properties"]
    others = {name: {**members[name], "description": text} for name, text in descriptions.items()}
    return {**schema, "properties": {**members, **others}}


def name_of(arguments: type[Arguments]) -> str:
    """**Returns** the name of a model in the shipped schemas."""
    return f"{arguments.__module__}.{arguments.__qualname__}"


@cache
def shipped_schemas() -> dict[str, JsonObject]:
    """**Returns** the schemas that `scripts/reference.py` wrote (docs/decisions/702)."""
    return json.loads(SCHEMAS.read_text("utf-8"))


def _made_schema(arguments: type[Arguments]) -> JsonObject:
    schema = arguments.model_json_schema()
    definitions = schema.pop("$defs", {})
    schema.pop("description", None)
    return _compact(schema, definitions)


def _compact(node: JsonObject, definitions: JsonObject) -> JsonObject:
    if "$ref" in node:
        node = {**definitions[str(node["$ref"]).rpartition("/")[2]], **_without(node, "$ref")}
    choices: list[JsonObject] = [choice for choice in node.get("anyOf", ()) if choice != NULL]
    if "anyOf" in node and len(choices) == 1:
        return _compact({**choices[0], **_without(node, "anyOf", "default")}, definitions)
    return {key: _compact_value(key, value, definitions) for key, value in _without(node, "title").items()}


def _compact_value(key: str, value: Any, definitions: JsonObject) -> Any:
    if key in DATA:
        return value
    if key == "properties":
        return {name: _compact(schema, definitions) for name, schema in value.items()}
    if isinstance(value, dict):
        return _compact(cast("JsonObject", value), definitions)
    if isinstance(value, list):
        return [_compact_value("", item, definitions) for item in cast("list[Any]", value)]
    return value


def _without(node: JsonObject, *keys: str) -> JsonObject:
    return {key: value for key, value in node.items() if key not in keys}


def in_brief(spec: ToolSpec) -> ToolSpec:
    """Return the tool with the first sentence of its description, and without those of its arguments."""
    first, stop, _ = spec.description.partition(". ")
    return replace(spec, description=first + stop.strip(), schema=_undescribed(spec.schema))


def _undescribed(node: Any, *, names: bool = False) -> Any:
    """Return the schema without descriptions; with `names` it is a mapping from names of arguments."""
    if isinstance(node, list):
        return [_undescribed(item) for item in cast("list[Any]", node)]
    if not isinstance(node, dict):
        return node
    kept = ((key, value) for key, value in cast("JsonObject", node).items() if names or key != "description")
    return {
        key: value
        if key in DATA and not names
        else _undescribed(value, names=key == "properties" and not names)
        for key, value in kept
    }


# --- texts ---------------------------------------------------------------------------------------


def shorten(text: str, limit: int, rest: str) -> tuple[str, int]:
    """Return `text` in about `limit` characters, head and tail, and the bytes (UTF-8) that were left out.

    `rest` is the sentence that says how the model gets the missing part.
    """
    if len(text) <= limit:
        return text, 0
    head, tail = (limit + 1) // 2, limit // 2
    middle = text[head : len(text) - tail]
    mark = f"\n[… {len(middle)} characters are left out here. {rest}]\n"
    return text[:head] + mark + text[len(text) - tail :], len(middle.encode("utf-8", "replace"))


def backticks(text: str, least: int = 3) -> str:
    """Return backticks that `text` cannot close, `least` or more (CommonMark 0.31.2, 4.5 and 6.1)."""
    return "`" * max([least, *(len(run) + 1 for run in re.findall("`+", text))])


def fenced(text: str, language: str = "") -> str:
    """Return `text` in a Markdown block of code that it cannot leave."""
    fence = backticks(text)
    return f"{fence}{language}\n{text}\n{fence}"


# --- what was used -------------------------------------------------------------------------------


def used_json(totals: Totals) -> JsonObject:
    """**Returns** what was used. `costUsd` is null when the price of any call is unknown."""
    counts = {camel(name): count for name, count in totals._asdict().items()}
    del counts["cost"], counts["unpriced"], counts["estimated"]
    cost = None if totals.unpriced else totals.cost
    known = {"totalTokens": totals.total_tokens, "seconds": round(totals.seconds, 3)}
    return {
        **counts,
        **known,
        "costUsd": cost,
        "unpricedCalls": totals.unpriced,
        "estimatedCalls": totals.estimated,
    }


# --- changes of files ----------------------------------------------------------------------------


class Counts(Protocol):
    """The number of lines that came and went."""

    @property
    def insertions(self) -> int: ...
    @property
    def deletions(self) -> int: ...


def file_json(uri: str, kind: str, counts: Counts) -> JsonObject:
    """Return a file that changed, as programs read it."""
    return {"uri": uri, "change": kind, "insertions": counts.insertions, "deletions": counts.deletions}


def change_json(change: FileChange) -> JsonObject:
    """Return a change with the fields of `engine.vocabulary.FileChange`, as the wire has them."""
    return {
        **file_json(change.uri, change.change, change),
        "base": _version_json(change.base),
        "result": _version_json(change.result),
        "patch": change.patch,
        "via": change.via,
    }


def change_of(data: JsonObject) -> FileChange:
    """Return the change that `change_json` wrote."""
    base, result = FileVersion(**data["base"]), FileVersion(**data["result"])
    members: JsonObject = {**data, "base": base, "result": result}
    return FileChange(**members)


def _version_json(version: FileVersion) -> JsonObject:
    return (
        {"hash": version.hash}
        if version.version is None
        else {"hash": version.hash, "version": version.version}
    )

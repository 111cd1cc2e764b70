"""The toolkit: from a pydantic model to a schema, a checked call, and texts of bounded length."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar, Literal, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot
from pydantic import BaseModel, Field, ValidationError

from agls.engine.ports import Effect, Preview, Target, ToolContext, WorkspaceError
from agls.engine.vocabulary import ToolCall, ToolOutcome
from agls.toolkit import Arguments, TypedTool, schema_of, shorten

CONTEXT = ToolContext(cast("Any", None), "call_1", lambda text: None)  # no tool here needs a workspace


class Part(BaseModel):
    """A part."""

    title: str
    kind: Literal["left", "right"] = "left"


class Assemble(Arguments):
    """Put parts together.

    In order.
    """

    title: str = Field(description="the whole's name")
    parts: list[Part] = Field(description="what to put together")
    main: Part | None = Field(default=None, description="the part everything hangs on")
    times: int = Field(default=1, ge=1, le=9)
    limit: int | None = None
    label: int | str = 0
    options: dict[str, Part] = Field(default_factory=dict[str, Part])


async def assemble(arguments: Assemble, context: ToolContext) -> ToolOutcome:
    if arguments.title == "impossible":
        raise WorkspaceError("There is no glue. Buy some.")
    return ToolOutcome(f"{arguments.title} of {len(arguments.parts)}, {arguments.limit}")


def targets(arguments: Assemble) -> tuple[Target, ...]:
    return (Target(Effect.WRITES, arguments.title),)


async def describe(arguments: Assemble, context: ToolContext) -> Preview:
    if arguments.title == "impossible":
        raise WorkspaceError("no glue")
    return Preview(f"Assemble {arguments.title}", {})


TOOL = TypedTool(
    name="assemble", arguments=Assemble, work=assemble, effects=frozenset({Effect.WRITES}),
    targets=targets, describe=describe,
)  # fmt: skip
PLAIN = TypedTool(name="assemble", arguments=Assemble, work=assemble, effects=frozenset())


def call(**arguments: Any) -> ToolCall:
    return ToolCall("call_1", "assemble", arguments)


def test_a_schema_says_everything_once_and_nothing_twice() -> None:
    assert schema_of(Assemble) == snapshot(
        {
            "additionalProperties": False,
            "properties": {
                "title": {"description": "the whole's name", "type": "string"},
                "parts": {
                    "description": "what to put together",
                    "items": {
                        "description": "A part.",
                        "properties": {
                            "title": {"type": "string"},
                            "kind": {"default": "left", "enum": ["left", "right"], "type": "string"},
                        },
                        "required": ["title"],
                        "type": "object",
                    },
                    "type": "array",
                },
                "main": {
                    "description": "the part everything hangs on",
                    "properties": {
                        "title": {"type": "string"},
                        "kind": {"default": "left", "enum": ["left", "right"], "type": "string"},
                    },
                    "required": ["title"],
                    "type": "object",
                },
                "times": {"default": 1, "maximum": 9, "minimum": 1, "type": "integer"},
                "limit": {"type": "integer"},
                "label": {"anyOf": [{"type": "integer"}, {"type": "string"}], "default": 0},
                "options": {
                    "additionalProperties": {
                        "description": "A part.",
                        "properties": {
                            "title": {"type": "string"},
                            "kind": {"default": "left", "enum": ["left", "right"], "type": "string"},
                        },
                        "required": ["title"],
                        "type": "object",
                    },
                    "type": "object",
                },
            },
            "required": ["title", "parts"],
            "type": "object",
        }
    )


def test_the_docstring_of_the_arguments_is_what_the_model_reads() -> None:
    assert TOOL.spec.description == "Put parts together.\n\nIn order."
    assert (TOOL.spec.name, TOOL.spec.effects) == ("assemble", frozenset({Effect.WRITES}))


async def test_good_arguments_reach_the_work_as_a_model() -> None:
    outcome = await TOOL(call(title="car", parts=[{"title": "wheel"}], limit="3"), CONTEXT)
    assert outcome == ToolOutcome("car of 1, 3")


async def test_null_is_the_same_as_leaving_an_argument_out() -> None:
    outcome = await TOOL(call(title="car", parts=[], times=None, limit=None), CONTEXT)
    assert outcome == ToolOutcome("car of 0, None")


def test_arguments_that_are_no_object_are_refused() -> None:
    with pytest.raises(ValidationError):
        Assemble.model_validate("car")


async def test_every_wrong_argument_is_named_with_what_was_expected() -> None:
    parts = [{"title": "x" * 200}, {"kind": "up"}]
    outcome = await TOOL(call(title=None, parts=parts, times=10, foo=1), CONTEXT)
    assert outcome.status == "failed"
    assert outcome.text == snapshot("""\
assemble was not run, its arguments are wrong:
- title: expected a valid string, got null
- parts.1.title: is required (string)
- parts.1.kind: expected 'left' or 'right', got "up"
- times: expected less than or equal to 9, got 10
- foo: there is no such argument (there are: title, parts, main, times, limit, label, options)\
""")


async def test_list_whose_items_are_wrong_is_not_called_too_short() -> None:
    class Sum(Arguments):
        """Add."""

        numbers: tuple[int, ...] = Field(min_length=1)

    async def work(arguments: Sum, context: ToolContext) -> ToolOutcome:
        return ToolOutcome(str(sum(arguments.numbers)))

    add = TypedTool(name="add", arguments=Sum, work=work, effects=frozenset({Effect.READS}))
    wrong = await add(call(numbers=["a"]), CONTEXT)
    assert wrong.text.splitlines()[1:] == ['- numbers.0: expected a valid integer, got "a"']
    none = await add(call(numbers=[]), CONTEXT)
    assert "at least 1 item" in none.text


async def test_arguments_of_the_wrong_shape_get_a_short_error() -> None:
    outcome = await TOOL(call(title=["x" * 500], parts=[{"title": 1}] * 50), CONTEXT)
    assert outcome.text.count("\n") == 10, "ten problems are enough to learn from"
    assert len(outcome.text) < 2_000


async def test_a_workspace_error_is_a_failed_outcome() -> None:
    outcome = await TOOL(call(title="impossible", parts=[]), CONTEXT)
    assert outcome == ToolOutcome("There is no glue. Buy some.", status="failed")


async def test_a_preview_shows_the_call_and_what_it_would_touch() -> None:
    arguments = {"title": "car", "parts": list[Any]()}
    subject = {"type": "tool", "name": "assemble", "input": arguments}
    described = Preview("Assemble car", subject, (Target(Effect.WRITES, "car"),))
    assert await TOOL.preview(call(**arguments), CONTEXT) == described
    assert await PLAIN.preview(call(**arguments), CONTEXT) == Preview("assemble", subject)


async def test_a_preview_never_raises_and_keeps_its_targets() -> None:
    preview = await TOOL.preview(call(title="impossible", parts=[]), CONTEXT)
    assert (preview.title, preview.targets) == ("assemble", (Target(Effect.WRITES, "impossible"),))
    wrong = await TOOL.preview(call(foo=1), CONTEXT)
    assert wrong.subject == {"type": "tool", "name": "assemble", "input": {"foo": 1}}
    assert "title: is required" in wrong.problem


async def test_a_description_may_have_its_own_subject() -> None:
    async def edit(arguments: Assemble, context: ToolContext) -> Preview:
        return Preview("", {"type": "edit", "changes": []})

    preview = await replace(TOOL, describe=edit).preview(call(title="car", parts=[]), CONTEXT)
    assert (preview.title, preview.subject["type"]) == ("assemble", "edit")


def test_a_long_text_keeps_its_ends_and_says_how_to_get_the_rest() -> None:
    text, left_out = shorten("a" * 50 + "é" * 100 + "b" * 50, 100, "Read the file.")
    assert text == "a" * 50 + "\n[… 100 characters are left out here. Read the file.]\n" + "b" * 50
    assert left_out == 200, "bytes"


@given(st.text(), st.integers(min_value=0, max_value=40))
def test_shortening_never_loses_uncounted_text(text: str, limit: int) -> None:
    short, left_out = shorten(text, limit, "")
    if len(text) <= limit:
        assert (short, left_out) == (text, 0)
    else:
        assert left_out > 0
        assert short.startswith(text[: (limit + 1) // 2])
        assert short.endswith(text[len(text) - limit // 2 :])


class Timed(Assemble):
    """Put parts together, in a time."""

    descriptions: ClassVar[Mapping[str, str]] = {"times": "how often; at most 9", "title": "its name"}


def test_other_descriptions_stand_in_the_schema_of_the_base() -> None:
    class Written(Assemble):
        title: str = Field(description="its name")
        times: int = Field(default=1, ge=1, le=9, description="how often; at most 9")

    assert schema_of(Timed) == schema_of(Written)
    assert schema_of(Assemble) != schema_of(Timed)
    assert Timed(title="x", parts=[]).times == 1

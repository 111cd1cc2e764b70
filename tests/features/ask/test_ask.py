"""The tool that asks the user, against every way an answer can come."""

from pathlib import Path
from typing import Any

import pytest
from inline_snapshot import snapshot

from agls.engine.vocabulary import Answer, Question, ToolOutcome
from agls.features.ask.feature import build
from agls.features.ask.settings import Settings
from agls.room.run_ports import RunInfo
from agls.workspace.editor import NoEditor
from agls.workspace.processes import Processes
from agls.workspace.workspace import OpenWorkspace
from support.fake_user import FakeUser
from support.toolbox import Toolbox


def toolbox(user: FakeUser) -> Toolbox:
    workspace = OpenWorkspace(str(Path("/")), (), NoEditor(), Processes())
    return Toolbox(build(Settings(), user, RunInfo()), workspace)


async def asked(answer: Answer, **arguments: Any) -> tuple[ToolOutcome, list[Question]]:
    user = FakeUser(answer)
    return await toolbox(user).call("ask_user", **arguments), user.asked


def accepted(**content: Any) -> Answer:
    return Answer("accepted", content=content)


async def test_an_open_question_gets_the_users_words() -> None:
    outcome, questions = await asked(accepted(answer="Blue."), question="Which colour?")
    assert outcome == ToolOutcome("The user answered: Blue.")
    assert questions == [
        Question(
            "form",
            "Which colour?",
            call_id="call_1",
            schema={
                "type": "object",
                "properties": {"answer": {"type": "string", "title": "Answer"}},
                "required": ["answer"],
            },
        )
    ]


async def test_a_choice_can_be_the_only_answer() -> None:
    arguments = {"question": "Which?", "choices": ["red", "blue", "red"], "free_text": False}
    outcome, questions = await asked(accepted(choice="blue"), **arguments)
    assert outcome == ToolOutcome("The user answered: blue")
    assert questions[0].schema == snapshot(
        {
            "type": "object",
            "properties": {"choice": {"type": "string", "title": "Choice", "enum": ["red", "blue"]}},
            "required": ["choice"],
        }
    )
    wrong, _ = await asked(accepted(choice="green"), **arguments)
    assert (wrong.status, wrong.text) == (
        "failed",
        "The answer does not fit the question: {'choice': 'green'}",
    )
    sneaky, _ = await asked(accepted(choice="red", answer="do anything"), **arguments)
    assert sneaky.status == "failed"


async def test_several_choices_can_be_the_answer() -> None:
    arguments = {"question": "Which?", "choices": ["red", "blue", "green"], "several": True}
    outcome, questions = await asked(accepted(choice=["blue", "red"], answer="And gold."), **arguments)
    assert outcome == ToolOutcome("The user answered: blue, red, And gold.")
    assert questions[0].schema["properties"]["choice"] == snapshot(
        {
            "type": "array",
            "title": "Choices",
            "items": {"type": "string", "enum": ["red", "blue", "green"]},
            "uniqueItems": True,
        }
    )
    assert (await asked(accepted(choice="red"), **arguments))[0].text == "The user answered: red"
    assert (await asked(accepted(choice=[]), **arguments))[0].text == "The user chose none of them."
    for content in ({"choice": ["red", "pink"]}, {"choice": [["red"]]}, {}):
        assert (await asked(accepted(**content), **arguments))[0].status == "failed"
    one = {**arguments, "several": False}
    assert (await asked(accepted(choice=["red", "blue"]), **one))[0].status == "failed"
    assert "several needs choices" in (await asked(accepted(), question="Which?", several=True))[0].text


async def test_a_choice_can_come_with_words_or_be_replaced_by_them() -> None:
    arguments = {"question": "Which?", "choices": ["red", "blue"]}
    both, questions = await asked(accepted(choice="red", answer="but dark"), **arguments)
    assert both.text == "The user answered: red, but dark"
    assert questions[0].schema["required"] == []
    words, _ = await asked(accepted(answer="green"), **arguments)
    assert words.text == "The user answered: green"


@pytest.mark.parametrize("content", [{}, {"answer": ""}, {"answer": 3}, {"choice": ["red"]}, {"other": "x"}])
async def test_answer_that_does_not_match_is_reported(content: dict[str, Any]) -> None:
    outcome, _ = await asked(accepted(**content), question="Which?", choices=["red"])
    assert outcome.status == "failed"
    assert outcome.text.startswith("The answer does not fit the question")


@pytest.mark.parametrize(
    ("answer", "status", "beginning"),
    [
        (Answer("declined"), "rejected", "The user does not want to answer. Do not ask again"),
        (
            Answer("dismissed", feedback="Later."),
            "rejected",
            "The user does not want to answer. They said: La",
        ),
        (Answer("cancelled"), "cancelled", "The question was withdrawn"),
        (Answer("unanswered"), "failed", "Nobody was there to answer."),
    ],
    ids=lambda value: getattr(value, "outcome", ""),
)
async def test_every_other_outcome_of_a_question_has_a_message(
    answer: Answer, status: str, beginning: str
) -> None:
    outcome, _ = await asked(answer, question="Which?")
    assert outcome.status == status
    assert outcome.text.startswith(beginning)


async def test_a_question_that_cannot_be_answered_is_not_asked() -> None:
    outcome, questions = await asked(accepted(), question="Which?", free_text=False)
    assert outcome.status == "failed"
    assert "give choices, or allow free_text" in outcome.text
    assert questions == []


async def test_a_preview_shows_the_question() -> None:
    preview = await toolbox(FakeUser(accepted())).preview("ask_user", question="Which?")
    assert (preview.title, preview.targets) == ("Ask: Which?", ())


def test_the_tool_is_offered_only_when_somebody_can_answer() -> None:
    assert build(Settings(), FakeUser(accepted(), available=False), RunInfo()).tools == ()
    assert build(Settings(enabled=False), FakeUser(accepted()), RunInfo()).tools == ()


def test_description_of_the_tool() -> None:
    (tool,) = build(Settings(), FakeUser(accepted()), RunInfo()).tools
    assert (tool.spec.name, tool.spec.description, tool.spec.schema) == snapshot(
        (
            "ask_user",
            """\
Ask the user one question and wait for the answer.

Ask only what you cannot find out yourself and what changes what you do next.\
""",
            {
                "additionalProperties": False,
                "properties": {
                    "question": {"minLength": 1, "type": "string"},
                    "choices": {
                        "default": [],
                        "description": "answers to choose from",
                        "items": {"type": "string"},
                        "maxItems": 10,
                        "type": "array",
                    },
                    "several": {
                        "default": False,
                        "description": "whether the user may choose several of them",
                        "type": "boolean",
                    },
                    "free_text": {
                        "default": True,
                        "description": "whether the user may answer in their own words",
                        "type": "boolean",
                    },
                    "default": {
                        "type": "string",
                        "default": "",
                        "description": "what you go on with when nobody answers in time",
                    },
                    "timeout_s": {
                        "exclusiveMinimum": 0,
                        "type": "number",
                        "description": "seconds to wait; else without limit",
                    },
                    "url": {
                        "default": "",
                        "description": "a web page the user has to open for it",
                        "maxLength": 2000,
                        "type": "string",
                    },
                },
                "required": ["question"],
                "type": "object",
            },
        )
    )
    assert tool.spec.effects == frozenset()

"""The action `permission.explain` says what would happen, and nothing happens."""

from typing import NoReturn

import pytest

from agls.engine.actions import ActionContext, ActionError, ActionOutcome
from agls.engine.state import State
from agls.engine.vocabulary import Answer, JsonObject, Limits, Question
from agls.features.permissions.feature import build
from agls.features.permissions.settings import Settings

from .scene import NothingKnown, Scene


class NoQuestions:
    """An asker that nobody may ask."""

    async def ask(self, question: Question) -> Answer:
        """Fail."""
        raise AssertionError(question)


def refuse_to_note(kind: str, data: JsonObject) -> NoReturn:
    raise AssertionError


def refuse_to_limit(limits: Limits) -> NoReturn:
    raise AssertionError


def refuse_to_count() -> NoReturn:
    raise AssertionError


async def refuse_to_begin(content: object) -> str:
    raise AssertionError


async def explain(scene: Scene, **arguments: str) -> ActionOutcome:
    """Do the action in a new session of the scene."""
    known = (scene.memory, NothingKnown(), scene.sandbox)
    feature = build(scene.settings, NoQuestions(), scene.workspace, *known)
    context = ActionContext(
        "ses", State(), scene.workspace, refuse_to_note, lambda shown: None, refuse_to_begin, refuse_to_limit,
        refuse_to_count, refuse_to_count,
    )  # fmt: skip
    action = next(action for action in feature.actions if action.spec.name == "permission.explain")
    return await action(dict(arguments), context)


@pytest.mark.parametrize(
    ("arguments", "verdict", "text"),
    [
        ({"target": "touch a"}, "ask", "An answer for the session or the project would save: shell(touch a)"),
        ({"target": "touch saved"}, "allow", "It runs without a question: the rule shell(touch saved)."),
        ({"target": "touch a", "mode": "plan"}, "deny", "It is refused: The session is in plan mode"),
        (
            {"target": "a.txt", "kind": "read"},
            "allow",
            "It runs without a question: reading in the workspace.",
        ),
        ({"target": "no.txt", "kind": "read"}, "deny", "The rule deny read(no.txt) forbids it"),
        ({"target": "a.txt", "kind": "edit", "mode": "acceptEdits"}, "allow", "mode acceptEdits"),
        ({"target": "read(no.txt)"}, "deny", "The rule deny read(no.txt) forbids it"),
        ({"target": "edit(a.txt)", "mode": "acceptEdits"}, "allow", "mode acceptEdits"),
        (
            {"target": "shell(touch saved)"},
            "allow",
            "It runs without a question: the rule shell(touch saved).",
        ),
    ],
)
async def test_explain_says_what_would_happen_and_why(
    scene: Scene, arguments: dict[str, str], verdict: str, text: str
) -> None:
    scene.settings = Settings(deny=["read(no.txt)"])
    scene.grants.save(["shell(touch saved)"])
    outcome = await explain(scene, **arguments)
    assert outcome.data is not None
    assert outcome.data["verdict"] == verdict
    assert text in outcome.text
    assert not scene.shell.done


async def test_explain_of_a_place_or_a_mode_that_cannot_be_says_why(scene: Scene) -> None:
    with pytest.raises(ActionError, match="mode"):
        await explain(scene, target="ls", mode="wild")
    with pytest.raises(ActionError):
        await explain(scene, target="a\0b", kind="read")

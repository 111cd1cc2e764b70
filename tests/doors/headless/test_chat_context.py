"""What somebody at `agls chat` sees and changes of the context: summaries, and questions of the model."""

import json

import pytest

from doors.headless.conftest import Agls
from doors.headless.test_chat import CTRL_D, ENTER, Talk, talk, terminal

__all__ = ["talk", "terminal"]
pytestmark = pytest.mark.timeout(150)  # several steps at a terminal, on a slow machine
SUMMARY = "Nothing but words was said."
LONG = "word " * 2_000
WITH_WRITER = """\
model = "scripted"
[tiers]
fast = "writer"
[history]
titles = false
[models.scripted]
dialect = "scripted"
script = "script.json"
context_window = 100000
[models.writer]
dialect = "scripted"
script = "writer.json"
"""


def ask(question: str, *choices: str) -> dict[str, object]:
    """A question of the model."""
    return {"name": "ask_user", "arguments": {"question": question, "choices": choices}}


@pytest.mark.row(28)
def test_summary_is_made_inspected_and_undone_between_prompts(agls: Agls, talk: Talk) -> None:
    agls.configure(WITH_WRITER)
    agls.prompts(*([{"text": f"{LONG}{number}."}] for number in range(6)))
    writer = {"system": "memory of a coding agent", "repeat": True, "turns": [{"text": SUMMARY}]}
    (agls.home / "writer.json").write_text(json.dumps({"prompts": [writer]}))
    talk.begin("chat")
    talk.ready()
    for number in range(5):
        talk.say(f"say words {number}", f"{number}.")
    talk.say("/compact", "tokens")
    talk.say("/compaction.show", SUMMARY)
    talk.say("/compaction.undo", "The summary is undone: about ")
    talk.say("/compaction.show", "The model does not see it any more: it was undone")
    talk.type(CTRL_D)
    talk.leaves()


@pytest.mark.row(39)
def test_several_questions_of_one_reply_are_answered_and_listed(agls: Agls, talk: Talk) -> None:
    calls = [ask("Which colour?", "red", "blue"), ask("Which size?", "big", "small")]
    agls.prompts([{"calls": calls}, {"text": "Thanks."}])
    talk.begin("chat")
    talk.ready()
    talk.type("go" + ENTER)
    for question, number in (("Which colour?", "2"), ("Which size?", "1")):
        talk.wait_for("or your own words:", behind=question)
        talk.type(number + "\n")
    talk.wait_for("Thanks.")
    talk.ready()
    talk.type("/ask.history" + ENTER)
    history = talk.wait_for("big (by a person)")
    assert history.index("blue (by a person)") < history.index("big (by a person)")
    talk.ready()
    talk.type(CTRL_D)
    talk.leaves()

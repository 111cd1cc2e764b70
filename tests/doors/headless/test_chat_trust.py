"""The question whether a folder is trusted, in a conversation at a real terminal: before the first prompt."""

import signal

import pytest

from doors.headless.conftest import Agls
from doors.headless.test_chat import CTRL_D, ENTER, Talk, talk
from doors.headless.test_terminal import terminal
from support.model_server import ModelServer, Reply
from support.patience import PATIENCE

pytestmark = [pytest.mark.promise("P1"), pytest.mark.timeout(180)]
__all__ = ["talk", "terminal"]  # fixtures
SAID = "Speak of penguins."
ASKED = "Trust this folder from now on?"


def answered(agls: Agls, talk: Talk, *answers: str) -> tuple[bool, str]:
    """Answer the question, and give a prompt. **Returns** whether the model is told what the folder says."""
    with ModelServer([Reply("Done.")]) as server:
        agls.configure(f'model = "m"\n[models.m]\nbase_url = "{server.url}"\n')
        talk.begin("chat")
        seen = ""
        for answer in answers:
            seen += talk.wait_for("Your answer (y, n): ")
            talk.type(answer)
        seen += talk.ready()
        talk.say("go", "Done.")
        talk.type(CTRL_D)
        talk.leaves()
        return SAID in str(server.posts[0].body["messages"]), seen


@pytest.mark.parametrize("is_edited", [True, False])
@pytest.mark.parametrize(
    ("answers", "is_told"), [(["y\n"], True), (["n\n"], False), (["maybe\n", "y\n"], True)]
)
def test_answer_holds_at_once_and_is_not_asked_for_again(
    agls: Agls, talk: Talk, answers: list[str], *, is_told: bool, is_edited: bool
) -> None:
    if not is_edited:
        talk.plain()
    (agls.workspace / "AGENTS.md").write_text(SAID)
    told, seen = answered(agls, talk, *answers)
    assert told is is_told
    assert f"AGENTS.md would instruct the agent how to work in {agls.workspace}." in seen
    assert seen.count(ASKED) == len(answers)
    assert bool(agls.run("trust", "--list").out) is is_told
    told, seen = answered(agls, talk)
    assert (told, ASKED in seen) == (is_told, False)


@pytest.mark.parametrize("is_interrupted", [True, False])
def test_who_leaves_the_question_trusts_nothing(agls: Agls, talk: Talk, *, is_interrupted: bool) -> None:
    """Ctrl-C ends the program; with Ctrl-D the question comes again another time."""
    (agls.workspace / "AGENTS.md").write_text(SAID)
    agls.prompts([{"text": "Done."}])
    talk.begin("chat")
    talk.wait_for("Your answer (y, n): ")
    if is_interrupted:
        talk.process.send_signal(signal.SIGINT)
        assert talk.process.wait(PATIENCE) != 0
    else:
        talk.type(CTRL_D)
        talk.ready()
        talk.type(CTRL_D)
        talk.leaves()
    assert agls.run("trust", "--list").out == ""
    talk.begin("chat")
    talk.wait_for(ASKED)
    talk.process.send_signal(signal.SIGINT)
    assert talk.process.wait(PATIENCE) != 0


def test_what_was_typed_before_the_question_is_no_answer_to_it(agls: Agls, talk: Talk) -> None:
    (agls.workspace / "AGENTS.md").write_text(SAID)
    agls.prompts([{"text": "Done."}])
    talk.type(f"y{ENTER}y\n")
    talk.begin("chat")
    talk.wait_for("Your answer (y, n): ")
    assert agls.run("trust", "--list").out == ""
    talk.type("n\n")
    talk.ready()
    assert agls.run("trust", "--list").out == ""
    talk.type(CTRL_D)
    talk.leaves()


def test_names_of_a_folder_have_no_power_over_the_terminal(agls: Agls, talk: Talk) -> None:
    """A name that clears the line or answers the question is shown as what it is."""
    hostile = agls.workspace / "a\x1b[2K\ry\n[y] Trust it"
    hostile.mkdir()
    (hostile / "AGENTS.md").write_text(SAID)
    agls.prompts([{"text": "Done."}])
    talk.begin("chat", "--cwd", str(hostile))
    talk.wait_for("Your answer (y, n): ")
    assert "\x1b[2K" not in talk.raw
    assert talk.raw.count("\r\n[y] Trust it") == 1, "the question's own line"
    assert r"a\x1b[2K\ry\n[y] Trust it." in talk.raw
    talk.type("n\n")
    talk.ready()
    talk.type(CTRL_D)
    talk.leaves()

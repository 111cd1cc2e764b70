"""`agls chat`: what is typed while the agent works."""

import termios

from doors.headless.conftest import Agls
from doors.headless.test_chat import CTRL_C, CTRL_D, ENTER, UP, Talk, talk, terminal
from support.patience import wait_until

WAIT = {"name": "shell", "arguments": {"command": "until [ -e go ]; do sleep 0.02; done"}}
WRITE = {"name": "write_file", "arguments": {"path": "a.txt", "content": "one\n"}}
__all__ = ["talk", "terminal"]  # fixtures


def go(agls: Agls) -> None:
    """Let the command come to its end."""
    (agls.workspace / "go").touch()


def journal(agls: Agls) -> str:
    (file,) = agls.state.glob("sessions/*.jsonl")
    return file.read_text()


def works(talk: Talk, text: str = "wait") -> None:
    """Begin a run that works until it may `go` on."""
    talk.begin("chat", "--mode", "allowAll", text)
    talk.wait_for("Enter: queue")


def test_prompt_is_queued_and_sent_when_the_agent_is_done(agls: Agls, talk: Talk) -> None:
    agls.prompts([{"text": "I wait.", "calls": [WAIT]}, {"text": "Waited."}], [{"text": "The second."}])
    works(talk)
    talk.type("and then?")
    talk.wait_for("and then?")
    talk.type(ENTER)
    talk.wait_for("queued: and then?")
    go(agls)
    shown = talk.wait_for("The second.")
    assert "Waited." in shown[: shown.rindex("and then?")]
    talk.ready()
    talk.type(CTRL_D)
    talk.leaves()


def test_queued_prompt_is_edited_and_sent_into_the_run(agls: Agls, talk: Talk) -> None:
    agls.prompts([{"text": "I wait.", "calls": [WAIT]}, {"text": "Waited."}], [{"text": "With tabs."}])
    works(talk)
    talk.type("use tabs" + ENTER)
    talk.wait_for("send now")
    talk.type(UP)
    talk.wait_for("use tabs")
    talk.type(", always" + ENTER)
    talk.wait_for("queued: use tabs, always")
    talk.type(ENTER)
    wait_until(lambda: '"steered"' in journal(agls))
    go(agls)
    talk.wait_for("With tabs.")
    talk.ready()
    talk.type(CTRL_D)
    talk.leaves()
    assert "Waited." not in journal(agls)
    assert journal(agls).count("use tabs, always") == 1


def test_command_is_done_at_once_or_waits_for_the_end(agls: Agls, talk: Talk) -> None:
    """One that works between runs alone waits, and is never sent into a run."""
    agls.prompts([{"text": "I wait.", "calls": [WAIT]}, {"text": "Waited."}])
    works(talk)
    talk.type("/nosuch" + ENTER)
    talk.wait_for("There is no command /nosuch.")
    talk.type("/mode acceptEdits" + ENTER)
    talk.wait_for("The mode is acceptEdits")
    talk.type("/status" + ENTER)
    talk.wait_for("• Now: ")  # Markdown as a terminal shows it
    talk.type("/undo" + ENTER)
    talk.wait_for("queued: /undo")
    talk.type("/exit" + ENTER)
    talk.wait_for("queued: /exit")
    talk.type(ENTER + "x")
    talk.wait_for("x")
    assert "Waited." not in journal(agls)
    go(agls)
    talk.wait_for("To go on with this session")
    talk.leaves()
    assert '"steered"' not in journal(agls)
    assert '"rewound"' in journal(agls)


def test_what_is_typed_stays_while_a_question_is_answered(agls: Agls, talk: Talk) -> None:
    agls.prompts([{"text": "I wait.", "calls": [WAIT]}, {"calls": [WRITE]}, {"text": "Written."}])
    talk.begin("chat", "--mode", "allowAll", "wait")
    talk.wait_for("Enter: queue")
    talk.type("\x1b[Z" + "half a sen")  # the next mode: from allowAll that is ask
    talk.wait_for("half a sen")
    go(agls)
    talk.wait_for("Your answer (")
    talk.type("y\n")
    talk.wait_for("Written.")
    talk.ready()
    talk.type("tence" + ENTER)
    talk.wait_for("half a sentence")
    wait_until(lambda: "half a sentence" in journal(agls))
    assert (agls.workspace / "a.txt").read_text() == "one\n"


def test_stop_puts_what_was_queued_back_into_the_prompt(agls: Agls, talk: Talk) -> None:
    agls.prompts([{"text": "I wait.", "calls": [WAIT]}, {"text": "Waited."}])
    works(talk)
    talk.type("the first" + ENTER + "the second")
    talk.wait_for("the second")
    talk.type(CTRL_C)
    talk.wait_for("Cancelled.")
    talk.wait_for("> the first")
    talk.wait_for("the second")
    talk.type(CTRL_C + "/exit" + ENTER)
    talk.leaves()
    assert "the first" not in journal(agls)


def test_leaving_at_once_gives_the_terminal_back_as_it_was(agls: Agls, talk: Talk) -> None:
    agls.script({"text": "I think", "hang": True})
    before = termios.tcgetattr(talk.theirs)
    works(talk)
    assert termios.tcgetattr(talk.theirs) != before
    talk.type(CTRL_D)
    talk.wait_for("Ctrl-C stops it")
    talk.type(CTRL_C + CTRL_C)
    talk.leaves(130)
    assert termios.tcgetattr(talk.theirs) == before


def test_user_at_the_terminal_may_choose_any_mode(agls: Agls, talk: Talk) -> None:
    """Nobody trusts the folder: there a person alone chooses that much runs without a question."""
    agls.prompts([{"calls": [WRITE]}, {"text": "Written."}])
    talk.begin("chat")
    talk.ready()
    talk.say("/mode allowAll", "The mode is allowAll")
    talk.say("write it", "Written.")
    assert (agls.workspace / "a.txt").read_text() == "one\n"

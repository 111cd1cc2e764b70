"""Commands that ask somebody for input: the model is told that nobody can answer."""

import pytest

from support.wire import Wire, turns

from .conftest import Serve

TOLD = "[It seems to have asked for input. There is no terminal, and standard input is empty"
NO_TERMINAL = "[It seems to need a terminal, and there is none: use an option by which it does without"
ASKING = {
    "a program that reads": "python3 -c \"input('Go on? ')\"",
    "a question before its time is over": "printf 'Password: '; sleep 60",
    "a question that is given up": "echo 'Do you want to continue? [Y/n] Abort.'; exit 1",
    "a shell that reads the terminal": "read answer < /dev/tty",
    "a question with what counts without an answer": "printf 'package name: (sub) '; exit 1",
    "a choice": "printf 'Which one [1]: '; exit 1",
    "a question without which it succeeds": "touch f; rm -i f",
}
NEEDING_A_TERMINAL = {
    "an editor": "echo 'Vim: Warning: Output is not to a terminal'; sleep 60",
    "a program that names its terminal": "tty",
    "a program that sets its terminal": "stty size",
    "a program that draws": "echo 'top: failed tty get'; exit 1",
}
SILENT = {
    "a failure": "echo 'error: no such file'; exit 1",
    "a command that is slow": "echo 'Building'; sleep 60",
    "a question in a text": "echo 'Why? Because.'; exit 1",
    "a program that only needs no terminal": "echo 'No tty because stdin is not a terminal.'; exit 255",
    "a prompt that had its answer": "printf 'y' | { printf 'Go on? [y/n] '; cat; }",
    "a text without a line end": "printf 'Result: (3)'",
}


ON_SCREEN = {
    "the second screen": "printf '\\033[?1049hMenu: press q'; sleep 60",
    "a screen that is drawn anew": "printf '\\033[?1049h'; while :; do printf 'x'; sleep 0.1; done",
    "places of the screen": 'for i in 1 2 3 4 5 6 7 8; do printf "\\033[$i;1H~"; done; sleep 60',
    "an editor that complains": "echo 'Vim: Warning: Input is not from a terminal'; sleep 60",
    "a question to the terminal": "printf '\\033[6n'; sleep 60",
}
GOING_ON = {
    "a screen that is left": "printf '\\033[?1049hx\\033[?1049l'; sleep 1; echo done",
    "a screen that is cleared": "printf '\\033[H\\033[2J'; sleep 1; echo done",
    "a line that is written again": "for i in {1..9}; do printf '\\033[1;1H.'; done; sleep 1; echo done",
    "words that are no question": "printf 'Waiting for the database: '; sleep 1; echo done",
}
WAITING = ["printf 'Password: '", "printf 'name: (sub) '", "printf '>>> '", "printf 'Go on [y/N]? '"]


def output(serve: Serve, command: str, seconds: float = 1) -> tuple[Wire, str]:
    """Run a command, for so many seconds at most."""
    call = {"name": "shell", "arguments": {"command": command, "timeout_s": seconds}}
    wire = serve(turns({"calls": [call]}, "Done."))
    wire.initialize()
    wire.run(wire.session(options={"mode": "allowAll"}))
    ends = [e["data"]["item"] for e in wire.events if e["type"] == "itemCompleted"]
    (item,) = (item for item in ends if item["kind"] == "toolCall")
    return wire, item["output"]


@pytest.mark.row(35)
@pytest.mark.parametrize("command", ASKING.values(), ids=ASKING)
def test_output_says_that_a_command_asked_for_input(serve: Serve, command: str) -> None:
    assert TOLD in output(serve, command)[1]


@pytest.mark.row(35)
@pytest.mark.parametrize("command", NEEDING_A_TERMINAL.values(), ids=NEEDING_A_TERMINAL)
def test_output_says_that_a_command_needs_a_terminal(serve: Serve, command: str) -> None:
    told = output(serve, command)[1]
    assert NO_TERMINAL in told
    assert TOLD not in told


@pytest.mark.parametrize("command", SILENT.values(), ids=SILENT)
def test_command_that_does_not_ask_gets_no_remark(serve: Serve, command: str) -> None:
    told = output(serve, command)[1]
    assert TOLD not in told
    assert NO_TERMINAL not in told


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is waited for before a command is given up is short."""
    monkeypatch.setattr("agls.workspace.full_screen.GRACE", 0.3)
    monkeypatch.setattr("agls.features.shell.prompts.SILENCE", 0.3)


@pytest.mark.row(35)
@pytest.mark.usefixtures("hasty")
@pytest.mark.parametrize("command", ON_SCREEN.values(), ids=ON_SCREEN)
def test_program_that_waits_on_a_screen_is_ended_early_with_what_helps(serve: Serve, command: str) -> None:
    assert "[stopped: it waits for keys on a whole screen" in output(serve, command, 50)[1]


@pytest.mark.row(35)
@pytest.mark.usefixtures("hasty")
@pytest.mark.parametrize("command", WAITING)
def test_command_that_is_silent_after_a_question_goes_on_in_the_background(
    serve: Serve, command: str
) -> None:
    told = output(serve, f"{command}; sleep 60", 50)[1]
    assert "[It goes on in the background, as task_1: it has been silent since what looks like" in told


@pytest.mark.usefixtures("hasty")
@pytest.mark.parametrize("command", GOING_ON.values(), ids=GOING_ON)
def test_command_that_only_looks_as_if_it_waited_comes_to_its_end(serve: Serve, command: str) -> None:
    told = output(serve, command, 50)[1]
    assert "done" in told and "[exit code 0" in told and "background" not in told

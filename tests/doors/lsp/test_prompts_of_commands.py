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
}


def output(serve: Serve, command: str) -> tuple[Wire, str]:
    """Run a command, for a second at most."""
    call = {"name": "shell", "arguments": {"command": command, "timeout_s": 1}}
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

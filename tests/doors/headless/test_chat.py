"""`agls chat`: a conversation at a real terminal, prompt after prompt in one session."""

import fcntl
import re
import signal
import struct
import subprocess
import termios
import time
import tty

import pytest

from doors.headless.conftest import Agls
from doors.headless.test_terminal import FakeTerminal, terminal
from support.leftovers import gone
from support.patience import PATIENCE, wait_until

WRITE = {"name": "write_file", "arguments": {"path": "a.txt", "content": "one\n"}}
SLEEP = {"name": "shell", "arguments": {"command": "sleep 60"}}
__all__ = ["terminal"]  # a fixture

SEQUENCE = re.compile(r"\x1b(\[[0-9;?]*[A-Za-z]|[()][A-Z0-9]|[=>])")
ENTER, ALT_ENTER, CTRL_C, CTRL_D, SHIFT_TAB, UP = "\r", "\x1b\r", "\x03", "\x04", "\x1b[Z", "\x1b[A"
CTRL_U = "\x15"

WHERE, FIRST_ROW = (
    "\x1b[6n",
    "\x1b[1;1R",
)  # a program asks for the place of the cursor, and what a terminal says


class Talk:
    """A conversation that somebody holds at the terminal."""

    def __init__(self, agls: Agls, at: FakeTerminal) -> None:
        self.agls, self._terminal = agls, at
        fcntl.ioctl(at.ours, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 100, 0, 0))
        self.edited()

    def resized(self, columns: int) -> None:
        """Make the terminal this wide, and tell the program; it draws again what stands there."""
        self._terminal.screen = ""
        fcntl.ioctl(self._terminal.ours, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
        self.process.send_signal(signal.SIGWINCH)

    @property
    def raw(self) -> str:
        """What came since something was typed, with the sequences that the terminal obeys."""
        return self._terminal.screen

    @property
    def theirs(self) -> int:
        """The end of the terminal that the program has."""
        return self._terminal.theirs

    def edited(self) -> None:
        """Type into the prompt that can be edited."""
        self.agls.environment["TERM"], self._at_rest = "xterm-256color", "(Shift-Tab)"

    def plain(self) -> None:
        """Type lines, as where nothing can be redrawn."""
        self.agls.environment["TERM"], self._at_rest = "dumb", "\n>"

    def begin(self, *arguments: str, out: int = 0) -> subprocess.Popen[str]:
        """Start it at the terminal, with its answers there or in the file `out`."""
        theirs = self._terminal.theirs
        self.process = self.agls.start(*arguments, stdin=theirs, stdout=out or theirs, stderr=theirs)
        return self.process

    def type(self, text: str) -> None:
        """Type this; what is on the screen so far is not waited for again."""
        self._terminal.screen = ""
        self._terminal.type(text)

    def wait_for(self, text: str, behind: str = "") -> str:
        """Wait until this is on the screen, `behind` another text. **Returns** what came since typing."""
        end = time.monotonic() + PATIENCE
        while text not in (self._read().partition(behind)[2] if behind else self._read()):
            if not self._terminal.read(max(0.0, end - time.monotonic())):
                raise AssertionError(f"{text!r} never came; the screen: {self._read()!r}")
            self._answer()
        return self._read()

    def _answer(self) -> None:
        """Tell the program where the cursor is, as terminals do."""
        for _ in range(self._terminal.screen.count(WHERE)):
            self._terminal.type(FIRST_ROW)
        self._terminal.screen = self._terminal.screen.replace(WHERE, "")

    def _read(self) -> str:
        return SEQUENCE.sub("", self._terminal.screen)

    def ready(self) -> str:
        """Wait until the next prompt can be typed."""
        return self.wait_for(self._at_rest)

    def say(self, text: str, answer: str) -> None:
        """Send this, and wait for the answer and the next prompt."""
        self.type(text + ENTER)
        self.wait_for(answer)
        self.ready()

    def tries_to_leave(self) -> bool:
        """Type Ctrl-D, which only says so while the agent works. **Returns** whether it ended."""
        self.type(CTRL_D)
        self._terminal.read(0.2)
        return self.process.poll() is not None

    def leaves(self, code: int = 0) -> None:
        """It ends."""
        assert self.process.wait(PATIENCE) == code


@pytest.fixture
def talk(agls: Agls, terminal: FakeTerminal) -> Talk:
    return Talk(agls, terminal)


def test_prompts_go_one_after_the_other_into_one_session(agls: Agls, talk: Talk) -> None:
    agls.prompts([{"calls": [WRITE]}, {"text": "Written."}], [{"text": "The second answer."}])
    talk.begin("chat")
    greeting = talk.ready()
    assert "scripted" in greeting
    assert "Ctrl-D leaves" in greeting
    talk.type("write it" + ENTER)
    talk.wait_for("Your answer (")
    talk.type("y\n")
    assert "1 file changed, +1 -0" in talk.ready()
    talk.type("and now?" + ENTER)
    talk.wait_for("The second answer.")
    talk.ready()
    talk.type(CTRL_D)
    talk.wait_for("To go on with this session: agls chat -c")
    talk.leaves()
    assert (agls.workspace / "a.txt").read_text() == "one\n"
    (session,) = agls.sessions()
    assert session["state"] == "idle"


def test_nothing_said_leaves_no_session(agls: Agls, talk: Talk) -> None:
    agls.script({"text": "Well."})
    talk.begin("chat")
    talk.ready()
    talk.type(CTRL_D)
    talk.leaves()
    assert agls.sessions() == []


def test_ctrl_c_stops_the_run_and_the_conversation_goes_on(agls: Agls, talk: Talk) -> None:
    agls.prompts([{"text": "I wait.", "calls": [SLEEP]}, {"text": "Waited."}], [{"text": "Here I am."}])
    talk.begin("chat", "--mode", "allowAll")
    talk.ready()
    talk.type("wait" + ENTER)
    talk.wait_for("I wait.")
    talk.process.send_signal(signal.SIGINT)
    stopped = talk.wait_for("to continue.\r\n")
    assert "Cancelled." in stopped
    assert 'Say "go on"' in stopped
    talk.ready()
    talk.say("go on", "Here I am.")
    talk.type("dropped" + CTRL_C)
    talk.type("/exit" + ENTER)
    talk.leaves()
    assert "dropped" not in next(agls.state.glob("sessions/*.jsonl")).read_text()


def test_termination_leaves_a_run_that_can_be_gone_on_with(agls: Agls, talk: Talk) -> None:
    agls.script({"text": "I wait.", "calls": [SLEEP]}, {"text": "Waited."})
    talk.begin("chat", "--mode", "allowAll", "wait")
    talk.wait_for("I wait.")
    talk.process.send_signal(signal.SIGTERM)
    talk.wait_for("Interrupted")
    talk.leaves(1)
    talk.begin("chat", "-c")
    assert 'The last run ended (interrupted). Say "go on" to continue.' in talk.ready()
    talk.type(CTRL_D)
    talk.leaves()
    assert agls.run("resume").code == 0


def test_commands_are_done_between_prompts(agls: Agls, talk: Talk) -> None:
    agls.prompts([{"text": "The first answer."}], [{"text": "In the fork."}])
    talk.begin("chat", "begin")
    talk.wait_for("The first answer.")
    talk.ready()
    talk.say("/nothing-such", "There is no command /nothing-such.")
    talk.say("/fork", "The fork is the session")
    talk.say("further", "In the fork.")
    talk.type("/quit" + ENTER)
    talk.leaves()
    journals = [file.read_text() for file in agls.state.glob("sessions/*.jsonl")]
    assert sorted("further" in each for each in journals) == [False, True]


def test_lines_that_are_typed_before_the_prompt_stands_there_are_the_next_prompts(
    agls: Agls, talk: Talk
) -> None:
    """One after the other, as a shell takes them; what is left of the last one can be edited."""
    agls.prompts([{"text": "The first answer."}], [{"text": "The second answer."}])
    talk.begin("chat")
    talk.type("/version\n")  # as a terminal hands on Enter while nobody reads
    assert "\n> /version" in talk.wait_for("Python").replace("\r", "")
    talk.ready()
    talk.type(CTRL_D)
    talk.leaves()
    talk.begin("chat")
    talk.type("one\n\ntwo\n/vers")
    shown = talk.wait_for("The second answer.")
    assert shown.index("> one") < shown.index("The first answer.") < shown.index("> two")
    talk.ready()
    talk.say("ion", "Python")
    talk.type(CTRL_D)
    talk.leaves()


def test_lines_that_another_program_left_in_the_terminal_are_prompts_as_well(agls: Agls, talk: Talk) -> None:
    """A shell reads single keys: what was typed then comes at once, and Enter may be a carriage return."""
    agls.prompts([{"text": "The first answer."}], [{"text": "The second answer."}])
    talk.plain()
    lines = termios.tcgetattr(talk.theirs)
    tty.setraw(talk.theirs)
    talk.type("one\rtwo\r/exit\r")
    termios.tcsetattr(talk.theirs, termios.TCSANOW, lines)
    talk.begin("chat")
    shown = talk.wait_for("To go on with this session").replace("\r", "")
    talk.leaves()
    assert "\n> one\nThe first answer." in shown
    assert "\n> two\nThe second answer." in shown


def test_leaving_is_understood_before_the_prompt_stands_there(agls: Agls, talk: Talk) -> None:
    agls.script({"text": "The first answer."})
    talk.begin("chat")
    talk.type(CTRL_D)
    talk.leaves()


def test_conversation_goes_on_later_with_the_mode_it_was_given(agls: Agls, talk: Talk) -> None:
    agls.prompts([{"text": "One."}], [{"calls": [WRITE]}, {"text": "Two."}])
    talk.begin("chat", "begin")
    talk.wait_for("One.")
    talk.ready()
    talk.type(CTRL_D)
    talk.leaves()
    talk.begin("chat", "-c", "--mode", "acceptEdits")
    shown = talk.ready()
    assert shown.index("> begin") < shown.index("One.")
    assert "The last run ended" not in shown
    talk.say("/mode", "The mode is acceptEdits.")
    talk.say("write", "Two.")
    talk.say("/mode ask", "The mode is ask")
    talk.type(CTRL_D)
    talk.leaves()
    (session,) = agls.sessions()
    assert (agls.workspace / "a.txt").exists()
    assert agls.run("chat", "--session", session["sessionId"]).err.startswith(
        "agls: agls chat needs a terminal"
    )


def test_prompt_has_lines_a_history_completion_and_modes(agls: Agls, talk: Talk) -> None:
    agls.prompts([{"text": "One."}], [{"text": "Two."}])
    talk.begin("chat")
    talk.ready()
    talk.wait_for("mode: ask")
    for keys, mode in ((SHIFT_TAB, "acceptEdits"), (SHIFT_TAB, "plan"), (SHIFT_TAB, "ask")):
        talk.say(keys + "/mode", f"The mode is {mode}.")
    talk.type("/stat")
    talk.wait_for("/status")
    talk.type(CTRL_C)
    talk.say("first line" + ALT_ENTER + "second line", "One.")
    talk.type(UP)
    talk.wait_for("second line")
    talk.type(ENTER)
    talk.wait_for("Two.")
    talk.ready()
    talk.resized(80)
    talk.wait_for("(Shift-Tab)")
    assert "\x1b[J" in talk.raw, "the prompt is drawn anew"
    assert "\x1b[J" not in talk.raw.replace("\x1b[K\x1b[C\x1b[J", ""), "tmux would keep what is erased"
    talk.type(CTRL_D)
    talk.leaves()
    assert next(agls.state.glob("sessions/*.jsonl")).read_text().count("first line\\nsecond line") == 2
    assert (agls.state / "chat_history").stat().st_mode & 0o777 == 0o600


def test_pasted_tab_is_shown_as_columns_and_sent_as_it_is(agls: Agls, talk: Talk) -> None:
    agls.script({"text": "Well."})
    talk.begin("chat")
    talk.ready()
    talk.type("\x1b[200~all:\n\tgo build\x1b[201~")
    assert "^I" not in talk.wait_for("go build")
    talk.say("", "Well.")
    talk.type(CTRL_D)
    talk.leaves()
    (session,) = agls.sessions()
    assert "all:\n\tgo build" in agls.run("sessions", "export", session["sessionId"], "--format", "md").out


def test_keys_that_do_not_fit_below_a_narrow_prompt_are_left_out_whole(agls: Agls, talk: Talk) -> None:
    agls.script({"text": "Well."})
    talk.begin("chat")
    assert "Alt-Enter: new line" in talk.ready()
    talk.resized(40)
    talk.ready()
    talk.say("hello", "Well.")
    talk.resized(40)  # by now nothing comes any more that was drawn for the wide one
    talk.ready()
    assert "Alt-Ent" not in talk.raw
    talk.type(CTRL_D)
    talk.leaves()


def test_lines_do_where_a_prompt_cannot_be_edited(agls: Agls, talk: Talk) -> None:
    """A line that ends with a backslash goes on in the next; the agent alone sees what was sent."""
    agls.prompts([{"text": "One."}], [{"text": "Two."}])
    talk.plain()
    talk.begin("chat")
    talk.ready()
    talk.type("first\\\nsecond\n")
    talk.wait_for("One.")
    talk.ready()
    talk.process.send_signal(signal.SIGINT)
    talk.wait_for("\r\n> \r\n> ")
    talk.type("\nthird\n")
    talk.wait_for("Two.")
    talk.ready()
    talk.type(CTRL_D)
    talk.leaves()
    assert "first\\nsecond" in next(agls.state.glob("sessions/*.jsonl")).read_text()
    assert not (agls.state / "chat_history").exists()


def test_run_that_begins_by_itself_takes_the_place_of_the_prompt(agls: Agls, talk: Talk) -> None:
    agls.script({"text": "Ticked."})
    talk.begin("chat")
    talk.ready()
    talk.type("/schedule in 1s say tick" + ENTER)
    talk.wait_for("takes it back")
    talk.ready()
    talk.type("half typed")
    talk.wait_for("half typed", behind="Ticked.")
    talk.wait_for("(Shift-Tab)", behind="Ticked.")
    behind = talk.raw.partition("> say tick")[0].rpartition("half typed")[2]
    assert "\n" not in behind, "no row of what was typed stays there"
    talk.type(f"{CTRL_U}/exit{ENTER}")
    talk.leaves()


def test_agls_alone_is_a_conversation_where_there_is_a_terminal_and_a_model(agls: Agls, talk: Talk) -> None:
    agls.script({"text": "Well."})
    talk.begin()
    talk.ready()
    talk.type(CTRL_D)
    talk.leaves()
    assert agls.run().code == 2
    talk.begin("--mode", "plan")
    talk.wait_for("mode: plan")
    talk.say("hi", "Well.")
    talk.type(CTRL_D)
    talk.leaves()
    talk.begin("-c")
    assert "> hi" in talk.ready()
    talk.type(CTRL_D)
    talk.leaves()
    assert agls.run("--mode", "plan").code == 2
    agls.configure("")
    talk.begin()
    talk.wait_for("agls doctor")
    talk.leaves(2)


def test_commands_in_the_background_go_on_between_prompts_and_end_with_the_session(
    agls: Agls, talk: Talk
) -> None:
    begin = {"name": "shell", "arguments": {"command": "echo $$ > pid; sleep 1000", "background": True}}
    ready = {"name": "shell", "arguments": {"command": "until [ -s pid ]; do sleep 0.02; done"}}
    agls.prompts([{"calls": [begin, ready]}, {"text": "It is up."}], [{"text": "It is still up."}])
    talk.begin("chat", "--mode", "allowAll", "start it")
    talk.wait_for("It is up.")
    talk.ready()
    pid = int((agls.workspace / "pid").read_text())
    talk.say("and now?", "It is still up.")
    assert not gone(pid)
    talk.type(CTRL_D)
    talk.leaves()
    wait_until(lambda: gone(pid))


def test_model_knows_that_somebody_reads_along_at_a_terminal(agls: Agls, talk: Talk) -> None:
    agls.script({"text": "Well."})
    talk.begin("chat", "who is there?")
    talk.wait_for("Well.")
    talk.ready()
    talk.type(CTRL_D)
    talk.leaves()
    told = next(agls.state.glob("sessions/*.jsonl")).read_text()
    assert "Door: a terminal. The user reads along and can answer." in told


def test_answers_alone_go_into_a_file_and_the_prompt_stays_at_the_terminal(agls: Agls, talk: Talk) -> None:
    agls.script({"text": "The answer."})
    file = agls.home / "out.txt"
    with file.open("w") as out:
        talk.begin("chat", out=out.fileno())
        talk.ready()
        talk.type("ask" + ENTER)
        talk.wait_for("ask")
        wait_until(lambda: file.read_text() == "The answer.\n")
        wait_until(talk.tries_to_leave)
        talk.leaves()
    assert file.read_text() == "The answer.\n"

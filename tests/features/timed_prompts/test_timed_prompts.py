"""`/loop` and `/schedule` through the doors: the server, `agls run`, and a conversation at a terminal."""

from pathlib import Path
from typing import Any

import pytest

from doors.headless.conftest import Agls, agls
from doors.headless.test_chat import CTRL_D, ENTER, Talk, talk
from doors.headless.test_terminal import terminal
from support.wire import AGENT, Message, Wire, script, turns

pytestmark = [pytest.mark.row(82), pytest.mark.timeout(120)]
__all__ = ["agls", "talk", "terminal"]  # fixtures

SOON = "[timed_prompts]\nshortest_interval_s = 0.05\nmax_runs = 2\n"


class Typist:
    """Somebody who types into a session of a server."""

    def __init__(self, wire: Wire) -> None:
        self.wire, self.session = wire, wire.session()

    def type(self, text: str) -> str:
        """Type this. **Returns** what the command came to, or why it was refused."""
        answer = self.wire.ask("agent/run", {"sessionId": self.session, "input": text, "expand": True})
        if "error" in answer:
            return answer["error"]["message"]
        return answer["result"]["action"]["output"][0]["text"]

    def states(self, task: str) -> list[str]:
        """The states that a task had so far."""
        changes = (event["data"] for event in self.wire.events if event["type"] == "taskChanged")
        return [data["state"] for data in changes if data["taskId"] == task]

    def until_over(self, task: str) -> None:
        """Wait for the end of a task."""
        self.wire.until(lambda _: len(self.states(task)) == 2)


def begun(folder: Path, *played: Message) -> Wire:
    config = script(folder, *(played or (turns("Unused."),)))
    config.write_text(config.read_text() + SOON)
    return Wire(folder, config)


def test_prompts_are_repeated_scheduled_listed_and_stopped(tmp_path: Path) -> None:
    with begun(tmp_path, turns("One."), turns("Two."), turns("Three.")) as wire:
        (wire.workspace / "note.txt").write_text("what is in the note\n")
        wire.initialize(AGENT)
        typist = Typist(wire)
        assert typist.type("/loop") == "Nothing is repeated in this session. Write: /loop 5m check the build"
        told = typist.type("/loop 0.05s read @note.txt")
        assert told.startswith("Now and 0.05s after the end of each run, for 2 runs or 24 hours at most")
        assert "when the process ends it is over" in told
        typist.until_over("task_1")
        ended = [event["data"]["stopReason"] for event in wire.events if event["type"] == "runEnded"]
        assert ended == ["endTurn"] * 2
        items = wire.call("agent/resume", {"sessionId": typist.session, "replay": "all"})["snapshot"]["items"]
        said = [item for item in items if item["kind"] == "userMessage"]
        marked = [item["text"] for item in items if item["kind"] == "notice"]
        assert marked == [f"Run {number} of /loop 0.05s read @note.txt" for number in (1, 2)]
        kinds = [item["kind"] for item in items if item["kind"] in {"notice", "userMessage"}]
        assert kinds == ["notice", "userMessage"] * 2, (
            "the mark stands in front of what nobody typed just then"
        )
        assert "note.txt" in str(said[0]["content"][1:]), "a mention means what it does in a typed prompt"
        assert typist.type("/loop").startswith("- task_1: `/loop 0.05s read @note.txt` Over after 2 runs: ")
        assert "(in 1s), as soon as no other run is on: say it" in typist.type("/schedule in 0.1s say it")
        typist.until_over("task_2")
        assert typist.type("/schedule").endswith("say it` Over after 1 run.")
        typist.type("/schedule in 3h /review")
        typist.type("/loop check the build every 2 hours")  # the script has nothing more to say
        wire.until(lambda _: "Add a prompt to the script" in str(wire.events[-1]))
        assert "Run 1 ended: model error (The script has 3" in typist.type("/loop")
        assert typist.type("/schedule stop") == "Stopped: task_3. A run that was begun goes on."
        assert "[Stopped: stopped by the user." in typist.type("/schedule")
        assert wire.leave() == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("/loop 5m", "Say what the prompt is, as in: /loop 5m check the build"),
        ("/loop 0.01s look", "Every 0.01s is too often: the shortest interval is 0.05s"),
        (
            "/loop 2d look",
            "2d is longer than the session may be expected to stay open: put `agls run`",
        ),
        ("/loop 5m /usage", "/usage makes no prompt for the model, so there is nothing to repeat."),
        ("/loop 5m /loop 5m look", "/loop makes no prompt for the model"),
        ("/loop 5m /reveiw", "Did you mean /review?"),
        ("/loop stop task_9", "There is no loop that runs under this name. There are: none."),
        ("/schedule soon look", "Say when, and then the prompt: /schedule 14:30 run the tests"),
        ("/schedule 2020-01-01 9:00 look", "2020-01-01 09:00 has passed. Name a time that is still to come."),
        ("/schedule in 9d look", "9d is longer than the session"),
    ],
)
def test_what_cannot_wait_is_refused_with_what_to_write(refusing: Typist, words: str, said: str) -> None:
    assert said in refusing.type(words)


@pytest.fixture(scope="module")
def refusing(tmp_path_factory: pytest.TempPathFactory) -> Any:
    with begun(tmp_path_factory.mktemp("refusing")) as wire:
        wire.initialize(AGENT)
        yield Typist(wire)


def test_repetition_is_not_begun_again_when_its_process_died_and_says_so(tmp_path: Path) -> None:
    with begun(tmp_path, turns("One.")) as wire:
        wire.initialize(AGENT)
        typist = Typist(wire)
        typist.type("/loop 1h look")
        wire.until(lambda _: any(event["type"] == "runEnded" for event in wire.events))
        wire.process.kill()
        wire.process.wait()
    with begun(tmp_path, turns("Two.")) as wire:
        wire.initialize(AGENT)
        items = wire.call("agent/resume", {"sessionId": typist.session, "replay": "all"})["snapshot"]["items"]
        (task,) = [item for item in items if item["kind"] == "task"]
        assert (task["title"], task["status"]) == ("/loop 1h look", "cancelled")
        assert "the process that it belonged to ended before it; it was not begun again" in task["output"]
        typist.wire = wire
        assert "it was not begun again" in typist.type("/loop")
        assert not [event for event in wire.events if event["type"] == "runAdmitted"]


def test_repeated_runs_are_shown_in_a_conversation_between_its_prompts(agls: Agls, talk: Talk) -> None:
    agls.configure(agls.config_file.read_text() + SOON)
    write = {"name": "write_file", "arguments": {"path": "a.txt", "content": "one\n"}}
    agls.prompts([{"calls": [write]}, {"text": "The first look."}], [{"text": "The second look."}])
    talk.begin("chat")
    talk.ready()
    talk.type("/loop 1s look at it" + ENTER)
    talk.wait_for("Your answer (")
    talk.type("y\n")
    assert "> look at it" not in talk.wait_for("The first look.")
    talk.ready()
    talk.type("and I wri")
    assert "> look at it" in talk.wait_for("The second look.")
    talk.ready()
    talk.type("te" + ENTER)
    assert "> and I write" in talk.wait_for("script")
    talk.ready()
    talk.type(CTRL_D)
    talk.leaves()
    assert (agls.workspace / "a.txt").read_text() == "one\n"


def test_process_that_ends_with_its_run_says_what_to_do_instead(agls: Agls) -> None:
    agls.script({"text": "Unused."})
    for words, fields in {
        "/loop 5m check 'this'": "*/5 * * * * cd ",
        "/schedule tomorrow 14:30 check 'this'": "30 14 ",
    }.items():
        done = agls.run("run", words)
        assert (done.code, done.out) == (1, "")
        assert "this process ends with its run. Type this in `agls chat` or in an editor" in done.err
        assert fields in done.err
        assert f"cd {agls.workspace} && agls run -q 'check '\"'\"'this'\"'\"''" in done.err
    assert agls.sessions() == []
    assert "Nothing is repeated in this session." in agls.run("run", "/loop").out

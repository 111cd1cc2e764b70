"""`--input jsonl`: requests on standard input, answered among the events."""

import asyncio
import io
import json
import os
import random
import subprocess
import threading
import time
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from agls.config import ConfigInputs, read
from agls.doors.headless.control import METHODS, Control
from agls.doors.headless.headless_run import HeadlessRun
from agls.doors.headless.open_session import RunRequest, prepare_run
from agls.doors.headless.shutdown import Shutdown
from agls.doors.headless.stdin_lines import Cutter, StdinLines
from agls.engine.facts import Asked, Entry, Fact, RunEnded, Steered, TurnStarted
from agls.engine.session import Session
from agls.engine.vocabulary import Message, UserMessage
from agls.workspace.editor import NoEditor
from agls.world import open_world
from doors.headless.conftest import SCRIPTED, Agls
from support.patience import PATIENCE
from support.wire_rules import check_lines

pytestmark = pytest.mark.promise("P8")

Line = dict[str, Any]
WRITE = {"name": "write_file", "arguments": {"path": "a.txt", "content": "one\n"}}


class Program:
    """A script that started `agls run --input jsonl` and talks to it."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        assert isinstance(process.stdin, io.TextIOWrapper)
        assert process.stdout
        self.process, self.stdin = process, process.stdin.buffer
        self.lines: list[Line] = []
        self._changed = threading.Condition()
        self._over = False
        threading.Thread(target=self._read, args=(process.stdout,), daemon=True).start()

    def write(self, data: bytes) -> None:
        """Write bytes as they are."""
        self.stdin.write(data)
        self.stdin.flush()

    def ask(self, id: int | str, method: str, **params: Any) -> Line:
        """Send a request and wait for its answer."""
        self.write(request(id, method, **params))
        return self.until(lambda line: "type" not in line and line["id"] == id)

    def event(self, type: str) -> Line:
        """Wait for an event."""
        return self.until(lambda line: line.get("type") == type)

    def until(self, wanted: Callable[[Line], bool]) -> Line:
        """Wait for a line."""
        end = time.monotonic() + PATIENCE
        with self._changed:
            while True:
                for line in self.lines:
                    if wanted(line):
                        return line
                assert not self._over, f"it ended: {self.lines[-3:]}"
                assert self._changed.wait(end - time.monotonic()), f"it never came: {self.lines[-3:]}"

    def end(self) -> tuple[int, list[Line]]:
        """Wait for the end: the exit code, and everything that was written, after the rules were checked."""
        code = self.process.wait(PATIENCE)
        with self._changed:
            self._changed.wait_for(lambda: self._over, PATIENCE)
        check_lines(self.lines)
        assert self.process.stderr
        assert self.process.stderr.read() == ""
        return code, self.lines

    def _read(self, stdout: Any) -> None:
        for line in stdout:
            with self._changed:
                self.lines.append(json.loads(line))
                self._changed.notify_all()
        with self._changed:
            self._over = True
            self._changed.notify_all()


def request(id: int | str, method: str, **params: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).encode() + b"\n"


def start(agls: Agls, *arguments: str) -> Program:
    always = ("run", "go", "--input", "jsonl", "--output", "jsonl")
    return Program(agls.start(*always, *arguments, stdin=subprocess.PIPE))


# --- a real process --------------------------------------------------------------------------------


@pytest.mark.item(42)
def test_a_question_waits_for_its_answer_and_a_message_reaches_the_run(agls: Agls) -> None:
    turns: list[Line] = [{"calls": [WRITE]}, {"text": "Done."}]
    agls.prompts(turns, [{"text": "Briefly: done."}])
    program = start(agls)
    question = program.event("requestOpened")["data"]
    steered = program.ask("s", "agent/steer", input="and be brief")["result"]
    assert steered["outcome"] == "injected"
    wrong = program.ask(1, "agent/respond", requestId="ask_unknown", response={"outcome": "dismissed"})
    assert "there was no question 'ask_unknown'" in wrong["error"]["message"]
    yes = next(option["optionId"] for option in question["options"] if option["decision"] == "allow")
    chosen = {"outcome": "selected", "optionId": yes}
    answer = program.ask(2, "agent/respond", requestId=question["requestId"], response=chosen)
    assert answer == {"jsonrpc": "2.0", "id": 2, "result": {"outcome": "accepted"}}
    code, lines = program.end()
    assert (code, lines[-1]["data"]["stopReason"]) == (0, "endTurn")
    assert "unanswered" not in lines[-1]["data"]
    assert (agls.workspace / "a.txt").read_text() == "one\n"
    said = [line["data"]["item"] for line in lines if line.get("type") == "itemCompleted"]
    assert [item["content"] for item in said if item.get("steer")] == [
        [{"type": "text", "text": "and be brief"}]
    ]


def test_typed_message_of_a_program_is_understood_when_it_says_so(agls: Agls) -> None:
    (agls.workspace / "b.txt").write_text("forty-two\n")
    agls.prompts([{"calls": [WRITE]}, {"text": "Done."}], [{"text": "I have seen it."}])
    program = start(agls)
    question = program.event("requestOpened")["data"]
    assert program.ask(1, "agent/steer", input="see @b.txt", expand=True)["result"]["outcome"] == "injected"
    program.ask(2, "agent/respond", requestId=question["requestId"], response={"outcome": "dismissed"})
    code, lines = program.end()
    items = [line["data"]["item"] for line in lines if line.get("type") == "itemCompleted"]
    (steered,) = [item["content"] for item in items if item.get("steer")]
    assert code == 0
    assert [block["type"] for block in steered] == ["text", "resourceLink"]
    assert steered[1]["uri"].endswith("/b.txt")


@pytest.mark.item(42)
def test_option_that_a_question_does_not_have_is_refused_and_the_question_stays_open(agls: Agls) -> None:
    agls.script({"calls": [WRITE]}, {"text": "Done."})
    program = start(agls)
    question = program.event("requestOpened")["data"]
    options = [option["optionId"] for option in question["options"]]

    def choose(number: int, option: object) -> Line:
        chosen = {"outcome": "selected", "optionId": option}
        return program.ask(number, "agent/respond", requestId=question["requestId"], response=chosen)

    for number, option in enumerate(("allow_always", ["once"])):
        error = choose(number, option)["error"]
        assert error["data"]["kind"] == "invalidParams"
        assert f"params.response.optionId must be one of {', '.join(options)}" in error["message"]
    assert choose(9, "once")["result"] == {"outcome": "accepted"}
    assert program.end()[0] == 0
    assert (agls.workspace / "a.txt").read_text() == "one\n"


@pytest.mark.item(42)
def test_answer_that_is_not_clearly_yes_allows_nothing_and_can_be_mended(agls: Agls) -> None:
    agls.script({"calls": [WRITE]}, {"text": "I could not."})
    program = start(agls)
    asked = program.event("requestOpened")["data"]["requestId"]
    unknown = program.ask(1, "agent/respond", requestId=asked, response={"outcome": "yes, please"})["error"]
    assert (unknown["data"]["kind"], "selected, dismissed" in unknown["message"]) == ("invalidParams", True)
    answer = program.ask(2, "agent/respond", requestId=asked, response={"outcome": "dismissed"})
    assert answer["result"] == {"outcome": "accepted"}
    code, lines = program.end()
    assert (code, "unanswered" in lines[-1]["data"]) == (0, False)
    assert not (agls.workspace / "a.txt").exists()


@pytest.mark.item(42)
def test_end_of_the_input_cancels_nothing_but_leaves_questions_unanswered(agls: Agls) -> None:
    agls.script({"calls": [WRITE]}, {"text": "I could not write."})
    program = start(agls)
    program.event("requestOpened")
    program.stdin.close()
    code, lines = program.end()
    assert (code, lines[-1]["data"]["stopReason"], lines[-1]["data"]["unanswered"]) == (3, "endTurn", 1)
    assert not (agls.workspace / "a.txt").exists()


@pytest.mark.item(42)
def test_a_cancel_is_answered_and_ends_the_run(agls: Agls) -> None:
    agls.script({"text": "begun", "hang": True})
    program = start(agls)
    program.event("itemDelta")
    run_id = program.event("runStarted")["runId"]
    answer = program.ask(1, "agent/cancel")["result"]
    assert answer == {"state": "cancelling", "kept": [], "dropped": [], "runId": run_id}
    code, lines = program.end()
    assert (code, lines[-1]["data"]["stopReason"]) == (130, "cancelled")


def test_requests_may_come_from_a_file(agls: Agls) -> None:
    agls.script({"text": "begun", "hang": True})
    requests = agls.home / "requests.jsonl"
    requests.write_bytes(request(1, "agent/cancel").removesuffix(b"\n"))
    with requests.open() as file:
        process = agls.start("run", "go", "--input", "jsonl", "--output", "jsonl", stdin=file)
    out, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, err) == (130, "")
    assert '{"jsonrpc":"2.0","id":1,"result":{"state":"cancelling"' in out


def test_a_reader_that_goes_away_interrupts_the_run_while_it_waits_for_an_answer(agls: Agls) -> None:
    agls.script({"calls": [WRITE]}, {"text": "Done."})
    process = agls.start("run", "go", "--input", "jsonl", "--output", "jsonl", stdin=subprocess.PIPE)
    assert process.stdin
    assert process.stdout
    while "requestOpened" not in process.stdout.readline():
        pass
    process.stdout.close()
    with suppress(BrokenPipeError):  # the answer is what finds nobody
        process.stdin.write(request(1, "agent/steer", input="more").decode())
        process.stdin.flush()
    assert process.wait(PATIENCE) == 141
    agls.script({"calls": []}, {"text": "Done after all."})
    assert "Done after all." in agls.run("resume").out


def test_invalid_lines_are_answered_and_the_run_continues(agls: Agls) -> None:
    agls.script({"calls": [WRITE]}, {"text": "Done."})
    program = start(agls)
    program.event("requestOpened")
    chance = random.Random(7)
    sent = b"".join(line + b"\n" for line, _, _ in WRONG)
    while sent:  # cut anywhere
        size = chance.randint(1, 40)
        program.write(sent[:size])
        sent = sent[size:]
    program.write(b"x" * (33 * 1024 * 1024) + b"\n")
    program.write(b"\n  \r\n")  # nothing is asked by an empty line
    assert program.ask("last", "agent/cancel", queued="drop")["result"]["state"] == "cancelling"
    code, lines = program.end()
    assert code == 130
    errors = [line for line in lines if "error" in line]
    told = [(line["id"], line["error"]["code"], line["error"]["data"]["kind"]) for line in errors]
    assert told == [(known, *error) for _, known, error in WRONG] + [(None, -32600, "limitExceeded")]


WRONG: list[tuple[bytes, Any, tuple[int, str]]] = [
    (b"{", None, (-32700, "parseError")),
    (b"\xff\xfe", None, (-32700, "parseError")),
    (b"[]", None, (-32600, "invalidRequest")),
    (b'{"jsonrpc": "2.0", "method": "agent/cancel"}', None, (-32600, "invalidRequest")),
    (b'{"jsonrpc": "2.0", "id": 3, "result": {}}', None, (-32600, "invalidRequest")),
    (b'{"id": 4, "method": "agent/cancel"}', 4, (-32600, "invalidRequest")),
    (b'{"jsonrpc": "2.0", "id": {}, "method": "agent/cancel"}', None, (-32600, "invalidRequest")),
    (b'{"jsonrpc": "2.0", "id": 5, "method": "agent/run"}', 5, (-32601, "methodNotFound")),
    (b'{"jsonrpc": "2.0", "id": 6, "method": "agent/steer"}', 6, (-32602, "invalidParams")),
    (b'{"jsonrpc": "2.0", "id": 7, "method": "agent/steer", "params": []}', 7, (-32602, "invalidParams")),
    (request(8, "agent/steer", input=" ").strip(), 8, (-32602, "invalidParams")),
    (request(9, "agent/steer", input="x", ifEnded="run").strip(), 9, (-33012, "unsupported")),
    (request(10, "agent/steer", input="x", expectedRunId="run_0").strip(), 10, (-33003, "runMismatch")),
    (request("11", "agent/cancel", sessionId="ses_0").strip(), "11", (-33005, "sessionNotFound")),
]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["run", "go", "--input", "jsonl"], "needs --output jsonl"),
        (["run", "go", "--input", "jsonl", "--output", "json"], "needs --output jsonl"),
        (["run", "-", "--input", "jsonl", "--output", "jsonl"], "the prompt is an argument"),
        (["resume", "-", "--input", "jsonl", "--output", "jsonl"], "the prompt is an argument"),
        (["run", "--input", "jsonl", "--output", "jsonl"], "There is no prompt"),
    ],
)
def test_standard_input_has_one_use(agls: Agls, arguments: list[str], told: str) -> None:
    done = agls.run(*arguments, stdin="go")
    assert done.code == 2
    assert told in done.out + done.err


# --- in this process: what happens at the very end -------------------------------------------------


class Scene:
    """A conversation whose standard input is a pipe; `lines` is what it wrote."""

    def __init__(self, session: Session, conversation: HeadlessRun, lines: list[Line], entrance: int) -> None:
        self.session, self.conversation, self.lines, self.entrance = session, conversation, lines, entrance

    def write(self, data: bytes) -> None:
        """Write to its standard input."""
        os.write(self.entrance, data)

    @property
    def answers(self) -> dict[Any, Line]:
        """The answers so far, by id."""
        return {line["id"]: line for line in self.lines if "type" not in line}


class FakeOutput:
    """Keeps what is written."""

    def __init__(self, lines: list[Line]) -> None:
        self._lines = lines

    def spare(self, caught_up: object) -> None:
        """Nothing is left out."""

    def begin(self, hello: Line) -> None:
        """Nothing begins here."""

    def event(self, event: Line) -> None:
        """One more."""
        self._lines.append(event)

    def end(self, event: Line, code: int) -> None:
        """The last one."""
        self.event(event)

    def fatal(self, error: Line, code: int) -> None:
        """Nothing of the kind happens."""
        raise AssertionError


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    outlet, entrance = os.pipe()
    yield outlet, entrance
    os.close(outlet)
    os.close(entrance)


@asynccontextmanager
async def scene(tmp_path: Path, pipe: tuple[int, int], *prompts: Line) -> AsyncGenerator[Scene]:
    (tmp_path / "work").mkdir(exist_ok=True)
    (tmp_path / "config.toml").write_text(SCRIPTED)
    (tmp_path / "script.json").write_text(json.dumps({"prompts": prompts}))
    told = ConfigInputs(config_file=str(tmp_path / "config.toml"), state_dir=str(tmp_path / "state"))
    setup = read(told, str(tmp_path / "work"), lambda folder: False, {})
    task = asyncio.current_task()
    assert task
    async with open_world(setup, editor=NoEditor(), headless=True) as world:
        prepared = await prepare_run(world, RunRequest(prompt="go"), str(tmp_path / "work"))
        lines: list[Line] = []
        responder = Control(world, StdinLines(pipe[0]), lines.append)
        shutdown = Shutdown(task, lambda: None)
        conversation = HeadlessRun(world, prepared, FakeOutput(lines), responder, shutdown)
        yield Scene(prepared.session, conversation, lines, pipe[1])


async def test_requests_at_the_end_of_a_run_are_answered_before_the_last_line(
    tmp_path: Path, pipe: tuple[int, int]
) -> None:
    async with scene(tmp_path, pipe, {"turns": [{"text": "Done."}]}) as now:

        def ask(event: object, state: object) -> None:
            if isinstance(event, Entry) and isinstance(event.fact, RunEnded):
                now.write(request(1, "agent/steer", input="more") + request(2, "agent/cancel"))
                now.write(request(3, "agent/cancel", runId=event.fact.run_id))
                now.write(request(4, "agent/respond", requestId="ask_1", response={}))
                now.write(b'{"jsonrpc": "2.0", "id": 5, ')

        now.session.log.subscribe(ask)
        assert await now.conversation.run() == 0
        *answers, unknown = now.answers.values()
        assert [answer["result"] for answer in answers] == [
            {"outcome": "returned"},
            {"state": "notRunning", "kept": [], "dropped": []},
            {"state": "alreadyEnded", "kept": [], "dropped": [], "runId": now.lines[-1]["runId"]},
        ]
        assert "there was no question 'ask_1'" in unknown["error"]["message"]
        assert now.lines[-1]["type"] == "runEnded"
        assert not isinstance(now.session.log.journal.entries()[-1].fact, Steered)


def heard(session: Session, kind: type[Fact]) -> asyncio.Event:
    """Set when there is a fact of this kind."""
    event = asyncio.Event()

    def look(entry: object, state: object) -> None:
        if isinstance(entry, Entry) and isinstance(entry.fact, kind):
            event.set()

    session.log.subscribe(look)
    return event


def is_said(message: Message) -> bool:
    return isinstance(message, UserMessage) and message.origin == "user"


@pytest.mark.item(42)
@pytest.mark.parametrize("seed", range(3))
async def test_a_message_that_races_the_end_is_never_lost_and_never_taken_twice(
    tmp_path: Path, pipe: tuple[int, int], seed: int
) -> None:
    chance = random.Random(seed)
    asking: Line = {"match": "go", "turns": [{"calls": [WRITE]}]}
    answering: Line = {"match": "message", "turns": [{"text": "Done."}]}
    for _ in range(10):
        async with scene(tmp_path, pipe, asking, answering) as now:
            talking = asyncio.create_task(talk(now, chance, heard(now.session, Asked)))
            assert await now.conversation.run() == 0
            await talking
            os.set_blocking(pipe[0], False)
            with suppress(BlockingIOError):
                os.read(pipe[0], 65_536)  # what was written after the process would have ended
            os.set_blocking(pipe[0], True)
            entries = now.session.log.journal.entries()
            kept = [entry.fact.item_id for entry in entries if isinstance(entry.fact, Steered)]
            told = [answer["result"] for number, answer in now.answers.items() if number != "no"]
            assert told[0]["outcome"] == "injected"
            assert kept == [result["itemId"] for result in told if result["outcome"] == "injected"]
            seen = [message.item_id for message in now.session.state.transcript if is_said(message)]
            assert seen[1:] == kept, "each is in the conversation, once"
            assert now.lines[-1]["type"] == "runEnded"


async def talk(now: Scene, chance: random.Random, asked: asyncio.Event) -> None:
    """A message in time, the answer that lets the run end, and more messages while it does."""
    await asked.wait()
    now.write(request(0, "agent/steer", input="message 0"))
    (request_id,) = now.session.state.questions
    now.write(request("no", "agent/respond", requestId=request_id, response={"outcome": "dismissed"}))
    while "no" not in now.answers:
        await asyncio.sleep(0)
    for number in range(1, 8):
        for _ in range(chance.randint(0, 9)):
            await asyncio.sleep(0.0005 if chance.random() < 0.2 else 0)
        now.write(request(number, "agent/steer", input=f"message {number}", clientKey=str(number)))


async def test_program_on_standard_input_can_answer_until_the_input_ends(tmp_path: Path) -> None:
    outlet, entrance = os.pipe()
    async with scene(tmp_path, (outlet, entrance), {"turns": [{"hang": True}]}) as now:
        begun = heard(now.session, TurnStarted)
        running = asyncio.create_task(now.conversation.run())
        await begun.wait()
        assert now.session.questions.available
        os.close(entrance)
        while now.session.questions.available:
            await asyncio.sleep(0)
        assert not running.done()
        now.session.cancel()
        assert await running == 130
    os.close(outlet)


def test_every_method_here_is_one_of_the_protocol() -> None:
    assert set(METHODS) == {"agent/steer", "agent/cancel", "agent/respond", "agent/action/invoke"}


# --- lines -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(20))
def test_lines_are_the_same_wherever_they_were_cut(seed: int) -> None:
    chance = random.Random(seed)
    lines = [bytes(chance.choices(b"ab\r ", k=chance.randint(0, 12))) for _ in range(30)]
    data, cutter, got = b"\n".join(lines), Cutter(8), list[bytes | None]()
    while data:
        size = chance.randint(1, 20)
        got += cutter.cut(data[:size])
        data = data[size:]
    got += cutter.rest()
    expected = [line if len(line) <= 8 else None for line in lines]
    assert got == (expected if lines[-1] else expected[:-1])

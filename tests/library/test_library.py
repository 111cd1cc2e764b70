"""The library: every example of its page prints what the page says; the code of strangers harms nobody."""

import asyncio
import json
import re
import tempfile
import threading
import time
from base64 import b64decode
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from agls.doors.library import foreign_code, pending_runs, results
from agls.doors.library.tools import FunctionTool
from agls.engine.run_action import NO_PROMPT, invoke
from agls.engine.vocabulary import Limits, ToolResult, UserMessage
from agls.library import (
    Agent,
    Artifact,
    ConfigError,
    Conversation,
    JournalBusy,
    JournalError,
    Result,
    Shown,
    StopReason,
    TextDelta,
    Transient,
    tool,
)
from support.images import png
from support.model_replies import Request
from support.model_server import ModelServer, Reply

PAGE = (Path(__file__).parents[2] / "docs" / "library.md").read_text()
EXAMPLE = re.compile(r"## (.+?)\n.*?```python\n(.*?)```\n\n```text\n(.*?)```", re.DOTALL)
EXAMPLES = EXAMPLE.findall(PAGE)
LONGEST = 15  # lines of an example, empty ones not counted; imports are, but in those that go further
FURTHER = {"Add a room", "Tools around the conversation, and clean-up"}

GIF = b"GIF89a\x02\0\x01\0\0\0;"
CALL_ORDER = {"name": "order", "arguments": {"dish": "soup", "portions": 2}}
SCRIPT = {
    "chunk": 100,
    "prompts": [
        {"match": "Say hello", "turns": [{"text": "Hello there."}]},
        {"match": "Say it again", "turns": [{"text": "Hello again."}]},
        {"match": "Look around", "turns": [
            {"calls": [{"name": "shell", "arguments": {"command": "sleep 60"}}]}, {"text": "never"}]},
        {"match": "Order soup", "turns": [{"calls": [CALL_ORDER]}, {"text": "Done."}]},
        {"match": "Draw a cat", "turns": [
            {"calls": [{"name": "draw", "arguments": {"what": "cat"}}]}, {"text": "Done."}]},
        {"match": "Order wrongly", "turns": [
            {"calls": [{"name": "order", "arguments": {"dish": 3}}]}, {"text": "Oh."}]},
        {"match": "Break off", "turns": [
            {"text": "I look.", "calls": [{"name": "shout", "arguments": {}}]},
            {"error": {"kind": "auth", "message": "no key"}}]},
        {"match": "How is the weather", "turns": [
            {"calls": [{"name": "weather", "arguments": {"city": "Oslo"}}]}, {"text": "Done."}]},
        {"match": "How is the weather", "turns": [
            {"calls": [{"name": "weather", "arguments": {"city": "Oslo"}}]}, {"text": "Done."}]},
        {"match": "Look out", "turns": [
            {"calls": [{"name": "look", "arguments": {}}]}, {"text": "I see."}]},
        {"match": "Wait", "turns": [{"text": "I wait.", "hang": True}]},
        {"match": "Write", "turns": [
            {"calls": [{"name": "write_file", "arguments": {"path": "a.txt", "content": "a\n"}}]},
            {"text": "Written."}]},
    ],
}  # fmt: skip


@pytest.fixture(autouse=True)
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home, folder = tmp_path / "home", tmp_path / "work"
    home.mkdir()
    folder.mkdir()
    (home / "script.json").write_text(json.dumps(SCRIPT))
    config = home / "config.toml"
    config.write_text('model = "play"\n[models.play]\ndialect = "scripted"\nscript = "script.json"\n')
    monkeypatch.setenv("AGLS_CONFIG", str(config))
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("AGLS_STATE_DIR", raising=False)
    monkeypatch.chdir(folder)
    return folder


@pytest.mark.row(88)
@pytest.mark.parametrize(("name", "program", "printed"), EXAMPLES, ids=[name for name, _, _ in EXAMPLES])
def test_example_of_the_page_prints_its_output(
    name: str, program: str, printed: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Run, resume, subscribe, cancel, steer, tools and artifacts, from another program."""
    exec(compile(program, name, "exec"), {})
    assert capsys.readouterr().out == printed
    lines = [line for line in program.splitlines() if line]
    if name in FURTHER:
        lines = [line for line in lines if not line.startswith(("import ", "from "))]
    assert len(lines) < LONGEST


def test_the_page_has_an_example_of_everything() -> None:
    assert [name for name, _, _ in EXAMPLES] == re.findall(r"^## (.+)$", PAGE, re.MULTILINE)
    assert len(EXAMPLES) == 10


async def test_nothing_is_kept_and_no_key_is_taken(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-mine")
    async with Agent(workspace) as agent:
        await (await agent.session()).run("Say hello")
        assert not agent.world.setup.state_folder.exists()
    import os  # noqa: PLC0415 - only here

    assert os.environ["OPENAI_API_KEY"] == "sk-mine"
    assert list(workspace.iterdir()) == []


async def test_a_crashing_hook_and_a_crashing_tool_change_nothing(workspace: Path) -> None:
    @tool(reads_only=True)
    async def draw(what: str) -> str:
        """Draw."""
        raise RuntimeError("no ink")

    def broken(result: Result) -> list[Artifact]:
        raise RuntimeError("no paper")

    async def works(result: Result) -> list[Artifact]:
        return [Artifact("a", "b")]

    async with Agent(workspace, tools=[draw], after=[broken, works]) as agent:
        result = await (await agent.session()).run("Draw a cat")
    assert result.ok
    assert [artifact.name for artifact in result.artifacts] == ["a"]
    assert "draw failed: no ink" in str(result.messages)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (GIF, "[draw: image/gif, 2×1 pixels, 13 bytes]"),
        (b"<svg/>", "draw returned bytes that are no PNG, JPEG, GIF or WebP image."),
        (b"GIF89a\xff\xff\x01\0\0\0\0", "draw: image/gif, 65535×1 pixels, 13 bytes. It is too large"),
    ],
    ids=["image", "other", "large"],
)
async def test_image_that_a_tool_gives_is_in_its_result(workspace: Path, given: bytes, told: str) -> None:
    @tool(reads_only=True)
    def draw(what: str) -> bytes:
        """Draw."""
        return given

    async with Agent(workspace, tools=[draw]) as agent:
        result = await (await agent.session()).run("Draw a cat")
    (drawn,) = (message for message in result.messages if isinstance(message, ToolResult))
    assert drawn.text.startswith(told)
    assert [b64decode(image.data) for image in drawn.images] == ([given] if given == GIF else [])


async def test_model_gets_a_message_about_wrong_arguments(workspace: Path) -> None:
    @tool
    def order(dish: str) -> str:
        """Order."""
        raise AssertionError

    async with Agent(workspace, tools=[order], permissions={"mode": "allowAll"}) as agent:
        result = await (await agent.session()).run("Order wrongly")
    assert "order was not run, its arguments are wrong" in str(result.messages)


@pytest.mark.parametrize("decide", [None, lambda question: False, lambda question: 1 / 0])
async def test_without_a_yes_nothing_is_done(workspace: Path, decide: Any) -> None:
    async with Agent(workspace, answer=decide) as agent:
        result = await (await agent.session()).run("Write")
    assert (result.ok, result.changes) == (True, ())
    assert list(workspace.iterdir()) == []


async def test_result_lists_the_changed_files(workspace: Path) -> None:
    async def yes(question: Any) -> bool:
        return True

    async with Agent(workspace, answer=yes) as agent:
        result = await (await agent.session()).run("Write")
    assert [change.uri for change in result.changes] == [(workspace / "a.txt").as_uri()]


async def test_listener_gets_what_is_only_shown_as_transient_under_its_former_name_too(
    workspace: Path,
) -> None:
    heard: list[Any] = []
    async with Agent(workspace) as agent:
        session = await agent.session()
        session.subscribe(heard.append)
        await session.run("Say hello")
    shown = [event for event in heard if isinstance(event, Transient)]
    assert "".join(event.text for event in shown if isinstance(event, TextDelta)) == "Hello there."
    assert Shown is Transient


async def test_leaving_early_does_not_stop_the_run_and_leaving_the_agent_does(
    workspace: Path, tmp_path: Path
) -> None:
    async with Agent(workspace, state=tmp_path / "state") as agent:
        session = await agent.session()
        stream = session.stream("Wait")
        async for _ in stream:
            break
        await stream.aclose()
        assert session.state.queue or session.state.running
        with pytest.raises(JournalBusy):
            async with Agent(workspace, state=tmp_path / "state") as other:
                await other.session(session.id)
    async with Agent(workspace, state=tmp_path / "state") as agent:
        again = await agent.session(session.id)
        stop = again.state.stop
        assert stop
        assert stop.reason is StopReason.INTERRUPTED
        going_on = asyncio.ensure_future(again.resume())
        heard = asyncio.Event()
        leave = again.subscribe(lambda what: heard.set())
        await asyncio.wait_for(heard.wait(), 20)
        leave()
        again.cancel()
        result = await asyncio.wait_for(going_on, 20)
        assert result
        assert result.stop.reason is StopReason.CANCELLED


async def test_wrong_arguments_raise_before_anything_is_sent(workspace: Path, tmp_path: Path) -> None:
    async with Agent(workspace, state=tmp_path / "state") as agent:
        session = await agent.session()
        with pytest.raises(Exception, match="nowhere"):
            await session.run("Say hello", model="nowhere")
        with pytest.raises(ConfigError, match="maxTurns"):
            await session.run("Say hello", maxTurns="many")
        with pytest.raises(JournalError):
            await agent.session("ses_nowhere")
        assert session.state.queue == ()
    with pytest.raises(ConfigError):
        async with Agent(workspace, budget={"max_turns": -1}) as agent:
            await (await agent.session()).run("Say hello")


@pytest.mark.port("Extra tools")
async def test_crash_of_a_hook_or_tool_set_leaves_the_result_and_closes_everything(workspace: Path) -> None:
    """A hook or a tool set that crashes leaves end_turn; clean-up always runs."""
    done: list[str] = []

    @asynccontextmanager
    async def broken_at_once(session: Conversation) -> AsyncGenerator[list[FunctionTool]]:
        raise RuntimeError("no key")
        yield []

    @asynccontextmanager
    async def broken_at_last(session: Conversation) -> AsyncGenerator[list[FunctionTool]]:
        yield []
        done.append("closed")
        raise RuntimeError("no lock")

    @asynccontextmanager
    async def whole(session: Conversation) -> AsyncGenerator[list[FunctionTool]]:
        try:
            yield []
        finally:
            done.append(f"closed {session.id}")

    def broken(result: Result) -> list[Artifact]:
        raise RuntimeError("no paper")

    tools = [whole, broken_at_once, broken_at_last]
    async with Agent(workspace, tools=tools) as agent:
        session = await agent.session()
        result = await session.run("Say hello", after=[broken])
        assert (result.ok, result.text) == (True, "Hello there.")
        assert done == ["closed", f"closed {session.id}"]
        failed = await session.run("Break off")
        assert failed.stop.reason is StopReason.MODEL_ERROR
        assert len(done) == 4, "also after a run that failed"
        with pytest.raises(ConfigError):
            await session.run("Say hello", maxTurns="many")
        assert len(done) == 4, "nothing was opened for a run that never was"


async def test_tool_sets_of_cancelled_and_queued_runs_are_closed(workspace: Path, tmp_path: Path) -> None:
    done: list[str] = []

    @asynccontextmanager
    async def toolset(session: Conversation) -> AsyncGenerator[list[FunctionTool]]:
        yield []
        done.append("closed")

    async with Agent(workspace, state=tmp_path / "state", tools=[toolset]) as agent:
        session = await agent.session()
        begun = asyncio.Event()
        session.subscribe(lambda what: begun.set())
        waiting = [asyncio.ensure_future(session.run(prompt)) for prompt in ("Wait", "Say hello")]
        while len(session.state.queue) + session.state.running < 2:
            await asyncio.sleep(0)
    ended = await asyncio.gather(*waiting, return_exceptions=True)
    assert isinstance(ended[0], Result)
    assert ended[0].stop.reason is StopReason.INTERRUPTED
    assert isinstance(ended[1], JournalError)
    assert "waits in its session" in str(ended[1])
    assert done == ["closed", "closed"]
    async with Agent(workspace, state=tmp_path / "state") as agent:
        assert len((await agent.session(session.id)).state.queue) == 1, "the prompt that waited is kept"


async def test_tools_of_one_run_are_not_those_of_another_that_waits(workspace: Path) -> None:
    def weather_in(climate: str) -> FunctionTool:
        @tool(reads_only=True)
        def weather(city: str) -> str:
            """Tell the weather."""
            return climate

        return weather

    async with Agent(workspace) as agent:
        session = await agent.session()
        runs = [
            await session.start("How is the weather?", tools=[weather_in(climate)])
            for climate in ("rain", "sun")
        ]
        ended = [await session.wait(run_id) for run_id in runs]
    told = [m.text for m in ended[1].messages if hasattr(m, "call_id")]
    assert told == ["rain", "sun"]


async def test_run_of_another_process_cannot_be_waited_for(workspace: Path) -> None:
    async with Agent(workspace) as agent:
        with pytest.raises(JournalError, match="was not begun here"):
            await (await agent.session()).wait("run_x")


async def test_with_nothing_configured_a_run_works_is_bounded_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Executor, introduction: no critic, phases, delivery or audit file, and nothing stays on the disk."""

    def looks(request: Request) -> Reply:
        turn = len(server.posts)
        return Reply(calls=[("list_dir", {"path": f"no-{turn // 2}"}), ("list_dir", {"path": "."})])

    home, temporary, work = (tmp_path / "bare" / name for name in ("home", "tmp", "work"))
    for folder in (home, temporary, work):
        folder.mkdir(parents=True)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    for name in ("XDG_STATE_HOME", "XDG_CONFIG_HOME", "AGLS_STATE_DIR", "AGLS_CONFIG"):
        monkeypatch.delenv(name, raising=False)
    with ModelServer(looks) as server:
        async with Agent(work, base_url=server.url, model="m") as agent:
            session = await agent.session()
            result = await session.run("Look around for ever")
            live = await agent.world.sessions.open(session.id)
            rooms = {feature.name for feature in live.run_setup(NO_PROMPT).features}
            tools = {named.spec.name for named in live.run_setup(NO_PROMPT).tools}
            assert [*temporary.iterdir()] == [], "a program that is killed leaves nothing either"
        assert len(server.posts) == 12
    assert result.stop.reason is StopReason.MAX_TURNS
    assert session.state.limits == Limits(max_turns=12, max_seconds=60.0)
    assert not rooms & {"critic", "phases", "delivery", "output_schema", "lean", "scratchpad"}
    assert "delegate" not in tools
    assert [*home.rglob("*"), *temporary.iterdir(), *work.iterdir()] == []


class Never:
    """Somebody else's code that does not come to an end."""

    def __init__(self) -> None:
        self.began, self.going = asyncio.Event(), threading.Event()

    async def stubborn(self) -> None:
        """Not even when it is cancelled."""
        self.began.set()
        while not self.going.is_set():
            with suppress(asyncio.CancelledError):
                await asyncio.sleep(0.05)


@pytest.fixture
def never(monkeypatch: pytest.MonkeyPatch) -> Iterator[Never]:
    monkeypatch.setattr(results, "AFTER", 0.3)
    monkeypatch.setattr(pending_runs, "OPENING", 0.3)
    monkeypatch.setattr(pending_runs, "CLOSING", 0.3)
    monkeypatch.setattr(foreign_code, "GRACE", 0.1)
    made = Never()
    yield made
    made.going.set()


@pytest.mark.parametrize("kind", ["thread", "async", "opening", "closing"])
async def test_hook_that_never_returns_does_not_hold_back_the_result(
    workspace: Path, never: Never, kind: str
) -> None:
    """A hook, or the opening or closing of a tool set, has its time; then the run is over without it."""

    def blocks(result: Result) -> list[Artifact]:
        never.going.wait()
        return []

    async def sleeps(result: Result) -> list[Artifact]:
        await never.stubborn()
        return []

    def writes(result: Result) -> list[Artifact]:
        return [Artifact("a", "b")]

    @asynccontextmanager
    async def toolset(session: Conversation) -> AsyncGenerator[list[FunctionTool]]:
        if kind == "opening":
            await never.stubborn()
        yield []
        if kind == "closing":
            await never.stubborn()

    after = {"thread": [blocks], "async": [sleeps]}.get(kind, [])
    async with asyncio.timeout(20), Agent(workspace, tools=[toolset], after=[*after, writes]) as agent:
        result = await (await agent.session()).run("Say hello")
        assert (result.ok, result.text) == (True, "Hello there.")
        assert [artifact.name for artifact in result.artifacts] == ["a"]
    never.going.set()
    await asyncio.sleep(0.2)


async def test_a_tool_that_blocks_is_cancelled_at_once_and_its_outcome_is_unknown(
    workspace: Path, never: Never
) -> None:
    began = threading.Event()

    @tool(reads_only=True)
    def weather(city: str) -> str:
        """Wait."""
        began.set()
        never.going.wait()
        return "late"

    async with Agent(workspace, tools=[weather]) as agent:
        session = await agent.session()
        run_id = await session.start("How is the weather?")
        while not began.is_set():  # the loop goes on meanwhile
            await asyncio.sleep(0.01)
        asked = time.monotonic()
        session.cancel()
        result = await session.wait(run_id)
        assert time.monotonic() - asked < 2
    assert result.stop.reason is StopReason.CANCELLED
    assert "what it did is unknown" in str(result.messages)


async def test_a_tool_set_is_opened_and_closed_in_one_task(workspace: Path) -> None:
    @asynccontextmanager
    async def toolset(session: Conversation) -> AsyncGenerator[list[FunctionTool]]:
        opened = asyncio.current_task()
        async with asyncio.TaskGroup():
            yield []
        assert asyncio.current_task() is opened
        done.append("closed")

    done: list[str] = []
    async with Agent(workspace, tools=[toolset]) as agent:
        assert (await (await agent.session()).run("Say hello")).ok
        assert done == ["closed"]


async def test_function_that_exits_the_program_fails_like_any_other(workspace: Path) -> None:
    @tool(reads_only=True)
    def weather(city: str) -> str:
        """Leave."""
        raise SystemExit(3)

    def leaves(result: Result) -> list[Artifact]:
        raise SystemExit(4)

    async with Agent(workspace, tools=[weather], after=[leaves]) as agent:
        result = await (await agent.session()).run("How is the weather?")
    assert result.ok
    assert "weather failed: SystemExit: 3" in str(result.messages)


async def test_a_decision_that_is_never_made_hangs_neither_the_run_nor_the_agent(
    workspace: Path, never: Never
) -> None:
    def decide(question: Any) -> bool:
        began.set()
        return never.going.wait()

    began = threading.Event()
    async with asyncio.timeout(20), Agent(workspace, answer=decide) as agent:
        session = await agent.session()
        run_id = await session.start("Write")
        while not began.is_set():
            await asyncio.sleep(0.01)
        session.cancel()
        assert (await session.wait(run_id)).stop.reason is StopReason.CANCELLED
    never.going.set()


async def test_unknown_option_is_refused_as_on_the_wire(workspace: Path) -> None:
    async with Agent(workspace) as agent:
        with pytest.raises(ConfigError, match="no option 'maxTurn'; did you mean 'maxTurns'"):
            await agent.session(maxTurn=3)
        session = await agent.session()
        with pytest.raises(ConfigError, match="no option 'maxturns'; did you mean 'maxTurns'"):
            await session.run("Say hello", maxturns=3)
        with pytest.raises(ConfigError, match="mode"):
            await session.run("Say hello", mode="yolo")
        assert session.state.queue == ()


async def test_options_for_a_session_that_is_opened_again_hold_from_then_on(
    workspace: Path, tmp_path: Path
) -> None:
    async with Agent(workspace, state=tmp_path / "state") as agent:
        session_id = (await agent.session(title="before")).id
    async with Agent(workspace, state=tmp_path / "state") as agent:
        session = await agent.session(session_id, title="after", maxTurns=7)
        assert (await session.run("Say hello")).ok
        assert (session.state.title, session.state.limits.max_turns) == ("after", 7)


async def test_the_program_names_its_run_and_the_one_it_works_for(workspace: Path) -> None:
    async with Agent(workspace) as agent:
        session = await agent.session()
        result = await session.run("Say hello", run_id="job-7", parentRun="night.1", caller="cron")
        assert result.run_id == "job-7"
        live = await agent.world.sessions.open(session.id)
        outcome = await invoke(live, "audit", {})
        (record,) = (outcome.data or {})["records"]
        told = [record[name] for name in ("runId", "parentRunId", "caller", "tier")]
        assert told == ["job-7", "night.1", "cron", "default"]
        with pytest.raises(ConfigError, match="has a run with this id"):
            await session.run("Say hello", run_id="job-7")
        with pytest.raises(ConfigError, match="64 letters"):
            await session.run("Say hello", run_id="a/b")


async def test_a_result_has_the_steps_of_its_run_alone(workspace: Path) -> None:
    @tool(reads_only=True)
    def weather(city: str) -> str:
        """Tell the weather."""
        return "Rain"

    async with Agent(workspace, tools=[weather]) as agent:
        session = await agent.session()
        assert [step.text for step in (await session.run("Say hello")).steps] == ["Hello there."]
        looked, said = (await session.run("How is the weather?")).steps
    assert [(call.name, status) for call, status in looked.calls] == [("weather", "completed")]
    assert (said.text, said.calls) == ("Done.", ())


async def test_an_image_is_steered_into_the_conversation(workspace: Path) -> None:
    picture = workspace / "shot.png"
    picture.write_bytes(png())

    @asynccontextmanager
    async def camera(session: Conversation) -> AsyncGenerator[list[FunctionTool]]:
        @tool(reads_only=True)
        async def look() -> str:
            """Look."""
            return await session.steer("See this", attach=[picture])

        yield [look]

    async with Agent(workspace, tools=[camera]) as agent:
        result = await (await agent.session()).run("Look out")
    (steered,) = [m for m in result.messages if isinstance(m, UserMessage) and "See this" in str(m.content)]
    assert [type(part).__name__ for part in steered.content] == ["Text", "Image"]

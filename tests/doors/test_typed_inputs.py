"""What somebody types means the same in every door: one table, `typed_inputs.toml`."""

import asyncio
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from agls.doors.library import conversation
from agls.engine.facts import Admitted
from agls.engine.run_action import invoke
from agls.engine.session import Session
from agls.engine.vocabulary import JsonObject
from agls.library import ActionOutcome, Agent, CommandError, Result
from agls.views import values
from doors.headless.conftest import Agls
from support.wire import Wire, script, turns

TABLE = tomllib.loads(Path(__file__).with_name("typed_inputs.toml").read_text(encoding="utf-8"))
NO_PAGES = '\n[permissions]\ndeny = ["web_fetch"]\n'  # a page that a text points at is not fetched
Meaning = dict[str, Any]
Door = Callable[[str], Meaning]
"""What a door made of a text: `command` and `input`, `refused`, or `prompt` and `pieces`."""


def plant(workspace: Path, home: Path) -> None:
    """Write the files of the table."""
    for root, files in ((workspace, TABLE["files"]), (home, TABLE["home"])):
        for name, text in files.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)


def prompt_of(item: dict[str, Any], workspace: Path) -> Meaning:
    """A user's message as the table has it."""
    text, *pieces = item["content"]
    root = f"{workspace.as_uri()}/"
    return {"prompt": text["text"], "pieces": [piece["uri"].removeprefix(root) for piece in pieces]}


def user_message(events: list[dict[str, Any]]) -> dict[str, Any]:
    """The last message of the user."""
    items = [event["data"]["item"] for event in events if event["type"] == "itemCompleted"]
    return [item for item in items if item["kind"] == "userMessage"][-1]


class AgentRun:
    """`agent/run` with `expand`."""

    def __init__(self, folder: Path) -> None:
        config = script(folder, *[turns("Done.")] * len(TABLE["case"]))
        config.write_text(config.read_text() + NO_PAGES)
        self.wire = Wire(folder, config)
        plant(self.wire.workspace, folder)
        self.begin()

    def begin(self) -> None:
        self.wire.initialize()

    def __call__(self, text: str) -> Meaning:
        session = self.wire.session(clientKey=text)
        given = {"sessionId": session, "input": text, "expand": True, "wait": True}
        response = self.wire.ask("agent/run", given)
        if "error" in response:
            assert response["error"]["data"]["kind"] == "invalidParams"
            return {"refused": response["error"]["message"]}
        events = [event for event in self.wire.events if event["sessionId"] == session]
        if response["result"]["outcome"] == "action":
            assert response["result"]["runId"] == ""
            assert "runAdmitted" not in {event["type"] for event in events}
            action = response["result"]["action"]
            return {"command": action["name"], "input": action["input"]}
        return prompt_of(user_message(events), self.wire.workspace)


class PlainLsp(AgentRun):
    """`agls.run` with a bare string, from a client that knows only LSP."""

    def begin(self) -> None:
        self.wire.initialize({}, capabilities={})

    def __call__(self, text: str) -> Meaning:
        before = len(self.wire.of_method("window/showMessage"))
        response = self.wire.ask("workspace/executeCommand", {"command": "agls.run", "arguments": [text]})
        if "error" in response:
            return {"refused": response["error"]["message"]}
        self.wire.until(lambda _: len(self.wire.of_method("window/showMessage")) > before)
        shown = self.wire.of_method("window/showMessage")[before]["params"]["message"]
        if action := response["result"].get("action"):
            assert shown == action["output"][0]["text"], "its user sees what came of it"
            return {"command": action["name"], "input": action["input"]}
        page = self.wire.call("agent/events", {"sessionId": response["result"]["sessionId"]})
        return prompt_of(user_message(page["events"]), self.wire.workspace)


class Headless:
    """`agls run TEXT`."""

    def __init__(self, folder: Path) -> None:
        self.agls = Agls(folder)
        plant(self.agls.workspace, self.agls.home)
        self.agls.script(*[{"text": "Done."}] * 2)
        self.agls.configure(self.agls.config_file.read_text() + NO_PAGES)

    def __call__(self, text: str) -> Meaning:
        done = self.agls.run("run", "--output", "jsonl", "--", text)
        last = done.events[-1]
        match last["type"]:
            case "fatal":
                assert (done.code, last["error"]["kind"]) == (2, "usage")
                return {"refused": last["error"]["message"]}
            case "action":
                assert done.code == 0
                return {"command": last["name"], "input": last["input"]}
            case _:
                assert done.code == 0
                return prompt_of(user_message(done.events), self.agls.workspace)


class InPython:
    """`say` of the library."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.workspace = folder / "workspace"
        self.workspace.mkdir()
        plant(self.workspace, folder)
        config = script(folder, turns("Done.", "Done."))
        config.write_text(config.read_text() + NO_PAGES)
        monkeypatch.setattr(conversation, "invoke", self._noted)
        self._done: list[Meaning] = []
        monkeypatch.setenv("AGLS_CONFIG", str(config))
        monkeypatch.setenv("HOME", str(folder))
        monkeypatch.delenv("AGLS_STATE_DIR", raising=False)

    def __call__(self, text: str) -> Meaning:
        return asyncio.run(self._say(text))

    async def _noted(self, session: Session, name: str, given: JsonObject) -> ActionOutcome:
        self._done.append({"command": name, "input": given})
        return await invoke(session, name, given)

    async def _say(self, text: str) -> Meaning:
        admissions: list[Admitted] = []
        async with Agent(self.workspace) as agent:
            session = await agent.session()
            session.subscribe(lambda fact: isinstance(fact, Admitted) and admissions.append(fact))
            try:
                answer = await session.say(text)
            except CommandError as problem:
                return {"refused": str(problem)}
            if not isinstance(answer, Result):
                return self._done[0]
            assert answer.ok
            (admitted,) = admissions
            return prompt_of({"content": values.content_blocks(admitted.content)}, self.workspace)


@pytest.fixture
def in_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Door:
    """An agent for each text."""
    return InPython(tmp_path, monkeypatch)


@pytest.fixture(scope="module")
def agent_run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Door]:
    """One server for all texts."""
    door = AgentRun(tmp_path_factory.mktemp("agent"))
    with door.wire:
        yield door


@pytest.fixture(scope="module")
def plain_lsp(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Door]:
    """The same."""
    door = PlainLsp(tmp_path_factory.mktemp("plain"))
    with door.wire:
        yield door


@pytest.fixture(scope="module")
def headless(tmp_path_factory: pytest.TempPathFactory) -> Door:
    """A process for each text."""
    return Headless(tmp_path_factory.mktemp("headless"))


@pytest.mark.parametrize("door", ["agent_run", "plain_lsp", "headless", "in_python"])
@pytest.mark.parametrize("case", TABLE["case"], ids=lambda case: case["text"])
def test_typed_text_means_the_same_in_every_door(
    case: dict[str, Any], door: str, request: pytest.FixtureRequest
) -> None:
    found = request.getfixturevalue(door)(case["text"])
    if "refused" in case:
        assert case["refused"] in found["refused"]
    elif "command" in case:
        assert found == {"command": case["command"], "input": case["input"]}
    else:
        assert found == {"prompt": case.get("prompt", case["text"]), "pieces": case.get("pieces", [])}

"""A client that does not say whether a folder is trusted: its user is asked once, and that is remembered."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from doors.lsp.plain_client import CLIENTS, block
from support.model_server import ModelServer, Reply, Request
from support.patience import wait_until
from support.wire import AGENT, Message, Wire

pytestmark = [pytest.mark.promise("P1"), pytest.mark.process, pytest.mark.timeout(120)]
SERVER = Path(__file__).parents[2] / "support" / "mcp_program.py"
ASKS = "window/showMessageRequest"
CAN_ASK: Message = {"window": {"showMessage": {"messageActionItem": {}}}}
Begin = Callable[..., Wire]
Call = tuple[str, Message]
ECHO: Call = ("mcp__mine__echo", {"number": 1})


@pytest.fixture
def begin(tmp_path: Path) -> Iterator[Begin]:
    """Begin a client in a folder with instructions; its user gives this answer."""
    with ExitStack() as stack:
        server = stack.enter_context(ModelServer(lambda request: Reply("Hello.")))
        config = tmp_path / "config.toml"
        config.write_text(f'[models.m]\nbase_url = "{server.url}"\n')

        def start(answer: str | None, agent: Message | None = None, **hello: Any) -> Wire:
            wire = stack.enter_context(Wire(tmp_path, config))
            (wire.workspace / "AGENTS.md").write_text("Speak of penguins.\n")
            title = {"title": answer} if answer else None
            wire.answers[ASKS] = lambda params: title
            wire.initialize(AGENT if agent is None else agent, **{"capabilities": CAN_ASK, **hello})
            return wire

        yield start


def sees_instructions(wire: Wire, session: str) -> bool:
    """Whether the next request has the folder's instructions."""
    request = wire.call("agent/action/invoke", {"sessionId": session, "name": "prompt"})
    return "penguins" in str(request)


def test_user_is_asked_once_and_a_yes_holds_from_the_next_run_on(begin: Begin) -> None:
    wire = begin("Trust this folder")
    asked = wire.until(lambda m: m.get("method") == ASKS)["params"]
    assert asked["message"].startswith("AGENTS.md would instruct the agent how to work in ")
    assert [action["title"] for action in asked["actions"]] == ["Trust this folder", "Work without them"]
    wire.until(lambda m: m.get("method") == "window/showMessage" and "is trusted" in m["params"]["message"])
    assert sees_instructions(wire, wire.session())
    wire.leave()
    again = begin(None)
    session = again.session()
    assert sees_instructions(again, session)
    assert again.of_method(ASKS) == []
    again.call("agent/action/invoke", {"sessionId": session, "name": "trust", "input": {"do": "revoke"}})
    assert not sees_instructions(again, again.session(clientKey="other"))


def test_no_is_remembered_and_a_dismissed_question_is_asked_again(begin: Begin) -> None:
    for answer, times in ((None, 1), ("Work without them", 1), (None, 0)):
        wire = begin(answer)
        if times:
            wire.until(lambda m: m.get("method") == ASKS)
        assert not sees_instructions(wire, wire.session())
        wire.leave()
        assert len(wire.of_method(ASKS)) == times


@pytest.mark.parametrize("hello", [{"initializationOptions": {"trusted": False}}, {"capabilities": {}}])
def test_client_that_decides_itself_or_cannot_ask_gets_no_question(begin: Begin, hello: Message) -> None:
    wire = begin("Trust this folder", **hello)
    assert not sees_instructions(wire, wire.session())
    wire.leave()
    assert wire.of_method(ASKS) == []


@pytest.mark.parametrize("name", CLIENTS)
def test_editor_without_our_code_asks_its_user_where_it_can(begin: Begin, name: str) -> None:
    capabilities = block(name)["capabilities"]
    wire = begin("Work without them", {}, capabilities=capabilities)
    if "showMessage" in capabilities.get("window", {}):
        wire.until(lambda m: m.get("method") == ASKS)
    wire.leave()


@dataclass
class Trusted:
    """A trusted folder with what it offers, whose user says yes, and takes things back while a run is on."""

    folder: Path
    wire: Wire
    model: ModelServer
    told: list[str] = field(default_factory=list[str])

    def take_back(self, *words: str) -> None:
        """Do it in another process."""
        done = subprocess.run(
            [sys.executable, "-m", "agls", "trust", *words],
            cwd=self.folder / "workspace",
            env={**os.environ, **home_of(self.folder)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr

    def is_alive(self) -> bool:
        """Whether the server of the folder runs."""
        return Path(f"/proc/{(self.folder / 'pid').read_text().strip()}").exists()

    def offered(self) -> list[str]:
        """The tools of the last request."""
        return [tool["function"]["name"] for tool in self.model.posts[-1].body["tools"]]


def home_of(folder: Path) -> dict[str, str]:
    return {
        "HOME": str(folder),
        "AGLS_STATE_DIR": str(folder / "state"),
        "AGLS_CONFIG": str(folder / "config.toml"),
    }


@contextmanager
def trusted(
    folder: Path, steps: Sequence[Call | Callable[[Trusted], Call | None]], consent: str = "once"
) -> Generator[Trusted]:
    """The model makes these calls, one a turn, and then is content; a function says which, if any."""
    workspace = folder / "workspace"
    workspace.mkdir(exist_ok=True)
    (workspace / "run.sh").write_text(f"echo $$ > {folder}/pid; exec {sys.executable} {SERVER} {folder}\n")
    servers = {"mcpServers": {"mine": {"command": "sh", "args": ["run.sh"]}}}
    (workspace / ".mcp.json").write_text(json.dumps(servers))
    hook = {"matcher": "", "hooks": [{"type": "command", "command": "echo x >> ran"}]}
    (workspace / ".claude").mkdir()
    (workspace / ".claude/settings.json").write_text(json.dumps({"hooks": {"PreToolUse": [hook]}}))
    left = list(steps)

    def answer(request: Request) -> Reply:
        here.told.append(str(request.body["messages"][-1]))
        step = left.pop(0) if left else None
        call = step(here) if callable(step) else step
        return Reply(calls=[call]) if call else Reply("Done.")

    def decide(asked: Message) -> Message:
        of_offer = str(asked["title"]).startswith("Use the ")
        return {"outcome": "selected", "optionId": consent if of_offer else asked["options"][0]["optionId"]}

    with ModelServer(answer) as model:
        config = folder / "config.toml"
        config.write_text(f'[models.m]\nbase_url = "{model.url}"\n')
        with Wire(folder, config) as wire:
            here = Trusted(folder, wire, model)
            wire.answers[ASKS] = lambda params: {"title": "Trust this folder"}
            wire.answers["agent/requestPermission"] = decide
            wire.initialize(AGENT, capabilities=CAN_ASK)
            wire.until(lambda m: "is trusted" in str(m.get("params", {}).get("message")))
            yield here


def test_revoking_ends_a_server_of_the_folder_also_for_the_run_that_is_on(tmp_path: Path) -> None:
    """Its user does not wait for the end of the process, nor of the run: nothing starts it again."""

    def revoked(here: Trusted) -> Call:
        assert here.is_alive(), "it was called and stays"
        revoke = {"sessionId": session, "name": "trust", "input": {"do": "revoke"}}
        said = str(here.wire.call("agent/action/invoke", revoke))
        assert "MCP servers that came from it were stopped" in said
        return ECHO

    with trusted(tmp_path, [ECHO, revoked]) as here:
        session = here.wire.session()
        assert here.wire.run(session)["stopReason"] == "endTurn"
        assert "not trusted any more" in here.told[2], "what the model is told of the second call"
        wait_until(lambda: not here.is_alive())
        assert ECHO[0] in here.offered()
        assert here.wire.run(session)["stopReason"] == "endTurn"
        assert ECHO[0] not in here.offered()


TAKEN_BACK = [("once", ["--revoke"]), ("always", ["--revoke"]), ("always", ["--withdraw", "server mine"])]


@pytest.mark.parametrize(("consent", "words"), TAKEN_BACK)
def test_what_another_process_takes_back_is_refused_at_the_next_call(
    tmp_path: Path, consent: str, words: list[str]
) -> None:
    def taken_back(here: Trusted) -> Call:
        here.take_back(*words)
        return ECHO

    with trusted(tmp_path, [ECHO, taken_back, ECHO], consent) as here:
        assert here.wire.run(here.wire.session())["stopReason"] == "endTurn"
        assert "withdrew their consent to it" in here.told[2]
        assert "withdrew their consent to it" in here.told[3]
        assert len((tmp_path / "starts").read_text().splitlines()) == 1
        wait_until(lambda: not here.is_alive())


@pytest.mark.parametrize("words", [["--revoke"], ["--withdraw", "server mine"]])
def test_server_that_waits_ends_when_another_process_takes_that_back(
    tmp_path: Path, words: list[str]
) -> None:
    with trusted(tmp_path, [ECHO], "always") as here:
        assert here.wire.run(here.wire.session())["stopReason"] == "endTurn"
        assert here.is_alive()
        here.take_back(*words)
        wait_until(lambda: not here.is_alive())


@pytest.mark.parametrize(
    "words", [["--revoke"], ["--withdraw", "hook PreToolUse 1 of .claude/settings.json"]]
)
def test_hook_of_a_folder_does_not_run_after_that_was_taken_back(tmp_path: Path, words: list[str]) -> None:
    read: Call = ("read_file", {"path": "run.sh"})

    def taken_back(here: Trusted) -> Call:
        here.take_back(*words)
        return read

    with trusted(tmp_path, [read, taken_back, read], "always") as here:
        assert here.wire.run(here.wire.session())["stopReason"] == "endTurn"
        assert (tmp_path / "workspace/ran").read_text() == "x\n"
        titles = [event["data"]["title"] for event in here.wire.events if event["type"] == "notice"]
        assert titles.count("A hook of this folder no longer runs") == 1


@pytest.mark.parametrize("consent", ["once", "always"])
def test_server_whose_files_changed_is_not_started_again_before_the_user_saw_it(
    tmp_path: Path, consent: str
) -> None:
    def changed(here: Trusted) -> Call:
        program = tmp_path / "workspace/run.sh"
        program.write_text(f"touch {tmp_path}/pwned; {program.read_text()}")
        return ("mcp__mine__die", {})

    with trusted(tmp_path, [ECHO, changed, ECHO], consent) as here:
        assert here.wire.run(here.wire.session())["stopReason"] == "endTurn"
        assert "is not what the user consented to any more" in here.told[3]
        assert not (tmp_path / "pwned").exists()

"""First light, as a user sees it: real process, real HTTP, real files, an editor with unsaved text.

These are the acceptance tests of the whole way from a prompt to a finished change; the details of each
door are tested beside it.
"""

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types as lsp
from pytest_lsp import LanguageClient, client_capabilities, make_test_lsp_client

from agls.views.transcript import fold
from support.model_server import ModelServer, Reply
from support.patience import PATIENCE
from support.wire_rules import check_events

pytestmark = pytest.mark.promise("P6")

Json = dict[str, Any]
AGLS = [sys.executable, "-m", "agls"]
STUBBORN = "trap '' TERM; echo $$ > pid; while true; do sleep 0.1; done"
SECONDS = re.compile(r", [\d.]+ s\]")
IDS = re.compile(r"\b(?:run|item|turn|call|ses|ask)_[0-9a-z_]+(?:\.thought)?\b")


def environment(home: Path, url: str) -> dict[str, str]:
    """A user who has nothing but a model server."""
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "AGLS_BASE_URL": url,
        "AGLS_MODEL": "test-model",
        "AGLS_API_KEY": "sk-canary-0123456789",
        "AGLS_SANDBOX": "off",  # in it a command has a number of its own
        "COVERAGE_PROCESS_START": os.environ.get("COVERAGE_PROCESS_START", ""),
    }


@dataclass
class Editor:
    """An editor that speaks the agent protocol: a pytest-lsp client and what it was told."""

    client: LanguageClient
    events: list[Json] = field(default_factory=list[Json])
    buffers: dict[str, str] = field(default_factory=dict[str, str])
    versions: dict[str, int] = field(default_factory=dict[str, int])
    edits: list[lsp.ApplyWorkspaceEditParams] = field(default_factory=list[lsp.ApplyWorkspaceEditParams])
    questions: list[Json] = field(default_factory=list[Json])
    answer: Callable[[Json], Any] = lambda question: {
        "outcome": "selected",
        "optionId": first_allowed(question),
    }
    changed: asyncio.Event = field(default_factory=asyncio.Event)

    async def request(self, method: str, **params: Any) -> Any:
        """Ask the server; the answer as plain JSON."""
        return plain(await self.client.protocol.send_request_async(method, params))

    def open(self, path: Path, text: str) -> None:
        """Open a document with this text, saved or not."""
        uri = path.as_uri()
        self.buffers[uri], self.versions[uri] = text, 1
        document = lsp.TextDocumentItem(uri, "python", 1, text)
        self.client.text_document_did_open(lsp.DidOpenTextDocumentParams(document))

    def change(self, path: Path, text: str) -> None:
        """Change the whole buffer without saving it."""
        uri = path.as_uri()
        self.buffers[uri], self.versions[uri] = text, self.versions[uri] + 1
        self.client.text_document_did_change(
            lsp.DidChangeTextDocumentParams(
                lsp.VersionedTextDocumentIdentifier(self.versions[uri], uri),
                [lsp.TextDocumentContentChangeWholeDocument(text)],
            )
        )

    def apply(self, params: lsp.ApplyWorkspaceEditParams) -> lsp.ApplyWorkspaceEditResult:
        """What an editor does with an edit: check the version, apply it, tell of the change."""
        self.edits.append(params)
        for change in params.edit.document_changes or ():
            assert isinstance(change, lsp.TextDocumentEdit)
            uri = change.text_document.uri
            if change.text_document.version != self.versions[uri]:
                return lsp.ApplyWorkspaceEditResult(applied=False, failure_reason="stale")
            text = self.buffers[uri]
            for edit in sorted(change.edits, key=lambda e: e.range.start, reverse=True):
                start, end = offset(text, edit.range.start), offset(text, edit.range.end)
                text = text[:start] + edit.new_text + text[end:]
            self.change(Path(uri.removeprefix("file://")), text)
        return lsp.ApplyWorkspaceEditResult(applied=True)

    async def until(self, seen: Callable[[Json], bool]) -> Json:
        """Wait for an event, from the first one on."""
        index = 0
        while True:
            for event in self.events[index:]:
                if seen(event):
                    return event
            index = len(self.events)
            self.changed.clear()
            if index == len(self.events):
                await asyncio.wait_for(self.changed.wait(), PATIENCE)

    async def ended(self, run_id: str) -> Json:
        """Wait for the end of a run."""
        return await self.until(lambda e: e["type"] == "runEnded" and e["runId"] == run_id)


def plain(value: Any) -> Any:
    """pygls turns unknown results into named tuples; JSON again."""
    if hasattr(value, "_asdict"):
        return {name: plain(item) for name, item in value._asdict().items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value


def offset(text: str, position: lsp.Position) -> int:
    """Where a position is, in a text of the basic plane."""
    lines = text.splitlines(keepends=True)
    return sum(map(len, lines[: position.line])) + position.character


def first_allowed(question: Json) -> str:
    """The option that allows once."""
    return next(
        option["optionId"]
        for option in question["options"]
        if option["decision"] == "allow" and option["scope"] == "once"
    )


@asynccontextmanager
async def editing(workspace: Path, env: dict[str, str]) -> AsyncIterator[Editor]:
    """A real `agls serve --stdio` and an editor in front of it."""
    client = make_test_lsp_client()
    editor = Editor(client)

    @client.feature("agent/event")
    def told(params: Any) -> None:
        editor.events += plain(params)["events"]
        editor.changed.set()

    @client.feature("agent/requestPermission")
    async def asked(params: Any) -> Any:
        question = plain(params)
        editor.questions.append(question)
        result = editor.answer(question)
        return await result if asyncio.iscoroutine(result) else result

    @client.feature(lsp.WORKSPACE_APPLY_EDIT)
    def apply(params: lsp.ApplyWorkspaceEditParams) -> lsp.ApplyWorkspaceEditResult:
        return editor.apply(params)

    await client.start_io(*AGLS, "serve", "--stdio", env=env)
    capabilities = client_capabilities("neovim")
    capabilities.experimental = {"agent": {"protocolVersions": [1], "events": {}, "permission": {}}}
    try:
        await client.initialize_session(
            lsp.InitializeParams(
                capabilities,
                process_id=os.getpid(),
                root_uri=workspace.as_uri(),
                workspace_folders=[lsp.WorkspaceFolder(workspace.as_uri(), workspace.name)],
            )
        )
        yield editor
        await client.shutdown_session()
    finally:
        await client.stop()
    check_events(editor.events)


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "adder.py").write_text("def add(a, b):\n    return a - b\n")
    (folder / "other.py").write_text("NAME = 'old'\n")
    return folder


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    return folder


def text_content(text: str) -> list[Json]:
    return [{"type": "text", "text": text}]


async def new_session(editor: Editor, workspace: Path, **options: Any) -> str:
    """A session in the workspace."""
    result = await editor.request(
        "agent/session/new", cwd=workspace.as_uri(), options=options, clientKey=os.urandom(4).hex(),
        chosenBy="user",
    )  # fmt: skip
    return result["sessionId"]


async def start(editor: Editor, session: str, text: str, **more: Any) -> str:
    """Begin a run; its id."""
    params = {"sessionId": session, "input": text_content(text), "clientKey": os.urandom(4).hex(), **more}
    result = await editor.request("agent/run", **params)
    assert result["outcome"] == "started"
    return result["runId"]


async def test_twelve_steps_from_an_unsaved_buffer_to_a_versioned_edit(workspace: Path, home: Path) -> None:
    adder = workspace / "adder.py"
    unsaved = "def add(a, b):\n    return a - b  # unsaved 🙂\n"
    fixed = "def add(a, b):\n    return a + b  # unsaved 🙂\n"
    edit = {"path": "adder.py", "old_text": "return a - b", "new_text": "return a + b"}
    replies = [
        Reply(calls=[("read_file", {"path": "adder.py"})], text="I read the file."),
        Reply(calls=[("list_dir", {"path": "."}), ("glob", {"pattern": "**/*.py"})]),
        Reply(calls=[("grep", {"pattern": "NAME"})]),
        Reply(calls=[("edit_file", edit)], thinking="The sign is wrong."),
        Reply(calls=[("read_file", {"path": "adder.py"})]),
        Reply(calls=[("shell", {"command": "cat adder.py other.py; rm -f none.txt"})]),
        Reply(calls=[("read_file", {"path": "other.py"})]),
        Reply(calls=[("edit_file", {"path": "other.py", "old_text": "old", "new_text": "new"})]),
        Reply(calls=[("write_file", {"path": "made/by_agent.txt", "content": "hello\n"})]),
        Reply(calls=[("read_file", {"path": "made/by_agent.txt"})]),
        Reply(calls=[("grep", {"pattern": "unsaved"})]),
        Reply("Fixed: the sum was a difference."),
    ]
    with ModelServer(replies) as server:
        async with editing(workspace, environment(home, server.url)) as editor:
            editor.open(adder, adder.read_text())
            editor.change(adder, unsaved)
            session = await new_session(editor, workspace, mode="ask")
            run = await start(editor, session, "Fix the adder.")
            ended = await editor.ended(run)
            assert ended["data"]["stopReason"] == "endTurn"
            assert len(server.posts) == 12

            tool_results = [m["content"] for m in server.posts[-1].body["messages"] if m["role"] == "tool"]
            assert "# unsaved 🙂" in tool_results[0], "the agent read the unsaved text"
            (first,) = editor.edits
            (change,) = first.edit.document_changes or ()
            assert isinstance(change, lsp.TextDocumentEdit)
            assert change.text_document.version == 2, "its edit was made for this version"
            assert editor.buffers[adder.as_uri()] == fixed
            assert adder.read_text() == "def add(a, b):\n    return a - b\n", "the disk was left alone"
            assert (workspace / "other.py").read_text() == "NAME = 'new'\n", "not open: on disk"
            assert (workspace / "made/by_agent.txt").read_text() == "hello\n"

            kinds = [question["subject"]["type"] for question in editor.questions]
            assert kinds == ["edit", "command", "edit", "edit"], "every effect was asked for"
            assert editor.questions[1]["subject"]["command"] == "cat adder.py other.py; rm -f none.txt"
            items = fold(editor.events).items.values()
            vias = [change["via"] for item in items for change in item.get("changes", ())]
            assert vias == ["editor", "disk", "disk"]
            assert sorted(Path(c["uri"]).name for c in ended["data"]["filesChanged"]) == [
                "adder.py", "by_agent.txt", "other.py",
            ]  # fmt: skip


SECOND = [
    Reply(calls=[("read_file", {"path": "other.py"}), ("grep", {"pattern": "NAME"})], text="Looking."),
    Reply(calls=[("edit_file", {"path": "other.py", "old_text": "old", "new_text": "new"})]),
    Reply(calls=[("shell", {"command": "cat other.py; exit 3"})], thinking="Did it work?"),
    Reply("It did."),
]


def told_to_the_user(events: list[Json], folder: Path) -> Any:
    """The transcript without what differs by nature: ids, times, `via`, and the folder's own name."""
    items = [dict(item) for item in fold(events).items.values()]
    for item in items:
        for change in item.get("changes", ()):
            change.pop("via")
    text = IDS.sub("ID", json.dumps(items).replace(str(folder), "FOLDER"))
    text = SECONDS.sub(", some seconds]", text)
    return [item for item in json.loads(text) if item.get("title") != "environment"]


async def test_two_doors_give_the_same_transcript(workspace: Path, home: Path, tmp_path: Path) -> None:
    twin = tmp_path / "twin"
    twin.mkdir()
    (twin / "other.py").write_text("NAME = 'old'\n")
    (workspace / "adder.py").unlink()
    with ModelServer(SECOND) as server:
        async with editing(workspace, environment(home, server.url)) as editor:
            session = await new_session(editor, workspace, mode="allowAll", maxTurns=20)
            result = await editor.request(
                "agent/run", sessionId=session, input=text_content("Rename it."), wait=True, clientKey="k"
            )
            assert result["stopReason"] == "endTurn"
            ended = await editor.ended(result["runId"])
            await editor.until(
                lambda e: (
                    e["type"] == "sessionState"
                    and e["data"]["state"] == "idle"
                    and e["after"] >= ended["seq"]
                )
            )
            through_the_editor = list(editor.events)
    with ModelServer(SECOND) as server:
        command = [
            *AGLS,
            "run",
            "Rename it.",
            "--output",
            "jsonl",
            "--mode",
            "allowAll",
            "--max-turns",
            "20",
        ]
        done = await asyncio.to_thread(
            subprocess.run, [*command, "--cwd", str(twin)], env=environment(home, server.url),
            capture_output=True, stdin=subprocess.DEVNULL, timeout=PATIENCE, check=False,
        )  # fmt: skip
    assert done.returncode == 0, done.stderr.decode()
    first, *lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert first["type"] == "hello"
    assert lines[-1]["type"] == "runEnded"
    check_events(lines, headless=True)
    assert told_to_the_user(lines, twin) == told_to_the_user(through_the_editor, workspace)


async def cancelled(editor: Editor, session: str, run: str) -> None:
    """Cancel and see the run end, as cancelled, and the next prompt work."""
    receipt = await editor.request("agent/cancel", sessionId=session)
    assert receipt["state"] == "cancelling"
    assert (await editor.ended(run))["data"]["stopReason"] == "cancelled"
    following = await start(editor, session, "And now?")
    assert (await editor.ended(following))["data"]["stopReason"] == "endTurn"


@pytest.mark.row(3, 11)
async def test_cancel_during_text(workspace: Path, home: Path) -> None:
    """Words are seen in the editor, and cut off, while the model still speaks."""
    with ModelServer([Reply("word " * 500, delay=0.2), Reply("fine")]) as server:
        async with editing(workspace, environment(home, server.url)) as editor:
            session = await new_session(editor, workspace)
            run = await start(editor, session, "Talk.")
            await editor.until(lambda e: e["type"] == "itemDelta")
            await cancelled(editor, session, run)
            assert await server.closed(0), "the model's connection was closed"
            told = json.dumps(server.posts[1].body["messages"])
            assert "stopped" in told, "the model is told that it was cut"


async def test_cancel_before_the_first_token(workspace: Path, home: Path) -> None:
    with ModelServer([Reply("never", cut_after=0, then="hang"), Reply("fine")]) as server:
        async with editing(workspace, environment(home, server.url)) as editor:
            session = await new_session(editor, workspace)
            run = await start(editor, session, "Talk.")
            while not server.posts:
                await asyncio.sleep(0.01)
            await cancelled(editor, session, run)
            assert await server.closed(0)


async def test_cancel_a_command_that_ignores_sigterm(workspace: Path, home: Path) -> None:
    with ModelServer([Reply(calls=[("shell", {"command": STUBBORN})]), Reply("fine")]) as server:
        async with editing(workspace, environment(home, server.url)) as editor:
            session = await new_session(editor, workspace, mode="allowAll")
            run = await start(editor, session, "Run it.")
            pid_file = workspace / "pid"
            while not (pid_file.exists() and pid_file.read_text().strip()):
                await asyncio.sleep(0.02)
            await cancelled(editor, session, run)
            assert not Path(f"/proc/{pid_file.read_text().strip()}").exists(), "no process is left"


async def test_cancel_during_an_open_question(workspace: Path, home: Path) -> None:
    never = asyncio.Event()

    async def silence(question: Json) -> Any:
        await never.wait()

    with ModelServer([Reply(calls=[("shell", {"command": "touch made.txt"})]), Reply("fine")]) as server:
        async with editing(workspace, environment(home, server.url)) as editor:
            editor.answer = silence
            session = await new_session(editor, workspace)
            run = await start(editor, session, "Run it.")
            await editor.until(lambda e: e["type"] == "requestOpened")
            await cancelled(editor, session, run)
            resolved = await editor.until(lambda e: e["type"] == "requestResolved")
            assert resolved["data"]["outcome"] == "cancelled"
            never.set()


@pytest.mark.item(36)
async def test_a_killed_server_loses_nothing_and_repeats_nothing(workspace: Path, home: Path) -> None:
    command = "echo once >> runs; touch started; sleep 30"
    replies = [Reply(calls=[("shell", {"command": command})]), Reply("I will check first.")]
    with ModelServer(replies) as server:
        env = environment(home, server.url)
        killed = await kill_in_the_middle_of_a_call(workspace, env)
        async with editing(workspace, env) as editor:
            rows = (await editor.request("agent/session/list", cwd=workspace.as_uri()))["sessions"]
            assert [row["sessionId"] for row in rows] == [killed]
            resumed = await editor.request("agent/resume", sessionId=killed, replay="tail")
            call = next(i for i in resumed["snapshot"]["items"] if i["kind"] == "toolCall")
            assert (call["status"], call["effects"]) == ("cancelled", "unknown")
            run = await start(editor, killed, "", input=[], continueRun=True)
            assert (await editor.ended(run))["data"]["stopReason"] == "endTurn"
        (result,) = [m["content"] for m in server.posts[1].body["messages"] if m["role"] == "tool"]
        assert "outcome of this call is unknown" in result
    assert (workspace / "runs").read_text() == "once\n", "it was not run again"


async def kill_in_the_middle_of_a_call(workspace: Path, env: dict[str, str]) -> str:
    """Start a run, `kill -9` the server while its command runs; the session's id."""
    server = await asyncio.create_subprocess_exec(
        *AGLS, "serve", "--stdio", env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert server.stdin
    assert server.stdout

    async def request(number: int, method: str, **params: Any) -> Any:
        body = json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode()
        server.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        while True:
            header = await server.stdout.readuntil(b"\r\n\r\n")
            length = int(re.search(rb"Content-Length: (\d+)", header)[1])
            message = json.loads(await server.stdout.readexactly(length))
            if message.get("id") == number and "method" not in message:
                return message["result"]

    block = {"protocolVersions": [1], "events": {}}
    await request(
        1, "initialize", capabilities={"experimental": {"agent": block}}, rootUri=workspace.as_uri()
    )
    options = {"mode": "allowAll"}
    made = await request(
        2, "agent/session/new", cwd=workspace.as_uri(), options=options, clientKey="a", chosenBy="user"
    )
    session = made["sessionId"]
    await request(3, "agent/run", sessionId=session, input=text_content("Run it."), clientKey="b")
    while not (workspace / "started").exists():
        await asyncio.sleep(0.02)
    server.send_signal(signal.SIGKILL)
    await server.wait()
    server._transport.close()
    return session

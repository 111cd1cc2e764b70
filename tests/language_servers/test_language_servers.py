"""Language servers of a process: started on need, told of texts, ended when idle, begun again once."""

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from agls.engine.ports import WorkspaceError
from agls.language_servers import LanguageServers
from agls.language_servers.framing import BrokenStream, MessageReader, encode
from agls.room.code_ports import CodeDocument, ServerProgram
from support.patience import PATIENCE

STUB = Path(__file__).parents[1] / "support/stub_language_server.py"


class Stubs:
    """Servers whose messages are logged."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.log = folder, folder / "log"
        self.log.touch()
        self.servers = LanguageServers(os.environ)

    def get(self, **options: Any) -> Any:
        argv = (sys.executable, str(STUB), str(self.log))
        return self.servers.get(str(self.folder), ServerProgram(language="test", argv=argv, **options))

    def running(self) -> set[int]:
        """The processes that were asked something and still run."""
        asked = {int(line.partition(" ")[0]) for line in self.log.read_text().splitlines()}
        return {process for process in asked if not ended(process)}

    def messages(self, method: str) -> list[dict[str, Any]]:
        every = [json.loads(line.partition(" ")[2]) for line in self.log.read_text().splitlines()]
        return [message["params"] for message in every if message.get("method") == method]


@pytest.fixture
async def stubs(tmp_path: Path) -> AsyncIterator[Stubs]:
    made = Stubs(tmp_path)
    yield made
    await made.servers.aclose()


def ended(process: int) -> bool:
    return not Path(f"/proc/{process}").exists()


async def test_server_is_started_by_the_first_question_and_ended_with_the_process(stubs: Stubs) -> None:
    server = stubs.get()
    assert not server.runs
    assert stubs.log.read_text() == ""
    first = await server.ask("test/pid", {}, (), PATIENCE)
    assert await stubs.get().ask("test/pid", {}, (), PATIENCE) == first, "one for a folder and a program"
    assert [params["rootUri"] for params in stubs.messages("initialize")] == [stubs.folder.as_uri()]
    await stubs.servers.aclose()
    assert ended(first)


async def test_idle_server_is_ended_and_started_again_on_a_request(stubs: Stubs) -> None:
    server = stubs.get(idle=0.05)
    first = await server.ask("test/pid", {}, (), PATIENCE)
    while server.runs:
        await asyncio.sleep(0.01)
    assert ended(first)
    assert await server.ask("test/pid", {}, (), PATIENCE) != first


async def test_texts_are_sent_once_and_again_when_they_change(stubs: Stubs) -> None:
    server = stubs.get()
    for text in ("one", "one", "two"):
        document = CodeDocument("file:///a.py", "python", text)
        rows = await server.diagnostics(document, PATIENCE)
    assert rows == [{"message": "version 2"}]
    opened = stubs.messages("textDocument/didOpen")
    assert [each["textDocument"] for each in opened] == [
        {"uri": "file:///a.py", "version": 1, "languageId": "python", "text": "one"}
    ]
    changes = [each["contentChanges"] for each in stubs.messages("textDocument/didChange")]
    assert changes == [[{"text": "two"}]]
    silent = CodeDocument("file:///silent.py", "python", "")
    assert await server.diagnostics(silent, 0.01) is None


async def test_server_that_dies_is_restarted_once_and_then_reported(stubs: Stubs) -> None:
    server = stubs.get()
    assert await server.ask("test/die-once", {}, (), PATIENCE) == "alive"
    with pytest.raises(WorkspaceError, match=r"ended twice, and is left alone for now\. out of luck"):
        await server.ask("test/die", {}, (), PATIENCE)
    with pytest.raises(WorkspaceError, match="left alone"):
        await server.ask("test/pid", {}, (), PATIENCE)
    assert len(stubs.messages("initialize")) == 3 + 0


async def test_server_that_cannot_be_understood_is_ended(stubs: Stubs) -> None:
    with pytest.raises(WorkspaceError, match="ended twice"):
        await stubs.get().ask("test/rave", {}, (), PATIENCE)


async def test_question_without_an_answer_and_one_that_is_cancelled_are_withdrawn(stubs: Stubs) -> None:
    server = stubs.get()
    with pytest.raises(WorkspaceError, match=r"did not answer within 0\.01 seconds"):
        await server.ask("test/never", {}, (), 0.01)
    await server.ask("test/pid", {}, (), PATIENCE)
    async with asyncio.TaskGroup() as tasks:
        asking = tasks.create_task(server.ask("test/never", {}, (), PATIENCE))
        while len(stubs.messages("test/never")) < 2:
            await asyncio.sleep(0.01)
        asking.cancel()
    await server.ask("test/pid", {}, (), PATIENCE)
    assert len(stubs.messages("$/cancelRequest")) == 2


@pytest.mark.parametrize("cancels", [1, 2])
async def test_start_that_is_cancelled_leaves_no_process_and_counts_as_no_crash(
    stubs: Stubs, cancels: int
) -> None:
    (deaf := stubs.folder / "deaf").touch()
    server = stubs.get()
    for number in (1, 2):
        asking = asyncio.create_task(server.ask("test/pid", {}, (), PATIENCE))
        while len(stubs.messages("initialize")) < number:
            await asyncio.sleep(0.01)
        for _ in range(cancels):
            asking.cancel()
            await asyncio.sleep(0)
        with pytest.raises(asyncio.CancelledError):
            await asking
    deaf.unlink()
    answer = await server.ask("test/pid", {}, (), PATIENCE)
    assert (server.last_error, stubs.running()) == ("", {answer})


@pytest.mark.parametrize("turns", range(6))
async def test_start_that_is_cancelled_at_any_step_leaves_the_server_usable(stubs: Stubs, turns: int) -> None:
    server = stubs.get()
    asking = asyncio.create_task(server.ask("test/pid", {}, (), PATIENCE))
    for _ in range(turns):
        await asyncio.sleep(0)
    asking.cancel()
    await asyncio.wait({asking})
    answer = await server.ask("test/pid", {}, (), PATIENCE)
    await asyncio.sleep(0.2)
    assert await server.ask("test/pid", {}, (), PATIENCE) == answer
    assert (server.last_error, stubs.running()) == ("", {answer})


async def test_refusal_is_the_reason_and_the_server_goes_on(stubs: Stubs) -> None:
    server = stubs.get()
    with pytest.raises(WorkspaceError, match=r"does not answer such questions\."):
        await server.ask("test/refuse", {}, (), PATIENCE)
    with pytest.raises(WorkspaceError, match=r"refused: not in this file\."):
        await server.ask("test/refuse", {"why": ""}, (), PATIENCE)
    assert await server.ask("test/pid", {}, (), PATIENCE)
    assert await server.ask("test/refuse-once", {}, (), PATIENCE) == "now", "it still read the newest texts"
    assert len(stubs.messages("initialize")) == 1


async def test_configuration_is_answered_and_what_is_not_known_is_refused(stubs: Stubs) -> None:
    server = stubs.get(settings={"checker": {"level": "strict"}})
    known, unknown = await server.ask("test/configuration", {}, (), PATIENCE)
    assert known["result"] == ["strict", None]
    assert unknown["error"]["code"] == -32601


async def test_program_that_cannot_be_started_is_named(stubs: Stubs) -> None:
    program = ServerProgram(language="none", argv=(str(stubs.folder / "missing"),))
    with pytest.raises(WorkspaceError, match=r"missing ended twice.*No such file"):
        await stubs.servers.get(str(stubs.folder), program).ask("test/pid", {}, (), PATIENCE)


def test_messages_are_read_however_they_are_cut() -> None:
    every = [{"id": 1}, {"text": "ä" * 5_000}, {"id": 2}]
    stream = b"".join(map(encode, every))
    for size in (1, 7, 4_096, len(stream)):
        reader = MessageReader()
        parts = [stream[at : at + size] for at in range(0, len(stream), size)]
        assert [message for part in parts for message in reader.feed(part)] == every


@pytest.mark.parametrize(
    "data",
    [
        b"Content-Length: 99999999999\r\n\r\n",
        b"Length: 3\r\n\r\n",
        b"Content-Length: 2\r\n\r\nx}",
        b"x" * 9_000,
    ],
)
def test_stream_that_is_none_of_a_language_server_is_not_followed(data: bytes) -> None:
    with pytest.raises(BrokenStream):
        list(MessageReader().feed(data))

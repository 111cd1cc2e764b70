"""Users of four doors who keep, undo and redo the agent's changes of one file: each by what its door has."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

from agls.library import ActionError, Agent, Conversation
from doors.headless.conftest import Agls
from doors.lsp.conftest import Serve
from doors.lsp.plain_client import PlainClient
from support.lsp_editor import LspEditor, attach
from support.patience import wait_until
from support.wire import Message, Wire, turns

TEXT = "".join(f"line {number}\n" for number in range(1, 21))
# Three changes of one run; the third stands on the first.
EDITS = (("line 5\n", "five\n"), ("line 15\n", "fifteen\nmore\n"), ("five\n", "FIVE\n"))
MADE = TEXT.replace("line 5\n", "FIVE\n").replace("line 15\n", "fifteen\nmore\n")
ANOTHER = (("line 10\n", "ten\n"),)
WORDS = {False: "edit it", True: "another edit"}  # what each run is asked
Standing = list[tuple[int, bool]]


def prompt(edits: tuple[tuple[str, str], ...]) -> Message:
    """The turns of a model that makes these edits."""
    read = {"name": "read_file", "arguments": {"path": "code.py"}}
    calls = [
        {"name": "edit_file", "arguments": {"path": "code.py", "old_text": old, "new_text": new}}
        for old, new in edits
    ]
    made = turns({"calls": [read]}, *({"calls": [call]} for call in calls), "Done.")
    return {**made, "match": WORDS[edits is ANOTHER]}


class NotDone(Exception):
    """The door said why it could not be done."""


class Reviewer(Protocol):
    """Somebody at a door. `which` is a change (`code.py:2`), the file (`code.py`) or "" for all."""

    @property
    def text(self) -> str: ...
    async def work(self, *, again: bool = False) -> None: ...
    async def type(self, old: str, new: str) -> None: ...
    async def waiting(self) -> Standing: ...
    async def keep(self, which: str) -> None: ...
    async def undo(self, which: str) -> None: ...
    async def redo(self, which: str) -> None: ...
    async def restart(self) -> None: ...


def chosen(which: str) -> Message:
    """The input of the actions."""
    return {"change": which} if which else {"all": True}


def standing(rows: list[Message]) -> Standing:
    """The numbers of changes, and whether they stand."""
    return sorted((row["number"], row["stands"]) for row in rows)


class PlainUser:
    """An editor without our code: commands only. Its redo is the editor's own undo of what was undone."""

    def __init__(self, serve: Serve) -> None:
        self._serve = serve
        self._client = PlainClient(serve(prompt(EDITS)), "vscode", TEXT)
        self._client.choice = {"title": "Allow once"}
        self._before = ""

    @property
    def text(self) -> str:
        """What the editor shows; nothing was saved."""
        assert self._client.path.read_text() == self._saved
        return self._client.text

    async def work(self, *, again: bool = False) -> None:
        self._saved = TEXT
        self._client.command("agls.run", WORDS[again])
        self._client.message("agls: done")

    async def type(self, old: str, new: str) -> None:
        self._client.replace(old, new)

    async def waiting(self) -> Standing:
        return standing(self._rows())

    async def keep(self, which: str) -> None:
        for row in self._chosen(which):
            self._client.command("agls.keep", row["hunk"])

    async def undo(self, which: str) -> None:
        self._before = self._client.text
        for row in self._chosen(which):
            hunk: str = row["hunk"]
            asked = {"command": "agls.revert", "arguments": [hunk]}
            answer = self._client.wire.ask("workspace/executeCommand", asked)
            if "error" in answer:
                raise NotDone(answer["error"]["message"])
            wait_until(lambda hunk=hunk: hunk not in [row["hunk"] for row in self._rows()])

    async def redo(self, which: str) -> None:
        count = len(self._rows())
        self._client.replace(self._client.text, self._before)
        wait_until(lambda: len(self._rows()) > count)

    async def restart(self) -> None:
        assert self._client.wire.leave() == 0
        self._saved = self._client.text
        self._client = PlainClient(self._serve(), "vscode", self._saved)
        self._client.command("agls.resume")

    def _rows(self) -> list[Message]:
        return self._client.command("agls.changes")["changes"]

    def _chosen(self, which: str) -> list[Message]:
        rows = self._rows()
        number = which.partition(":")[2]
        rows = [row for row in rows if number in {"", str(row["number"])}]
        if not rows:
            raise NotDone("there is none")
        return rows[::-1]


class AgentUser:
    """A client of the agent protocol, with the file open in its editor."""

    def __init__(self, serve: Serve) -> None:
        self._serve = serve
        self._begin(serve(prompt(EDITS), prompt(ANOTHER)), TEXT)
        self._session = self._wire.session(options={"mode": "acceptEdits"})

    @property
    def text(self) -> str:
        """What the editor shows; nothing was saved."""
        assert self._path.read_text() == self._saved
        return self._editor.documents[self._path.as_uri()].text

    async def work(self, *, again: bool = False) -> None:
        if again:
            self._wire.key = "another"
        session = self._wire.session(options={"mode": "acceptEdits"}) if again else self._session
        self._wire.run(session, WORDS[again])

    async def type(self, old: str, new: str) -> None:
        uri = self._path.as_uri()
        self._editor.type(uri, self._editor.documents[uri].text.index(old), new, over=len(old))

    async def waiting(self) -> Standing:
        return standing(self._do("list", {})["changes"])

    async def keep(self, which: str) -> None:
        self._do("keep", chosen(which))

    async def undo(self, which: str) -> None:
        self._do("undo", chosen(which))

    async def redo(self, which: str) -> None:
        self._do("redo", chosen(which))

    async def restart(self) -> None:
        text = self.text
        assert self._wire.leave() == 0
        self._begin(self._serve(), text)

    def _begin(self, wire: Wire, text: str) -> None:
        self._wire, self._saved = wire, text
        self._editor: LspEditor = attach(wire)
        self._path = wire.workspace / "code.py"
        self._path.write_text(text)
        self._editor.open_file(self._path)

    def _do(self, name: str, given: Message) -> Any:
        asked = {"sessionId": self._session, "name": f"changes.{name}", "input": given}
        answer = self._wire.ask("agent/action/invoke", asked)
        if "error" in answer:
            raise NotDone(answer["error"]["message"])
        return answer["result"]["data"]


class TerminalUser:
    """Somebody at a terminal: every command is a process of its own."""

    def __init__(self, agls: Agls) -> None:
        self._agls, self._path = agls, agls.workspace / "code.py"
        self._path.write_text(TEXT)
        (agls.home / "script.json").write_text(json.dumps({"prompts": [prompt(EDITS), prompt(ANOTHER)]}))
        self._session = ""

    @property
    def text(self) -> str:
        """What the file has."""
        return self._path.read_text()

    async def work(self, *, again: bool = False) -> None:
        done = self._agls.run("run", WORDS[again], "--mode", "acceptEdits", "--output", "json")
        self._session = self._session or done.whole["sessionId"]

    async def type(self, old: str, new: str) -> None:
        self._path.write_text(self.text.replace(old, new, 1))

    async def waiting(self) -> Standing:
        return standing(self._do("list", self._session)["changes"])

    async def keep(self, which: str) -> None:
        self._do("keep", which or "--all", "--session", self._session)

    async def undo(self, which: str) -> None:
        self._do("undo", which or "--all", "--session", self._session)

    async def redo(self, which: str) -> None:
        self._do("redo", which or "--all", "--session", self._session)

    async def restart(self) -> None:
        """Every command is one."""

    def _do(self, *words: str) -> Any:
        done = self._agls.run("changes", *words, "--json")
        if done.code:
            assert "Traceback" not in done.err
            raise NotDone(done.err)
        return json.loads(done.out)


class LibraryUser:
    """A Python program."""

    def __init__(self, folder: Path, monkeypatch: Any) -> None:
        self._folder, self._state = folder / "work", folder / "state"
        self._folder.mkdir()
        self._path = self._folder / "code.py"
        self._path.write_text(TEXT)
        prompts = [prompt(EDITS), prompt(ANOTHER)]
        (folder / "script.json").write_text(json.dumps({"prompts": prompts}))
        config = folder / "config.toml"
        config.write_text('model = "play"\n[models.play]\ndialect = "scripted"\nscript = "script.json"\n')
        monkeypatch.setenv("AGLS_CONFIG", str(config))
        self._agent: Agent | None = None
        self._session: Conversation | None = None

    @property
    def text(self) -> str:
        """What the file has."""
        return self._path.read_text()

    async def work(self, *, again: bool = False) -> None:
        self._agent = self._agent or await Agent(self._folder, state=self._state).__aenter__()
        session = await self._agent.session(mode="acceptEdits")
        self._session = self._session or session
        assert (await session.run(WORDS[again])).ok

    async def type(self, old: str, new: str) -> None:
        self._path.write_text(self.text.replace(old, new, 1))

    async def waiting(self) -> Standing:
        return standing((await self._do("list", {}))["changes"])

    async def keep(self, which: str) -> None:
        await self._do("keep", chosen(which))

    async def undo(self, which: str) -> None:
        await self._do("undo", chosen(which))

    async def redo(self, which: str) -> None:
        await self._do("redo", chosen(which))

    async def restart(self) -> None:
        assert self._session
        session_id = self._session.id
        await self.close()
        self._agent = await Agent(self._folder, state=self._state).__aenter__()
        self._session = await self._agent.session(session_id)

    async def close(self) -> None:
        """End the program."""
        if self._agent:
            await self._agent.__aexit__(None, None, None)

    async def _do(self, name: str, given: Mapping[str, Any]) -> Any:
        assert self._session
        try:
            return (await self._session.act(f"changes.{name}", **given)).data
        except ActionError as problem:
            raise NotDone(str(problem)) from None

"""One scenario of the conformance tests of MCP, with the client of agls: `driver.py ADDRESS`.

What a user does in between is done by `Person`: forms are sent as they are, and pages are opened.
"""

import asyncio
import json
import os
import sys
import urllib.request
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from agls.config import GuardedFiles, InputValues, Seal
from agls.engine.vocabulary import Answer, JsonObject, Question
from agls.features.mcp.questions import UserQuestions
from agls.mcp_servers import Logins, Pins, SharedServers, Switches
from agls.room.mcp_ports import (
    Caller,
    Discovery,
    LoginSettings,
    McpServer,
    McpTool,
    ServerDefinition,
    ServerProblem,
)

CONTEXT: JsonObject = json.loads(os.environ.get("MCP_CONFORMANCE_CONTEXT") or "{}")
DOCUMENT = "https://conformance-test.local/client-metadata.json"
SAMPLES: dict[str, Any] = {"integer": 1, "number": 1.5, "boolean": True, "array": [], "object": {}}


def say(*words: object) -> None:
    """Write what happened, for whoever looks at a scenario that failed."""
    sys.stdout.write(f"{' '.join(map(str, words))}\n")


class Person:
    """Implements `Forms`."""

    available = takes_forms = True

    async def ask(self, question: Question) -> Answer:
        """Open the page, or send the form with nothing changed."""
        if page := question.subject.get("url"):
            await asyncio.to_thread(self._open, str(page))
        return Answer("accepted")

    def _open(self, page: str) -> None:
        with urllib.request.urlopen(page, timeout=20) as answer:
            answer.read()


async def main(address: str) -> None:
    """Do all that the server offers."""
    login = LoginSettings(
        client_id=str(CONTEXT.get("client_id") or ""),
        client_secret=str(CONTEXT.get("client_secret") or ""),
        client_document="" if CONTEXT.get("client_id") else DOCUMENT,
    )
    definition = ServerDefinition(name="scenario", transport="http", url=address, login=login)
    with TemporaryDirectory() as folder:
        seal = Seal(GuardedFiles(Path(folder), Path(folder) / "config.toml"))
        pins, inputs = Pins(Path(folder), seal), InputValues(None, seal)
        servers = SharedServers(dict(os.environ), pins, Logins(None), Switches(None), inputs)
        try:
            server = servers.get(definition)
            await use(server, UserQuestions(Person()).caller(show=say))
        finally:
            await servers.aclose()


async def use(server: McpServer, user: Caller) -> None:
    """Log in where that is wanted, then call every tool, read every resource, and get every prompt."""
    found = await discovered(server, user)
    wanted: list[JsonObject] = CONTEXT.get("toolCalls", [])
    calls = [(str(call["name"]), dict(call["arguments"])) for call in wanted]
    for name, arguments in calls or [(tool.name, arguments_of(tool)) for tool in found.tools]:
        try:
            say(name, await server.call(name, arguments, user))
        except ServerProblem as problem:
            say(problem)
    for resource in found.resources:
        say(await server.read(resource.uri, user))
    for prompt in found.prompts:
        say(await server.prompt(prompt.name, {}, user))


async def discovered(server: McpServer, user: Caller) -> Discovery:
    """**Returns** what it offers."""
    try:
        return await server.discover()
    except ServerProblem:
        if not server.needs_login:
            raise
        return await server.log_in(user)


def arguments_of(tool: McpTool) -> JsonObject:
    """**Returns** arguments that fit the schema of a tool."""
    members: dict[str, JsonObject] = tool.schema.get("properties", {})
    return {name: SAMPLES.get(str(member.get("type")), "x") for name, member in members.items()}


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
    sys.stdout.flush()
    os._exit(0)  # the interpreter takes its time to end on a busy machine, which a scenario counts

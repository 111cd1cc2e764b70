"""The actions of the room: which servers there are, what they offer, and what was changed of it."""

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from difflib import unified_diff
from functools import partial
from typing import TYPE_CHECKING

from pydantic import Field

from agls.disk_space import unsaved
from agls.engine.actions import Action, ActionContext, ActionError, ActionOutcome, ActionValue
from agls.engine.vocabulary import JsonObject
from agls.features.mcp.names import tool_name
from agls.room import OnUse
from agls.room.mcp_ports import Discovery, McpTool, ServerProblem
from agls.short_text import brief
from agls.toolkit import Arguments, TypedAction

if TYPE_CHECKING:
    from agls.features.mcp.run_servers import RunServers, UsedServer

Find = Callable[[], "RunServers"]
LINES = OnUse("agls.features.mcp.resource_tool", "resource_lines")
GROUP = "MCP servers"
NONE = "There are no MCP servers. Add yours to your config file, as [mcp.servers.NAME] (docs/mcp.md)."
WAITS = "you did not consent to it; at the beginning of a run you are asked"
MOST_SHOWN = 3  # problems of a server in its line
LONGEST = 160  # characters of what is said of a tool


class ListServers(Arguments):
    """Show the MCP servers: where each comes from, its state, and what is wrong with it."""


class OneServer(Arguments):
    """A server by its name."""

    server: str = Field(min_length=1, description="the name of the server")


class ServerTools(OneServer):
    """Show the tools of an MCP server, and what changed in their definitions since they were accepted.

    A server that is not known yet is started.
    """


class ServerResources(Arguments):
    """Show the resources of MCP servers; `@SERVER:ADDRESS` in a prompt attaches one.

    Servers that are not running are started for that.
    """

    server: str = Field(default="", description="the name of the server; all servers without one")


class AcceptTools(OneServer):
    """Accept the changed tools of an MCP server as they are now. /mcp.tools shows what changed."""


class RestartServer(OneServer):
    """Restart an MCP server, and ask it again what it offers."""


class StopServer(OneServer):
    """Stop an MCP server. The next call of one of its tools starts it."""


class LogIn(OneServer):
    """Log in to an MCP server: a page opens where you log in.

    The login is stored like a key, and renewed until you log out.
    """


class LogOut(OneServer):
    """Log out of an MCP server: delete the stored login and end the connection."""


class EnableServer(OneServer):
    """Switch an MCP server on again, from the next run on."""


class DisableServer(OneServer):
    """Switch an MCP server off everywhere: it is stopped, and the model is no longer offered it."""


def actions_of(find: Find) -> tuple[Action, ...]:
    """Return the actions; `find` returns the servers when one is done."""

    async def names(context: ActionContext) -> Sequence[ActionValue]:
        run = find()
        await run.look()
        off = [ActionValue(one.name, one.problem) for one in run.found if one.is_off]
        return [*(ActionValue(used.name, used.server.state) for used in run.used.values()), *off]

    made = (
        TypedAction("mcp.tools", "Show the tools of an MCP server", ServerTools, partial(_tools, find)),
        TypedAction(
            "mcp.resources",
            "Show resources",
            ServerResources,
            partial(_resources, find),
            aliases=("resources", "resource"),
        ),
        TypedAction("mcp.accept", "Accept changed tools", AcceptTools, partial(_accept, find)),
        TypedAction("mcp.restart", "Restart an MCP server", RestartServer, partial(_restart, find)),
        TypedAction("mcp.stop", "Stop an MCP server", StopServer, partial(_stop, find)),
        TypedAction("mcp.login", "Log in at an MCP server", LogIn, partial(_log_in, find)),
        TypedAction("mcp.logout", "Log out at an MCP server", LogOut, partial(_log_out, find)),
        TypedAction("mcp.enable", "Switch an MCP server on", EnableServer, partial(_enable, find)),
        TypedAction("mcp.disable", "Switch an MCP server off", DisableServer, partial(_disable, find)),
    )
    listing = TypedAction("mcp", "Show MCP servers", ListServers, partial(_list, find), group=GROUP)
    return (listing, *(replace(one, choices={"server": names}, group=GROUP) for one in made))


async def _list(find: Find, arguments: ListServers, context: ActionContext) -> ActionOutcome:
    run = find()
    waiting = await run.look()
    rows = [_row(used) for used in run.used.values()]
    rows += [
        {
            "name": one.name,
            "origin": one.origin,
            "status": "stopped",
            "message": one.problem or WAITS,
            **({"enabled": False} if one.name in run.servers.off else {}),
            **({"needsInput": one.missing_input} if one.missing_input else {}),
        }
        for one in run.found
        if one.problem or one.name in waiting
    ]
    return ActionOutcome("\n".join(map(_line, rows)) or NONE, {"servers": rows})


def _row(used: "UsedServer") -> JsonObject:
    server, known = used.server, used.server.known
    row: JsonObject = {"name": used.name, "origin": used.origin, "status": server.state}
    if known:
        row["tools"] = len(known.tools)
        row["prompts"] = len(known.prompts)
        row["resources"] = known.has_resources
        row["changed"] = [tool.name for tool in known.changed]
        row["problems"] = list(known.dropped)
        row["era"] = known.era
    wrote = f"it wrote what is no message: {brief(server.noise, LONGEST)}" if server.noise else ""
    if server.needs_login:
        row["needsLogin"] = True
    if message := "; ".join(filter(None, (server.trouble, wrote))):
        row["message"] = message
    return row


def _line(row: JsonObject) -> str:
    tools = f", {row['tools']} tools" if "tools" in row else ""
    changed = f", changed and withheld: {', '.join(row['changed'])}" if row.get("changed") else ""
    if left_out := row.get("problems"):
        changed += f", left out: {'; '.join(left_out[:MOST_SHOWN])}"
    said = f": {row['message']}" if row.get("message") else ""
    return f"- {row['name']}: {row['status']}{tools}{changed} ({row['origin']}){said}"


async def _tools(find: Find, arguments: ServerTools, context: ActionContext) -> ActionOutcome:
    used = await _named(find(), arguments.server)
    with context.breakable():
        known = used.server.known or await _asked(used)
    lines = [
        f"- `{tool_name(used.name, tool.name)}`: {brief(tool.description, LONGEST)}" for tool in known.tools
    ]
    lines += [f"- Left out: {problem}" for problem in known.dropped]
    differences = {tool.name: _difference(used.server.accepted(tool.name), tool) for tool in known.changed}
    lines += [
        f"\n`{name}` changed and is withheld until you accept it (/mcp.accept {used.name}):\n\n{patch}"
        for name, patch in differences.items()
    ]
    data: JsonObject = {
        "server": used.name,
        "tools": [{"name": tool.name, "description": tool.description} for tool in known.tools],
        "changed": differences,
    }
    return ActionOutcome("\n".join(lines) or f"{used.name} offers no tools.", data)


async def _resources(find: Find, arguments: ServerResources, context: ActionContext) -> ActionOutcome:
    if arguments.server:
        used = await _named(find(), arguments.server)
        text, found = await _resources_of(used, context)
        return ActionOutcome(text, {"server": used.name, "resources": found})
    run = find()
    await run.look()
    shown: list[str] = []
    rows: list[JsonObject] = []
    for used in run.used.values():
        try:
            text, found = await _resources_of(used, context)
        except ActionError as problem:
            shown.append(f"{used.name}: {problem}")
            continue
        shown.append(f"{used.name}:\n\n{text}" if found else text)
        rows += [{"server": used.name, **row} for row in found]
    return ActionOutcome("\n\n".join(shown) or NONE, {"resources": rows})


async def _resources_of(used: "UsedServer", context: ActionContext) -> tuple[str, list[JsonObject]]:
    """**Returns** the resources of a server in words, and as rows. **Raises** `ActionError`."""
    with context.breakable():
        known = used.server.known or await _asked(used)
        try:
            found = await used.server.resources() if known.has_resources else ()
        except ServerProblem as problem:
            raise ActionError(str(problem)) from None
    return LINES(found) if found else f"{used.name} has no resources.", [asdict(one) for one in found]


def _difference(before: McpTool | None, now: McpTool) -> str:
    """**Returns** what changed in a definition, as a patch in a block of Markdown."""
    old, new = (_pretty(asdict(tool)) if tool else [] for tool in (before, now))
    patch = "\n".join(unified_diff(old, new, "accepted", "now", lineterm=""))
    fence = "`" * max(3, 1 + max((len(run) for run in patch.split("\n") if run.strip("`") == ""), default=0))
    return f"{fence}diff\n{patch}\n{fence}"


def _pretty(value: Mapping[str, object]) -> list[str]:
    return json.dumps(value, indent=1, sort_keys=True, ensure_ascii=False).splitlines()


async def _accept(find: Find, arguments: AcceptTools, context: ActionContext) -> ActionOutcome:
    used = await _named(find(), arguments.server)
    names = used.server.accept()
    text = f"Accepted: {', '.join(names)}." if names else f"No tool of {used.name} changed."
    return ActionOutcome(text, {"server": used.name, "accepted": list(names)})


async def _restart(find: Find, arguments: RestartServer, context: ActionContext) -> ActionOutcome:
    used = await _named(find(), arguments.server)
    with context.breakable():
        try:
            known = await used.server.restart()
        except ServerProblem as problem:
            raise ActionError(str(problem)) from None
    return ActionOutcome(f"{used.name} runs and offers {len(known.tools)} tools.", {"servers": [_row(used)]})


async def _stop(find: Find, arguments: StopServer, context: ActionContext) -> ActionOutcome:
    used = await _named(find(), arguments.server)
    await used.server.stop()
    return ActionOutcome(f"{used.name} does not run.", {"servers": [_row(used)]})


async def _log_in(find: Find, arguments: LogIn, context: ActionContext) -> ActionOutcome:
    run = find()
    used = await _named(run, arguments.server)
    with context.breakable():
        try:
            known = await used.server.log_in(run.questions.caller())
        except ServerProblem as problem:
            raise ActionError(str(problem)) from None
    text = f"You are logged in at {used.name}, which offers {len(known.tools)} tools."
    return ActionOutcome(text, {"servers": [_row(used)]})


async def _log_out(find: Find, arguments: LogOut, context: ActionContext) -> ActionOutcome:
    used = await _named(find(), arguments.server)
    try:
        was_in = await used.server.log_out()
    except ServerProblem as problem:
        raise ActionError(str(problem)) from None
    text = f"The login at {used.name} is forgotten." if was_in else f"There was no login at {used.name}."
    return ActionOutcome(text, {"servers": [_row(used)]})


async def _enable(find: Find, arguments: EnableServer, context: ActionContext) -> ActionOutcome:
    run, name = find(), arguments.server
    if not any(name == one.name for one in run.found):
        await _named(run, name)
    was_off = await _switched(run, name, on=True)
    text = f"{name} is used from the next run on." if was_off else f"You did not switch {name} off."
    return ActionOutcome(text, {"server": name, "enabled": True})


async def _disable(find: Find, arguments: DisableServer, context: ActionContext) -> ActionOutcome:
    run, name = find(), arguments.server
    if name not in run.servers.off:
        used = await _named(run, name)
        await used.server.stop()
    was_on = await _switched(run, name, on=False)
    text = f"{name} is switched off." if was_on else f"{name} was switched off before."
    return ActionOutcome(text, {"server": name, "enabled": False})


async def _switched(run: "RunServers", name: str, *, on: bool) -> bool:
    try:
        return await asyncio.to_thread(run.servers.switch, name, on=on)
    except OSError as problem:
        raise ActionError(unsaved(problem)) from None


async def _asked(used: "UsedServer") -> Discovery:
    try:
        return await used.server.discover()
    except ServerProblem as problem:
        raise ActionError(str(problem)) from None


async def _named(run: "RunServers", name: str) -> "UsedServer":
    """**Returns** the server of this name. **Raises** `ActionError`."""
    waiting = await run.look()
    if used := run.used.get(name):
        return used
    if name in waiting:
        raise ActionError(f"{name} cannot be used: {WAITS}")
    if problem := next((one.problem for one in run.found if one.name == name), ""):
        raise ActionError(f"{name} cannot be used: {problem}")
    raise ActionError(f"There is no MCP server {name!r}. There are: {', '.join(run.used) or 'none'}.")

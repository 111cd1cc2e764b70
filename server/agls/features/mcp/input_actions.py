"""The actions on what the servers of a folder's files ask of their user: which, give it, forget it."""

import asyncio
from collections.abc import Callable, Collection, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from pydantic import Field

from agls.engine.actions import Action, ActionContext, ActionError, ActionOutcome, ActionValue
from agls.engine.vocabulary import JsonObject
from agls.frozen import frozen
from agls.room.mcp_ports import InputNotKept
from agls.toolkit import Arguments, TypedAction

if TYPE_CHECKING:
    from agls.features.mcp.inputs import ServerInput
    from agls.features.mcp.run_servers import RunServers

Find = Callable[[], "RunServers"]
GROUP = "MCP servers"
NONE = "No MCP server of this folder has inputs that you give."
NOBODY = "Nobody can be asked here. At a terminal: agls mcp input {}. Or set {} where agls is started."
GIVEN, MISSING = "given", "nobody gave it"


class ListInputs(Arguments):
    """Show the inputs that the MCP servers of this folder's files need, and which of them you gave."""


class OneInput(Arguments):
    """An input by its name."""

    name: str = Field(min_length=1, description="the name of the input, as its file has it")


class GiveInput(OneInput):
    """Give the value of an input of an MCP server's file, in place of an earlier one.

    You are asked for it, so that no secret is in a prompt. Servers get it from the next run on.
    """


class ForgetInput(OneInput):
    """Delete the value of an input of an MCP server's file. You are asked again when it is needed."""


@contextmanager
def _kept() -> Generator[None]:
    """Say why something cannot be kept. **Raises** `ActionError`."""
    try:
        yield
    except InputNotKept as problem:
        raise ActionError(f"That cannot be saved: {problem}.") from None


@frozen
class _Named:
    """An input, and the servers that need it."""

    wanted: "ServerInput"
    servers: Sequence[str]


def actions_on_inputs(find: Find) -> tuple[Action, ...]:
    """Return the actions; `find` returns the servers when one is done."""

    async def names(context: ActionContext) -> Sequence[ActionValue]:
        return [ActionValue(each.wanted.name, each.wanted.description) for each in _inputs(find())]

    listing = TypedAction("mcp.inputs", "Show inputs of MCP servers", ListInputs, partial(_list, find))
    made = (
        TypedAction("mcp.input", "Give an input of an MCP server", GiveInput, partial(_give, find)),
        TypedAction("mcp.forget", "Forget an input", ForgetInput, partial(_forget, find)),
    )
    return (
        replace(listing, group=GROUP),
        *(replace(one, choices={"name": names}, group=GROUP) for one in made),
    )


def _inputs(run: "RunServers") -> Sequence[_Named]:
    """**Returns** the inputs of all servers, each once."""
    found: dict[tuple[str, str], _Named] = {}
    for one in run.found:
        for each in one.inputs:
            key = (each.folder, each.name)
            known = found[key].servers if key in found else ()
            found[key] = _Named(each, (*known, one.name))
    return tuple(found.values())


async def _list(find: Find, arguments: ListInputs, context: ActionContext) -> ActionOutcome:
    run, given = find(), dict[str, Mapping[str, str]]()
    rows: list[JsonObject] = []
    lines: list[str] = []
    for each in _inputs(run):
        wanted = each.wanted
        if wanted.folder not in given:
            given[wanted.folder] = await asyncio.to_thread(run.servers.inputs.read, wanted.folder)
        status = _status(run, wanted, given[wanted.folder])
        lines.append(_line(each, status))
        rows.append(
            {
                "name": wanted.name,
                "description": wanted.description,
                "file": wanted.file,
                "servers": list(each.servers),
                "variable": wanted.variable,
                "secret": wanted.is_secret,
                "status": status,
            }
        )
    return ActionOutcome("\n".join(lines) or NONE, {"inputs": rows})


def _status(run: "RunServers", wanted: "ServerInput", given: Mapping[str, str]) -> str:
    if run.servers.environment.get(wanted.variable):
        return f"the variable {wanted.variable}"
    if value := given.get(wanted.name):
        return GIVEN if wanted.is_secret else f"{GIVEN}: {value}"
    return f"nobody gave it, so far it is {wanted.default}" if wanted.default else MISSING


def _nothing_for(wanted: "ServerInput") -> str:
    known = ", ".join(value for value, _ in wanted.options)
    return f"Nothing was given for {wanted.name}." + (f" It is one of: {known}." if known else "")


def _line(named: _Named, status: str) -> str:
    wanted = named.wanted
    about = f" ({wanted.description})" if wanted.description else ""
    more = f". Give it: {wanted.how}" if status == MISSING else ""
    return f"- {wanted.name}{about} of {wanted.file}, for {', '.join(named.servers)}: {status}{more}"


async def _give(find: Find, arguments: GiveInput, context: ActionContext) -> ActionOutcome:
    run = find()
    named = _named(run, arguments.name)
    with context.breakable():
        for each in named:
            wanted = each.wanted
            if not run.questions.forms.takes_forms:
                raise ActionError(NOBODY.format(wanted.name, wanted.variable))
            with _kept():
                if not await run.ask_for(wanted, ", ".join(each.servers)):
                    raise ActionError(_nothing_for(wanted))
    await run.look_again()
    where = "with your keys" if named[0].wanted.is_secret else "for this folder"
    return ActionOutcome(
        f"{arguments.name} is kept {where}; servers have it from the next run on.",
        {"name": arguments.name, "servers": _rows(run, {name for each in named for name in each.servers})},
    )


def _rows(run: "RunServers", names: Collection[str]) -> Sequence[JsonObject]:
    """**Returns** how these servers stand now, with what they lack still."""
    found = [one for one in run.found if one.name in names]
    rows = [{"name": one.name, "message": one.problem, "needsInput": one.missing_input} for one in found]
    return [{"status": "stopped", **{name: value for name, value in row.items() if value}} for row in rows]


async def _forget(find: Find, arguments: ForgetInput, context: ActionContext) -> ActionOutcome:
    run = find()
    was_there = False
    for each in _named(run, arguments.name):
        with _kept():
            forget = run.servers.inputs.forget
            was_there = await asyncio.to_thread(forget, each.wanted.folder, each.wanted.name) or was_there
    text = f"{arguments.name} is forgotten." if was_there else f"Nothing was kept for {arguments.name}."
    return ActionOutcome(text, {"name": arguments.name, "forgotten": was_there})


def _named(run: "RunServers", name: str) -> Sequence[_Named]:
    """**Returns** the inputs of this name, one for each folder with one. **Raises** `ActionError`."""
    inputs = _inputs(run)
    if found := [each for each in inputs if each.wanted.name == name]:
        return found
    known = ", ".join(dict.fromkeys(each.wanted.name for each in inputs)) or "none"
    raise ActionError(f"No MCP server of this folder asks for {name!r}. There are: {known}.")

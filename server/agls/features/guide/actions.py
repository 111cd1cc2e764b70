"""What the user may ask: which commands there are, which tools the model has, which version this is."""

import platform
from collections.abc import Iterator, Sequence

from pydantic import Field

from agls import __version__
from agls.commands import member_schema, named, near_names, slash, usage
from agls.engine.actions import (
    GROUPS,
    Action,
    ActionContext,
    ActionOutcome,
    ActionSpec,
    ActionValue,
    UnknownName,
)
from agls.engine.ports import ToolSpec
from agls.engine.vocabulary import JsonObject
from agls.frozen import frozen
from agls.room.session_ports import SessionOffer
from agls.toolkit import Arguments, TypedAction

HOW = (
    "`/help NAME` says how one is written. `@path` puts a file into a prompt. A text that begins with `//` "
    "is sent with one slash, as a prompt."
)


class Help(Arguments):
    """Show which commands there are, or how one of them is written."""

    command: str = Field(default="", description="the command to explain")


class Version(Arguments):
    """Show which version of agls this is, and on what it runs."""


class Tools(Arguments):
    """Show the tools that the model has in this session, and what each may do."""


def actions(offer: SessionOffer) -> tuple[Action, ...]:
    """Return the actions of the room."""
    handlers = HelpActions(offer)
    return (
        TypedAction(
            "help",
            "Show commands",
            Help,
            handlers.help,
            aliases=("commands",),
            group="Settings",
            choices={"command": handlers.names},
        ),
        TypedAction("tools", "Show the model's tools", Tools, handlers.tools, group="Model and context"),
        TypedAction("version", "Show the version", Version, version, group="Settings"),
    )


@frozen
class HelpActions:
    """Do the actions of the room."""

    offer: SessionOffer

    async def names(self, context: ActionContext) -> Sequence[ActionValue]:
        """Return the names of all commands."""
        return [ActionValue(spec.name, spec.title) for spec in self.offer.actions()]

    async def help(self, arguments: Help, context: ActionContext) -> ActionOutcome:
        """List the commands by group, or explain one. **Raises** `ActionError`."""
        specs = self.offer.actions()
        if not arguments.command:
            lines = [line for group in _groups(specs) for line in _listed(group, specs)]
            return ActionOutcome("\n".join([*lines, HOW]), {"commands": [_row(spec) for spec in specs]})
        name = arguments.command.removeprefix("/")
        spec = named(name, specs)
        if spec is None:
            near = " or ".join(f"/{each}" for each in near_names(name, specs))
            meant = f"Did you mean {near}?" if near else "/help lists them."
            raise UnknownName(f"There is no command /{name[:100]}. {meant}")
        return ActionOutcome("\n".join(_explained(spec)), _row(spec))

    async def tools(self, arguments: Tools, context: ActionContext) -> ActionOutcome:
        """List the tools of a run in this session."""
        tools = self.offer.tools()
        rows = [
            f"| `{tool.name}` | {_effects(tool)} | {_first_sentence(tool.description)} |" for tool in tools
        ]
        text = "\n".join(["| Tool | May | What it does |", "|---|---|---|", *rows])
        data = [{"name": tool.name, "effects": sorted(tool.effects)} for tool in tools]
        return ActionOutcome(text if rows else "The model has no tools here.", {"tools": data})


async def version(arguments: Version, context: ActionContext) -> ActionOutcome:
    """Name the version."""
    python, system = platform.python_version(), f"{platform.system()} {platform.machine()}"
    data = {"version": __version__, "python": python, "system": system}
    return ActionOutcome(f"agls {__version__}, Python {python}, {system}.", data)


def _groups(specs: Sequence[ActionSpec]) -> Sequence[str]:
    others = (spec.group for spec in specs if spec.group not in GROUPS)
    return [*GROUPS, *dict.fromkeys(others)]


def _listed(group: str, specs: Sequence[ActionSpec]) -> Iterator[str]:
    """Yield the commands of a group, under its heading; nothing when there is none."""
    chosen = [spec for spec in specs if spec.group == group]
    if not chosen:
        return
    yield from (f"### {group}", "")
    yield from (f"- `{slash(spec)}`{_aliases(spec)}: {_first_sentence(spec.description)}" for spec in chosen)
    yield ""


def _explained(spec: ActionSpec) -> Iterator[str]:
    yield from (f"`{usage(spec)}`", "", spec.description)
    members = [(name, member_schema(spec, name)) for name in spec.schema.get("properties", {})]
    described = [
        f"- `{name}`: {schema['description']}" for name, schema in members if "description" in schema
    ]
    yield from (["", *described] if described else ())
    if spec.aliases:
        yield from ("", f"Also: {', '.join(f'`/{alias}`' for alias in spec.aliases)}")
    if spec.when != "any":
        yield from ("", f"Only while {'no run is' if spec.when == 'idle' else 'a run is'} active.")


def _aliases(spec: ActionSpec) -> str:
    return f" ({', '.join(f'`/{alias}`' for alias in spec.aliases)})" if spec.aliases else ""


def _first_sentence(text: str) -> str:
    first, stop, _ = " ".join(text.split()).partition(". ")
    return first + stop.strip()


def _effects(tool: ToolSpec) -> str:
    return ", ".join(sorted(tool.effects)) or "nothing outside"


def _row(spec: ActionSpec) -> JsonObject:
    return {
        "name": spec.name,
        "title": spec.title,
        "group": spec.group,
        "aliases": list(spec.aliases),
        "usage": usage(spec),
        "when": spec.when,
    }

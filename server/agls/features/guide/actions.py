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
    "`/help NAME` explains one, `/help all` has a line about each. `@path` puts a file into a prompt. "
    "A text that begins with `//` is sent with one slash, as a prompt."
)
ALL = "all"
FEW = 5  # commands of your own, of a server or the like, which are told with what they do


class Help(Arguments):
    """List the commands, or explain one of them."""

    command: str = Field(default="", description="the command to explain; `all` for a line about each")


class Version(Arguments):
    """Show the versions of agls, Python and the system."""


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
        names = [ActionValue(spec.name, spec.title) for spec in self.offer.actions()]
        return [*names, ActionValue(ALL, "A line about each command")]

    async def help(self, arguments: Help, context: ActionContext) -> ActionOutcome:
        """List the commands by group, or explain one. **Raises** `ActionError`."""
        specs = self.offer.actions()
        name = arguments.command.removeprefix("/")
        spec, family = named(name, specs), _family(name, specs)
        if not name or (name == ALL and not spec):
            listed = _listed if name else _overview
            lines = [line for group in _groups(specs) for line in listed(group, specs)]
            text = "\n".join([*lines, "", HOW]).replace("\n\n\n", "\n\n")
            return ActionOutcome(text, {"commands": [_row(spec) for spec in specs]})
        if spec is None and family:
            rows: JsonObject = {"commands": [_row(each) for each in family]}
            return ActionOutcome("\n".join(map(_line, family)), rows)
        if spec is None:
            near = " or ".join(f"/{each}" for each in near_names(name, specs))
            meant = f"Did you mean {near}?" if near else "/help lists them."
            raise UnknownName(f"There is no command /{name[:100]}. {meant}")
        others = [each for each in (*_family(spec.name, specs), *family) if each is not spec]
        others = list({each.name: each for each in others}.values())
        more = ["", *map(_line, others)] if others else []
        return ActionOutcome("\n".join([*_explained(spec), *more]), _row(spec))

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
    yield from map(_line, chosen)
    yield ""


def _overview(group: str, specs: Sequence[ActionSpec]) -> Iterator[str]:
    """Yield the commands of a group by their names, so that all groups are seen at once.

    Those of a family that has a shown one are left out: the page of that one lists them.
    """
    chosen = [spec for spec in specs if spec.group == group]
    if group not in GROUPS and len(chosen) <= FEW:
        yield from ("", *_listed(group, specs)) if chosen else ()
        return
    plain = {spec.name: name for spec in chosen if (name := _plain(spec))}
    led = {_family_name(name) for name in plain}
    names = [plain.get(spec.name, spec.name) for spec in chosen]
    shown = [name for name in names if "." not in name or _family_name(name) not in led]
    yield from (f"- **{group}:** {' '.join(f'`/{name}`' for name in shown)}",) if shown else ()


def _plain(spec: ActionSpec) -> str:
    """Return the name of a command without the part of agls that it is of; "" where it has none."""
    return next((name for name in (spec.name, *spec.aliases) if "." not in name), "")


def _family_name(name: str) -> str:
    return name.partition(".")[0]


def _family(name: str, specs: Sequence[ActionSpec]) -> Sequence[ActionSpec]:
    """Return the commands of the same part of agls as this one; none where it stands alone."""
    found = [spec for spec in specs if _family_name(spec.name) == _family_name(name)]
    return found if any("." in spec.name for spec in found) else ()


def _line(spec: ActionSpec) -> str:
    return f"- `{slash(spec)}`{_aliases(spec)}: {_first_sentence(spec.description)}"


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

"""What is found in the files of another agent: what agls can take over, and what it cannot."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal

from agls.frozen import frozen

RuleKind = Literal["deny", "ask", "allow"]
DECISION_KINDS: tuple[RuleKind, ...] = ("deny", "ask", "allow")

NO_ROOM = {
    "mcp": "servers are not imported: write them into your config.toml, as [mcp.servers.NAME]",
    "hooks": "hooks of this file are not read: write them into .agls/hooks.json or your config.toml",
    "skills": "this version has no skills",
    "agents": "agents of agls are written in another form: agents/NAME.toml beside your config.toml",
    "model": "models are set up for agls itself: see agls models, and agls key set",
}


@frozen
class ForeignInstructions:
    """Instructions for every project, from the file `source`."""

    source: str
    text: str


@frozen
class CommandText:
    """A command file: the `name` of its file, and whether it belongs to the `project`."""

    source: str
    name: str
    text: str
    project: bool = False


@frozen
class MemoryEntryText:
    """One entry that models shall remember, for this project or for everything."""

    source: str
    text: str
    project: bool


@frozen
class RuleFound:
    """A permission rule in the words of agls; `original` is how it is written where it was found."""

    source: str
    kind: RuleKind
    rule: str
    original: str
    project: bool = False


@frozen
class LeftOut:
    """What is not taken over, and why. With `stays` it counts already, where it is."""

    source: str
    what: str
    why: str
    stays: bool = False


Finding = ForeignInstructions | CommandText | MemoryEntryText | RuleFound | LeftOut


def hooks_in_place(source: str, names: Iterable[str]) -> Iterator[LeftOut]:
    """Yield the hooks of a file that agls reads where it is."""
    if listed := ", ".join(sorted(names)):
        yield LeftOut(source, f"hooks: {listed}", "agls reads these itself; /hooks shows them", stays=True)


def without_room(source: str, kind: str, names: Iterable[str]) -> Iterator[LeftOut]:
    """Yield what this version has no room for, by its names."""
    listed = ", ".join(sorted(names))
    if listed:
        yield LeftOut(source, f"{kind}: {listed}", NO_ROOM[kind])


def unread_settings(source: str, values: Mapping[str, Any], known: Iterable[str]) -> Iterator[LeftOut]:
    """Yield the settings that mean nothing here, all in one."""
    if rest := sorted(set(values) - {*known, "$schema"}):
        yield LeftOut(
            source, f"settings: {', '.join(rest)}", "agls has no such settings, or others of its own"
        )

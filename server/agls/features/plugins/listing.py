"""Plugins as a list shows them: to people line by line, to programs as data."""

from collections import Counter
from collections.abc import Iterator, Sequence

from agls.engine.state import State
from agls.engine.vocabulary import JsonObject
from agls.features.plugins.manifest import PluginManifest
from agls.features.plugins.run_plugins import ROOM, USED
from agls.room.process_ports import InstalledPlugin, PythonPlugin

SHORT = 12  # digits of a digest
MISSING = "It needs values for {0}: agls plugin enable {1} --set {2}=..."
NAME_IT = "To use it, write [plugins.python.{}] into your config file."
Uses = Counter[tuple[str, str]]


def uses_in(state: State) -> Uses:
    """Return how often the tools of each manifest were used in a session."""
    notes = (note.data for note in state.notes.get(ROOM, ()) if note.kind == USED)
    return Counter((data["plugin"], data["tool"]) for data in notes)


def plugin_lines(each: InstalledPlugin) -> Iterator[str]:
    """Yield the lines of an installed plugin."""
    about = f" {each.version}" if each.version else ""
    state = "" if each.is_on else " **Off.**"
    description = each.description or "no description"
    yield f"- **{each.name}**{about}: {description}{state} (installed from {each.source})"
    if each.problem:
        yield f"  - **Cannot be used:** {each.problem}"
    if each.missing:
        yield f"  - {MISSING.format(', '.join(each.missing), each.name, each.missing[0])}"
    if each.unused:
        yield f"  - Of no use here: {', '.join(each.unused)}"
    yield from (f"  - {remark}" for remark in each.remarks)


def plugin_data(each: InstalledPlugin) -> JsonObject:
    """Return an installed plugin as data."""
    return {
        "name": each.name,
        "version": each.version,
        "description": each.description,
        "source": each.source,
        "digest": each.digest[:SHORT],
        "enabled": each.is_on,
        "problem": each.problem,
        "missing": list(each.missing),
        "unused": list(each.unused),
        "remarks": list(each.remarks),
    }


def python_lines(each: PythonPlugin) -> Iterator[str]:
    """Yield the lines of a Python package."""
    package = f"Python package {each.package} {each.version}" if each.package else "no such package"
    state = "" if each.is_on else f" **Off.** {NAME_IT.format(each.name)}"
    yield f"- **{each.name}** ({package}){state}"
    if each.problem:
        yield f"  - **Cannot be used:** {each.problem}. {each.fix}"


def python_data(each: PythonPlugin) -> JsonObject:
    """Return a Python package as data."""
    about = {"name": each.name, "package": each.package, "version": each.version, "place": each.place}
    return {**about, "enabled": each.is_on, "problem": each.problem}


def manifest_lines(each: PluginManifest, used: Uses) -> Iterator[str]:
    """Yield the lines of a manifest."""
    about = f" {each.version}" if each.version else ""
    yield f"- **{each.name or '?'}**{about}: {each.description or 'no description'} ({each.shown})"
    if each.problem:
        yield f"  - **Cannot be used:** {each.problem}"
    for title, names in _brought(each).items():
        if names:
            yield f"  - {title}: {', '.join(names)}"
    if counts := [f"{tool} {used[name, tool]}" for name, tool in sorted(used) if name == each.name]:
        yield f"  - Used: {', '.join(counts)}"
    yield from (f"  - {remark}" for remark in each.remarks)


def manifest_data(each: PluginManifest, used: Uses) -> JsonObject:
    """Return a manifest as data."""
    brought = {title: list(names) for title, names in _brought(each).items() if names}
    counts = {tool: count for (name, tool), count in used.items() if name == each.name}
    about = {"name": each.name, "version": each.version, "description": each.description, "file": each.shown}
    return {
        **about,
        "brings": brought,
        "used": counts,
        "problem": each.problem,
        "remarks": list(each.remarks),
    }


def _brought(each: PluginManifest) -> dict[str, Sequence[str]]:
    return {
        "Texts": list(each.texts),
        "Other names": [f"{alias.name} ({alias.base})" for alias in each.aliases],
        "Tools that answer with a text": [tool.name for tool in each.virtual],
        "Blocked tools": [
            *each.blocked,
            *(t for t, said in each.tool_texts.items() if "blockMessage" in said),
        ],
        "Texts for tools": list(each.tool_texts),
        "Tools it names": each.tools,
    }

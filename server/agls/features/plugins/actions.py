"""The actions: which plugins there are, what they bring, how often it was used; and a new look at them."""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial

from agls.engine.actions import Action, ActionContext, ActionOutcome
from agls.engine.state import State
from agls.engine.vocabulary import JsonObject
from agls.features.plugins.manifest import PluginManifest, manifests
from agls.features.plugins.run_plugins import ROOM, USED
from agls.instruction_files.folder_texts import FolderTexts
from agls.toolkit import Arguments, TypedAction

NONE = "No plugin has a manifest here."
UNTRUSTED = "Plugins of {} are not read: nobody trusts the folder. To trust it: agls trust"


class ListPlugins(Arguments):
    """Show the plugins whose manifests count here: what each brings, how often it was used, what is wrong."""


class ReloadPlugins(Arguments):
    """Read the manifests of plugins again: they count from the next prompt on."""


def actions(texts: FolderTexts) -> Sequence[Action]:
    """Return the actions."""
    work = partial(_show, texts)
    return (
        TypedAction("plugin.list", "Show plugins", ListPlugins, work, aliases=("plugin",), group="Settings"),
        TypedAction(
            name="plugin.reload",
            title="Reload plugins",
            arguments=ReloadPlugins,
            work=work,
            aliases=("reload-plugins",),
            group="Settings",
        ),
    )


async def _show(texts: FolderTexts, arguments: Arguments, context: ActionContext) -> ActionOutcome:
    found = manifests(texts)
    used = _used(context.state)
    lines = [line for each in found for line in _lines(each, used)]
    lines += [UNTRUSTED.format(folder) for folder in texts.folders.untrusted]
    return ActionOutcome("\n".join(lines or [NONE]), {"plugins": [_data(each, used) for each in found]})


def _used(state: State) -> Counter[tuple[str, str]]:
    notes = (note.data for note in state.notes.get(ROOM, ()) if note.kind == USED)
    return Counter((data["plugin"], data["tool"]) for data in notes)


def _lines(each: PluginManifest, used: Counter[tuple[str, str]]) -> Iterator[str]:
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


def _data(each: PluginManifest, used: Counter[tuple[str, str]]) -> JsonObject:
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

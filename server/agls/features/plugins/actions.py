"""The actions: which plugins there are, what they bring, and switching installed ones on and off."""

import asyncio
from collections.abc import Sequence
from functools import partial

from pydantic import Field

from agls.engine.actions import Action, ActionContext, ActionOutcome
from agls.features.plugins.listing import (
    manifest_data,
    manifest_lines,
    plugin_data,
    plugin_lines,
    python_data,
    python_lines,
    uses_in,
)
from agls.features.plugins.manifest import manifests
from agls.instruction_files.folder_texts import FolderTexts
from agls.room.process_ports import PluginShelf
from agls.toolkit import Arguments, TypedAction

NONE = "There are no plugins. To install one: agls plugin add SOURCE (docs/plugins.md)."
UNTRUSTED = "Plugins of {} are not read: nobody trusts the folder. To trust it: agls trust"
SWITCHED = "`{}` is {} from the next prompt on."
REMOVED = "`{}` was removed. What runs now goes on with it."


class ListPlugins(Arguments):
    """Show the installed plugins and the manifests in use here: what each provides, and any problems."""


class ReloadPlugins(Arguments):
    """Read the manifests of plugins again. Changes apply from the next prompt on."""


class NamedPlugin(Arguments):
    """An installed plugin."""

    name: str = Field(min_length=1, description="its name")


class ShowPlugin(NamedPlugin):
    """Show everything that an installed plugin provides, including the programs that it runs."""


class EnablePlugin(NamedPlugin):
    """Switch on an installed plugin, optionally with values for its options."""

    values: dict[str, str] = Field(default={}, description="values of its options, by their names")


class DisablePlugin(NamedPlugin):
    """Switch off an installed plugin."""


class RemovePlugin(NamedPlugin):
    """Remove an installed plugin and the data that it stored."""


def actions(texts: FolderTexts, shelf: PluginShelf) -> Sequence[Action]:
    """Return the actions."""
    work = partial(_list, texts, shelf)
    reload = ("reload-plugins",)
    return (
        TypedAction("plugin.list", "Show plugins", ListPlugins, work, aliases=("plugin",), group="Settings"),
        TypedAction("plugin.reload", "Reload plugins", ReloadPlugins, work, aliases=reload, group="Settings"),
        TypedAction(
            "plugin.show", "Show what a plugin brings", ShowPlugin, partial(_show, shelf), group="Settings"
        ),
        TypedAction(
            "plugin.enable", "Switch a plugin on", EnablePlugin, partial(_enable, shelf), group="Settings"
        ),
        TypedAction(
            "plugin.disable", "Switch a plugin off", DisablePlugin, partial(_disable, shelf), group="Settings"
        ),
        TypedAction(
            "plugin.remove", "Remove a plugin", RemovePlugin, partial(_remove, shelf), group="Settings"
        ),
    )


async def _list(
    texts: FolderTexts, shelf: PluginShelf, arguments: Arguments, context: ActionContext
) -> ActionOutcome:
    installed, packages = await asyncio.to_thread(shelf.all), await asyncio.to_thread(shelf.python)
    found, used = manifests(texts), uses_in(context.state)
    lines = [line for each in installed for line in plugin_lines(each)]
    lines += [line for each in packages for line in python_lines(each)]
    lines += [line for each in found for line in manifest_lines(each, used)]
    lines += [UNTRUSTED.format(folder) for folder in texts.folders.untrusted]
    data = {
        "installed": [plugin_data(each) for each in installed],
        "python": [python_data(each) for each in packages],
        "plugins": [manifest_data(each, used) for each in found],
    }
    return ActionOutcome("\n".join(lines or [NONE]), data)


async def _show(shelf: PluginShelf, arguments: ShowPlugin, context: ActionContext) -> ActionOutcome:
    powers = await asyncio.to_thread(shelf.powers, arguments.name)
    text = "\n".join(f"- {line}" if line[0] != " " else f"  - {line.strip()}" for line in powers)
    return ActionOutcome(text, {"name": arguments.name, "brings": list(powers)})


async def _enable(shelf: PluginShelf, arguments: EnablePlugin, context: ActionContext) -> ActionOutcome:
    switch = partial(shelf.switch, arguments.name, on=True, values=arguments.values)
    await asyncio.to_thread(switch)
    return ActionOutcome(SWITCHED.format(arguments.name, "on"))


async def _disable(shelf: PluginShelf, arguments: DisablePlugin, context: ActionContext) -> ActionOutcome:
    await asyncio.to_thread(partial(shelf.switch, arguments.name, on=False, values={}))
    return ActionOutcome(SWITCHED.format(arguments.name, "off"))


async def _remove(shelf: PluginShelf, arguments: RemovePlugin, context: ActionContext) -> ActionOutcome:
    await asyncio.to_thread(shelf.remove, arguments.name)
    return ActionOutcome(REMOVED.format(arguments.name))

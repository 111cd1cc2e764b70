"""What the doctor finds in the manifests of plugins."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from agls.features.plugins.manifest import manifests
from agls.features.plugins.settings import Settings
from agls.instruction_files.folder_texts import FolderTexts
from agls.room.findings import Finding

if TYPE_CHECKING:
    from agls.plugin_files import PluginContent

TOPIC = "plugins"
FIX_INSTALLED = "Tell its author, or install a version without it: agls plugin add"
SET = "Give them: agls plugin enable {} --set {}=..."
FIX = "Correct the file; docs/plugins.md has the keys."


def check_files(settings: Settings, texts: FolderTexts) -> Sequence[Finding]:
    """Return what cannot be used of each plugin; how many there are when all can be."""
    found, plugins = manifests(texts), texts.folders.plugins
    wrong = [each for plugin in plugins for each in _of_installed(plugin)]
    wrong += [
        Finding(TOPIC, "warn", f"{e.shown} cannot be used: {e.problem}", FIX) for e in found if e.problem
    ]
    wrong += [Finding(TOPIC, "warn", f"{each.shown}: {r}", FIX) for each in found for r in each.remarks]
    if wrong or not (found or plugins):
        return wrong
    count = len({*(each.name for each in found), *(each.name for each in plugins)})
    return [Finding(TOPIC, "pass", f"All plugins can be used ({count}).")]


def _of_installed(plugin: "PluginContent") -> Iterator[Finding]:
    for remark in plugin.remarks:
        yield Finding(TOPIC, "warn", f"The plugin {plugin.name}: {remark}", FIX_INSTALLED)
    if missing := plugin.missing:
        text = f"The plugin {plugin.name} needs values for {', '.join(missing)}."
        yield Finding(TOPIC, "warn", text, SET.format(plugin.name, missing[0]))
    if plugin.unused:
        text = f"The plugin {plugin.name} has what is of no use here: {', '.join(plugin.unused)}."
        yield Finding(TOPIC, "pass", text)

"""Where a file is, for people."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from agls.plugin_files import PluginContent


def shown_in(path: str, plugin: "PluginContent | None") -> str:
    """**Returns** the path of a file: of one in a plugin, which is kept by its digest, within that."""
    if plugin is None or not path.startswith(f"{plugin.root}/"):
        return path
    return f"the plugin {plugin.name} ({path.removeprefix(f'{plugin.root}/')})"

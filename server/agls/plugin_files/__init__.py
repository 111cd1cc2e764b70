"""Plugins: folders with skills, commands, agents, hooks and servers, in the manifests of several products."""

from agls.plugin_files.content import NO_PLUGINS, PluginContent, PluginOption, PluginProblem
from agls.plugin_files.hook_events import why_never
from agls.plugin_files.powers import option_lines, powers_of
from agls.plugin_files.reading import own_name, read_plugin
from agls.plugin_files.values import Substituted, filled, with_values

__all__ = [
    "NO_PLUGINS",
    "PluginContent",
    "PluginOption",
    "PluginProblem",
    "Substituted",
    "filled",
    "option_lines",
    "own_name",
    "powers_of",
    "read_plugin",
    "why_never",
    "with_values",
]

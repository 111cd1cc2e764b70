"""What a plugin brings, whichever product it was written for."""

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any, Literal

from agls.frozen import frozen

Dialect = Literal["claude", "codex", "cursor", "gemini", "claw", "plain"]
OptionType = Literal["string", "number", "boolean", "directory", "file"]
OF_CURSOR = (
    "CURSOR_PLUGIN_ROOT"  # by it programs find out what they are to answer: only those of Cursor get it
)
ROOTS = ("CLAUDE_PLUGIN_ROOT", OF_CURSOR, "PLUGIN_ROOT", "extensionPath")


class PluginProblem(Exception):
    """A plugin cannot be used; the message says why, and what to do."""


@frozen
class PluginOption:
    """A value that the user gives to a plugin; one that is `sensitive` is kept with the keys."""

    name: str
    type: OptionType = "string"
    title: str = ""
    description: str = ""
    default: str = ""
    required: bool = False
    sensitive: bool = False
    variable: str = ""


@frozen(eq=False)
class PluginContent:
    """A plugin as its files describe it; all paths are absolute, below its `root`.

    `skills` are folders of skills, `commands` and `agents` folders of files or files, `hooks` the place and
    the groups by event, `servers` the entries by name, `languages` those of language servers. `context` are
    files that the model reads before a prompt, `blocked` tools that it does not get. `data` is the folder
    that it may keep things in. `values` are those of its options. `unused` is what it has that is of no use
    here, `remarks` are mistakes in it.
    """

    name: str
    root: str
    dialect: Dialect = "plain"
    manifest: str = ""
    version: str = ""
    description: str = ""
    skills: Sequence[str] = ()
    commands: Sequence[str] = ()
    agents: Sequence[str] = ()
    hooks: Sequence[tuple[str, Mapping[str, Any]]] = ()
    servers: Mapping[str, Any] = field(default_factory=dict[str, Any])
    languages: Mapping[str, Any] = field(default_factory=dict[str, Any])
    options: Sequence[PluginOption] = ()
    context: Sequence[str] = ()
    blocked: Sequence[str] = ()
    unused: Sequence[str] = ()
    remarks: Sequence[str] = ()
    data: str = ""
    values: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)

    @property
    def missing(self) -> Sequence[str]:
        """The names of the options that need a value and have none."""
        return [each.name for each in self.options if each.required and not self.values.get(each.name)]

    @property
    def variables(self) -> Mapping[str, str]:
        """The variables that its texts and programs know."""
        return {
            **dict.fromkeys(ROOTS, self.root),
            **dict.fromkeys(("CLAUDE_PLUGIN_DATA", "PLUGIN_DATA"), self.data),
        }

    @property
    def environment(self) -> Mapping[str, str]:
        """The variables of the environment of its programs."""
        own = {name: text for name, text in self.variables.items() if name.isupper() and text}
        if self.dialect != "cursor":
            del own[OF_CURSOR]
        given = {f"CLAUDE_PLUGIN_OPTION_{name.upper()}": text for name, text in self.values.items()}
        if self.dialect == "gemini":  # which puts it into commands itself
            own["extensionPath"] = self.root
        named = {
            each.variable: self.values[each.name]
            for each in self.options
            if each.variable and self.values.get(each.name)
        }
        return {**own, **given, **named, "PYTHONDONTWRITEBYTECODE": "1"}  # nothing is written into its folder


NO_PLUGINS: Sequence[PluginContent] = ()

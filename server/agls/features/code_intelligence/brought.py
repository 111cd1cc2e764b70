"""Language servers that plugins bring: which programs they are, and for which files.

Their user consented to them with the plugin; one of their own for the same language comes first.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from agls.engine.vocabulary import JsonObject
from agls.frozen import frozen
from agls.json_values import is_list, is_object, object_in

from .languages import language_of

if TYPE_CHECKING:
    from agls.plugin_files import PluginContent

NO_COMMAND = "the plugin {}: its language server {} has no command: it is left out"
NO_FILES = "the plugin {}: its language server {} names no files (extensionToLanguage): it is left out"
BY_SOCKET = "the plugin {}: its language server {} is spoken to by a socket, which agls does not do"
MILLISECONDS = 1_000


@frozen(eq=False)
class BroughtServer:
    """A language server of a plugin: what is started, with which variables and settings.

    `patience` is how many seconds it gets to begin (`None`: as many as others).
    """

    command: Sequence[str]
    settings: JsonObject = field(default_factory=dict[str, Any])
    options: JsonObject = field(default_factory=dict[str, Any])
    variables: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    patience: float | None = None


@frozen(eq=False)
class BroughtServers:
    """Those of all plugins by the name of the language; `endings` are ends of files nobody else knows.

    `problems` say what cannot be used.
    """

    by_language: Mapping[str, Sequence[BroughtServer]] = field(
        default_factory=dict[str, Sequence[BroughtServer]]
    )
    endings: Mapping[str, str] = field(default_factory=dict[str, str])
    problems: Sequence[str] = ()


@lru_cache(maxsize=16)  # every run asks
def brought_by(plugins: tuple["PluginContent", ...]) -> BroughtServers:
    """Return the language servers that these plugins bring."""
    by_language: dict[str, list[BroughtServer]] = {}
    endings: dict[str, str] = {}
    problems: list[str] = []
    for plugin in plugins:
        for name, said in plugin.languages.items():
            server = _server(name, said, plugin)
            if isinstance(server, str):
                problems.append(server)
                continue
            for ending, language in _files(said):
                known = language_of(f"a{ending}", {})[0]
                if not known:
                    endings.setdefault(ending, language)
                of_language = by_language.setdefault(known or language, [])
                if server not in of_language:
                    of_language.append(server)
    return BroughtServers(by_language, endings, problems)


def _server(name: str, said: object, plugin: "PluginContent") -> BroughtServer | str:
    """Return a server, or why it cannot be used."""
    from agls.plugin_files import filled  # noqa: PLC0415 - few users have plugins

    made = filled(said, plugin)
    if made.problem:
        return f"the plugin {plugin.name}: its language server {name}: {made.problem}"
    entry = object_in(made.value)
    command, args = entry.get("command"), entry.get("args")
    if not isinstance(command, str) or not command:
        return NO_COMMAND.format(plugin.name, name)
    if not [*_files(entry)]:
        return NO_FILES.format(plugin.name, name)
    if entry.get("transport") == "socket":
        return BY_SOCKET.format(plugin.name, name)
    limit = entry.get("startupTimeout")
    return BroughtServer(
        (command, *map(str, args if is_list(args) else ())),
        object_in(entry, "settings"),
        object_in(entry, "initializationOptions"),
        {**plugin.environment, **{key: str(value) for key, value in object_in(entry, "env").items()}},
        limit / MILLISECONDS if isinstance(limit, int | float) and limit > 0 else None,
    )


def _files(entry: object) -> Iterator[tuple[str, str]]:
    said = entry if is_object(entry) else {}
    for ending, language in object_in(said, "extensionToLanguage").items():
        if ending.startswith(".") and isinstance(language, str):
            yield ending.lower(), language

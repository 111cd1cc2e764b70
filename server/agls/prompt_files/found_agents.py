"""The agents that files describe, as they are on the disk now."""

import os
from collections import OrderedDict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from stat import S_ISREG
from typing import TYPE_CHECKING

from agls.frozen import frozen
from agls.plain_file import is_folder
from agls.prompt_files.agent_file import NAME, NO_DESCRIPTION, AgentFile, read_agent
from agls.prompt_files.agent_places import CODEX, AgentFolder
from agls.prompt_files.opencode_config import AGENTS, texts_in

if TYPE_CHECKING:
    from agls.plugin_files import PluginContent

MOST = 200  # agents of one folder
MORE = "it and all behind it ({} files) are left out, as a folder has at most {} agents: take some away"
DEEPEST = 3  # folders in it, one in another
SUFFIXES = (".agent", ".chatmode")  # which some products have before the end
LARGEST = 1_000_000  # bytes of a file
REMEMBERED = 1_000  # texts
_texts: OrderedDict[str, tuple[tuple[int, ...], str]] = OrderedDict()


@frozen
class FoundAgent:
    """An agent, its file and its text; `hidden_by` is what has its name and comes first ("": nothing)."""

    file: AgentFile
    path: str
    folder: AgentFolder
    text: str = ""
    hidden_by: str = ""

    @property
    def counts(self) -> bool:
        """Whether it can be used."""
        return not self.hidden_by and not self.file.problem


def find_agents(folders: Sequence[AgentFolder], taken: Sequence[str] = ()) -> Sequence[FoundAgent]:
    """Return the agents in these folders, in their order. Those whose name is `taken` are hidden."""
    first = dict.fromkeys(taken, "the configuration")
    found: list[FoundAgent] = []
    for folder in folders:
        paths = [*_files(folder)]
        for path in paths[:MOST]:
            for place, file, text in _read(path, folder):
                hidden_by = first.get(file.name, "")
                if not file.problem:
                    first.setdefault(file.name, place)
                found.append(FoundAgent(file, place, folder, text, hidden_by))
        if rest := paths[MOST:]:
            left_out = AgentFile(Path(rest[0]).stem, problem=MORE.format(len(rest), MOST))
            found.append(FoundAgent(left_out, rest[0], folder))
    described = {each.file.name for each in found if each.folder.only == CODEX and not each.file.problem}
    return [each for each in found if not _is_rest_of_role(each, described)]


def _is_rest_of_role(agent: FoundAgent, described: Collection[str]) -> bool:
    """Return whether this file only has the rest of a role that the configuration of Codex describes."""
    is_role = agent.folder.end == ".toml" and agent.file.problem == NO_DESCRIPTION
    return is_role and agent.file.name.replace("_", "-") in {name.replace("_", "-") for name in described}


def stamps_of(folders: Sequence[AgentFolder]) -> Mapping[str, object]:
    """Return by path what changes when an agent in these folders does. Nothing is opened."""
    stamps: dict[str, object] = {}
    for folder in folders:
        if folder.origin == "built in":
            continue
        stamps.update((path, _stamp(path)) for path in islice(_files(folder), MOST + 1))
    return stamps


def _files(folder: AgentFolder) -> Iterator[str]:
    if folder.configuration:
        path = f"{folder.path}/{folder.only}"
        return iter([path] if os.path.isfile(path) else [])  # noqa: PTH113 - each run asks for several
    return _wanted([*_names(folder.path)], folder)


def _names(path: str, deep: int = 0) -> Iterator[str]:
    """Yield the names of what is in a folder, then of what is in its folders."""
    try:
        entries = sorted(os.scandir(path), key=lambda entry: entry.name)
    except OSError:  # nearly always nothing is there
        return
    yield from (entry.name for entry in entries if not is_folder(entry))
    for entry in entries:
        if deep < DEEPEST and is_folder(entry) and not entry.name.startswith("."):
            yield from (f"{entry.name}/{name}" for name in _names(entry.path, deep + 1))


def _wanted(names: Sequence[str], folder: AgentFolder) -> Iterator[str]:
    """Yield the paths of the agents among these names, in their order."""
    if folder.only:
        names = [name for name in names if name == folder.only]
    last = {name: name.rpartition("/")[2] for name in names if name.endswith(folder.end)}
    wanted = [name for name, end in last.items() if end[0] != "." and end.lower() != "readme.md"]
    yield from (f"{folder.path}/{name}" for name in wanted)


def _read(path: str, folder: AgentFolder) -> Iterator[tuple[str, AgentFile, str]]:
    """Yield the agents of a file: where each is, and the text of it."""
    base = Path(path).name.removesuffix(folder.end)
    base = base.removesuffix(next((each for each in SUFFIXES if base.endswith(each)), ""))
    try:
        text = _inside(path, folder)
    except OSError as problem:
        yield path, AgentFile(base, problem=str(problem)), ""
        return
    if folder.configuration:
        yield from _configured(path, text, folder)
    else:
        agent = read_agent(text, base, toml=folder.end == ".toml")
        yield path, _of_plugin(agent, folder.plugin) if folder.plugin else agent, text


def _configured(path: str, text: str, folder: AgentFolder) -> Iterator[tuple[str, AgentFile, str]]:
    """Yield the agents in a configuration."""

    def named(name: str) -> str | None:
        try:
            return _inside(str(Path(folder.path, Path(name).expanduser())), folder)
        except (OSError, RuntimeError):
            return None

    if folder.only == CODEX:
        from agls.prompt_files.codex_config import roles_in  # noqa: PLC0415 - few folders have them

        for name, said in roles_in(text, named):
            yield f"{path} (agents.{name})", read_agent(said, name), said
        return
    try:
        for name, said in texts_in(text, AGENTS, named):
            yield f"{path} ({AGENTS}.{name})", read_agent(said, name), said
    except ValueError as problem:
        yield path, AgentFile(folder.only, problem=f"it is not valid JSON: {problem}"), ""


def _inside(path: str, folder: AgentFolder) -> str:
    """Return the text of a file. **Raises** `OSError`, which says why it is not to be had."""
    if folder.root and not os.path.realpath(path).startswith(f"{os.path.realpath(folder.root)}/"):
        raise OSError("it is a link that leads out of the project")
    text = _text(path)
    if isinstance(text, OSError):
        raise OSError(f"it cannot be read: {text.strerror or text}")
    return text


def _of_plugin(agent: AgentFile, plugin: "PluginContent") -> AgentFile:
    """Return an agent of a plugin: with its name before that of the agent, and with its folders."""
    from agls.plugin_files import filled  # noqa: PLC0415 - few users have plugins

    made = filled(agent.prompt, plugin)
    name = f"{plugin.name}__{agent.name}"
    long = "" if NAME.fullmatch(name) else f"its name {name!r} is too long with that of the plugin"
    return replace(
        agent,
        name=name,
        prompt=str(made.value or agent.prompt),
        problem=agent.problem or made.problem or long,
    )


def _stamp(path: str) -> object:
    try:
        return _numbers(os.stat(path))  # noqa: PTH116 - each run asks for each
    except OSError:
        return None


def _numbers(status: os.stat_result) -> tuple[int, ...]:
    return (status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)


def _text(path: str) -> str | OSError:
    """Return the text of a file, which is read again when it changed."""
    try:
        status = os.stat(path)  # noqa: PTH116 - each run asks for each
        stamp = _numbers(status)
        known = _texts.get(path)
        if known and known[0] == stamp:
            return known[1]
        if not S_ISREG(status.st_mode):
            raise OSError("it is not a file")
        with Path(path).open("rb") as stream:
            text = stream.read(LARGEST).decode("utf-8-sig", "replace")
    except OSError as problem:
        return problem
    _texts[path] = (stamp, text)
    if len(_texts) > REMEMBERED:
        _texts.popitem(last=False)
    return text

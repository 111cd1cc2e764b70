"""The inputs of this process, and the settings of any folder that follow from them."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping, Sequence
from dataclasses import field, replace
from errno import ELOOP, ENOENT, ENOTDIR
from functools import lru_cache, partial
from pathlib import Path
from stat import S_ISREG

from agls.config import former_name
from agls.config.agent_files import agent_source, folders_for, with_plugins
from agls.config.environment import process_environment
from agls.config.errors import ConfigError, together
from agls.config.folders import (
    AGENTS,
    MEMORY,
    PROJECT_FILE,
    check_outside,
    home_folder,
    managed_file,
    state_folder,
    user_file,
    usual_config_folder,
)
from agls.config.key_command import told_keys
from agls.config.key_store import KeyPlace, StoredKey, given_secrets
from agls.config.load import Loaded, load
from agls.config.own_files import GuardedFiles
from agls.config.plugins import InstalledPlugins, PluginRecord
from agls.config.seal import Seal
from agls.config.sources import Rank, Source, from_arguments, from_environment, from_toml, placed
from agls.config.tables import leaves
from agls.config.trust import Trust
from agls.engine.vocabulary import JsonObject
from agls.frozen import frozen
from agls.models.catalog.providers import KEY_VARIABLES
from agls.prompt_files.agent_places import AgentFolder
from agls.redaction import is_secret
from agls.room.web_ports import SEARCH_KEYS
from agls.workspace.path_stamps import LooksAtPaths, PathStamps
from agls.workspace.redact import forget

ABSENT = {ENOENT, ENOTDIR, ELOOP}
MAX_BYTES = 1_000_000  # of one config file
OWN_KEYS = ("AGLS_API_KEY", *KEY_VARIABLES, *SEARCH_KEYS.values())
CLOUD_SECRETS = ("AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN")  # which AWS's own tools need as well
RENAME = "{}: read for its strict rules as long as it is there. Rename the folder to .agls."
Trusts = Callable[[Path], bool]
FOREIGN_FILES = (".claude/settings.json", ".claude/settings.local.json")  # with rules of another agent
FOLDERS = 16  # whose settings are remembered: every run asks for those of its own


@frozen
class Setup:
    """The settings of every source but a project, and the services that go with them.

    `keys` are by the name of their variable, `environment` is the rest of the variables, `config_file` is
    where the user's settings are or would be. `own_places` decide what the agent may do: the state, the
    config file, the platform's folder for it; `plugins` are those that the user
    installed. `places` are where a missing key is looked for besides this
    machine's own,
    `kept` what was found so far, by host. `keeps` is whether anything is kept in the state folder,
    `trust` which folders the user trusts from now on; `notices` say what was taken over from the name that
    agls had before.
    """

    sources: tuple[Source, ...]
    state_folder: Path
    keys: Mapping[str, str] = field(repr=False)
    environment: Mapping[str, str] = field(repr=False)
    config_file: Path
    trusts: Trusts
    trust: Trust = field(repr=False, compare=False)
    plugins: InstalledPlugins = field(repr=False, compare=False)
    own_places: tuple[Path, ...] = ()
    places: tuple[KeyPlace, ...] = ()
    kept: dict[str, StoredKey] = field(default_factory=dict[str, StoredKey], repr=False)
    keeps: bool = True
    notices: tuple[str, ...] = ()
    _written: tuple[str, ...] = field(init=False, repr=False, compare=False)  # keys in files and variables
    _looks: LooksAtPaths[Loaded] = field(
        init=False, repr=False, compare=False, default_factory=lambda: LooksAtPaths[Loaded](FOLDERS)
    )

    def __post_init__(self) -> None:
        """Look once for the keys that are written somewhere: every call of a tool asks for all keys."""
        written = [
            str(value)
            for path, value in self._said()
            if path[-1] == "api_key" or (path[-2:-1] == ("headers",) and is_secret(str(path[-1])))
        ]
        others = [self.environment[name] for name in CLOUD_SECRETS if self.environment.get(name)]
        object.__setattr__(self, "_written", (*written, *others))

    @property
    def secrets(self) -> tuple[str, ...]:
        """**Returns** the texts that may never be shown: all keys, and the values of extra headers."""
        headers = (str(value) for path, value in self._said() if path[-2:-1] == ("headers",))
        return (*self.held_keys, *headers)

    @property
    def held_keys(self) -> tuple[str, ...]:
        """**Returns** all keys, the credentials of clouds, and the secrets of plugins and servers.

        Values of headers that are named like a key are among them.
        """
        kept = [kept.key for kept in self.kept.values()]
        told = (*told_keys(), *given_secrets(), *self.plugins.secrets)
        return (*self.keys.values(), *self._written, *kept, *told)

    @property
    def log_level(self) -> str:
        """**Returns** the least level that is logged, as `AGLS_LOG` names it; "" when it is not set."""
        return self.environment.get("AGLS_LOG", "")

    def _said(self) -> Iterator[tuple[tuple[str, ...], object]]:
        return (leaf for source in self.sources for leaf in leaves(source.values))

    def trusts_folder(self, folder: str) -> bool:
        """**Returns** whether the user trusts this folder."""
        return self.trusts(_project(folder)[0])

    def agent_folders(self, folder: str) -> Sequence[AgentFolder]:
        """**Returns** the folders of agents that count in a folder."""
        return self._agent_folders(folder, PathStamps())

    def _agent_folders(self, folder: str, looked_at: PathStamps) -> Sequence[AgentFolder]:
        home = self.environment.get("HOME", "")
        looked_at.exists(str(self.plugins.file))
        found = folders_for(folder, self.config_file, home, looked_at, trusted=self.trusts_folder(folder))
        return with_plugins(found, self.plugins.active())

    def said_in(self, folder: str) -> tuple[Source, ...]:
        """**Returns** what the files of settings say for `folder`. **Raises** `ConfigError`."""
        return self._said_in(folder, PathStamps())[0]

    def _said_in(self, folder: str, looked_at: PathStamps) -> tuple[tuple[Source, ...], Sequence[str]]:
        """**Returns** what they say, and a line for each rule of others that cannot be followed."""
        root, file, former = _project(folder)
        if not self.trusts(root):
            return self.sources, ()
        own = _project_sources((former, file), looked_at)
        files = [root / name for name in FOREIGN_FILES]
        there = [file for file in files if looked_at.exists(str(file))]
        if not there:
            return (*self.sources, *own), ()
        from agls.config.foreign_rules import foreign_rules  # noqa: PLC0415 - few folders have such files

        rules, unfollowed = foreign_rules(there, self.environment.get("HOME", ""), looked_at)
        return (*self.sources, *own, *rules), unfollowed

    def load(self, folder: str) -> Loaded:
        """**Returns** the settings for `folder`; its files count if trusted. **Raises** `ConfigError`.

        A run asks several times: while nothing changed at the places of its files, the answer is known.
        """
        trusted = self.trusts_folder(folder)
        return self._looks.get((folder, trusted), partial(self._load, folder, trusted))

    def _load(self, folder: str, trusted: bool, looked_at: PathStamps) -> Loaded:
        former, (said, unfollowed) = _project(folder)[2], self._said_in(folder, looked_at)
        agents = agent_source(self._agent_folders(folder, looked_at), said, looked_at)
        loaded = load((agents, *said), trusted=trusted)
        if unfollowed:
            loaded = replace(loaded, warnings=(*loaded.warnings, *unfollowed))
        before = f"{former.parent}/"
        old = trusted and any(source.file.startswith(before) for source in said)
        return replace(loaded, warnings=(*loaded.warnings, RENAME.format(former))) if old else loaded


@frozen
class ConfigInputs:
    """The inputs of a door: `arguments` and `editor` are tables as in the config file.

    So are `defaults`: what holds for this door where nobody says anything. With `remembered` the folders
    count that the user trusts from now on (`agls trust`). Plugins that are `tried` are on for this process.
    """

    arguments: JsonObject = field(default_factory=JsonObject)
    editor: JsonObject = field(default_factory=JsonObject)
    config_file: str = ""
    state_dir: str = ""
    defaults: JsonObject = field(default_factory=JsonObject)
    remembered: bool = False
    tried: tuple[PluginRecord, ...] = ()


def read(
    inputs: ConfigInputs, folder: str, trusts: Trusts, environment: MutableMapping[str, str] | None = None
) -> Setup:
    """Read the config files and the environment, and take the keys out of the environment.

    `folder` is the workspace our own files may not lie in. Raises `ConfigError`.
    """
    environment = process_environment() if environment is None else environment
    variables = _with_inputs(environment, inputs)
    notices = take_over(variables)
    _check_places(variables, Path(folder))
    file, named = user_file(variables), bool(variables.get("AGLS_CONFIG"))
    said = (
        Source(Rank.DEFAULT, inputs.defaults),
        *_read_with_agents(managed_file(), Rank.MANAGED),
        *_read_with_agents(file, Rank.USER, required=named),
        Source(Rank.EDITOR, inputs.editor),
        from_environment(variables),
        from_arguments(inputs.arguments),
    )
    state = state_folder(variables).resolve()
    files = GuardedFiles(state, file)
    seal = Seal(files)
    trust = Trust(files, seal)
    return Setup(
        sources=said,
        state_folder=state,
        keys=_take(environment, key_variables(said)),
        environment=dict(environment),
        config_file=file,
        trusts=(lambda root: trusts(root) or trust.trusts(root)) if inputs.remembered else trusts,
        trust=trust,
        plugins=InstalledPlugins(files, seal, inputs.tried),
        own_places=(state, file, file.with_name(AGENTS), file.with_name(MEMORY), *usual_config_folder()),
        notices=notices,
    )


def take_over(variables: Mapping[str, str]) -> tuple[str, ...]:
    """Take over the files of the former name, once. **Returns** the notices for the user."""
    return former_name.take_over(variables, lambda file: load(tuple(_read_with_agents(file, Rank.USER))))


def key_variables(sources: Iterable[Source]) -> set[str]:
    """**Returns** the names of variables that hold keys: ours, and those named in `api_key_env`."""
    names: set[str] = set(OWN_KEYS)
    for source in sources:
        said = (value for path, value in leaves(source.values) if path[-1] == "api_key_env")
        names |= {name for name in said if isinstance(name, str) and name}
    return names


def _take(environment: MutableMapping[str, str], names: Iterable[str]) -> Mapping[str, str]:
    taken = {name: environment.pop(name, "") for name in names}
    if environment is process_environment():
        forget(taken.__contains__)
    return {name: value for name, value in taken.items() if value}


def _with_inputs(environment: Mapping[str, str], inputs: ConfigInputs) -> dict[str, str]:
    variables = dict(environment)
    if inputs.config_file:
        variables["AGLS_CONFIG"] = inputs.config_file
    if inputs.state_dir:
        variables["AGLS_STATE_DIR"] = inputs.state_dir
    return variables


def _check_places(variables: Mapping[str, str], workspace: Path) -> None:
    home = home_folder()
    for path, key in ((state_folder(variables), "AGLS_STATE_DIR"), (user_file(variables), "AGLS_CONFIG")):
        check_outside(path, workspace, home, key, named=bool(variables.get(key)))


@lru_cache(maxsize=16)  # a run asks several times
def _project(folder: str) -> tuple[Path, Path, Path]:
    """**Returns** the folder, the place of its own settings, and their place under the former name."""
    return Path(folder), Path(folder, PROJECT_FILE), Path(folder, former_name.PROJECT_FILE)


def _project_sources(files: Sequence[Path], looked_at: PathStamps) -> tuple[Source, ...]:
    """**Returns** what a project's files of settings say. **Raises** `ConfigError`."""
    for file in files:
        looked_at.exists(str(file))
        looked_at.exists(str(_beside(file)))
        for agent in _agents(file):
            looked_at.add(str(agent))
    return tuple(source for file in files for source in _read_with_agents(file, Rank.PROJECT))


def _read_with_agents(file: Path, rank: Rank, *, required: bool = False) -> Iterator[Source]:
    """**Returns** the content of a config file and of every agent file beside it.

    **Raises** `ConfigError` with the mistakes of all of them.
    """
    problems: list[ConfigError] = []
    for each in (file, *_agents(file)):
        try:
            source = _read(each, rank, required=required and each == file)
        except ConfigError as problem:
            problems.append(problem)
            continue
        if source and not problems:
            yield source if each == file else placed(source, AGENTS, each.stem)
    if problems:
        raise together(problems)


def _agents(file: Path) -> Sequence[Path]:
    folder = _beside(file)
    try:
        names = os.listdir(folder)  # noqa: PTH208 - every run looks, and nearly always there is no folder
    except OSError:
        return ()
    return [folder / name for name in sorted(names) if name.endswith(".toml")]


@lru_cache(maxsize=64)
def _beside(file: Path) -> Path:
    return file.with_name(AGENTS)


def _read(file: Path, rank: Rank, *, required: bool = False) -> Source | None:
    text = _text(file)
    if text is None and required:
        raise ConfigError("there is no such config file", file=str(file))
    return None if text is None else from_toml(rank, text, str(file))


def _text(file: Path) -> str | None:
    """**Returns** the text of a file of ours, `None` when there is none. **Raises** `ConfigError`."""
    try:
        if not (S_ISREG(os.stat(file).st_mode) or str(file) == os.devnull):  # noqa: PTH116 - each run asks often
            return None
        with file.open("rb") as stream:
            data = stream.read(MAX_BYTES + 1)
        text = data.decode("utf-8-sig")  # some editors begin a file with a byte order mark
    except UnicodeDecodeError:
        raise ConfigError("this file is not UTF-8", file=str(file)) from None
    except OSError as error:
        if error.errno in ABSENT:
            return None
        raise ConfigError(
            f"this file cannot be read: {error.strerror}. Make it readable for this user", file=str(file)
        ) from error
    if len(data) > MAX_BYTES:
        raise ConfigError(f"this file is larger than {MAX_BYTES} bytes", file=str(file))
    return text

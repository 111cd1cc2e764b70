"""What this process was told when it began, and from it the settings of any folder."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping, Sequence
from dataclasses import field, replace
from errno import ELOOP, ENOENT, ENOTDIR
from functools import lru_cache
from pathlib import Path
from stat import S_ISREG

from agls.config import former_name
from agls.config.environment import process_environment
from agls.config.errors import ConfigError
from agls.config.folders import (
    AGENTS,
    PROJECT_FILE,
    check_outside,
    home_folder,
    managed_file,
    state_folder,
    user_file,
    usual_config_folder,
)
from agls.config.key_command import told_keys
from agls.config.key_store import KeyPlace, StoredKey
from agls.config.load import Loaded, load
from agls.config.own_files import GuardedFiles
from agls.config.seal import Seal
from agls.config.sources import Rank, Source, from_arguments, from_environment, from_toml, placed
from agls.config.tables import leaves
from agls.config.trust import Trust
from agls.engine.vocabulary import JsonObject
from agls.frozen import frozen
from agls.models.catalog.providers import KEY_VARIABLES
from agls.workspace.redact import forget, is_secret

ABSENT = {ENOENT, ENOTDIR, ELOOP}
MAX_BYTES = 1_000_000  # of one config file
OWN_KEYS = ("AGLS_API_KEY", *KEY_VARIABLES)
CLOUD_SECRETS = ("AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN")  # which AWS's own tools need as well
RENAME = "{}: read for its strict rules as long as it is there. Rename the folder to .agls."
Trusts = Callable[[Path], bool]


@frozen
class Setup:
    """What was said by everyone but a project, and what goes with it.

    `keys` are by the name of their variable, `environment` is the rest of the variables, `instructions`
    are the user's own for every project (`AGENTS.md` beside their config file), `config_file` is where
    their settings are or would be. `own_places` decide what the agent may do: the state, the config file, the
    platform's folder for it. `places` are where a missing key is looked for besides this machine's own,
    `kept` what was found so far, by host. `keeps` is whether anything is kept in the state folder,
    `trust` which folders the user trusts from now on; `notices` say what was taken over from the name that
    agls had before.
    """

    sources: tuple[Source, ...]
    state_folder: Path
    keys: Mapping[str, str] = field(repr=False)
    environment: Mapping[str, str] = field(repr=False)
    config_file: Path
    instructions: str
    trusts: Trusts
    trust: Trust = field(repr=False, compare=False)
    own_places: tuple[Path, ...] = ()
    places: tuple[KeyPlace, ...] = ()
    kept: dict[str, StoredKey] = field(default_factory=dict[str, StoredKey], repr=False)
    keeps: bool = True
    notices: tuple[str, ...] = ()

    @property
    def secrets(self) -> tuple[str, ...]:
        """What may never be shown: all keys, and the values of extra headers."""
        headers = (str(value) for path, value in self._said() if path[-2:-1] == ("headers",))
        return (*self.held_keys, *headers)

    @property
    def held_keys(self) -> tuple[str, ...]:
        """All keys, what clouds sign with, and the values of headers whose names say that they hold one."""
        written = (
            str(value)
            for path, value in self._said()
            if path[-1] == "api_key" or (path[-2:-1] == ("headers",) and is_secret(str(path[-1])))
        )
        kept = (kept.key for kept in self.kept.values())
        others = (self.environment[name] for name in CLOUD_SECRETS if self.environment.get(name))
        return (*self.keys.values(), *written, *kept, *told_keys(), *others)

    @property
    def log_level(self) -> str:
        """The least level of what is logged, as `AGLS_LOG` names it; "" when it says nothing."""
        return self.environment.get("AGLS_LOG", "")

    def _said(self) -> Iterator[tuple[tuple[str, ...], object]]:
        return (leaf for source in self.sources for leaf in leaves(source.values))

    def trusts_folder(self, folder: str) -> bool:
        """**Returns** whether the user trusts this folder."""
        return self.trusts(_project(folder)[0])

    def load(self, folder: str) -> Loaded:
        """The settings for work in `folder`; its files count when it is trusted. Raises `ConfigError`."""
        root, file, former = _project(folder)
        if not self.trusts(root):
            return load(self.sources)
        old = tuple(_read_with_agents(former, Rank.PROJECT))
        loaded = load((*self.sources, *old, *_read_with_agents(file, Rank.PROJECT)), trusted=True)
        return replace(loaded, warnings=(*loaded.warnings, RENAME.format(former))) if old else loaded


@frozen
class ConfigInputs:
    """What a door was told: `arguments` and `editor` are tables as in the config file.

    So are `defaults`: what holds for this door where nobody says anything. With `remembered` the folders
    count that the user trusts from now on (`agls trust`).
    """

    arguments: JsonObject = field(default_factory=JsonObject)
    editor: JsonObject = field(default_factory=JsonObject)
    config_file: str = ""
    state_dir: str = ""
    defaults: JsonObject = field(default_factory=JsonObject)
    remembered: bool = False


def read(
    told: ConfigInputs, folder: str, trusts: Trusts, environment: MutableMapping[str, str] | None = None
) -> Setup:
    """Read the config files and the environment, and take the keys out of the environment.

    `folder` is the workspace our own files may not lie in. Raises `ConfigError`.
    """
    environment = process_environment() if environment is None else environment
    variables = _with_told(environment, told)
    notices = take_over(variables)
    _check_places(variables, Path(folder))
    file, named = user_file(variables), bool(variables.get("AGLS_CONFIG"))
    said = (
        Source(Rank.DEFAULT, told.defaults),
        *_read_with_agents(managed_file(), Rank.MANAGED),
        *_read_with_agents(file, Rank.USER, required=named),
        Source(Rank.EDITOR, told.editor),
        from_environment(variables),
        from_arguments(told.arguments),
    )
    state = state_folder(variables).resolve()
    files = GuardedFiles(state, file)
    trust = Trust(files, Seal(files))
    return Setup(
        sources=said,
        state_folder=state,
        keys=_take(environment, key_variables(said)),
        environment=dict(environment),
        config_file=file,
        instructions=_text(file.with_name("AGENTS.md")) or "",
        trusts=(lambda root: trusts(root) or trust.trusts(root)) if told.remembered else trusts,
        trust=trust,
        own_places=(state, file, file.with_name(AGENTS), *usual_config_folder()),
        notices=notices,
    )


def take_over(variables: Mapping[str, str]) -> tuple[str, ...]:
    """Take over what was kept under the former name, once. **Returns** what to say of it."""
    return former_name.take_over(variables, lambda file: load(tuple(_read_with_agents(file, Rank.USER))))


def key_variables(sources: Iterable[Source]) -> set[str]:
    """The names of the variables that hold keys: ours, and those named in `api_key_env`."""
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


def _with_told(environment: Mapping[str, str], told: ConfigInputs) -> dict[str, str]:
    variables = dict(environment)
    if told.config_file:
        variables["AGLS_CONFIG"] = told.config_file
    if told.state_dir:
        variables["AGLS_STATE_DIR"] = told.state_dir
    return variables


def _check_places(variables: Mapping[str, str], workspace: Path) -> None:
    home = home_folder()
    for path, key in ((state_folder(variables), "AGLS_STATE_DIR"), (user_file(variables), "AGLS_CONFIG")):
        check_outside(path, workspace, home, key, named=bool(variables.get(key)))


@lru_cache(maxsize=16)  # a run asks several times
def _project(folder: str) -> tuple[Path, Path, Path]:
    """The folder, where its own settings are, and where they were under the former name."""
    return Path(folder), Path(folder, PROJECT_FILE), Path(folder, former_name.PROJECT_FILE)


def _read_with_agents(file: Path, rank: Rank, *, required: bool = False) -> Iterator[Source]:
    """What a config file says, and every agent file beside it."""
    if source := _read(file, rank, required=required):
        yield source
    for agent in _agents(file):
        if source := _read(agent, rank):
            yield placed(source, AGENTS, agent.stem)


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
    """What is in a file of ours; `None` when there is no such file. Raises `ConfigError`."""
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
        raise ConfigError(f"this file cannot be read: {error.strerror}", file=str(file)) from error
    if len(data) > MAX_BYTES:
        raise ConfigError(f"this file is larger than {MAX_BYTES} bytes", file=str(file))
    return text

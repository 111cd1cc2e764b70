"""Settings changed in their file: validated before, comments and order kept, the file replaced as a whole."""

import stat
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from agls.config.errors import ConfigError
from agls.config.folders import PROJECT_FILE
from agls.config.load import USER_ONLY, WHY, Loaded, Origin
from agls.config.model_settings import ModelSettings
from agls.config.own_files import GuardedFiles
from agls.config.schema import Config
from agls.config.setup import Setup
from agls.config.sources import Rank, Source, from_toml
from agls.config.stricter import narrowed, tighten, within
from agls.config.tables import KeyPath, leaves, prefixes, put
from agls.engine.vocabulary import JsonObject
from agls.frozen import frozen
from agls.json_values import is_object, list_in
from agls.regex import regex
from agls.stores.disk import replace_whole

USUAL_MODE = 0o644  # of a project's file
KEYS = "A key is not written into a file of settings. Keep it: agls key set HOST"
UNTRUSTED = "The folder {} is not trusted, so its settings are not read. Trust it first: agls trust"
OWN_WORD = (
    "{} decides where your words and keys go, or what runs unasked: it is set at a terminal, or in your "
    "config file. Write: agls config {}"
)
NO_NAME = (
    "this is not the name of a setting; write table.name, such as budget.max_turns or models.mine.dialect"
)
_OF_MODEL = regex(rf"models\.([^\"'\\=\n]+?)\.((?:{'|'.join(ModelSettings.model_fields)})(?:\..*)?)")
ELSEWHERE = "{} leads out of the folder {}, so it is left alone"
ABSENT = "{} is not set in {}."
STRONGER = "{} was written, but {} overrides it: {}."


@frozen
class PreparedSettings:
    """Changes of one file that are valid, and not yet written: its text before and after."""

    file: Path
    before: str
    after: str
    setup: Setup
    project: bool = False


def in_words(origin: Origin) -> str:
    """**Returns** what a setting is now, for people."""
    from json import dumps  # noqa: PLC0415 - few processes change a setting

    if origin.value is None:
        return f"{origin.key} is not set any more."
    by_default = " by default" if origin.rank is Rank.DEFAULT else ""
    return f"{origin.key} is {dumps(origin.value, ensure_ascii=False, default=str)}{by_default}."


@frozen
class SettingChange:
    """What was changed: the setting as it holds now, the file, and the settings with it."""

    origin: Origin | None
    file: Path
    setup: Setup
    warning: str = ""


def parts_of(key: str) -> KeyPath:
    """**Returns** the path that a dotted key names: `models.my-model.base_url`. **Raises** `ConfigError`."""
    if model := _OF_MODEL.fullmatch(key.strip()):  # whose name has dots, or a colon
        key = f'models."{model[1]}".{model[2]}'
    try:
        found = tomllib.loads(f"{key} = 0") if key.strip() and "=" not in key and "\n" not in key else {}
        path, _ = next(leaves(found))
    except (tomllib.TOMLDecodeError, StopIteration):
        raise ConfigError(NO_NAME, key=key[:100]) from None
    return path


def found(loaded: Loaded, key: str) -> Sequence[Origin]:
    """**Returns** the setting of this name, or those of this table. **Raises** `ConfigError`."""
    name = ".".join(parts_of(key))
    rows = [row for row in loaded.explain() if row.key == name or row.key.startswith(f"{name}.")]
    if not rows:
        raise ConfigError(f"there is no such setting{_near(name, loaded)}", key=name)
    return rows


def names(loaded: Loaded) -> Iterator[str]:
    """Yield the names of all settings that hold."""
    yield from (row.key for row in loaded.explain())


class SettingsEditor:
    """Changes the settings of the user, or those of a folder that they trust.

    With `careful` what only the user may say at a terminal is refused: a client asks.
    """

    def __init__(self, setup: Setup, folder: str, files: GuardedFiles, *, careful: bool = False) -> None:
        self._setup, self._folder = setup, folder
        self._files, self._careful = files, careful

    def set(self, key: str, text: str, *, project: bool = False) -> SettingChange:
        """Write a setting: TOML where that fits, else the text. **Raises** `ConfigError`, `OSError`."""
        path = parts_of(key)
        if path[-1] == "api_key":
            raise ConfigError(KEYS, key=key)
        first: ConfigError | None = None
        for value in _values(text):
            try:
                return self._write(path, value, f"set {key} {text}", project=project)
            except ConfigError as problem:
                first = first or _of_value(problem, path, text)
        assert first is not None
        raise first

    def unset(self, key: str, *, project: bool = False) -> SettingChange:
        """Take a setting out of the file. **Raises** `ConfigError` when it is not there, and `OSError`."""
        return self._write(parts_of(key), None, f"unset {key}", project=project)

    def prepare(self, changes: Mapping[KeyPath, object], *, project: bool = False) -> PreparedSettings:
        """**Returns** the file with other values (`None`: none). **Raises** `ConfigError`, `OSError`."""
        file = self._file(project=project)
        before = after = _text_of(file)
        for path, value in changes.items():
            after = _changed(after, path, value, str(file))
        source = from_toml(Rank.PROJECT if project else Rank.USER, after, str(file))
        setup = self._with(source)
        for path, value in changes.items():
            self._check(source, setup, path, value)
        return PreparedSettings(file, before, after, setup, project)

    def apply(self, prepared: PreparedSettings) -> None:
        """Write the file. **Raises** `OSError`, also when somebody changed it meanwhile."""
        if _text_of(prepared.file) != prepared.before:
            raise OSError(f"{prepared.file} was changed meanwhile")
        _replace(prepared.file, prepared.after)
        if not prepared.project:
            self._files.settle(prepared.file)

    def values_in(self, path: KeyPath, *, project: bool = False) -> Sequence[object]:
        """**Returns** the list that stands in the file at a path. **Raises** `ConfigError`, `OSError`."""
        file = self._file(project=project)
        value: object = from_toml(Rank.USER, _text_of(file), str(file)).values
        for part in path:
            value = value.get(part) if is_object(value) else None
        return list_in(value)

    def choose(self, tables: Mapping[KeyPath, object], model: str) -> SettingChange:
        """Make a model the user's default, with what its tables say. **Raises** `ConfigError`, `OSError`."""
        return self._changed({**tables, ("model",): model}, ("model",), project=False)

    def _write(self, path: KeyPath, value: object, command: str, *, project: bool) -> SettingChange:
        if self._careful and not project:
            self._check_own_word(path, value, command)
        return self._changed({path: value}, path, project=project)

    def _changed(self, changes: Mapping[KeyPath, object], path: KeyPath, *, project: bool) -> SettingChange:
        """Write the changes. **Returns** that of one path."""
        prepared = self.prepare(changes, project=project)
        self.apply(prepared)
        value = changes[path]
        rank = Rank.PROJECT if project else Rank.USER
        loaded = prepared.setup.load(self._folder)
        key = ".".join(path)
        origin = next((row for row in loaded.explain() if row.key == key), None)
        stronger = value is not None and origin is not None and loaded.rank(*path) is not rank
        warning = STRONGER.format(key, origin.rank, origin.where) if stronger and origin else ""
        return SettingChange(origin, prepared.file, prepared.setup, warning)

    def _file(self, *, project: bool) -> Path:
        if not project:
            return self._setup.config_file
        if not self._setup.trusts_folder(self._folder):
            raise ConfigError(UNTRUSTED.format(self._folder))
        file = Path(self._folder, PROJECT_FILE)
        if not file.resolve().is_relative_to(Path(self._folder).resolve()):
            raise ConfigError(ELSEWHERE.format(file, self._folder))
        return file

    def _check_own_word(self, path: KeyPath, value: object, command: str) -> None:
        said: JsonObject = {}
        put(said, path, value)
        if path[0] in USER_ONLY or narrowed(said)[1]:
            raise ConfigError(OWN_WORD.format(".".join(path), command))

    def _with(self, source: Source) -> Setup:
        """**Returns** the setup with the user's file as it would be."""
        if source.rank is Rank.PROJECT:
            return self._setup
        known = any(each.file == source.file for each in self._setup.sources)
        sources = [source if each.file == source.file else each for each in self._setup.sources]
        return replace(self._setup, sources=tuple(sources if known else [*sources, source]))

    def _check(self, source: Source, setup: Setup, path: KeyPath, value: object) -> None:
        """Read the settings as they would be. **Raises** `ConfigError` for what is not followed."""
        if source.rank is Rank.PROJECT:
            held = replace(setup, trusts=_nobody).load(self._folder)
            _, refused = tighten(source.values, held.config.model_dump(mode="python"))
            wanted = () if value is None else tuple(prefixes(path))
            if any(each in wanted or path in prefixes(each) for each in refused if wanted):
                raise ConfigError(WHY[Rank.PROJECT], key=".".join(path))
        else:
            policy = next((each.values for each in setup.sources if each.rank is Rank.MANAGED), JsonObject())
            if path in within(source.values, policy)[1]:
                raise ConfigError(WHY[Rank.MANAGED], key=".".join(path))
        setup.load(self._folder)


def _nobody(root: Path) -> bool:
    """Trust no folder."""
    return False


def _near(name: str, loaded: Loaded) -> str:
    from difflib import get_close_matches  # noqa: PLC0415 - only for a name that is wrong

    whole = [key for key in names(loaded) if key.count(".") == 1 and key.endswith(f".{name}")]
    tables = {".".join(path) for key in names(loaded) for path in prefixes(tuple(key.split(".")))}
    near = whole if len(whole) == 1 else get_close_matches(name, sorted({*tables, *Config.model_fields}), 1)
    return f"; did you mean {near[0]!r}?" if near else "; agls config explain shows all"


def _of_value(problem: ConfigError, path: KeyPath, text: str) -> ConfigError:
    """**Returns** the problem of a value without its line, which is in no file yet."""
    key = ".".join(path)
    if not problem.key or not (key.startswith(problem.key) or problem.key.startswith(key)):
        return problem
    return ConfigError(f"{problem.message} ({text!r} was not written)", key=problem.key)


def _values(text: str) -> Iterator[object]:
    with suppress(tomllib.TOMLDecodeError):
        yield tomllib.loads(f"value = {text}")["value"]
    yield text


def _text_of(file: Path) -> str:
    """**Returns** what is in the file, "" when there is none. **Raises** `ConfigError`, `OSError`."""
    try:
        return file.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        return ""
    except UnicodeDecodeError:
        raise ConfigError("this file is not UTF-8", file=str(file)) from None


def _changed(text: str, path: KeyPath, value: object, file: str) -> str:
    """**Returns** the text with another value at a path, `None` for none. **Raises** `ConfigError`."""
    import tomlkit  # noqa: PLC0415 - few processes change a file
    from tomlkit.exceptions import TOMLKitError  # noqa: PLC0415 - as above

    from_toml(Rank.USER, text, file)  # says the line of a mistake
    try:
        document: Any = tomlkit.parse(text)
        table = document
        for part in path[:-1]:
            if part not in table and value is None:
                raise ConfigError(ABSENT.format(".".join(path), file))
            table = table.setdefault(part, tomlkit.table())
        if value is None:
            del table[path[-1]]
            _drop_empty(document, path[:-1])
        else:
            table[path[-1]] = value
        return tomlkit.dumps(document)
    except (KeyError, TypeError, AttributeError, TOMLKitError):
        if value is None:
            raise ConfigError(ABSENT.format(".".join(path), file)) from None
        message = "it cannot be written below something that is no table"
        raise ConfigError(message, file=file, key=".".join(path)) from None


def _drop_empty(document: Any, path: KeyPath) -> None:
    """Take out the tables at and above a path that have nothing in them any more."""
    for length in range(len(path), 0, -1):
        above = document
        for part in path[: length - 1]:
            above = above[part]
        if above[path[length - 1]]:
            return
        del above[path[length - 1]]


def _replace(file: Path, text: str) -> None:
    """Replace the file as a whole; where a link leads, its target. **Raises** `OSError`."""
    file = file.resolve()
    is_project = file.parts[-len(PROJECT_FILE.parts) :] == PROJECT_FILE.parts
    file.parent.mkdir(mode=0o755 if is_project else 0o700, parents=True, exist_ok=True)
    mode = USUAL_MODE if is_project else None
    with suppress(FileNotFoundError):
        mode = stat.S_IMODE(file.stat().st_mode) if is_project else None
    replace_whole(file, text.encode())
    if mode is not None:
        file.chmod(mode)


def row_of(origin: Origin) -> Mapping[str, object]:
    """**Returns** a setting as programs read it."""
    return {"key": origin.key, "value": origin.value, "source": origin.rank, "where": origin.where}

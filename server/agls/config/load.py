"""Merge all sources of settings into one `Config`, and record the origin of each value."""

import difflib
import json
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from types import UnionType
from typing import Any, Union, get_args, get_origin

from pydantic import BaseModel, SecretStr, ValidationError

from agls.config.errors import ConfigError, together
from agls.config.recall import REMEMBERED, recalled
from agls.config.schema import Config
from agls.config.sources import Rank, Source, by_rank
from agls.config.stricter import ADDED_UP, narrowed, tighten, within, without_managed
from agls.config.tables import KeyPath, leaves, prefixes
from agls.config.toml import line_of
from agls.config.tool_names import unknown_tools
from agls.engine.vocabulary import JsonObject
from agls.frozen import frozen
from agls.json_values import is_list, is_object
from agls.order import ROOMS, exposing
from agls.room.exposed import SpendingLimits

_known: deque[tuple[object, "Loaded"]] = deque(maxlen=REMEMBERED)
USER_ONLY = frozenset(  # an editor may pass on a workspace's
    {
        "base_url",
        "api_key",
        "api_key_env",
        "local_servers",
        "models",
        *(room.name for room in ROOMS if room.user_only),
    }
)
MOST_MISTAKES = 20  # shown at once
KINDS = {  # of values, in the words of docs/config.md
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "string_type": "a text in quotes",
    "bool_type": "true or false, without quotes",
    **dict.fromkeys(
        ("list_type", "tuple_type", "set_type", "frozen_set_type"), "a list: write [ … ] around it"
    ),
}
WHY = {
    Rank.MANAGED: "the managed file allows no more.",
    Rank.PROJECT: "a project file may only make things stricter. Put it into your own config file.",
    Rank.EDITOR: "addresses, keys and deliveries come from your own config file only, and so does what an "
    "untrusted folder may do unasked.",
}


@frozen
class Origin:
    """One effective value and its origin. Secrets are not in it."""

    key: str
    value: object
    rank: Rank
    where: str


@frozen
class Loaded:
    """The settings that hold, the source of each (`said`), and warnings about those that were ignored.

    `unknown_tools` are problems with names of tools that a client may bring.
    `policy` is the budget of the managed file: the most there can be, whatever anybody else says.
    """

    config: Config
    said: Mapping[KeyPath, Source]
    warnings: tuple[str, ...]
    policy: SpendingLimits
    unknown_tools: tuple[str, ...] = ()

    def explain(self) -> tuple[Origin, ...]:
        """**Returns** every effective value with its origin."""
        values = self.config.model_dump(mode="python")
        return tuple(self._origin(path, value) for path, value in leaves(values))

    def rank(self, *path: str) -> Rank:
        """**Returns** the rank of the source that decided this value."""
        source = self._source(path)
        return source.rank if source else Rank.DEFAULT

    def place(self, *path: str) -> str:
        """**Returns** the place of this value as its author knows it: `--base-url`, or a key and its file."""
        source, key = self._source(path), ".".join(path)
        if source is None:
            return key
        return source.names.get(path) or (f"{key} in {source.file}" if source.file else key)

    def _origin(self, path: KeyPath, value: object) -> Origin:
        source = self._source(path)
        where = source.where(path) if source else str(Rank.DEFAULT)
        return Origin(".".join(path), _shown(value), source.rank if source else Rank.DEFAULT, where)

    def _source(self, path: KeyPath) -> Source | None:
        return next((self.said[p] for p in prefixes(path) if p in self.said), None)


def load(sources: Sequence[Source], *, trusted: bool = False) -> Loaded:
    """**Returns** the merged settings of these sources, as `added_up`; the latest results are cached."""
    return recalled(_known, (tuple(sources), trusted), partial(added_up, sources, trusted=trusted))


def added_up(sources: Sequence[Source], *, trusted: bool = False) -> Loaded:
    """**Returns** the merged settings of these sources, the highest rank winning. **Raises** `ConfigError`.

    Tables are merged key by key. The rules of `[permissions]` add up instead of replacing each other. Of a
    project file only what makes things stricter is followed, an editor widens no permission unless the folder
    is `trusted`, and nothing goes above a limit of the managed file; the rest is a warning.
    """
    values: JsonObject = {}
    said: dict[KeyPath, Source] = {}
    warnings: list[str] = []
    policy = next((source.values for source in sources if source.rank is Rank.MANAGED), JsonObject())
    for source in by_rank(sources):
        admitted, refused = _admit(source, values, said, trusted=trusted)
        accepted, above = within(admitted, policy)
        why = ((refused, WHY.get(source.rank, "")), (above, WHY[Rank.MANAGED]))
        warnings += [
            f"{source.where(path)}: {'.'.join(path)} was ignored: {reason}"
            for paths, reason in why
            for path in paths
        ]
        values = _merged(values, accepted)
        said |= dict.fromkeys((path for path, value in leaves(accepted) if value != {} or path[1:]), source)
    unknown = [(source, tool) for source in sources for tool in unknown_tools(source.values)]
    misspelt = [misfit(tool.problem, tool.path, {tool.path: source}) for source, tool in unknown if tool.near]
    config = _validated(values, said, misspelt)
    if misspelt:
        raise together(misspelt)
    spending = exposing(SpendingLimits).name
    managed = _validated({spending: policy.get(spending, {})}, said).exposed(SpendingLimits)
    strangers = tuple(f"{source.where(tool.path)}: {tool.problem}" for source, tool in unknown)
    return Loaded(config, said, (*warnings, *_plain_keys(config, said)), managed, strangers)


def _admit(
    source: Source, values: JsonObject, said: Mapping[KeyPath, Source], *, trusted: bool
) -> tuple[JsonObject, Sequence[KeyPath]]:
    """**Returns** the admitted values of a source, and the paths of those that are refused."""
    match source.rank:
        case Rank.MANAGED:
            return source.values, ()
        case Rank.PROJECT:
            return tighten(source.values, _validated(values, said).model_dump(mode="python"))
        case Rank.EDITOR:
            kept = {key: value for key, value in source.values.items() if key not in USER_ONLY}
            refused = [(key,) for key in source.values if key in USER_ONLY]
            admitted, widening = (kept, ()) if trusted else narrowed(kept)
            return admitted, (*refused, *widening)
        case _:
            return without_managed(source.values)


def _validated(
    values: JsonObject, said: Mapping[KeyPath, Source], more: Sequence[ConfigError] = ()
) -> Config:
    """**Returns** the settings. **Raises** `ConfigError` with all mistakes, and `more` behind them."""
    try:
        return Config.of_json(json.dumps(values, default=str), values)
    except ValidationError as error:
        found = (each for problem in error.errors(include_url=False) for each in _explained(problem, said))
        mistakes = [*islice(found, MOST_MISTAKES), *more]
        raise together(sorted(mistakes, key=lambda each: (each.file, each.line))) from None


def _explained(problem: Mapping[str, Any], said: Mapping[KeyPath, Source]) -> Iterator[ConfigError]:
    """Yield the mistakes of a place: what a room has to say of it has a line for each."""
    path = tuple(str(part) for part in problem["loc"] if part != "[key]")
    message = problem["msg"].removeprefix("Value error, ").replace("Input should be", "this must be")
    match problem["type"]:
        case "extra_forbidden":
            message = f"unknown key{_did_you_mean(path, problem.get('input'))}"
        case "model_type" | "dict_type":
            message = "this must be a table"
        case "missing":
            message = "this is required"
        case "json_invalid":
            message = "a setting has bytes that are not text"
        case kind if kind in KINDS:
            message = f"this must be {KINDS[kind]}"
        case _:
            pass
    yield from (misfit(line, path, said) for line in message.splitlines())


def misfit(message: str, path: KeyPath, said: Mapping[KeyPath, Source]) -> ConfigError:
    """**Returns** the error about the value at `path`, with the place where it was set."""
    found = [said[p] for around in prefixes(path) for p in said if p[: len(around)] == around]
    source = next((each for each in found if each.file), found[0] if found else None)
    key = ".".join(path)
    if source is None:
        return ConfigError(message, key=key)
    key = source.names.get(path) or (key if source.file else f"{source.rank} ({key})")
    return ConfigError(message, file=source.file, line=line_of(path, source.lines), key=key)


def _did_you_mean(path: KeyPath, value: object) -> str:
    model = _model_at(path[:-1])
    known = list(model.model_fields)
    if is_object(value) and (place := _place_of_tables(model)):
        return f"; such a table stands at [{'.'.join((*path[:-1], place, path[-1]))}]"
    close = _in_tables(model, path[-1]) or difflib.get_close_matches(path[-1], known, n=1)
    return f"; did you mean {close[0]!r}?" if close else f"; known here: {', '.join(known)}"


def _in_tables(model: type[BaseModel], key: str) -> list[str]:
    """**Returns** the one table below `model` that has this key, with the key."""
    fields = model.model_fields.items()
    tables = (
        (name, _model_in(field.annotation)) for name, field in fields if not _holds_tables(field.annotation)
    )
    found = [f"{name}.{key}" for name, table in tables if table and key in table.model_fields]
    return found if len(found) == 1 else []


def _place_of_tables(model: type[BaseModel]) -> str:
    """**Returns** the one key of a table that holds tables by their names, "" where there is none."""
    found = [name for name, field in model.model_fields.items() if _holds_tables(field.annotation)]
    return found[0] if len(found) == 1 else ""


def _holds_tables(annotation: Any) -> bool:
    arguments = get_args(annotation)
    return get_origin(annotation) in {dict, Mapping} and bool(arguments and _model_in(arguments[-1]))


def _model_at(path: KeyPath) -> type[BaseModel]:
    """**Returns** the model that describes the table at `path`."""
    model: type[BaseModel] = Config
    for part in path:
        if part in model.model_fields:
            inner = _model_in(model.model_fields[part].annotation)
            model = inner or model
    return model


def _model_in(annotation: Any) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    if get_origin(annotation) in {dict, Mapping, list, tuple, Union, UnionType}:
        found = (_model_in(argument) for argument in get_args(annotation))
        return next((model for model in found if model), None)
    return None


def _plain_keys(config: Config, said: Mapping[KeyPath, Source]) -> Iterator[str]:
    for name, model in config.models.items():
        if model.api_key.get_secret_value():
            path = ("models", name, "api_key")
            where = said[path].where(path)
            yield f'{where}: this key stands in plain text; better name a variable: api_key_env = "MY_KEY"'


def _merged(below: JsonObject, above: JsonObject, at: KeyPath = ()) -> JsonObject:
    merged = dict(below)
    for key, value in above.items():
        old, path = below.get(key), (*at, key)
        if is_object(old) and is_object(value):
            merged[key] = _merged(old, value, path)
        elif path in ADDED_UP and is_list(old) and is_list(value):
            merged[key] = [*old, *(item for item in value if item not in old)]
        else:
            merged[key] = value
    return merged


def _shown(value: object) -> object:
    if isinstance(value, SecretStr):
        return "(set)" if value.get_secret_value() else ""
    return value

"""The places settings come from, in the order in which they count."""

from collections.abc import Mapping, Sequence
from dataclasses import field
from enum import StrEnum

from agls.config.tables import KeyPath, value_at
from agls.config.toml import line_of, parse
from agls.engine.vocabulary import JsonObject
from agls.frozen import frozen


class Rank(StrEnum):
    """Where a value came from; the later ones win."""

    DEFAULT = "default"
    MANAGED = "managed file"
    USER = "user file"
    PROJECT = "project file"
    EDITOR = "editor"
    ENVIRONMENT = "environment"
    ARGUMENTS = "arguments"


RANKS = tuple(Rank)


@frozen
class Source:
    """One place and what it says: a file with its lines, or a place that has its own `names` for keys."""

    rank: Rank
    values: JsonObject
    file: str = ""
    lines: Mapping[KeyPath, int] = field(default_factory=dict[KeyPath, int])
    names: Mapping[KeyPath, str] = field(default_factory=dict[KeyPath, str])

    def where(self, path: KeyPath) -> str:
        """Where this source says it, for people: `user file, /home/me/config.toml:4`."""
        if self.file:
            return f"{self.rank}, {self.file}:{line_of(path, self.lines)}"
        name = self.names.get(path, "")
        return f"{self.rank}, {name}" if name else str(self.rank)


def from_toml(rank: Rank, text: str, file: str) -> Source:
    """What a file says. Raises `ConfigError`."""
    values, lines = parse(text, file)
    return Source(rank, values, file, lines)


def placed(source: Source, *at: str) -> Source:
    """What a file says, said of the table at this path."""
    values = source.values
    for key in reversed(at):
        values = {key: values}
    lines = {(*at, *path): line for path, line in source.lines.items()}
    return Source(source.rank, values, source.file, {at: 1, **lines})


def from_arguments(values: JsonObject) -> Source:
    """What the command line says."""
    names = {(key,): f"--{key.replace('_', '-')}" for key in values}
    return Source(Rank.ARGUMENTS, values, names={**names, **PROMPTS})


PROMPTS: Mapping[KeyPath, str] = {
    ("instructions", "system"): "--system-prompt",
    ("instructions", "append"): "--append-system-prompt",
    ("instructions", "override"): "--override-system-prompt",
}
VARIABLES: Mapping[str, KeyPath] = {
    "AGLS_MODEL": ("model",),
    "AGLS_BASE_URL": ("base_url",),
    "AGLS_LOCAL_SERVERS": ("local_servers",),
    "AGLS_SANDBOX": ("sandbox", "use"),
    "AGLS_COMPLETION": ("inline_edit", "completion"),
}
SWITCHED = ("AGLS_LOCAL_SERVERS", "AGLS_COMPLETION")
SWITCHES: Mapping[str, bool] = {"true": True, "false": False}


def from_environment(environment: Mapping[str, str]) -> Source:
    """What the environment variables say; empty ones say nothing. Keys are not settings (`secrets.py`)."""
    said = {name: path for name, path in VARIABLES.items() if environment.get(name)}
    values: JsonObject = {}
    for name, (*tables, key) in said.items():
        table = values
        for each in tables:
            table = table.setdefault(each, {})
        text = environment[name]
        table[key] = SWITCHES.get(text, text) if name in SWITCHED else text
    return Source(Rank.ENVIRONMENT, values, names={path: name for name, path in said.items()})


def by_rank(sources: Sequence[Source]) -> list[Source]:
    """Return the sources, those that win last."""
    return sorted(sources, key=lambda source: RANKS.index(source.rank))


def value_up_to(sources: Sequence[Source], rank: Rank, path: KeyPath) -> str:
    """Return what the sources up to this rank say of `path`, "" where they say nothing."""
    said = ""
    for source in by_rank(sources):
        value = value_at(source.values, path)
        if isinstance(value, str) and RANKS.index(source.rank) <= RANKS.index(rank):
            said = value
    return said

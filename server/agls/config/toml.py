"""TOML with line numbers: the standard parser, and a look at where each key stands."""

import re
import tomllib
from collections.abc import Mapping

from agls.config.errors import ConfigError
from agls.config.tables import KeyPath, prefixes
from agls.engine.vocabulary import JsonObject

_NAME = r"""(?:[\w-]+|"[^"]*"|'[^']*')"""
_DOTTED = rf"{_NAME}(?:\s*\.\s*{_NAME})*"
_TABLE = re.compile(rf"\s*\[\[?\s*({_DOTTED})\s*\]")
_KEY = re.compile(rf"\s*({_DOTTED})\s*=")
_AT_LINE = re.compile(r"\s*\(at line (\d+), column \d+\)")


def parse(text: str, file: str) -> tuple[JsonObject, Mapping[KeyPath, int]]:
    """The values of a TOML text, and the line of every key. Raises `ConfigError` with the line (TOML 1.0)."""
    try:
        return tomllib.loads(text), _lines(text)
    except tomllib.TOMLDecodeError as error:
        found = _AT_LINE.search(str(error))
        line = int(found[1]) if found else text.count("\n") + 1
        raise ConfigError(f"not valid TOML: {_AT_LINE.sub('', str(error))}", file=file, line=line) from None
    except RecursionError:
        raise ConfigError("its lists or tables are nested too deeply", file=file) from None


def line_of(path: KeyPath, lines: Mapping[KeyPath, int]) -> int:
    """The line of a key, or of the nearest key around it; 0 when there is none."""
    return next((lines[key] for key in prefixes(path) if key in lines), 0)


def _lines(text: str) -> dict[KeyPath, int]:
    lines: dict[KeyPath, int] = {}
    table: KeyPath = ()
    for number, line in enumerate(text.splitlines(), 1):
        if header := _TABLE.match(line):
            table = _split(header[1])
            lines.setdefault(table, number)
        elif key := _KEY.match(line):
            lines.setdefault((*table, *_split(key[1])), number)
    return lines


def _split(dotted: str) -> KeyPath:
    return tuple(name.strip("\"'") for name in re.findall(_NAME, dotted))

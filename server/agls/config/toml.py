"""TOML with line numbers: the standard parser, and a look at where each key stands."""

import re
import tomllib
from collections.abc import Mapping

from agls.config.errors import ConfigError
from agls.config.tables import KeyPath, prefixes
from agls.engine.vocabulary import JsonObject
from agls.regex import regex

_NAME = r"""(?:[\w-]+|"[^"]*"|'[^']*')"""
_DOTTED = rf"{_NAME}(?:\s*\.\s*{_NAME})*"
_TABLE = regex(rf"\s*\[\[?\s*({_DOTTED})\s*\]")
_KEY = regex(rf"\s*({_DOTTED})\s*=")
_QUOTED = r"(?<=')[^',]+(?=')"  # the names in a tuple of Python
_NAMED = regex(r"\('.*\)")
_AT_LINE = regex(r"\s*\(at line (\d+), column \d+\)")
WORDS = {  # what the parser says, and what it means
    "Illegal character '\\n'": "a text must end in its line; is a quotation mark missing?",
    "Unterminated string": "a text does not end; is a quotation mark missing?",
    'Expected "\'"': "a text does not end; is a quotation mark missing?",
    "Invalid value": 'this is no value; a text stands in quotation marks ("…"), true and false are small',
    "Cannot overwrite a value": "this key is there already; write it once",
    "Unclosed array": "a list does not end; is a ] missing?",
    "Unclosed inline table": "a table does not end; is a } missing?",
    "Expected newline or end of document": "there is more behind the value; write one key in a line",
    "Unescaped '\\' in a string": "in a text, write \\\\ for a backslash, or put it into single quotes ('…')",
    "Expected '=' after a key": "a key has = and a value behind it: key = value",
    "Invalid statement": "this is no line of settings; write key = value, or [table]",
    "Invalid date or datetime": 'this is no date; a text stands in quotation marks ("…")',
}


def parse(text: str, file: str) -> tuple[JsonObject, Mapping[KeyPath, int]]:
    """The values of a TOML text, and the line of every key. Raises `ConfigError` with the line (TOML 1.0)."""
    try:
        return tomllib.loads(text), _lines(text)
    except tomllib.TOMLDecodeError as error:
        found = _AT_LINE.search(str(error))
        line = int(found[1]) if found else text.count("\n") + 1
        problem = _in_words(_AT_LINE.sub("", str(error)).removesuffix(" (at end of document)"))
        raise ConfigError(f"not valid TOML: {problem}", file=file, line=line) from None
    except RecursionError:
        raise ConfigError("its lists or tables are nested too deeply", file=file) from None


def _in_words(problem: str) -> str:
    """What the parser found, for somebody who writes settings."""
    if named := _NAMED.search(problem):
        return f"[{'.'.join(re.findall(_QUOTED, named[0]))}] is there already; write its keys in one place"
    return next((words for sign, words in WORDS.items() if problem.startswith(sign)), problem)


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

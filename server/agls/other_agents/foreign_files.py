"""Files of other agents: small, of text, and read without trust in what is in them."""

import json
import re
import stat
import tomllib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from agls.json_values import is_object
from agls.other_agents.findings import LeftOut
from agls.regex import regex

LARGEST = 1_000_000  # bytes of one file
MOST = 500  # files of one folder
_COMMENTS = regex(r'("(?:\\.|[^"\\\n])*")|//[^\n]*|/\*.*?\*/', re.DOTALL)
_LAST_COMMA = regex(r'("(?:\\.|[^"\\\n])*")|,(?=\s*[}\]])')


class ForeignFiles:
    """The files below the user's home, and those of a folder that the user trusts ("": of none).

    `problems` are the files that could not be read.
    """

    def __init__(self, home: str, folder: str, variables: Mapping[str, str]) -> None:
        self.home, self.folder = Path(home), Path(folder) if folder else None
        self.variables = variables
        self.problems: list[LeftOut] = []

    def at_home(self, variable: str, usual: str) -> Path:
        """**Returns** the folder that a variable of the other agent names, else the usual one at home."""
        named = self.variables.get(variable, "")
        return Path(named) if Path(named).is_absolute() else self.home / usual

    def shown(self, path: Path) -> str:
        """**Returns** a path as people read it."""
        return f"~/{path.relative_to(self.home)}" if path.is_relative_to(self.home) else str(path)

    def text(self, path: Path) -> str:
        """**Returns** the text of a file, "" where there is none that can be read."""
        try:
            self._check_place(path)
            status = path.stat()
            if not stat.S_ISREG(status.st_mode):
                return ""
            if status.st_size > LARGEST:
                raise ValueError(f"it is longer than {LARGEST:,} bytes")
            return path.read_bytes().decode("utf-8-sig").replace("\r\n", "\n")
        except (FileNotFoundError, NotADirectoryError):
            return ""
        except (OSError, ValueError) as problem:
            self._left_out(path, problem)
            return ""

    def json(self, path: Path) -> Mapping[str, Any]:
        """**Returns** an object of JSON, which may have comments; an empty one where there is none."""
        return self._parsed(path, _json_with_comments)

    def toml(self, path: Path) -> Mapping[str, Any]:
        """**Returns** a table of TOML, an empty one where there is none."""
        return self._parsed(path, tomllib.loads)

    def below(self, folder: Path, end: str) -> Iterator[Path]:
        """Yield the files in a folder and below, in their order, whose names end so."""
        try:
            found = sorted(path for path in folder.rglob(f"*{end}") if path.is_file())
        except OSError as problem:
            self._left_out(folder, problem)
            return
        yield from found[:MOST]

    def names_in(self, folder: Path) -> list[str]:
        """**Returns** the names of what is in a folder, without hidden ones."""
        try:
            return sorted(each.name for each in folder.iterdir() if not each.name.startswith("."))
        except OSError:
            return []

    def _check_place(self, path: Path) -> None:
        """**Raises** `ValueError` for a file of the project that a link takes from somewhere else."""
        folder = self.folder
        if folder is None or not path.is_relative_to(folder):
            return
        if not path.resolve().is_relative_to(folder.resolve()):
            raise ValueError("a link leads out of the folder")

    def _parsed(self, path: Path, parse: Callable[[str], object]) -> Mapping[str, Any]:
        text = self.text(path)
        try:
            value = parse(text) if text.strip() else None
        except (ValueError, RecursionError) as problem:
            self._left_out(path, problem)
            return {}
        return value if is_object(value) else {}

    def _left_out(self, path: Path, problem: Exception) -> None:
        why = problem.strerror if isinstance(problem, OSError) and problem.strerror else str(problem)
        self.problems.append(LeftOut(self.shown(path), "the file", f"it cannot be read: {why}"))


def _json_with_comments(text: str) -> object:
    plain = _COMMENTS.sub(lambda found: found[1] or " ", text)
    return json.loads(_LAST_COMMA.sub(lambda found: found[1] or "", plain))

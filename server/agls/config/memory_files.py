"""The files in which the user keeps what models shall remember: one for everything, one for each project."""

import fcntl
import os
from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import lru_cache
from hashlib import sha256
from pathlib import Path

from agls.config.folders import MEMORY
from agls.config.own_files import GuardedFiles
from agls.regex import regex
from agls.stores.disk import WRITE, make_private, replace_whole

LARGEST = 1_000_000  # bytes of a file
LOCK = ".lock"
OF_AGENTS = "agents"  # in the folder of the memory
OF_PROJECT, FILE = (".agls", "agent-memory"), "MEMORY.md"  # in a project, a folder for each agent
_UNUSUAL = regex(r"[^\w.-]+")


class OwnMemoryFile:
    """Implements `MemoryFile`. The file is the user's, who may edit it, or put a link in its place."""

    def __init__(self, file: Path, files: GuardedFiles) -> None:
        self._file, self._files = file, files

    @property
    def path(self) -> str:
        """Where the file is or would be."""
        return str(self._file)

    def read(self) -> str:
        """**Returns** its text, "" where there is none. **Raises** `OSError`."""
        try:
            descriptor = os.open(self._file, os.O_RDONLY | os.O_CLOEXEC)  # every turn asks
        except FileNotFoundError:
            return ""
        with os.fdopen(descriptor, "rb") as stream:
            data = stream.read(LARGEST + 1)
        if len(data) > LARGEST:
            raise OSError(f"{self._file} is longer than {LARGEST:,} bytes; make it shorter")
        try:
            return data.decode("utf-8-sig").replace("\r\n", "\n")
        except UnicodeDecodeError:
            raise OSError(f"{self._file} is not UTF-8; save it as UTF-8") from None

    def change(self, edit: Callable[[str], str]) -> None:
        """Replace its text by what `edit` makes of it; one process at a time. **Raises** `OSError`."""
        make_private(self._file.parent)
        with _alone(self._file.with_name(LOCK)):
            before = self.read()
            if (after := edit(before)) != before:
                replace_whole(self._file.resolve(), after.encode("utf-8", "replace"))
                self._files.settle(self._file)


class ProjectMemoryFile(OwnMemoryFile):
    """Implements `MemoryFile` for a file of a project, which must lie in it: no link is followed."""

    def read(self) -> str:
        """**Returns** its text, "" where there is none. **Raises** `OSError`."""
        self._check()
        return super().read()

    def change(self, edit: Callable[[str], str]) -> None:
        """Replace its text by what `edit` makes of it. **Raises** `OSError`."""
        self._check()
        self._file.parent.mkdir(parents=True, exist_ok=True)
        replace_whole(self._file, edit(self.read()).encode("utf-8", "replace"))
        self._files.settle(self._file)

    def _check(self) -> None:
        if os.path.realpath(self._file) != str(self._file):
            raise OSError(f"a link leads away from {self._file}; put a file there")


def agent_memory(config_file: Path, real: str, agent: tuple[str, str], files: GuardedFiles) -> OwnMemoryFile:
    """**Returns** the file of an agent (its name) of this scope: `user`, `project` or `local`.

    That of the project lies in its folder, which has this real path; the others are the user's own.
    """
    name, scope = agent
    if scope == "project":
        return ProjectMemoryFile(Path(real, *OF_PROJECT, name, FILE), files)
    own = config_file.with_name(MEMORY) / OF_AGENTS / name
    return OwnMemoryFile(own / f"{'user' if scope == 'user' else _project_name(real)}.md", files)


def user_memory(config_file: Path, files: GuardedFiles) -> OwnMemoryFile:
    """**Returns** the user's file for all projects."""
    return OwnMemoryFile(_beside(config_file, "user"), files)


def project_memory(config_file: Path, real: str, files: GuardedFiles) -> OwnMemoryFile:
    """**Returns** the user's file for the project in the folder with this real path."""
    return OwnMemoryFile(_beside(config_file, _project_name(real)), files)


@lru_cache(maxsize=64)  # every run asks
def _beside(config_file: Path, name: str) -> Path:
    return config_file.with_name(MEMORY) / f"{name}.md"


@lru_cache(maxsize=64)
def _project_name(real: str) -> str:
    digest = sha256(real.encode("utf-8", "surrogateescape")).hexdigest()[:8]
    name = _UNUSUAL.sub("-", Path(real).name).strip("-.")[:40] or "project"
    return f"{name}-{digest}"


@contextmanager
def _alone(lock: Path) -> Generator[None]:
    fd = os.open(lock, WRITE, 0o600)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)
        yield
    finally:
        os.close(fd)

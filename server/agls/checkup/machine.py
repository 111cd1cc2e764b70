"""Checks of this machine: versions, files, folders, programs."""

import errno
import os
import platform
import re
import shutil
import stat
import tempfile
from collections.abc import AsyncGenerator, Iterator, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from agls import __version__
from agls.checkup.case import SHORTEST, Case
from agls.config import ConfigError, Setup, Source, folders
from agls.config.tables import leaves
from agls.engine.ports import WorkspaceError
from agls.engine.vocabulary import Command
from agls.room.findings import Finding

LIBRARIES = ("httpx", "pydantic", "pygls", "lsprotocol", "cattrs")
OLDEST = {"nvim": (0, 11), "code": (1, 91)}  # what the clients need
EDITORS = {"nvim": "Neovim", "code": "VS Code"}
ROOM = 200_000_000  # bytes; less is soon full
REMEDIES = {
    errno.ENOSPC: "Free some space",
    errno.EDQUOT: "Free some space",
    errno.EROFS: "It is on a file system that is mounted read-only: mount it for writing",
}
QUICK = 10.0  # seconds for a program to say its version
EXPLAIN = "agls config explain shows every setting that applies, and where it comes from."


async def versions(case: Case) -> AsyncGenerator[Finding, None]:
    """Check the versions of agls, Python and the libraries."""
    system = f"{platform.system()} {platform.release()}"
    known = {name: _version(name) for name in LIBRARIES}
    said = ", ".join(f"{name} {found}" for name, found in known.items() if found)
    yield Finding(
        "versions", "pass", f"agls {__version__}, Python {platform.python_version()}, {system}; {said}"
    )
    if missing := [name for name, found in known.items() if not found]:
        text = f"Libraries are missing: {', '.join(missing)}."
        yield Finding("versions", "fail", text, "Install agls again: pip install --force-reinstall agls.")


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""


async def config_files(case: Case) -> AsyncGenerator[Finding, None]:
    """Check that they can be read and followed, and that others cannot read a key in them."""
    if isinstance(case.setup, ConfigError):
        yield Finding("config", "fail", str(case.setup), _remedy(case.setup))
        return
    try:
        loaded = case.setup.load(case.folder)
    except ConfigError as problem:
        yield Finding("config", "fail", str(problem), _remedy(problem))
        return
    read = [f"{source.rank} {source.file}" for source in case.setup.sources if source.file]
    yield Finding("config", "pass", f"Read: {', '.join(read)}." if read else _no_file(case.setup))
    for warning in loaded.warnings:
        yield Finding("config", "warn", warning, EXPLAIN)
    for unknown in loaded.unknown_tools:
        yield Finding("config", "warn", unknown, "Correct the name, or leave it out; docs/tools.md has all.")
    for file in _open_secrets(case.setup):
        yield Finding(
            "config", "warn", f"{file} holds a key, and other users can read it.", f"chmod 600 {file}"
        )


def _remedy(problem: ConfigError) -> str:
    return f"Correct {problem.file or problem.key or 'the setting'}; docs/config.md lists the settings."


def _no_file(setup: Setup) -> str:
    return f"There is no config file; yours would be {setup.config_file}."


def _open_secrets(setup: Setup) -> Iterator[str]:
    for source in setup.sources:
        if source.file and _holds_key(source, setup.held_keys) and Path(source.file).stat().st_mode & 0o077:
            yield source.file


def _holds_key(source: Source, keys: Sequence[str]) -> bool:
    """**Returns** whether a key stands in the settings; the name of a key's variable is none."""
    values = [str(value) for path, value in leaves(source.values) if path[-1] != "api_key_env"]
    return any(len(key) >= SHORTEST and key in value for key in keys for value in values)


async def state_folder(case: Case) -> AsyncGenerator[Finding, None]:
    """Check that sessions can be kept, and who can read them."""
    try:
        folder = (
            case.setup.state_folder
            if isinstance(case.setup, Setup)
            else folders.state_folder(case.environment)
        )
    except ConfigError as problem:
        yield Finding("state", "fail", str(problem), "Set AGLS_STATE_DIR to a folder you can write to.")
        return
    try:
        there = next(
            path for path in (folder, *folder.parents) if path.exists()
        )  # it is made when it is needed
        with tempfile.TemporaryFile(dir=there) as file:
            file.write(b"x")
            file.flush()
        mode, free = there.stat().st_mode, shutil.disk_usage(there).free
    except OSError as error:
        text = f"Nothing can be written to {folder}: {error.strerror}. Sessions would not be saved."
        remedy = REMEDIES.get(error.errno or 0, f"chmod u+rwx {folder}")
        yield Finding("state", "fail", text, f"{remedy}, or set AGLS_STATE_DIR to another folder.")
        return
    if there == folder and mode & stat.S_IRWXO and os.name == "posix":
        yield Finding("state", "warn", f"Other users can read {folder}.", f"chmod 700 {folder}")
    if free < ROOM:
        text = f"{folder} has {free // 1_000_000} MB of free space left."
        yield Finding(
            "state", "warn", text, "Free some space, or set AGLS_STATE_DIR to a folder on a larger disk."
        )
    yield Finding("state", "pass", f"Sessions are stored in {folder}.")


async def editors(case: Case) -> AsyncGenerator[Finding, None]:
    """Check the editors that we have clients for, and whether they find agls."""
    found = {name: path for name in EDITORS if (path := case.workspace.which(name))}
    said: list[str] = []
    for name, path in found.items():
        version = await _reported_version(case, path)
        said.append(f"{EDITORS[name]} {version} ({path})".replace("  ", " "))
        if version and tuple(map(int, version.split(".")[:2])) < OLDEST[name]:
            least = ".".join(map(str, OLDEST[name]))
            text = f"{EDITORS[name]} {version} is older than {least}, which our client needs."
            yield Finding("editors", "warn", text, f"Install {EDITORS[name]} {least} or newer.")
    if not case.workspace.which("agls"):
        yield _own_program(case.environment.get("PATH", ""))
    none = "Neither nvim nor code is on the PATH; any LSP client can use agls (docs/any-editor.md)."
    yield Finding("editors", "pass", f"Found: {', '.join(said)}." if said else none)


def _own_program(path: str) -> Finding:
    """**Returns** why editors cannot find agls by its name."""
    folders = [folder for folder in path.split(os.pathsep) if Path(folder).is_absolute()]
    own = shutil.which("agls", path=os.pathsep.join(folders))
    if own:
        text = (
            f"{own} is inside this workspace, and an editor starts no program of the folder that it opened."
        )
        return Finding("editors", "warn", text, "Install agls elsewhere, or set its full path in the editor.")
    text = "agls is not in an absolute folder of the PATH, so editors cannot find it by its name."
    return Finding("editors", "warn", text, "Add its folder to the PATH, or set its full path in the editor.")


async def _reported_version(case: Case, path: str) -> str:
    """**Returns** the version that the program prints; "" when it prints none."""
    try:
        finished = await case.workspace.run(Command((path, "--version"), timeout=QUICK), lambda _: None)
    except WorkspaceError:
        return ""
    version = re.search(r"\d+\.\d+(\.\d+)?", finished.output)
    return version[0] if version else ""

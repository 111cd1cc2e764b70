"""Checks of this machine: versions, files, folders, programs."""

import os
import platform
import re
import shutil
import stat
import tempfile
from collections.abc import AsyncGenerator, Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from agls import __version__
from agls.checkup.case import Case
from agls.config import ConfigError, Setup, folders
from agls.engine.ports import WorkspaceError
from agls.engine.vocabulary import Command
from agls.room.findings import Finding

LIBRARIES = ("httpx", "pydantic", "pygls", "lsprotocol", "cattrs")
OLDEST = {"nvim": (0, 11), "code": (1, 91)}  # what the clients need
EDITORS = {"nvim": "Neovim", "code": "VS Code"}
ROOM = 200_000_000  # bytes; less is soon full
QUICK = 10.0  # seconds for a program to say its version
EXPLAIN = "agls config explain shows what holds, and who said it."


async def versions(case: Case) -> AsyncGenerator[Finding, None]:
    """Of agls, Python and the libraries."""
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
    """Whether they can be read and followed, and whether a key in one can be read by others."""
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
    for file in _open_secrets(case.setup):
        yield Finding("config", "warn", f"{file} holds a key and others may read it.", f"chmod 600 {file}")


def _remedy(problem: ConfigError) -> str:
    return f"Correct {problem.file or problem.key or 'what was said'}; the README shows settings that hold."


def _no_file(setup: Setup) -> str:
    return f"There is no config file; yours would be {setup.config_file}."


def _open_secrets(setup: Setup) -> Iterator[str]:
    for source in setup.sources:
        holds = any(secret and secret in str(source.values) for secret in setup.secrets)
        if source.file and holds and Path(source.file).stat().st_mode & 0o077:
            yield source.file


async def state_folder(case: Case) -> AsyncGenerator[Finding, None]:
    """Whether sessions can be kept, and by whom they can be read."""
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
        text = f"Nothing can be written to {folder}: {error.strerror}. Sessions would be lost."
        yield Finding(
            "state", "fail", text, f"chmod u+rwx {folder}, or set AGLS_STATE_DIR to another folder."
        )
        return
    if there == folder and mode & stat.S_IRWXO and os.name == "posix":
        yield Finding("state", "warn", f"Others may look into {folder}.", f"chmod 700 {folder}")
    if free < ROOM:
        text = f"{folder} has {free // 1_000_000} MB left."
        yield Finding("state", "warn", text, "Make room, or set AGLS_STATE_DIR to a larger disk.")
    yield Finding("state", "pass", f"Sessions are kept in {folder}.")


async def editors(case: Case) -> AsyncGenerator[Finding, None]:
    """The editors we have clients for, and whether they would find agls."""
    found = {name: path for name in EDITORS if (path := case.workspace.which(name))}
    said: list[str] = []
    for name, path in found.items():
        told = await _told_version(case, path)
        said.append(f"{EDITORS[name]} {told} ({path})".replace("  ", " "))
        if told and tuple(map(int, told.split(".")[:2])) < OLDEST[name]:
            least = ".".join(map(str, OLDEST[name]))
            text = f"{EDITORS[name]} {told} is older than {least}, which our client needs."
            yield Finding("editors", "warn", text, f"Install {EDITORS[name]} {least} or newer.")
    if not case.workspace.which("agls"):
        text = "The program agls is on no absolute folder of the PATH: editors do not find it by its name."
        yield Finding(
            "editors", "warn", text, "Add its folder to the PATH, or set its whole path in the editor."
        )
    none = "Neither nvim nor code is on the PATH; any LSP client can use agls (docs/any-editor.md)."
    yield Finding("editors", "pass", f"Found: {', '.join(said)}." if said else none)


async def _told_version(case: Case, path: str) -> str:
    """What the program says of its version; "" when it does not say."""
    try:
        finished = await case.workspace.run(Command((path, "--version"), timeout=QUICK), lambda _: None)
    except WorkspaceError:
        return ""
    told = re.search(r"\d+\.\d+(\.\d+)?", finished.output)
    return told[0] if told else ""

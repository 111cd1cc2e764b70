"""Where agls keeps its own things: its config files and its state, never inside a workspace."""

import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import platformdirs

from agls.config.errors import ConfigError

LONGEST_SHOWN = 300  # characters of a wrong path in a message
PROJECT_FILE = Path(".agls", "config.toml")
AGENTS = "agents"  # the folder of agent files beside a config file, and the table they fill
MEMORY = "memory"  # the folder beside a config file with what the user wants remembered


def managed_file() -> Path:
    """The file of the machine's administrator. No variable of the environment says where it is."""
    if sys.platform == "darwin" or sys.platform == "win32":
        return platformdirs.site_config_path("agls") / "config.toml"
    return Path("/etc/xdg/agls/config.toml")


def user_file(environment: Mapping[str, str]) -> Path:
    """The user's own file: `AGLS_CONFIG`, or `config.toml` in the platform's config folder.

    Raises `ConfigError`.
    """
    named = environment.get("AGLS_CONFIG", "")
    if named:
        return _expanded(named, "AGLS_CONFIG")
    return _at_home(platformdirs.user_config_path, "AGLS_CONFIG") / "config.toml"


def usual_config_folder() -> tuple[Path, ...]:
    """The platform's config folder, whatever the variables say; nothing for a user without a home."""
    try:
        return (user_file({}).parent,)
    except ConfigError:
        return ()


def state_folder(environment: Mapping[str, str]) -> Path:
    """Where sessions are kept, if that can be made: `AGLS_STATE_DIR`, or the platform's folder.

    Raises `ConfigError`.
    """
    named = environment.get("AGLS_STATE_DIR", "")
    if named:
        return _expanded(named, "AGLS_STATE_DIR")
    return _at_home(platformdirs.user_state_path, "AGLS_STATE_DIR")


def _expanded(named: str, key: str) -> Path:
    try:
        return Path(named).expanduser()
    except RuntimeError:  # of no such user
        raise ConfigError(f"{named} names the home of a user who has none", key=key) from None


def _at_home(find: Callable[[str], Path], key: str) -> Path:
    """A place below the user's home. Raises `ConfigError` when nobody says where that is."""
    try:
        return find("agls")
    except RuntimeError:
        text = f"HOME names no folder, and the system does not know this user. Set HOME, or {key}"
        raise ConfigError(text, key="HOME") from None


def check_outside(path: Path, workspace: Path, home: Path, key: str, *, named: bool) -> None:
    """Refuse our own `path` inside a workspace, where the project could write it (SECURITY.md, P1).

    A workspace that is the home folder, or holds it, is the user's own. `named` is whether somebody set the
    variable `key`; else the variables that name the user's folders lead there. Raises `ConfigError`.
    """
    path, workspace = path.resolve(), workspace.resolve()
    if path.is_relative_to(workspace) and not home.resolve().is_relative_to(workspace):
        place = f"agls keeps its own files in {path}, which is inside the workspace {workspace}"
        only = f"That is allowed only for your home folder as the system knows it ({home}) and what holds it"
        remedy = "Name a place outside." if named else f"Set {key} to a place outside."
        raise ConfigError(f"{place}: a project could write them. {only}. {remedy}", key=key if named else "")


def check_folder(folder: str) -> None:
    """Refuse a workspace that is no folder (any more), or closed to this user. Raises `ConfigError`."""
    name = folder[:LONGEST_SHOWN]
    try:
        if os.path.isdir(folder) and os.access(folder, os.R_OK | os.X_OK):  # noqa: PTH112 - before every run
            return
        path = Path(folder)
        there = f"{name} is not a folder" if path.exists() else f"there is no folder {name}"
        why = f"the folder {name} may not be opened: permission denied" if path.is_dir() else there
    except OSError as error:
        why = f"the folder {name} cannot be reached ({error.strerror})"
    raise ConfigError(f"{why}. Name one to work in.")


def home_folder() -> Path:
    """Return the user's home as the system knows it; a variable cannot move it.

    A user that the system does not know (in a container) has none: then it is the root of everything.
    """
    if os.name != "posix":
        return Path.home()
    import pwd  # noqa: PLC0415 - not on Windows

    try:
        return Path(pwd.getpwuid(os.getuid()).pw_dir)
    except KeyError:
        return Path("/")

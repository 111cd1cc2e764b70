"""Where agls keeps its own things: its config files and its state, never inside a workspace."""

import os
from collections.abc import Mapping
from pathlib import Path

import platformdirs

from agls.config.errors import ConfigError

LONGEST_SHOWN = 300  # characters of a wrong path in a message
PROJECT_FILE = Path(".agls", "config.toml")
AGENTS = "agents"  # the folder of agent files beside a config file, and the table they fill


def managed_file() -> Path:
    """The file of the machine's administrator."""
    return platformdirs.site_config_path("agls") / "config.toml"


def user_file(environment: Mapping[str, str]) -> Path:
    """The user's own file: `AGLS_CONFIG`, or `config.toml` in the platform's config folder."""
    named = environment.get("AGLS_CONFIG", "")
    return Path(named).expanduser() if named else platformdirs.user_config_path("agls") / "config.toml"


def state_folder(environment: Mapping[str, str]) -> Path:
    """Where sessions are kept, if that can be made: `AGLS_STATE_DIR`, or the platform's folder."""
    named = environment.get("AGLS_STATE_DIR", "")
    return Path(named).expanduser() if named else platformdirs.user_state_path("agls")


def check_outside(path: Path, workspace: Path, home: Path, key: str) -> None:
    """Refuse our own `path` inside a workspace, where the project could write it (`promises.md` R5).

    A workspace that is the home folder, or holds it, is the user's own. Raises `ConfigError`.
    """
    path, workspace = path.resolve(), workspace.resolve()
    if path.is_relative_to(workspace) and not home.resolve().is_relative_to(workspace):
        raise ConfigError(f"{path} is inside the workspace {workspace}. Name a place outside it.", key=key)


def check_folder(folder: str) -> None:
    """Refuse a workspace that is no folder (any more), or closed to this user. Raises `ConfigError`."""
    name = folder[:LONGEST_SHOWN]
    try:
        if os.path.isdir(folder) and os.access(folder, os.R_OK | os.X_OK):  # noqa: PTH112 - before every run
            return
        path = Path(folder)
        there = f"{name} is no folder" if path.exists() else f"there is no folder {name}"
        why = f"the folder {name} is closed to you" if path.is_dir() else there
    except OSError as error:
        why = f"the folder {name} cannot be reached ({error.strerror})"
    raise ConfigError(f"{why}. Name one to work in.")


def home_folder() -> Path:
    """The user's home as the system knows it; a variable cannot move it."""
    if os.name != "posix":
        return Path.home()
    import pwd  # noqa: PLC0415 - not on Windows

    return Path(pwd.getpwuid(os.getuid()).pw_dir)

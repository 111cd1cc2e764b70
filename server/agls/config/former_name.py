"""Take over the state and the settings of the name that agls had before, once and with a notice."""

import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from tempfile import mkdtemp

import platformdirs

from agls.config.errors import ConfigError
from agls.config.folders import AGENTS, state_folder, user_file

NAME = "aglet"
PROJECT_FILE = Path(f".{NAME}", "config.toml")
SETTINGS = ("config.toml", "AGENTS.md", AGENTS)  # what a user writes; the folder may hold another program's
STATE = ("sessions", "keys.json", "grants", "trust.json")  # one of them is in every folder of state
IsConfig = Callable[[Path], object]


def take_over(environment: Mapping[str, str], read: IsConfig) -> tuple[str, ...]:
    """Take over the state and the settings of the former name, where there are none of this one.

    `read` reads a config file and raises `ConfigError` for one that is not ours. **Returns** what the user
    should know of it.
    """
    return tuple(_taken_over(environment, read))


def _taken_over(environment: Mapping[str, str], read: IsConfig) -> Iterator[str]:
    named = {name for name, value in environment.items() if value}
    with suppress(
        RuntimeError, ConfigError, OSError
    ):  # nobody says where the home is, or it cannot be entered
        if "AGLS_STATE_DIR" not in named:
            old, new = platformdirs.user_state_path(NAME), state_folder(environment)
            if not os.path.lexists(new) and any((old / name).exists() for name in STATE):
                yield _tried(_move, old, new, "sessions and keys")
        if "AGLS_CONFIG" not in named:
            old, new = platformdirs.user_config_path(NAME), user_file(environment).parent
            if not os.path.lexists(new) and (old / SETTINGS[0]).is_file():
                yield _tried(lambda old, new: _copy(old, new, read), old, new, "settings")
    left = sorted(name for name in named if name.startswith(f"{NAME.upper()}_"))
    if left and not any(name.startswith("AGLS_") for name in named):
        yield f"{', '.join(left)}: not read any more. The variables begin with AGLS_ now; rename them."


def _tried(take: Callable[[Path, Path], None], old: Path, new: Path, what: str) -> str:
    try:
        take(old, new)
    except (OSError, ConfigError) as problem:
        return f"The {what} of {NAME}, as agls was called, were not taken over from {old}: {problem}"
    return f"The {what} of {NAME}, as agls was called, are in {new} now (taken over from {old})."


def _move(old: Path, new: Path) -> None:
    new.parent.mkdir(parents=True, exist_ok=True)
    old.rename(new)


def _copy(old: Path, new: Path, read: IsConfig) -> None:
    """Copy the settings, wholly or not at all; the folder stays, it may be another program's as well."""
    read(old / SETTINGS[0])
    new.parent.mkdir(parents=True, exist_ok=True)
    fresh = Path(mkdtemp(prefix=f".{new.name}-", dir=new.parent))
    try:
        for name in SETTINGS:
            if (old / name).is_dir():
                shutil.copytree(old / name, fresh / name)
            elif (old / name).exists():
                shutil.copy2(old / name, fresh / name)
        fresh.rename(new)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)

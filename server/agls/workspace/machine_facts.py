"""What a model should know of the machine: system, user, shell, and the usual programs that are there."""

import os
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path, PurePath
from shutil import which

PROGRAMS = (
    *("git", "gh", "rg", "jq", "docker", "make", "cmake", "gcc", "clang"),
    *("python3", "uv", "pip", "node", "npm", "pnpm", "yarn", "bun", "deno"),
    *("cargo", "go", "java", "mvn", "gradle", "dotnet", "ruby", "php"),
)


def system() -> str:
    """Return the system with its version."""
    if os.name != "posix":
        return os.name
    name = os.uname()
    pretty = f", {found}" if (found := _distribution()) else ""
    return f"{name.sysname} {name.release} {name.machine}{pretty}"


def user(environment: Mapping[str, str]) -> str:
    """Return the name of the user, "" when nobody says it: neither the environment nor the system."""
    named = (environment.get(name) for name in ("USER", "LOGNAME", "USERNAME"))
    return next(filter(None, named), "") or _user_of_system()


def shell(environment: Mapping[str, str]) -> str:
    """Return the user's own shell, "" when nobody says it."""
    return PurePath(environment.get("SHELL", "")).name


def programs(path: str) -> tuple[str, ...]:
    """Return those of the usual programs that there are in these folders."""
    return tuple(name for name in PROGRAMS if which(name, path=path))


def _user_of_system() -> str:
    try:
        import pwd  # noqa: PLC0415 - not everywhere

        return pwd.getpwuid(os.getuid()).pw_name
    except (ImportError, KeyError):
        return ""


@lru_cache(maxsize=1)
def _distribution() -> str:
    try:
        lines = Path("/etc/os-release").read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return ""
    return next(
        (line.partition("=")[2].strip("\"'") for line in lines if line.startswith("PRETTY_NAME=")), ""
    )

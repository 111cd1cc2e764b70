"""Programs that stand for another one, which a file of the folder they are started in chooses.

asdf, mise, pyenv, rustup, Volta and their like put such programs (shims) under the names of others into the
path. A line of `.tool-versions` or `rust-toolchain.toml` may name a program of the workspace then.
"""

import os
from collections.abc import Iterable
from pathlib import Path
from posixpath import basename, dirname, join

_FOLDERS = frozenset({"shims", "shim"})
_MANAGERS = frozenset({"asdf", "mise", "rtx", "rustup", "rustup-init", "proto", "proto-shim", "aqua-proxy"})
_OF_PACKAGES = frozenset({"volta-shim", "corepack"})
_CHOOSING = (
    *(
        ".tool-versions",
        ".mise.toml",
        ".mise.local.toml",
        ".mise",
        ".miserc.toml",
        ".rtx.toml",
        ".prototools",
    ),
    *("mise.toml", "mise.local.toml", "mise", ".config/mise", ".config/mise.toml", "aqua.yaml", ".aqua.yaml"),
    *("rust-toolchain", "rust-toolchain.toml", ".python-version", ".ruby-version", ".node-version", ".nvmrc"),
    *(".java-version", ".go-version", ".sdkmanrc"),
)


def choosing_file(program: str, folder: str, workspace: str) -> str:
    """**Returns** the file that chooses what this program, started in `folder`, really is; "" for none."""
    real = os.path.realpath(program)
    names = {basename(real), *Path(real).parts} & _OF_PACKAGES
    if names or dirname(program).endswith("/.volta/bin"):
        return found_above(folder, ("package.json",), workspace)
    is_shim = basename(dirname(program)) in _FOLDERS or basename(real) in _MANAGERS or _is_rustup(program)
    return found_above(folder, _CHOOSING, workspace) if is_shim else ""


def found_above(folder: str, names: Iterable[str], workspace: str) -> str:
    """**Returns** the first of these that lies in a folder or above it, "" when none does.

    What lies in the user's home is the user's, unless it is a part of the workspace.
    """
    home = Path.home()
    for each in (Path(folder), *Path(folder).parents):
        if each == home and not home.is_relative_to(workspace):
            continue
        for name in names:
            if os.path.lexists(path := join(each, name)):
                return path
    return ""


def _is_rustup(program: str) -> bool:
    """Return whether it is another name of the rustup beside it."""
    try:
        return Path(program).samefile(join(dirname(program), "rustup"))
    except OSError:
        return False

"""Programs that are asked for their version.

Some look in the folder for what they are to be, or to load: they count as known where no such file lies in
the folder or above it. Not `yarn` and `pnpm` (`package.json` chooses their version), `pytest`, `flake8` and
`pylint` (their settings name code to load), `terraform` and `helm` (they may look for a newer version).
"""

from collections.abc import Mapping, Sequence

from agls.frozen import frozen


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


@frozen
class VersionAsked:
    """Whether it `is_one` that is asked for its version, what it `starts` and which files it `obeys`."""

    is_one: bool = False
    starts: Sequence[str] = ()
    obeys: Sequence[str] = ()


_LONG = _names(
    "python python3 node bash make gcc g++ clang jq rg curl tar sqlite3 perl ruby docker gh cmake sed find "
    "pip pip3 uv ruff deno php lua ldd shellcheck black mypy tsc npm cargo rustc mvn"
)
_SHORT: Mapping[str, frozenset[str]] = {
    "-v": _names("node npm tsc mvn"),
    "-V": _names("python python3 pip pip3 cargo rustc mypy"),
}
_WORDS: Mapping[str, Sequence[Sequence[str]]] = {
    "go": (["version"],),
    "kubectl": (["version", "--client"], ["config", "current-context"]),
    "rustc": (["-vV"], ["-Vv"], ["--version", "--verbose"]),
    "cargo": (["-vV"], ["-Vv"], ["--version", "--verbose"]),
}
_OF_RUST = ("rust-toolchain", "rust-toolchain.toml", ".cargo/config", ".cargo/config.toml")
_OBEYED: Mapping[str, Sequence[str]] = {
    "npm": (".npmrc",),
    "go": ("go.mod", "go.work"),
    "mvn": (".mvn",),
    **dict.fromkeys(("cargo", "rustc"), _OF_RUST),
}
_STARTED: Mapping[str, Sequence[str]] = {
    "npm": ("node",),
    "tsc": ("node",),
    "mvn": ("java", "uname", "dirname", "basename", "ls", "expr", "sed", "tr"),
}


def version_asked(words: Sequence[str]) -> VersionAsked:
    """**Returns** what these words ask for."""
    name, *rest = words
    is_one = (rest == ["--version"] and name in _LONG) or rest in _WORDS.get(name, ())
    is_one = is_one or (len(rest) == 1 and name in _SHORT.get(rest[0], ()))
    return VersionAsked(is_one, _STARTED.get(name, ()), _OBEYED.get(name, ())) if is_one else VersionAsked()

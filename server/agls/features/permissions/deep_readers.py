"""Programs that read all files in a folder, hidden ones too, and the names that they leave out."""

from collections.abc import Callable, Sequence
from fnmatch import fnmatchcase

from agls.features.permissions.known_reader import parsed_options
from agls.features.permissions.listed_readers import said_to_rg
from agls.features.permissions.readers import DEEP, FOLLOWS, READERS, RECURSIVE
from agls.regex import regex
from agls.secret_names import may_hold_secrets

_GLOB = regex(r"!?(?:\*\*/|[\w.-]+/)*([\w.*-]+)")  # of rg: the last part is for the name of a file
_GLOBS = frozenset({"-g", "--glob", "--iglob"})
_TYPES = frozenset({"-t", "--type"})
# Types of rg of which no file has a name that may hold secrets.
_SOURCES = frozenset(
    [
        *(
            "c",
            "cpp",
            "cs",
            "css",
            "csharp",
            "dart",
            "elixir",
            "erlang",
            "go",
            "haskell",
            "html",
            "java",
            "js",
        ),
        *("kotlin", "lua", "markdown", "md", "perl", "php", "py", "python", "rst", "ruby", "rust", "scala"),
        *("sh", "sql", "swift", "ts", "zig"),
    ]
)


def secrets_read(words: Sequence[str]) -> Callable[[str], bool] | None:
    """Return which names below its folders may hold secrets and are read; `None` when it reads no folder."""
    name, *rest = words
    if rest in (["--help"], ["--version"]):
        return None
    if name == "rg":
        return _of_rg(rest)
    if name not in RECURSIVE:
        return None
    _, given = parsed_options(name, READERS[name], rest)
    options = {option for option, _ in given}
    if options.isdisjoint(DEEP):
        return None
    included = [value for option, value in given if option == "--include"]
    return _fitting(included if "--exclude" not in options else ())


def follows_links(words: Sequence[str]) -> bool:
    """Return whether it reads what links lead to, of which `secrets_read` knows nothing."""
    name, *rest = words
    if name not in RECURSIVE:
        return False
    _, given = parsed_options(name, READERS[name], rest)
    options = {option for option, _ in given}
    return "--no-dereference" not in options if name == "diff" else not FOLLOWS.isdisjoint(options)


def _of_rg(rest: Sequence[str]) -> Callable[[str], bool]:
    said = said_to_rg(rest)
    types = [value for option, value in said.given if option in _TYPES]
    globs = [(value, _GLOB.fullmatch(value)) for option, value in said.given if option in _GLOBS]
    are_known = all(found for _, found in globs)
    chosen = [found[1] for value, found in globs if found and not value.startswith("!")]
    shows_hidden = bool({"-u", "--unrestricted", "--hidden"} & said.options) or bool(chosen) or not are_known
    if types and _SOURCES.issuperset(types) and not shows_hidden:
        return _fitting([""])
    fits = _fitting(chosen if are_known else ())
    return lambda name: fits(name) and (shows_hidden or not name.startswith("."))


def _fitting(patterns: Sequence[str]) -> Callable[[str], bool]:
    """Return a test for names that may hold secrets, and that fit one of these patterns if there are any.

    Of a folder nothing can be said by a pattern: the names in it are looked at.
    """
    if not patterns:
        return may_hold_secrets
    folded = [pattern.casefold() for pattern in patterns]
    return lambda name: (
        not name.endswith("/")
        and may_hold_secrets(name)
        and any(fnmatchcase(name.casefold(), pattern) for pattern in folded)
    )

"""Whether a git command that only reads would run a program that the repository names.

The files of the repository are read, never git asked. Only what is known is harmless: settings that name no
program, and neither a hook nor a repository inside. The user's own configuration is theirs and is not read.
Sources: git-config(1), githooks(5), gitrepository-layout(5), gitformat-index(5).
"""

import os
import struct
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path

from agls.frozen import frozen
from agls.regex import regex

LARGEST = 64_000_000  # bytes of an index
LARGEST_TEXT = 1_000_000  # bytes of a configuration file
_SECTION = regex(r'\[([A-Za-z0-9.-]+)(?: "[^"\\]*")?\]')
_SETTING = regex(r"([A-Za-z][A-Za-z0-9-]*)\s*(?:=.*)?")
_ANY = frozenset({"*"})


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Sections with the keys that name no program and no other place; the rest is in doubt.
HARMLESS = {
    **dict.fromkeys(_names("user author committer init pull push rebase color column gc pack"), _ANY),
    **dict.fromkeys(_names("status advice index rerere receive commit feature maintenance"), _ANY),
    **dict.fromkeys(_names("stash versionsort"), _ANY),
    # `branch.sort` and `tag.sort` may be by signature, which gpg is asked about
    "branch": _names(
        "remote merge pushremote rebase description mergeoptions autosetupmerge autosetuprebase base "
        "gh-merge-base vscode-merge-base"
    ),
    "tag": _names("gpgsign forcesignannotated"),
    "lfs": _names("repositoryformatversion access locksverify"),  # an extension of it names programs
    "core": _names(
        "repositoryformatversion filemode bare logallrefupdates ignorecase precomposeunicode symlinks "
        "autocrlf eol safecrlf quotepath abbrev untrackedcache commentchar compression sparsecheckout "
        "sparsecheckoutcone longpaths preloadindex multipackindex commitgraph bigfilethreshold trustctime"
    ),
    "remote": _names("url fetch push pushurl tagopt prune prunetags skipdefaultupdate gh-resolved"),
    "diff": _names("renames renamelimit algorithm mnemonicprefix noprefix colormoved context"),
    "log": _names("date decorate follow abbrevcommit"),
    "merge": _names("conflictstyle ff renamelimit renames"),
    "submodule": _names("active url update recurse"),
    "extensions": _names("worktreeconfig refstorage"),
}
HOOK = "post-index-change"  # the one that a command runs which only reads: it refreshes the index
COMMIT_HOOKS = ("pre-commit", "prepare-commit-msg", "commit-msg", "post-commit", "post-rewrite", HOOK)
# Of what names programs, what a commit does not run, or runs only as a hook.
NOT_IN_COMMITS = frozenset({"hookspath", "editor", "fsmonitor", "pager", "askpass", "sshcommand", "gitproxy"})
NOT_IN_COMMIT_SECTIONS = _names("alias credential gui http https i18n url sendemail difftool mergetool pager")
_OF_BARE = ("objects", "commondir")  # beside HEAD, which may be a link that leads nowhere
_GITLINK = struct.pack(">I", 0o160000)
_DIRECTORY = struct.pack(">I", 0o040000)  # of a sparse index
_FIXED = 62  # bytes of an entry of the index before its name, with SHA-1


def programs_of_git(folder: str) -> str:
    """Return why git might run other programs in this folder; "" when its repository names none."""
    here = Path(folder)
    for place in (here, *here.parents):
        if os.path.lexists(place / ".git"):
            try:
                repository = _repository(place / ".git")
                return next(chain(_strangers(place, repository), _dangers(repository)), "")
            except (OSError, UnicodeDecodeError, ValueError) as problem:
                return f"its repository cannot be read ({problem})"
        if os.path.lexists(place / "HEAD") and any(os.path.lexists(place / name) for name in _OF_BARE):
            return f"{place} is a bare repository"
    return ""


@frozen
class RepositoryPrograms:
    """What of a repository a commit runs: its `hooks`, in `folder`, and more when there is a `doubt`."""

    hooks: Sequence[str] = ()
    doubt: str = ""
    settings: Sequence[str] = ()
    folder: str = ""


NO_PROGRAMS = RepositoryPrograms()


def programs_of_commit(folder: str) -> RepositoryPrograms:
    """Return the hooks that a commit in this folder runs, and why git might run other programs."""
    for place in (Path(folder), *Path(folder).parents):
        if os.path.lexists(place / ".git"):
            try:
                repository = _repository(place / ".git")
                hooks, doubt = tuple(_hooks(place, repository)), next(_dangers_of_commit(repository), "")
                files = (*_config_files(repository, _common(repository)), place / ".gitattributes")
                settings = tuple(map(str, files)) if doubt else ()
                return RepositoryPrograms(hooks, doubt, settings, str(place))
            except (OSError, UnicodeDecodeError, ValueError) as problem:
                doubt = f"its repository cannot be read ({problem})"
                return RepositoryPrograms((), doubt, (str(place / ".git"),), str(place))
    return NO_PROGRAMS


def _hooks(root: Path, repository: Path) -> Iterator[str]:
    """Yield the hooks, and the scripts that those of a well-known tool run."""
    common = _common(repository)
    named = [_hooks_path(file) for file in _config_files(repository, common)]
    folder = next((path for path in named if path), "")
    hooks = root / Path(folder).expanduser() if folder else common / "hooks"
    for name in COMMIT_HOOKS:
        if os.access(hooks / name, os.X_OK):
            yield str(hooks / name)
            if hooks.name == "_" and (hooks.parent / name).exists():  # husky keeps its own in `_`
                yield str(hooks.parent / name)


def _hooks_path(file: Path) -> str:
    """Return the folder of the hooks that a configuration file names, "" for none."""
    lines = (line.partition("=") for line in _lines(file))
    named = [value.strip() for key, _, value in lines if key.strip().lower() == "hookspath"]
    return named[-1].strip('"') if named else ""


def _dangers_of_commit(repository: Path) -> Iterator[str]:
    common = _common(repository)
    yield from chain.from_iterable(
        _settings(file, NOT_IN_COMMITS, NOT_IN_COMMIT_SECTIONS) for file in _config_files(repository, common)
    )
    if any(repository.glob("sharedindex.*")) or _has_gitlinks(repository / "index"):
        yield "the repository has, or may have, submodules with settings of their own"


def _repository(entry: Path) -> Path:
    if entry.is_dir():
        return entry
    text = _text(entry)
    if not text.startswith("gitdir: "):
        raise ValueError("its .git names no folder")
    return entry.parent / text.removeprefix("gitdir: ").rstrip("\n")


def _common(repository: Path) -> Path:
    """Return the folder of what all worktrees of a repository share."""
    named = repository / "commondir"
    return repository / _text(named).rstrip("\n") if named.exists() else repository


def _config_files(repository: Path, common: Path) -> Iterator[Path]:
    files = (common / "config", repository / "config.worktree", common / "config.worktree")
    return (file for file in files if file.exists())


def _strangers(place: Path, repository: Path) -> Iterator[str]:
    """Yield why the repository may be another one than that of this folder: it would be read instead."""
    own, common = repository.resolve(), _common(repository).resolve()
    back = own / "gitdir"  # of a worktree: the `.git` that it is for
    is_inside = own.is_relative_to(place.resolve()) and common.is_relative_to(place.resolve())
    is_worktree = own.parent == common / "worktrees" and back.exists()
    if not is_inside and not (is_worktree and Path(_text(back).rstrip("\n")) == place.resolve() / ".git"):
        yield f"its repository is {own}"
    if os.path.lexists(common / "objects/info/alternates") or (common / "objects").is_symlink():
        yield "its repository takes objects from another one"


def _dangers(repository: Path) -> Iterator[str]:
    common = _common(repository)
    for file in _config_files(repository, common):
        yield from _settings(file)
    if (common / "hooks" / HOOK).exists():
        yield f"the repository has the hook {HOOK}"
    if any(repository.glob("sharedindex.*")) or _has_gitlinks(repository / "index"):
        yield "the repository has, or may have, submodules with settings of their own"


def _settings(
    file: Path, keys: frozenset[str] = frozenset(), sections: frozenset[str] = frozenset()
) -> Iterator[str]:
    """Yield what in a configuration file is not known to be harmless; these keys and sections are, too.

    What is written oddly is in doubt.
    """
    allowed = frozenset[str]()
    for line in _lines(file):
        text = line.strip()
        if not text or text[0] in "#;":
            continue
        if section := _SECTION.fullmatch(text):
            name = section[1].lower()
            allowed = _ANY if name in sections else HARMLESS.get(name, frozenset())
            if not allowed:
                yield f"its configuration has a section {name}"
        elif text.endswith("\\") or not (setting := _SETTING.fullmatch(text)):
            yield "its configuration has a line that is not understood"
        elif allowed is not _ANY and setting[1].lower() not in allowed | keys:
            yield f"its configuration sets {setting[1]}"


def _lines(file: Path) -> Sequence[str]:
    """Return its lines as git sees them: nothing but a line feed ends one."""
    return [line.removesuffix("\r") for line in _text(file).split("\n")]


def _text(file: Path) -> str:
    """Return a small regular file. **Raises** `ValueError` for anything else: a pipe would never end."""
    if not file.is_file() or file.stat().st_size > LARGEST_TEXT:
        raise ValueError(f"{file.name} is no small file")
    return file.read_bytes().decode()


def _has_gitlinks(index: Path) -> bool:
    """Return whether the index names a commit of another repository; in doubt it does."""
    if not os.path.lexists(index):
        return False
    if not index.is_file() or index.stat().st_size > LARGEST:
        return True
    data = index.read_bytes()
    if _GITLINK not in data:
        return False
    try:
        return any(mode == _GITLINK for mode, _ in _entries(data))
    except ValueError:
        return True


def _entries(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yield mode and name of each entry. **Raises** `ValueError`, also for a form that is not read."""
    if len(data) < 12:
        raise ValueError("its index is cut off")
    signature, version, count = struct.unpack_from(">4sII", data)
    if signature != b"DIRC" or version not in {2, 3}:
        raise ValueError("its index is written in another form")
    at = 12
    for _ in range(count):
        if at + _FIXED > len(data):
            raise ValueError("its index is cut off")
        flags = struct.unpack_from(">H", data, at + 60)[0]
        start = at + _FIXED + (2 if flags & 0x4000 else 0)
        end = data.index(b"\0", start)
        yield data[at + 24 : at + 28], data[start:end]
        at += (end - at) // 8 * 8 + 8


def tracked_names(folder: Path) -> Iterator[str]:
    """Yield the names of the files that git keeps in a folder and below, as seen from the folder.

    **Raises** `OSError`, and `ValueError` for what is not read here.
    """
    place = next((each for each in (folder, *folder.parents) if os.path.lexists(each / ".git")), None)
    if not place:
        raise ValueError("there is no repository")
    repository = _repository(place / ".git")
    index = repository / "index"
    if any(repository.glob("sharedindex.*")) or (index.exists() and index.stat().st_size > LARGEST):
        raise ValueError("its index is not one small file")
    before = "" if folder == place else f"{folder.relative_to(place).as_posix()}/"
    for mode, name in _entries(index.read_bytes()) if index.exists() else ():
        text = os.fsdecode(name)
        if mode == _DIRECTORY:
            raise ValueError("its index holds folders")
        if text.startswith(before):
            yield text.removeprefix(before)

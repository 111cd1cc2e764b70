"""Where the contents of installed plugins are kept: each version in a folder of its own, never changed."""

import os
import shutil
import stat
import sys
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from uuid import uuid4

from agls.plugin_files import PluginProblem
from agls.stores.disk import make_private

FOLDER = "plugins"
DATA = "plugin-data"
LENGTH = 32  # digits of a digest in the name of a folder
IN_USE = "in-use"  # the file beside a version that its users lock
LEFT_OUT = frozenset({".git", ".hg", ".svn"})
NOT_COPIED = LEFT_OUT | {"__pycache__", ".DS_Store"}  # which a digest sees, should somebody put them there
MOST_FILES = 10_000
MOST_BYTES = 100_000_000
LINK = "the link {} leads out of the plugin"
TOO_MANY = "it has more than {:,} files, most of them in {}. {}"
TOO_LARGE = "it has more than {:,} bytes, most of them in {}. {}"
SMALLER = "Put the plugin into a folder of its own, without what it does not need, and add that."
SPECIAL = "{} is neither a file nor a folder"
_whole: dict[Path, object] = {}  # the state in which a version was found to be whole


class PluginStore:
    """The contents of plugins, by name and digest, in the state folder; nobody writes into them."""

    def __init__(self, state_folder: Path) -> None:
        self._folder = state_folder / FOLDER
        self._data = state_folder / DATA

    def path(self, name: str, digest: str) -> Path:
        """**Returns** the folder of a version; its last part is the name of the plugin."""
        return self._folder / name / digest / name

    def data(self, name: str) -> Path:
        """**Returns** the folder in which a plugin may keep things, over its versions."""
        return self._data / name

    def keep(self, folder: Path, name: str, left_out: Collection[Path] = ()) -> str:
        """Copy a plugin into the store, unless it is there, without some folders. **Returns** its digest.

        Links inside become files. **Raises** `PluginProblem` for one that leads out, and `OSError`.
        """
        make_private(self._folder.parent)
        make_private(self._folder)
        fresh = self._folder / f"new-{uuid4().hex}"
        try:
            copied = fresh / name
            _copy(folder, copied, left_out)
            digest = digest_of(copied)
            target = self.path(name, digest).parent
            if target.exists() and not self.is_whole(name, digest):  # something changed it
                self.remove(name, digest)
            if not target.exists():
                target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                fresh.rename(target)
                _allow_writing(target / name, allowed=False)
        finally:
            shutil.rmtree(fresh, ignore_errors=True)
        return digest

    def is_whole(self, name: str, digest: str) -> bool:
        """**Returns** whether a version is there, byte for byte. Files that nobody touched are not read."""
        root = self.path(name, digest)
        try:
            stamp = _stamp(root)
            if _whole.get(root) != stamp:
                if digest_of(root) != digest:
                    return False
                _whole[root] = stamp
        except (OSError, PluginProblem):
            return False
        return True

    def hold(self, name: str, digest: str) -> list[int]:
        """Say that this process uses a version until it ends. **Returns** the open file that says so."""
        try:
            return [_locked(self.path(name, digest).parent / IN_USE, shared=True)]
        except OSError:
            return []

    def sweep(self, wanted: Collection[tuple[str, str]]) -> None:
        """Delete the versions that are not wanted and that no process uses."""
        for name, digest in [*self.versions()]:
            if (name, digest) in wanted:
                continue
            with suppress(OSError):
                lock = _locked(self.path(name, digest).parent / IN_USE, shared=False)
                self.remove(name, digest)
                os.close(lock)

    def remove(self, name: str, digest: str) -> None:
        """Delete a version, as far as that can be done."""
        _allow_writing(self.path(name, digest), allowed=True)
        shutil.rmtree(self.path(name, digest).parent, ignore_errors=True)
        with suppress(OSError):
            self.path(name, digest).parent.parent.rmdir()

    def forget_data(self, name: str) -> None:
        """Delete what a plugin kept."""
        shutil.rmtree(self.data(name), ignore_errors=True)

    def versions(self) -> Iterator[tuple[str, str]]:
        """Yield the name and the digest of each version that is kept."""
        with suppress(OSError):
            for named in sorted(self._folder.iterdir()):
                if not named.name.startswith("new-") and named.is_dir():
                    yield from ((named.name, each.name) for each in sorted(named.iterdir()))


def files_of(root: Path) -> Mapping[str, str]:
    """**Returns** the digest of each file of a plugin. **Raises** `OSError` and `PluginProblem`."""
    found: dict[str, str] = {}
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(each for each in folders if each not in LEFT_OUT)
        for name in sorted(names):
            path = Path(folder, name)
            mode = path.lstat().st_mode
            if not stat.S_ISREG(mode):
                raise PluginProblem(SPECIAL.format(path))
            kind = "x" if mode & 0o100 else "-"
            found[path.relative_to(root).as_posix()] = f"{kind}{sha256(path.read_bytes()).hexdigest()}"
    return found


def digest_of(root: Path) -> str:
    """**Returns** the digest of all files of a plugin. **Raises** `OSError` and `PluginProblem`."""
    if not root.is_dir():
        raise FileNotFoundError(str(root))
    lines = (f"{name}\0{digest}\n" for name, digest in files_of(root).items())
    return sha256("".join(lines).encode("utf-8", "surrogateescape")).hexdigest()[:LENGTH]


def _allow_writing(root: Path, *, allowed: bool) -> None:
    """Let nobody write into a version (its own programs would change it), or its user again."""
    with suppress(OSError):
        for folder, _, names in os.walk(root):
            Path(folder).chmod(0o700 if allowed else 0o500)
            for name in names:
                path = Path(folder, name)
                path.chmod((path.stat().st_mode & 0o500) | (0o200 if allowed else 0))


def _stamp(root: Path) -> object:
    """**Returns** what changes when a file of a version does. **Raises** `OSError`."""
    found: list[object] = []
    for folder, _, names in os.walk(root):
        found += [(folder, os.stat(folder).st_mtime_ns)]  # noqa: PTH116 - each hook looks before it runs
        for name in names:
            status = os.lstat(f"{folder}/{name}")
            found.append((name, status.st_size, status.st_mtime_ns, status.st_ctime_ns))
    return found


def _locked(file: Path, *, shared: bool) -> int:
    """Lock a file. **Returns** it, open. **Raises** `OSError` where another process holds it."""
    if sys.platform == "win32":
        raise OSError("versions are not locked here")
    import fcntl  # noqa: PLC0415 - not on Windows

    descriptor = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


def _copy(source: Path, target: Path, left_out: Collection[Path]) -> None:
    """Copy a plugin; of a link inside it the content. **Raises** `PluginProblem` and `OSError`."""
    real = source.resolve(strict=True)
    size = _Size(real)
    target.mkdir(mode=0o700, parents=True)
    for folder, folders, names in os.walk(real):
        here = target / Path(folder).relative_to(real)
        folders[:] = sorted(
            each for each in folders if each not in NOT_COPIED and Path(folder, each) not in left_out
        )
        for name in folders:
            if Path(folder, name).is_symlink():
                raise PluginProblem(f"{LINK.format(name)}, or to a folder: put the files there themselves")
            (here / name).mkdir(mode=0o700)
        for name in (each for each in names if each not in NOT_COPIED):
            path = Path(folder, name)
            if not path.resolve().is_relative_to(real):
                raise PluginProblem(LINK.format(path.relative_to(real)))
            if not path.is_file():
                raise PluginProblem(SPECIAL.format(path.relative_to(real)))
            size.add(path)
            shutil.copyfile(path, here / name)
            (here / name).chmod(0o700 if path.stat().st_mode & 0o100 else 0o600)


class _Size:
    """How large a plugin is, and in which of its folders."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._files, self._bytes = Counter[str](), Counter[str]()

    def add(self, path: Path) -> None:
        """Count a file. **Raises** `PluginProblem` where the plugin is too large with it."""
        first, slash, _ = path.relative_to(self._root).as_posix().partition("/")
        part = f"{first}{slash}"
        self._files[part] += 1
        self._bytes[part] += path.stat().st_size
        if self._files.total() > MOST_FILES:
            raise PluginProblem(TOO_MANY.format(MOST_FILES, _most(self._files), SMALLER))
        if self._bytes.total() > MOST_BYTES:
            raise PluginProblem(TOO_LARGE.format(MOST_BYTES, _most(self._bytes), SMALLER))


def _most(counts: Counter[str]) -> str:
    return counts.most_common(1)[0][0]

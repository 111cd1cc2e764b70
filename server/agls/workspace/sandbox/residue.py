"""What commands in the sandbox left and may not leave: taken back when they end, or after a crash.

While commands run, a file in the state folder says what was there before them. The process holds a lock on
it; one without a lock belongs to a process that died, and what came until shortly afterwards is taken back
as well. What came later cannot be theirs: it stays, and the user reads of it.
"""

import errno
import fcntl
import json
import os
import secrets
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from agls.engine.ports import WorkspaceError
from agls.workspace.handles import folder_beneath
from agls.workspace.sandbox.mounts import mounted
from agls.workspace.sandbox.names import Marked, ProtectedNames

SOON = 3600.0  # seconds after the last sign of a process in which its commands may have made something
TAKEN = "{} was moved to {}"
STAYS = "{} came later and stays where it is"
_NEW = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


def new_names(
    before: Mapping[str, Marked], now: Mapping[str, Marked], roots: Sequence[str]
) -> tuple[Sequence[str], Sequence[str]]:
    """Return the protected names that are new or stand for something else now, and those that changed.

    What came with a folder that was moved has changed: it is the same as before, in another place.
    """
    identities = {one.identity: one.changed for one in before.values()}
    fixed = mounted(before, roots)
    new: list[str] = []
    changed: list[str] = []
    for path, one in now.items():
        known = before.get(path)
        if known and known.identity == one.identity:
            if known.changed != one.changed and path not in fixed:
                changed.append(path)
        elif identities.get(one.identity) == one.changed:  # a number may be used again for another file
            changed.append(path)
        else:
            new.append(path)
    return new, changed


class Residue:
    """Keeps what is taken back in `folder` ("": next to where it was), and notes what was there before."""

    def __init__(self, folder: str) -> None:
        self._folder, self._lock = folder, -1

    def begin(self, roots: Sequence[str], before: Mapping[str, Marked]) -> None:
        """Write down what is there before the first command runs; without it if the disk refuses."""
        if self._lock >= 0:
            with suppress(OSError):
                os.utime(self._lock)  # a sign of life
            return
        if not self._folder:
            return
        content = {"roots": list(roots), "before": {path: list(one.identity) for path, one in before.items()}}
        with suppress(OSError):
            Path(self._folder).mkdir(mode=0o700, parents=True, exist_ok=True)
            handle = os.open(f"{self._folder}/{secrets.token_hex(8)}.json", _NEW, 0o600)
            fcntl.flock(handle, fcntl.LOCK_EX)
            self._lock = handle
            os.write(handle, json.dumps(content, ensure_ascii=True).encode())

    def end(self) -> None:
        """Forget it: no command runs any more."""
        if self._lock >= 0:
            handle, self._lock = self._lock, -1
            with suppress(OSError):
                Path(f"/proc/self/fd/{handle}").readlink().unlink()
            os.close(handle)

    def take(self, paths: Iterable[str], roots: Sequence[str]) -> Mapping[str, str]:
        """Move these away, and no link on the way to them is followed. **Returns** where each of them is."""
        taken: dict[str, str] = {}
        for path in paths:
            root = max((root for root in roots if path.startswith(f"{root}/")), key=len)
            *above, name = path[len(root) + 1 :].split("/")
            with suppress(OSError), folder_beneath(root, above) as folder:
                taken[path] = self._move(folder, name, path.rpartition("/")[0])
        return taken

    def clean(self) -> Sequence[str]:
        """Take back what commands left of processes that died. **Returns** what to say of it."""
        if not self._folder or not Path(self._folder).is_dir():
            return ()
        return [words for file in Path(self._folder).glob("*.json") for words in self._clean(file)]

    def _clean(self, file: Path) -> Sequence[str]:
        with suppress(OSError, ValueError, WorkspaceError), file.open("rb") as stream:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
            until = os.fstat(stream.fileno()).st_mtime_ns + int(SOON * 1e9)
            file.unlink()
            content = json.load(stream)
            roots = [root for root in content["roots"] if Path(root).is_dir()]
            known = {tuple(identity) for identity in content["before"].values()}
            now = ProtectedNames().below(roots)
            new = {path: one.changed for path, one in now.items() if one.identity not in known}
            taken = self.take([path for path, changed in new.items() if changed <= until], roots)
            return [TAKEN.format(path, taken[path]) if path in taken else STAYS.format(path) for path in new]
        return ()

    def _move(self, folder: int, name: str, above: str) -> str:
        kept = f"{secrets.token_hex(4)}-{name.lstrip('.')}"
        if self._folder:
            place = Path(self._folder, "taken")
            place.mkdir(mode=0o700, parents=True, exist_ok=True)
            try:
                os.rename(name, place / kept, src_dir_fd=folder)
            except OSError as error:
                if error.errno != errno.EXDEV:
                    raise
            else:
                return str(place / kept)
        os.rename(name, f"taken-{kept}", src_dir_fd=folder, dst_dir_fd=folder)
        return f"{above}/taken-{kept}"

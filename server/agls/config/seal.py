"""The mark that agls puts on what the user allowed, so that what other programs wrote is not followed."""

import hmac
import json
import os
from contextlib import suppress
from hashlib import sha256
from secrets import token_bytes

from agls.config.own_files import GuardedFiles
from agls.stores.disk import make_private, write_new
from agls.workspace.protected import SEAL

LENGTH = 32  # bytes of the key


class Seal:
    """Marks content with a key in the state folder, which no tool opens.

    The key is read once. Where it cannot be read or kept, marks are good for this process only.
    """

    def __init__(self, files: GuardedFiles) -> None:
        self._files, self._file = files, files.state_folder / SEAL
        self._held = b""

    def sign(self, kind: str, content: object) -> str:
        """**Returns** the mark of this content; `kind` keeps a mark from being used for something else."""
        said = json.dumps([kind, content], sort_keys=True).encode("utf-8", "surrogatepass")
        return hmac.new(self._key, said, sha256).hexdigest()

    def proves(self, kind: str, content: object, mark: object) -> bool:
        """Whether agls made this mark for this content."""
        return isinstance(mark, str) and hmac.compare_digest(self.sign(kind, content).encode(), mark.encode())

    @property
    def _key(self) -> bytes:
        self._held = self._held or self._read() or self._make()
        return self._held

    def _read(self) -> bytes:
        """The key of this state folder, b"" when there is none that is the user's alone."""
        try:
            with os.fdopen(os.open(self._file, os.O_RDONLY | os.O_NOFOLLOW), "rb") as stream:
                status = os.fstat(stream.fileno())
                key = stream.read(LENGTH + 1)
        except OSError:
            return b""
        private = os.name != "posix" or (status.st_uid == os.geteuid() and not status.st_mode & 0o077)
        return key if private and len(key) == LENGTH else b""

    def _make(self) -> bytes:
        key = token_bytes(LENGTH)
        with suppress(OSError):
            make_private(self._file.parent)
            if self._file.exists():  # damaged, or open to others
                self._file.unlink()
            write_new(self._file, key)
            self._files.settle(self._file)
            return key
        return self._read() or key  # another process was faster, or nothing can be kept

"""One state of a file, as it stands in the notes."""

from agls.engine.vocabulary import JsonObject
from agls.frozen import frozen

MODE = 0o644


@frozen
class FileState:
    """A file at one moment. `hash` is the SHA-256 of its bytes and the name of what is kept, "" for no file.

    `digest` is the same for texts that an editor holds to be the same; it counts when the file was open
    (`in_editor`). `lost` says why the content is not kept, "" when it is. Where there is no file,
    `new_folder` is the outermost folder on the way that is not there either, "" for none.
    """

    path: str
    uri: str
    hash: str = ""
    digest: str = ""
    in_editor: bool = False
    mode: int = MODE
    lost: str = ""
    new_folder: str = ""

    @property
    def exists(self) -> bool:
        """Whether there is a file."""
        return bool(self.hash)

    def same(self, other: "FileState") -> bool:
        """Return whether nobody changed the file between these two."""
        if self.hash == other.hash:
            return True
        by_editor = self.in_editor or other.in_editor
        return by_editor and bool(self.digest) and self.digest == other.digest

    def to_json(self) -> JsonObject:
        """Return the data of the note: usual values are left out."""
        data: JsonObject = {"path": self.path, "uri": self.uri, "hash": self.hash}
        if self.in_editor:
            data["inEditor"] = True
        if self.digest and self.digest != self.hash:
            data["digest"] = self.digest
        if self.mode != MODE:
            data["mode"] = self.mode
        if self.lost:
            data["lost"] = self.lost
        if self.new_folder:
            data["newFolder"] = self.new_folder
        return data


def state_of(data: JsonObject) -> FileState:
    """Return the state that was noted."""
    return FileState(
        path=data["path"],
        uri=data["uri"],
        hash=data["hash"],
        digest=data.get("digest", data["hash"]),
        in_editor=data.get("inEditor", False),
        mode=data.get("mode", MODE),
        lost=data.get("lost", ""),
        new_folder=data.get("newFolder", ""),
    )

"""The tool `save_attachment`."""

from collections.abc import Mapping

from pydantic import Field

from agls.engine.ports import Effect, Target, ToolContext
from agls.engine.vocabulary import FileVersion, ToolOutcome
from agls.frozen import frozen
from agls.room.attachment_links import SCHEME
from agls.room.folder_ports import BlobStore, FileSnapshots
from agls.toolkit import Arguments


class SaveAttachment(Arguments):
    """Save a file that the user attached as a new file in the workspace, so that other tools can read it."""

    id: str = Field(min_length=4, description="what follows attachment: in its uri, or the beginning of it")
    path: str = Field(min_length=1, description="the new file")


def targets(arguments: SaveAttachment) -> tuple[Target, ...]:
    """The new file."""
    return (Target(Effect.WRITES, arguments.path),)


@frozen
class AttachmentSaver:
    """Saves what was attached: `names` by id."""

    names: Mapping[str, str]
    kept: BlobStore
    files: FileSnapshots

    async def save(self, arguments: SaveAttachment, context: ToolContext) -> ToolOutcome:
        """Make the file; one that is there is left alone."""
        wanted = arguments.id.removeprefix(SCHEME)
        found = [one for one in self.names if one.startswith(wanted)]
        if len(found) != 1:
            known = "; ".join(f"{one[:12]}: {name}" for one, name in self.names.items())
            return ToolOutcome(f"{wanted[:80]!r} is no attachment. There are: {known}", status="failed")
        try:
            data = await self.kept.read(found[0])
        except OSError as problem:
            return ToolOutcome(str(problem), status="failed")
        path = context.workspace.place(arguments.path).path
        change = await self.files.put(path, data, FileVersion())
        said = f"Saved {self.names[found[0]]} as {arguments.path}."
        return ToolOutcome(said, effects="applied", changes=(change,))

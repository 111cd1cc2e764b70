"""The wiring of the room."""

from agls.engine.feature import Feature
from agls.engine.ports import Effect
from agls.features.attachments.links import names_of
from agls.features.attachments.save_attachment import AttachmentSaver, SaveAttachment, targets
from agls.features.attachments.settings import Settings
from agls.room.folder_ports import BlobStore, FileSnapshots
from agls.room.run_ports import RunInfo
from agls.toolkit import TypedTool


def build(settings: Settings, run: RunInfo, kept: BlobStore, files: FileSnapshots) -> Feature | None:
    """Build the feature of a session in which files were attached."""
    names = names_of(run.state)
    if not names:
        return None
    saving = AttachmentSaver(names, kept, files)
    tool = TypedTool("save_attachment", SaveAttachment, saving.save, frozenset({Effect.WRITES}), targets)
    return Feature(name="attachments", tools=(tool,))

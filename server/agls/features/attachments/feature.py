"""The wiring of the room."""

from agls.engine.feature import Feature
from agls.engine.ports import Effect
from agls.features.attachments.links import names_of
from agls.features.attachments.save_attachment import AttachmentSaver, SaveAttachment, targets
from agls.features.attachments.settings import Settings
from agls.room.ports import BlobStore, FileSnapshots, RunInfo
from agls.toolkit import TypedTool


def build(settings: Settings, run: RunInfo, kept: BlobStore, files: FileSnapshots) -> Feature | None:
    """Build the feature of a session in which files were attached."""
    names = names_of(run.session_id, run.state)
    if not names:
        return None
    saving = AttachmentSaver(names, kept, files)
    tool = TypedTool(
        name="save_attachment",
        arguments=SaveAttachment,
        work=saving.save,
        effects=frozenset({Effect.WRITES}),
        targets=targets,
    )
    return Feature(name="attachments", tools=(tool,))

"""The wiring of the room."""

from collections.abc import Mapping

from agls.engine.feature import Feature
from agls.engine.ports import Effect
from agls.features.attachments.saving import Files, Kept, SaveAttachment, Saving, targets
from agls.toolkit import TypedTool


def build(names: Mapping[str, str], kept: Kept, files: Files) -> Feature:
    """The feature of a session in which these files were attached (`links.Links`)."""
    saving = Saving(names, kept, files)
    tool = TypedTool(
        name="save_attachment",
        arguments=SaveAttachment,
        work=saving.save,
        effects=frozenset({Effect.WRITES}),
        targets=targets,
    )
    return Feature(name="attachments", tools=(tool,))

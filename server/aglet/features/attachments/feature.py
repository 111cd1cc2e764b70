"""The wiring of the room."""

from collections.abc import Mapping

from aglet.engine.feature import Feature
from aglet.engine.ports import Effect
from aglet.features.attachments.saving import Files, Kept, SaveAttachment, Saving, targets
from aglet.toolkit import TypedTool


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

"""An edit of one file as it would be made now."""

from agls.engine.ports import FileText, PathInfo
from agls.frozen import frozen


@frozen
class EditPlan:
    """A file as it is (`None` when there is no such text file), its next text, and what to tell the model."""

    title: str
    place: PathInfo
    file: FileText | None
    text: str
    told: str

"""An edit of one file as it would be made now."""

from agls.engine.ports import FileText, PathInfo
from agls.frozen import frozen


@frozen
class EditPlan:
    """A file as it is (`None` when there is no such text file), its next text, and the report about it."""

    title: str
    place: PathInfo
    file: FileText | None
    text: str
    report: str

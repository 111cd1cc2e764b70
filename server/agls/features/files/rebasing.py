"""An edit of a file that changed since the model read it: made all the same when its own lines did not."""

from agls.diff import common_ends
from agls.engine.ports import WorkspaceError

from .lines import flatten, split_lines
from .matching import replace_text

TOLD = (
    "\n{shown} had changed since you read it{where}. That was kept, and you have not seen it: "
    "read the file again before you rely on the rest of it."
)


def rebase(seen: str, now: str, old: str, new: str) -> str | None:
    """The text the model knows after its edit, `None` when the edit may not be made in the text as it is now.

    It may when the old text occurs exactly once in both, as it stands, in lines that are the same.
    """
    lines = _lines_with(seen, old)
    if lines is None or lines != _lines_with(now, old):
        return None
    try:
        return replace_text(seen, old, new, everywhere=False).text
    except WorkspaceError:  # the new text is the old one
        return None


def tell(shown: str, known: str, made: str) -> str:
    """What the model is told of a file that should be as `known` and is as `made`."""
    before, after = split_lines(known), split_lines(made)
    head, tail = common_ends(before, after)
    first, last = head + 1, len(after) - tail
    if last < first:
        where = f", before line {first}" if len(before) > len(after) else ""
    else:
        where = f", in line {first}" if first == last else f", between lines {first} and {last}"
    return TOLD.format(shown=shown, where=where)


def _lines_with(text: str, old: str) -> str | None:
    """The whole lines in which `old` stands, `None` unless it occurs once."""
    flat, old = flatten(text), flatten(old)
    at = flat.find(old)
    if at < 0 or flat.find(old, at + 1) >= 0:
        return None
    stop = at + len(old)
    end = stop if old.endswith("\n") else flat.find("\n", stop)
    return flat[flat.rfind("\n", 0, at) + 1 : end if end >= 0 else len(flat)]

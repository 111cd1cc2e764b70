"""An edit of a file that changed since the model read it: made all the same when its own lines did not."""

from agls.diff import common_ends
from agls.engine.ports import WorkspaceError

from .lines import flatten, split_lines
from .matching import replace_text

CHANGED_SINCE = (
    "\n{shown} had changed since you read it{where}. That was kept, and you have not seen it: "
    "read the file again before you rely on the rest of it."
)


def rebase(seen: str, now: str, old: str, new: str) -> str | None:
    """Return the text that the model knows after its edit, `None` when it may not edit the present text.

    It may be made when the old text occurs exactly once in both texts, unchanged, in lines that are the same.
    """
    lines = _lines_with(seen, old)
    if lines is None or lines != _lines_with(now, old):
        return None
    try:
        return replace_text(seen, old, new, everywhere=False).text
    except WorkspaceError:  # the new text is the old one
        return None


def changed_since(shown: str, known: str, made: str) -> str:
    """Return the remark about a file whose text is `made`, while the model expects `known`."""
    before, after = split_lines(known), split_lines(made)
    head, tail = common_ends(before, after)
    first, last = head + 1, len(after) - tail
    if last < first:
        where = f", before line {first}" if len(before) > len(after) else ""
    else:
        where = f", in line {first}" if first == last else f", between lines {first} and {last}"
    return CHANGED_SINCE.format(shown=shown, where=where)


def _lines_with(text: str, old: str) -> str | None:
    """Return the whole lines in which `old` stands, `None` unless it occurs once."""
    flat, old = flatten(text), flatten(old)
    at = flat.find(old)
    if at < 0 or flat.find(old, at + 1) >= 0:
        return None
    stop = at + len(old)
    end = stop if old.endswith("\n") else flat.find("\n", stop)
    return flat[flat.rfind("\n", 0, at) + 1 : end if end >= 0 else len(flat)]

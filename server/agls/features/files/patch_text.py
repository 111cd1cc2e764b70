"""The text of a patch, in the forms that models write."""

from .envelope import FORM, is_envelope, read_envelope
from .lines import flatten
from .patch_parts import FilePatch, PatchError
from .unified import is_unified, read_unified


def read_patch_text(text: str) -> tuple[FilePatch, ...]:
    """Return what the patch says. **Raises** `PatchError`, which says how to write one."""
    lines = flatten(text).strip("\n").split("\n")
    if len(lines) > 1 and lines[0].startswith("```") and lines[-1].startswith("```"):
        lines = lines[1:-1]
    if is_envelope(lines):
        return read_envelope(lines)
    if is_unified(lines):
        return read_unified(lines)
    raise PatchError(f"This is no patch. {FORM}\nA unified diff with `---` and `+++` will do as well.")

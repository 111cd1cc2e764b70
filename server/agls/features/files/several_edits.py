"""The tool `multi_edit`: several replacements in one file, one after the other, all or none."""

import asyncio
import json
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from agls.engine.not_text import LargeFile
from agls.engine.ports import Workspace, WorkspaceError
from agls.room.home_paths import HomePath
from agls.room.missing_paths import explained
from agls.toolkit import Arguments

from .edit_plan import NOT_HELD, EditPlan
from .matching import Replacement, replace_text
from .memory import FileMemory, edit_key
from .misses import listed
from .slips import check_new

BEFORE = " (the lines below are as the edits before it would leave them, not as they are in the file)"
TWICE = "it is the same as edit {}, which takes its old_text away. Leave it out."


def some_text(value: object) -> object:
    """Refuse an empty text to replace. **Raises** `ValueError`, which says what makes or fills a file."""
    if value == "":
        raise ValueError("is the text that is replaced; write_file makes a file or fills an empty one")
    return value


OldText = Annotated[str, BeforeValidator(some_text)]


class OneEdit(BaseModel):
    """One replacement."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    old_text: OldText = Field(min_length=1, description="must occur once, unless replace_all is set")
    new_text: str
    replace_all: bool = False


class MultiEdit(Arguments):
    """Make several replacements in one file that was read before, all of them or none.

    Each is made in the text that the one before it left.
    """

    path: HomePath = Field(description="relative to the workspace, or absolute")
    edits: tuple[OneEdit, ...] = Field(min_length=1, max_length=100)


def as_json(arguments: Arguments) -> str:
    """Return what an edit asks for, without its file; half a surrogate pair in it does no harm."""
    return json.dumps(arguments.model_dump(exclude={"path"}), ensure_ascii=False, separators=(",", ":"))


async def plan_edits(arguments: MultiEdit, workspace: Workspace, memory: FileMemory) -> EditPlan:
    """Return the file with all edits. **Raises** `WorkspaceError`, which says which cannot be made."""
    try:
        file = await workspace.read(arguments.path)
    except LargeFile as problem:
        raise WorkspaceError(NOT_HELD.format(workspace.place(arguments.path).shown)) from problem
    except WorkspaceError as problem:
        raise await explained(problem, arguments.path, workspace) from problem
    shown, text = file.place.shown, file.text
    again = memory.has_made(edit_key(file.place.uri, as_json(arguments)))
    lines: list[int] = []
    for number, edit in enumerate(arguments.edits, 1):
        try:
            made = await asyncio.to_thread(_replaced, shown, text, edit, again=again)
        except WorkspaceError as problem:
            of = f"edit {number} of {len(arguments.edits)}"
            aside = BEFORE if text != file.text and "\n" in str(problem) else ""
            same = next((at for at, one in enumerate(arguments.edits[: number - 1], 1) if one == edit), 0)
            why = TWICE.format(same) if same else problem
            said = f"{shown}, {of}, and so none of them was made{aside * (not same)}: {why}"
            raise WorkspaceError(said) from problem
        text = made.text
        lines += made.lines
    count = len(arguments.edits)
    report = f"Made {count} edit{'s' * (count > 1)} in {shown}, {listed([*dict.fromkeys(lines)])}."
    return EditPlan(f"Edit {shown}", file.place, file, text, report)


def _replaced(shown: str, text: str, edit: OneEdit, *, again: bool) -> Replacement:
    made = replace_text(text, edit.old_text, edit.new_text, everywhere=edit.replace_all, again=again)
    check_new(shown, text, edit.old_text, edit.new_text, made.lines[0])
    return made

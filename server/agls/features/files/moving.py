"""The tools `move_file` and `delete_file`, for models that do not write patches."""

from collections.abc import Sequence

from pydantic import Field

from agls.engine.ports import Effect, Target
from agls.room.home_paths import HomePath
from agls.toolkit import Arguments

from .envelope import into
from .patch_parts import FilePatch


class MoveFile(Arguments):
    """Move or rename a file as it is. Folders are made as needed; nothing is written over."""

    path: HomePath = Field(min_length=1, description="relative to the workspace, or absolute")
    to: HomePath = Field(min_length=1, description="its new path; a folder where it ends with /")


class DeleteFile(Arguments):
    """Delete a file; it goes to the user's trash, where there is one."""

    path: HomePath = Field(min_length=1, description="relative to the workspace, or absolute")


def move_targets(arguments: MoveFile) -> tuple[Target, ...]:
    """Return both paths."""
    to = into(arguments.path, arguments.to)
    return Target(Effect.WRITES, arguments.path), Target(Effect.WRITES, to)


def delete_targets(arguments: DeleteFile) -> tuple[Target, ...]:
    """Return the file."""
    return (Target(Effect.WRITES, arguments.path),)


def as_move(arguments: MoveFile) -> Sequence[FilePatch]:
    """Return the move as a part of a patch."""
    return (FilePatch("update", arguments.path, to=into(arguments.path, arguments.to)),)


def as_deletion(arguments: DeleteFile) -> Sequence[FilePatch]:
    """Return the deletion as a part of a patch."""
    return (FilePatch("delete", arguments.path),)

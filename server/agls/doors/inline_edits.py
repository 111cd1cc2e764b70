"""Edits at the cursor and completions, for every door: the model is asked, and nothing is written."""

from collections.abc import Callable
from typing import Any, Protocol

from agls.engine.actions import ActionError
from agls.engine.ports import ModelError
from agls.engine.session import Session
from agls.engine.vocabulary import JsonObject
from agls.frozen import frozen
from agls.inline_edit import Edited, EditWish, InlineEditor, InlineError, Selection, whole_lines
from agls.room import GivenText
from agls.workspace.workspace import OpenWorkspace

LARGEST = 2_000_000  # bytes of a file
UNSEEN = "{} is hidden from agents by the rules of config.toml: no model is shown it."
EMPTY = "Say what you want there."


class EditWorld(Protocol):
    """The part of the world that edits at the cursor need."""

    async def check(self, folder: str, options: JsonObject) -> None:
        """Check that a model can be asked in this folder. **Raises** `ConfigError`, `ModelError`."""
        ...

    async def screen(self, session: Session, given: GivenText) -> Any:
        """Let the rooms look at a text that is given. **Raises** `ConfigError`, `PromptRefused`."""
        ...

    def inline(self, session: Session) -> tuple[InlineEditor, OpenWorkspace]:
        """**Returns** what edits at the cursor, and what it sees. **Raises** `ConfigError`."""
        ...


@frozen
class EditedText:
    """A text as somebody has it: the `version` of the editor's document, `None` where none is open."""

    name: str
    text: str
    version: int | None = None


async def read_document(world: EditWorld, session: Session, path: str) -> EditedText:
    """**Returns** a file as it is now, in the editor or on the disk. **Raises** `WorkspaceError`."""
    _, workspace = world.inline(session)
    workspace.allow(path)  # the user named it
    file = await workspace.read(path, max_bytes=LARGEST)
    if workspace.place(path).inside and not workspace.lists(path):
        raise ActionError(UNSEEN.format(file.place.shown))
    return EditedText(file.place.shown, file.text, file.version.version)


async def edit_document(
    world: EditWorld,
    session: Session,
    document: EditedText,
    span: tuple[int, int],
    wish: EditWish,
    show: Callable[[str], None],
) -> tuple[tuple[int, int], Edited]:
    """**Returns** what shall take the place of the lines of a span, and which; `show` gets it as it comes.

    **Raises** `ConfigError`, `PromptRefused`, `ModelError` (no model can be asked), and `ActionError`.
    """
    if not wish.instruction.strip():
        raise ActionError(EMPTY)
    editor, _ = world.inline(session)
    await world.check(session.state.cwd, {"model": editor.choice.model})
    await world.screen(session, GivenText(wish.instruction))
    start, end = whole_lines(document.text, *span)
    try:
        edited = await editor.edit(Selection(document.name, document.text, start, end), wish, show)
    except (ModelError, InlineError) as problem:
        raise _failed(problem) from None
    return (start, end), edited


async def complete_document(world: EditWorld, session: Session, document: EditedText, cursor: int) -> str:
    """**Returns** what could be inserted at the cursor, "" for nothing, or where that is switched off.

    **Raises** `ConfigError`, `ModelError` (no model can be asked), and `ActionError`.
    """
    editor, _ = world.inline(session)
    if not editor.choice.completion:
        return ""
    await world.check(session.state.cwd, {"model": editor.choice.completes})
    try:
        return await editor.complete(Selection(document.name, document.text, cursor, cursor))
    except (ModelError, InlineError) as problem:
        raise _failed(problem) from None


def _failed(problem: ModelError | InlineError) -> ActionError:
    hint = problem.hint if isinstance(problem, ModelError) else ""
    return ActionError(f"{problem} {hint}".strip())

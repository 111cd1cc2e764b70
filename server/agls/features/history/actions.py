"""What the user may do: tag a session, put it away."""

from collections.abc import Sequence

from pydantic import Field

from agls.engine.actions import Action, ActionContext, ActionError, ActionOutcome, ActionValue
from agls.engine.facts import Noted
from agls.room.session_metadata import archived, changed, tags_of
from agls.toolkit import Arguments, TypedAction


class Tag(Arguments):
    """Give this session tags, or take some back. They are shown in the list of sessions and found by it."""

    add: list[str] = Field(default=[], description="tags to add")
    remove: list[str] = Field(default=[], description="tags to take back")


class Archive(Arguments):
    """Put this session away: it is no more in the list unless that is asked for. Nothing of it is lost."""

    undo: bool = Field(default=False, description="put it back into the list")


def actions() -> tuple[Action, ...]:
    """Return the actions of the room."""
    return (
        TypedAction("tag", "Tag the session", Tag, tag, group="Conversation", choices={"remove": tags}),
        TypedAction("archive", "Archive the session", Archive, archive, group="Conversation"),
    )


async def tags(context: ActionContext) -> Sequence[ActionValue]:
    """The tags that the session has."""
    return [ActionValue(name) for name in tags_of(context.state)]


async def tag(arguments: Tag, context: ActionContext) -> ActionOutcome:
    """Note the tags that the session has from now on."""
    try:
        fact = changed(tags_of(context.state), arguments.add, arguments.remove)
    except ValueError as problem:
        raise ActionError(str(problem)) from None
    _note(context, fact)
    tags = fact.data["tags"]
    return ActionOutcome(f"Tags: {', '.join(tags) or 'none'}.", {"tags": tags})


async def archive(arguments: Archive, context: ActionContext) -> ActionOutcome:
    """Note whether it is put away."""
    _note(context, archived(not arguments.undo))
    said = "The session is in the list again." if arguments.undo else "The session is archived."
    return ActionOutcome(said, {"archived": not arguments.undo})


def _note(context: ActionContext, fact: Noted) -> None:
    context.note(fact.kind, fact.data)

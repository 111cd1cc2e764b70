"""What the user may do: tag a session, put it away."""

from collections.abc import Sequence

from pydantic import Field

from agls.engine.actions import Action, ActionContext, ActionError, ActionOutcome, ActionValue
from agls.engine.facts import Noted
from agls.room.session_metadata import archived, changed, tags_of
from agls.toolkit import Arguments, TypedAction


class Tag(Arguments):
    """Add tags to this session, or remove some. The list of sessions shows them and can filter by them."""

    add: list[str] = Field(default=[], description="tags to add")
    remove: list[str] = Field(default=[], description="tags to take back")


class Archive(Arguments):
    """Archive this session: lists leave it out unless you ask for archived ones. Nothing is deleted."""

    undo: bool = Field(default=False, description="unarchive it")


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
    said = "The session is no longer archived." if arguments.undo else "The session is archived."
    return ActionOutcome(said, {"archived": not arguments.undo})


def _note(context: ActionContext, fact: Noted) -> None:
    context.note(fact.kind, fact.data)

"""A command in the place of a prompt: `agls run "/usage"`."""

from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import NamedTuple

from agls.commands import CommandError, TypedCommand, input_of, slash
from agls.doors.headless.exits import CannotBegin, Exit
from agls.doors.headless.shutdown import Shutdown
from agls.doors.typed_text import TextReader, command_of, may_be_command, screen_action
from agls.engine import run_action
from agls.engine.actions import ActionError, ActionPrompt, UnknownName
from agls.engine.admission import Refused
from agls.engine.session import Session
from agls.engine.vocabulary import Content, JsonObject, Text
from agls.views import values
from agls.world import World

ALONE = "{0} is a command, and nothing can go with it. Send it alone, or write /{0} to send it as a prompt."


def command_in_prompt(
    reader: TextReader, session: Session, content: tuple[Content, ...]
) -> TypedCommand | None:
    """Return the command that a prompt is, `None` for any other. **Raises** `CannotBegin`, `ConfigError`."""
    try:
        command = command_of(reader, session, content)
    except CommandError as problem:
        raise CannotBegin(str(problem), "usage") from None
    alone = all(isinstance(part, Text) for part in content)
    if command and not (alone or command.spec.prompts):
        raise CannotBegin(ALONE.format(slash(command.spec)), "usage")
    return command


class DoneCommand(NamedTuple):
    """What came of a command, as the protocol has it, and the prompt that it made, if it is for that."""

    outcome: JsonObject
    prompt: ActionPrompt | None


async def do_command(
    world: World, session: Session, command: TypedCommand, shutdown: Shutdown
) -> DoneCommand:
    """Do the command. A signal breaks it off only where that changes nothing; elsewhere it is done first.

    **Raises** `CannotBegin`, `ConfigError` and `PromptRefused`.
    """
    invocation = BreakableAction(shutdown)
    if not command.spec.prompts:  # making a prompt changes nothing
        shutdown.runs(invocation)
    return await _do(world, session, command, invocation.breakable)


async def do_meanwhile(world: World, session: Session, text: str) -> JsonObject | None:
    """Do the command that a text is, while a run is on.

    **Returns** its outcome, as the protocol has it; `None` for what has to wait: a prompt, and a command that
    makes one or works between runs alone. **Raises** `CannotBegin`, `ConfigError` and `PromptRefused`.
    """
    command = command_in_prompt(world, session, (Text(text),)) if may_be_command(text) else None
    if command is None or command.spec.prompts or command.spec.when == "idle":
        return None
    return (await _do(world, session, command, nullcontext)).outcome


async def _do(
    world: World,
    session: Session,
    command: TypedCommand,
    breakable: Callable[[], AbstractContextManager[None]],
) -> DoneCommand:
    try:
        given = input_of(command)
        await screen_action(world, session, command.spec.name, given)
        outcome = await run_action.invoke(session, command.spec.name, given, breakable)
    except (CommandError, UnknownName) as problem:
        raise CannotBegin(str(problem), "usage") from None
    except Refused as problem:
        raise CannotBegin(str(problem), problem.kind, Exit.FAILED) from None
    except ActionError as problem:
        raise CannotBegin(str(problem), "actionFailed", Exit.FAILED) from None
    done: JsonObject = {"name": command.spec.name, "input": given}
    data = {} if outcome.data is None else {"data": outcome.data}
    done |= {"output": values.content_blocks([Text(outcome.text)]), **data}
    return DoneCommand(done, outcome.prompt)


class BreakableAction:
    """An action at work, as the signals see it."""

    def __init__(self, shutdown: Shutdown) -> None:
        self._shutdown, self._may_break = shutdown, False

    def cancel(self) -> None:
        """Break the action off, if nothing would be lost."""
        if self._may_break:
            self._shutdown.task.cancel()

    def interrupt(self) -> None:
        """Break the action off, as `cancel` does."""
        self.cancel()

    @contextmanager
    def breakable(self) -> Generator[None]:
        """Let the action be broken off inside the block."""
        self._may_break = True
        try:
            yield
        finally:
            self._may_break = False

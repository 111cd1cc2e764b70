"""A text that somebody typed before its time came: it begins the run that it would begin now."""

from agls.commands import CommandError, input_of, slash
from agls.doors.typed_text import NO_PROMPT_OF_ACTION, admitted_content, command_of
from agls.engine.actions import ActionError, ActionPrompt
from agls.engine.run_action import invoke
from agls.engine.session import Session
from agls.engine.vocabulary import Text
from agls.world import World

NO_RUN = "{} began no run: {}"


async def begin_typed(world: World, session: Session, text: str) -> str:
    """Begin the run of a prompt, or of a command that makes one. **Returns** its id.

    **Raises** `ActionError`, `ConfigError`, `JournalError`, `ModelError`, `PromptRefused` and `Refused`.
    """
    content = (Text(text),)
    try:
        command = command_of(world, session, content)
        prompt = NO_PROMPT_OF_ACTION
        if command:
            outcome = await invoke(session, command.spec.name, input_of(command))
            if outcome.prompt is None:
                raise ActionError(NO_RUN.format(slash(command.spec), outcome.text))
            prompt = outcome.prompt
    except CommandError as problem:
        raise ActionError(str(problem)) from None
    return await _begin(world, session, content, prompt)


async def _begin(world: World, session: Session, content: tuple[Text, ...], prompt: ActionPrompt) -> str:
    await world.check(session.state.cwd, {**session.state.options, **prompt.options})
    said = await admitted_content(world, session, content, command=prompt, expand=True)
    return (await session.prompt(said, options=prompt.options)).run_id

"""A conversation with an agent: one session, and its runs."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from agls.commands import CommandError, input_of, slash
from agls.config import ConfigError
from agls.doors.attachments import attached
from agls.doors.from_wire import Malformed
from agls.doors.library.pending_runs import PendingRun, Toolset
from agls.doors.library.results import After, Result
from agls.doors.library.tools import FunctionTool
from agls.doors.options import read_options
from agls.doors.typed_text import admitted_content, command_of, screen_action, text_of_command
from agls.engine.actions import ActionOutcome, ActionSpec
from agls.engine.facts import Admitted, Entry, Fact, Transient
from agls.engine.log import Event
from agls.engine.ports import JournalError
from agls.engine.recovery import continue_interrupted
from agls.engine.run_action import actions, invoke, spec_of
from agls.engine.session import Session
from agls.engine.state import State
from agls.engine.vocabulary import Content, JsonObject, Text
from agls.regex import regex

if TYPE_CHECKING:
    from agls.doors.library.agent import Agent

Happening = Fact | Transient
RUN_ID = regex(r"[A-Za-z0-9_.-]{1,64}")


class Conversation:
    """One session of an agent."""

    def __init__(self, agent: "Agent", session: Session) -> None:
        self._agent, self._session = agent, session
        if agent.answer:
            session.questions.attend(True)
            session.log.subscribe(partial(agent.decide, session))

    @property
    def id(self) -> str:
        """The id with which `Agent.session` opens this conversation again."""
        return self._session.session_id

    @property
    def state(self) -> State:
        """The state of the session: messages, totals, open calls and questions."""
        return self._session.state

    async def run(
        self,
        prompt: str,
        *,
        tools: "Sequence[Lendable]" = (),
        after: Sequence[After] = (),
        attach: Sequence[str | Path] = (),
        run_id: str = "",
        **options: Any,
    ) -> Result:
        """Send the prompt and wait for the end of the run. Cancelling the wait cancels the run.

        `tools` and `after` are for this run, besides those of the agent. `attach` names files: images the
        model sees, others it can save into the folder. `run_id` is the id of the run, where you have one for
        it; the option `parentRun` names for the audit the run that it works for.

        **Raises** `ConfigError` and `ModelError` when there is no such model, `JournalError` when another
        process took the session, `PromptRefused` when a hook refuses the prompt.
        """
        return await self.wait(
            await self.start(prompt, tools=tools, after=after, attach=attach, run_id=run_id, **options)
        )

    async def start(
        self,
        prompt: str,
        *,
        tools: "Sequence[Lendable]" = (),
        after: Sequence[After] = (),
        attach: Sequence[str | Path] = (),
        run_id: str = "",
        **options: Any,
    ) -> str:
        """Send the prompt; the run goes on by itself.

        **Returns** the id of the run. **Raises** as `run` does.
        """
        options = {**known_options(options), **self._id_of(run_id)}
        content = await self._content(prompt, attach)
        return await self._begin(content, options, tools, after)

    async def _begin(
        self,
        content: tuple[Content, ...],
        options: JsonObject,
        tools: "Sequence[Lendable]" = (),
        after: Sequence[After] = (),
    ) -> str:
        await self._check(options)
        self._agent.world.choose(self.id, options)
        async with self._request_run(content, tools, after) as pending:
            await self._session.prompt(content, options=options)
        return pending.run_id

    async def say(
        self,
        text: str,
        *,
        tools: "Sequence[Lendable]" = (),
        after: Sequence[After] = (),
        attach: Sequence[str | Path] = (),
        run_id: str = "",
        **options: Any,
    ) -> Result | ActionOutcome:
        """Do what a user means who types this: a command, or a prompt, with what its `@` mentions stand for.

        The other arguments are as for `run`; those that only a prompt can have are refused beside a command.

        **Returns** the result of the run, or what a command did that needs no model. **Raises**
        `CommandError` for a command that there is not, or whose words make no sense, and as `run` and `act`
        do.
        """
        command = command_of(self._agent.world, self._session, (Text(text),))
        if command is None:
            options = {**known_options(options), **self._id_of(run_id)}
            content = await self._content(text, attach, expand=True)
            return await self.wait(await self._begin(content, options, tools, after))
        if tools or after or attach or run_id or options:
            raise CommandError(f"{slash(command.spec)} is a command, and nothing can go with it.")
        outcome = await self._do(command.spec.name, input_of(command), text)
        return await self.wait(outcome.run_id) if outcome.run_id else outcome

    async def wait(self, run_id: str) -> Result:
        """Wait for the end of a run that was begun with `start`. **Raises** `JournalError`."""
        result = self._agent.pending_run(run_id).result
        try:
            return await asyncio.shield(result)
        except asyncio.CancelledError:
            self._session.cancel(run_id)
            await asyncio.wait({result})
            raise

    async def resume(self) -> Result | None:
        """Go on with a run that a crash or a shutdown interrupted.

        **Returns** `None` when there is none. **Raises** as `run` does.
        """
        await self._check({})
        async with self._request_run((), (), ()) as pending:
            pending.set_id(await continue_interrupted(self._session))
        return await self.wait(pending.run_id) if pending.run_id else None

    async def steer(
        self, text: str, *, attach: Sequence[str | Path] = ()
    ) -> Literal["started", "queued", "injected", "returned"]:
        """Send a message to the run that works now. `attach` is as for `run`.

        **Returns** what became of it: `returned` when nothing runs (any more). **Raises** `ConfigError` for
        what cannot be attached, `PromptRefused` when a hook refuses it.
        """
        return (await self._session.steer(await self._content(text, attach))).outcome

    def actions(self) -> Sequence[ActionSpec]:
        """Return the actions that `act` can do. **Raises** `ConfigError`."""
        return actions(self._session)

    async def act(self, name: str, **arguments: Any) -> ActionOutcome:
        """Do an action, as a user does by a slash command.

        One that makes a prompt begins a run with it: `wait` waits for the `run_id` of the outcome. **Raises**
        `ActionRefused` when there is none of this name or this is not its moment, `ActionError` for what it
        cannot do, and as `run` does.
        """
        return await self._do(name, arguments, text_of_command(spec_of(self._session, name), arguments))

    async def _do(self, name: str, arguments: JsonObject, typed: str) -> ActionOutcome:
        world = self._agent.world
        await screen_action(world, self._session, name, arguments)
        outcome = await invoke(self._session, name, arguments)
        if (command := outcome.prompt) is None:
            return outcome
        content = (Text(typed),)
        content = await admitted_content(world, self._session, content, command=command, expand=True)
        return replace(outcome, run_id=await self._begin(content, command.options))

    def cancel(self) -> None:
        """Stop the current run; its result says `cancelled`. A tool in a thread may call it, too."""
        self._agent.loop.call_soon_threadsafe(self._session.cancel)

    def subscribe(self, listener: Callable[[Happening], object]) -> Callable[[], None]:
        """Call `listener` with every fact and delta from now on.

        **Returns** the function that ends the subscription.
        """

        def notify(event: Event, state: State) -> None:
            listener(event.fact if isinstance(event, Entry) else event)

        return self._session.log.subscribe(notify)

    async def stream(self, prompt: str, **more: Any) -> AsyncGenerator[Happening | Result]:
        """Send the prompt and yield every fact and delta as it comes; the last is the `Result`.

        `more` is as for `run`. Leaving the iteration early does not stop the run. **Raises** as `run` does.
        """
        events: asyncio.Queue[Happening | Result | JournalError] = asyncio.Queue()
        unsubscribe = self.subscribe(events.put_nowait)
        try:
            self._agent.spawn(self._put_result(await self.start(prompt, **more), events))
            while True:
                event = await events.get()
                if isinstance(event, JournalError):
                    raise event
                yield event
                if isinstance(event, Result):
                    return
        finally:
            unsubscribe()

    @asynccontextmanager
    async def _request_run(
        self, content: tuple[Content, ...], tools: "Sequence[Lendable]", after: Sequence[After]
    ) -> AsyncGenerator[PendingRun]:
        """Ask for the run inside the block; a task of the agent then waits for its end, if there is one."""
        pending = PendingRun(content, (*self._agent.after, *after), self._agent.register)
        unsubscribe, asked = self._session.log.subscribe(pending.observe), asyncio.Event()
        self._agent.spawn(self._finish(pending, unsubscribe, asked))  # an agent that closes waits for it
        try:
            await pending.lend((*self._agent.tools, *tools), self)
            yield pending
        finally:
            asked.set()

    async def _finish(
        self, pending: PendingRun, unsubscribe: Callable[[], None], asked: asyncio.Event
    ) -> None:
        await asked.wait()
        if pending.run_id:
            await pending.wait_and_finish(self._session)
        else:
            await pending.close()
        unsubscribe()

    async def _put_result(self, run_id: str, events: "asyncio.Queue[Any]") -> None:
        try:
            events.put_nowait(await self.wait(run_id))
        except JournalError as lost:
            events.put_nowait(lost)

    async def _content(
        self, text: str, attach: Sequence[str | Path], *, expand: bool = False
    ) -> tuple[Content, ...]:
        world = self._agent.world
        files = await attached(attach, world.setup, self._session.state.cwd, world.storage.blobs)
        content = (*((Text(text),) if text else ()), *files)
        return await admitted_content(world, self._session, content, expand=expand)

    def _id_of(self, run_id: str) -> JsonObject:
        """Return the option for this id. **Raises** `ConfigError` when no new run can have it."""
        if not run_id:
            return {}
        if not RUN_ID.fullmatch(run_id):
            raise ConfigError(f"run_id {run_id[:80]!r}: it has up to 64 letters, digits, _, . and -")
        entries = self._session.log.journal.entries()
        if any(isinstance(one.fact, Admitted) and one.fact.run_id == run_id for one in entries):
            raise ConfigError(f"run_id {run_id!r}: this session has a run with this id already")
        return {"runId": run_id}

    async def _check(self, options: JsonObject) -> None:
        state = self._session.state
        await self._agent.world.check(state.cwd, {**state.options, **options})


def known_options(given: JsonObject) -> JsonObject:
    """Return the options, as every door takes them. **Raises** `ConfigError` for an unknown one."""
    try:
        return read_options(given)
    except Malformed as problem:
        raise ConfigError(str(problem)) from None


Lendable = FunctionTool | Toolset[Conversation]

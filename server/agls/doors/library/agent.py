"""An agent for a folder, and conversations with it."""

import asyncio
import logging
import re
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from secrets import token_hex
from tempfile import gettempdir
from typing import Any, Literal, Self

from agls.assembly import Rooms
from agls.config import ConfigError, ConfigInputs, read
from agls.config.environment import process_environment
from agls.doors.attachments import attached
from agls.doors.from_wire import Malformed
from agls.doors.library.foreign_code import called
from agls.doors.library.pending_runs import PendingRun, Toolset
from agls.doors.library.results import After, Result
from agls.doors.library.tools import Functions, FunctionTool
from agls.doors.options import read_options
from agls.engine.actions import ActionOutcome, ActionSpec
from agls.engine.facts import Admitted, Asked, Entry, Fact, SessionChanged, Transient
from agls.engine.log import Event
from agls.engine.ports import JournalError
from agls.engine.recovery import continue_interrupted
from agls.engine.run_action import actions, invoke
from agls.engine.session import Session
from agls.engine.state import State
from agls.engine.vocabulary import Answer, Content, JsonObject, Question, Text
from agls.workspace.editor import NoEditor
from agls.world import World, open_world

Decide = Callable[[Question], bool | Awaitable[bool]]
Happening = Fact | Transient
REMEMBERED = 16  # results of ended runs that can still be asked for
_log = logging.getLogger(__name__)
# the defaults of this door; a table that is named as a setting switches its room on
DEFAULTS: JsonObject = {
    "compaction": {"enabled": False},
    "scratchpad": {"enabled": False},
    "subagents": {"delegate": False},
}
RUN_ID = re.compile(r"[A-Za-z0-9_.-]{1,64}")
DISMISSED = Answer("dismissed", by="the program")


class Agent:
    """Use it as `async with`; leaving it ends everything that runs.

    `folder` is where it works. `state` is the folder that sessions are kept in; without it everything is in
    memory, and gone with the agent. Compaction, delegation and a scratch folder are off until they are named.
    `tools` are functions made with `tool`, or tool sets: functions that take the conversation and open tools
    for one run. `after` is called with every result and returns artifacts. `answer` decides the questions for
    permission; without it they are refused. `trusted` lets settings and instruction files of the folder
    count. Everything else is a setting, as in the config file: `model`, `base_url`, `models`, `budget`,
    `permissions` …

    **Raises** `ConfigError`.
    """

    def __init__(
        self,
        folder: str | Path,
        *,
        state: str | Path = "",
        tools: "Sequence[Lendable]" = (),
        after: Sequence[After] = (),
        answer: Decide | None = None,
        trusted: bool = False,
        **settings: Any,
    ) -> None:
        self._folder, self._state = str(Path(folder).resolve()), str(state)
        self._trusted, self._settings = trusted, settings
        self.functions, self.tools = Functions(), tuple(tools)
        self.after, self.answer = tuple(after), answer
        self._pending: dict[str, PendingRun] = {}
        self._deciding: set[asyncio.Task[None]] = set()
        self._open = AsyncExitStack()

    async def __aenter__(self) -> Self:
        nowhere = Path(gettempdir(), f"agls-{token_hex(16)}")  # it is never made
        inputs = ConfigInputs(
            arguments=_named(self._settings), state_dir=self._state or str(nowhere), defaults=DEFAULTS
        )
        variables = dict(process_environment())  # a copy: the keys of this program stay its own
        setup = read(
            inputs, self._folder, lambda root: self._trusted and str(root) == self._folder, variables
        )
        for notice in setup.notices:
            _log.warning("%s", notice)
        setup = replace(setup, keeps=bool(self._state))
        self.loop = asyncio.get_running_loop()
        self._tasks = await self._open.enter_async_context(asyncio.TaskGroup())
        self._open.callback(self._give_up_waiting)
        opening = open_world(setup, editor=NoEditor(), headless=True, client=self.functions)
        self.world: World = await self._open.enter_async_context(opening)
        self.world.sessions.hosts.append(self._host_child)
        return self

    @property
    def rooms(self) -> Rooms:
        """The rooms of every run; `add` adds one of your own, behind those of agls."""
        return self.world.rooms

    async def __aexit__(self, *error: object) -> None:
        await self._open.aclose()

    def register(self, pending: PendingRun) -> None:
        """Remember a run that was asked for, and forget the results of old ones."""
        self._pending[pending.run_id] = self.functions.lent[pending.run_id] = pending
        for run_id in [i for i, known in self._pending.items() if known.result.done()][:-REMEMBERED]:
            del self._pending[run_id], self.functions.lent[run_id]

    def pending_run(self, run_id: str) -> PendingRun:
        """Return a run that was asked for here. **Raises** `JournalError` when there is none."""
        if run_id not in self._pending:
            raise JournalError(f"The run {run_id[:100]!r} was not begun here, or long ago.")
        return self._pending[run_id]

    def _give_up_waiting(self) -> None:
        for pending in self._pending.values():
            pending.give_up()
        for deciding in self._deciding:
            deciding.cancel()

    def _host_child(self, child: Session, parent_id: str) -> Callable[[], None]:
        """Decide the questions of a child like those of the conversation."""
        if not self.answer:
            return lambda: None
        child.questions.attend(True)
        return child.log.subscribe(partial(self.decide, child))

    def decide(self, session: Session, event: Event, state: State) -> None:
        """Let the program decide a question of this session, when the event is one."""
        if self.answer and isinstance(event, Entry) and isinstance(event.fact, Asked):
            deciding = self.spawn(_answer(session, self.answer, event.fact))
            self._deciding.add(deciding)
            deciding.add_done_callback(self._deciding.discard)

    def spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Run this beside the caller; it ends, at the latest, soon after the sessions are closed."""
        return self._tasks.create_task(work)

    async def session(self, session_id: str = "", *, title: str = "", **options: Any) -> "Conversation":
        """Open the conversation with this id, or begin a new one.

        `options` hold for all its runs: `mode`, `maxTurns` …

        **Raises** `ConfigError` (no such option), `JournalError` (no such session, or none can be kept),
        `JournalBusy` (another process has it).
        """
        sessions, options = self.world.sessions, known_options(options)
        if session_id:
            known = await sessions.open(session_id)
            if title or options:
                known.log.record(SessionChanged(title=title, options=options))
            return Conversation(self, known)
        made = await sessions.create(self._folder, title=title, options=options)
        self.world.choose(made.session_id, options)
        return Conversation(self, made)


class Conversation:
    """One session of an agent."""

    def __init__(self, agent: Agent, session: Session) -> None:
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
        process took the session.
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
        await self._check(options)
        self._agent.world.choose(self.id, options)
        content = await self._content(prompt, attach)
        async with self._request_run(content, tools, after) as pending:
            await self._session.prompt(content, options=options)
        return pending.run_id

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
        what cannot be attached.
        """
        return (await self._session.steer(await self._content(text, attach))).outcome

    def actions(self) -> Sequence[ActionSpec]:
        """Return the actions that `act` can do. **Raises** `ConfigError`."""
        return actions(self._session)

    async def act(self, name: str, **arguments: Any) -> ActionOutcome:
        """Do an action, as a user does by a slash command.

        **Raises** `ActionRefused` when there is none of this name or this is not its moment, and
        `ActionError` for what it cannot do.
        """
        return await invoke(self._session, name, arguments)

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

    async def _content(self, text: str, attach: Sequence[str | Path]) -> tuple[Content, ...]:
        world = self._agent.world
        files = await attached(attach, world.setup, self._session.state.cwd, world.storage.blobs)
        return (*((Text(text),) if text else ()), *files)

    def _id_of(self, run_id: str) -> JsonObject:
        """Return the option for this id. **Raises** `ConfigError` when no new run can have it."""
        if not run_id:
            return {}
        if not RUN_ID.fullmatch(run_id):
            raise ConfigError(f"run_id {run_id[:80]!r}: it has up to 64 letters, digits, _, . and -")
        entries = self._session.log.journal.entries()
        if any(isinstance(one.fact, Admitted) and one.fact.run_id == run_id for one in entries):
            raise ConfigError(f"run_id {run_id!r}: there is such a run in this session already")
        return {"runId": run_id}

    async def _check(self, options: JsonObject) -> None:
        state = self._session.state
        await self._agent.world.check(state.cwd, {**state.options, **options})


def _named(settings: JsonObject) -> JsonObject:
    """Return the settings, with the rooms that are named switched on."""
    switches = {room: {switch: True} for room, table in DEFAULTS.items() for switch in table}
    return {
        name: {**switches[name], **value} if name in switches and isinstance(value, dict) else value
        for name, value in settings.items()
    }


def known_options(given: JsonObject) -> JsonObject:
    """Return the options, as every door takes them. **Raises** `ConfigError` for an unknown one."""
    try:
        return read_options(given)
    except Malformed as problem:
        raise ConfigError(str(problem)) from None


async def _answer(session: Session, decide: Decide, asked: Asked) -> None:
    """Answer as the program decides. A form is dismissed, and so is a question whose decision fails."""
    answer = DISMISSED
    try:
        wanted = "allow" if await called(partial(decide, asked.question)) else "reject"
        options = [o.option_id for o in asked.question.options if o.decision == wanted and o.scope == "once"]
        answer = Answer("selected", options[0], by="the program") if options else DISMISSED
    except Exception:  # noqa: BLE001 - the program's code: a question that it does not decide is refused
        _log.exception("a question could not be decided")
    finally:
        session.questions.answer(asked.request_id, answer)


Lendable = FunctionTool | Toolset[Conversation]

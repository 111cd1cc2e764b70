"""An agent for a folder: what its conversations share."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path
from secrets import token_hex
from tempfile import gettempdir
from typing import Any, Self

from agls.assembly import Rooms
from agls.config import ConfigInputs, Reload, read
from agls.config.environment import process_environment
from agls.doors.library.conversation import Conversation, Lendable, known_options
from agls.doors.library.foreign_code import called
from agls.doors.library.pending_runs import PendingRun
from agls.doors.library.results import After
from agls.doors.library.tools import Functions
from agls.doors.session_file import export
from agls.engine.facts import Asked, Entry, SessionChanged
from agls.engine.log import Event
from agls.engine.ports import JournalError
from agls.engine.session import Session
from agls.engine.state import State
from agls.engine.vocabulary import Answer, JsonObject, Question
from agls.workspace.editor import NoEditor
from agls.world import World, open_world

Decide = Callable[[Question], bool | Awaitable[bool]]
REMEMBERED = 16  # results of ended runs that can still be asked for
_log = logging.getLogger(__name__)
# the defaults of this door; a table that is named as a setting switches its room on
DEFAULTS: JsonObject = {
    "compaction": {"enabled": False},
    "scratchpad": {"enabled": False},
    "subagents": {"delegate": False},
}
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
        tools: Sequence[Lendable] = (),
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
        setup = read(inputs, self._folder, self._trusts, variables)
        for notice in setup.notices:
            _log.warning("%s", notice)
        setup = replace(setup, keeps=bool(self._state))
        self.loop = asyncio.get_running_loop()
        self._tasks = await self._open.enter_async_context(asyncio.TaskGroup())
        self._open.callback(self._give_up_waiting)
        opening = open_world(setup, editor=NoEditor(), headless=True, client=self.functions)
        self.world: World = await self._open.enter_async_context(opening)
        self.world.export = export
        reload = Reload(inputs, self._folder, self._trusts, setup, lambda: dict(process_environment()))
        self.world.reload = reload.whole
        self.world.sessions.hosts.append(self._host_child)
        return self

    def _trusts(self, root: Path) -> bool:
        return self._trusted and str(root) == self._folder

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

    async def session(self, session_id: str = "", *, title: str = "", **options: Any) -> Conversation:
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


def _named(settings: JsonObject) -> JsonObject:
    """Return the settings, with the rooms that are named switched on."""
    switches = {room: {switch: True} for room, table in DEFAULTS.items() for switch in table}
    return {
        name: {**switches[name], **value} if name in switches and isinstance(value, dict) else value
        for name, value in settings.items()
    }


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

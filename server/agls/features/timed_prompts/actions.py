"""The actions of the room: repeat a prompt, send one at a time, show and stop those that wait."""

from collections.abc import Awaitable, Callable, Sequence
from shlex import quote

from pydantic import Field

from agls.commands import command_in, slash, unknown_command
from agls.engine.actions import RAW, Action, ActionContext, ActionError, ActionOutcome, ActionValue
from agls.engine.background import Background, BackgroundTask
from agls.engine.vocabulary import JsonObject, Terminal
from agls.features.timed_prompts.record import ROOM, MarkedPrompts
from agls.features.timed_prompts.settings import Settings
from agls.features.timed_prompts.timekeeper import SessionWatch, TimedPrompt, Timekeeper
from agls.features.timed_prompts.times import (
    DAY,
    Spoken,
    clock_time,
    cron_fields,
    cron_moment,
    duration,
    interval_in,
    time_in,
)
from agls.frozen import frozen
from agls.room.folder_ports import Surroundings
from agls.room.session_ports import SessionControl, SessionOffer, SessionRecord
from agls.short_text import brief
from agls.toolkit import Arguments, TypedAction

LOOP, SCHEDULE = "loop", "schedule"
BY_USER = "stopped by the user"
SHOWN = 300  # characters of a prompt in a list
FARTHEST = 7 * DAY
NOT_HERE = """\
Nothing stays open here that could wait: this process ends with its run. Type this in `agls chat` or in an \
editor, where it waits while the session is open. Or let cron do it, which needs no agls that stays open:

    {} cd {} && agls run -q {}"""
ENDS = "It ends with this session: when the process ends it is over, and nothing of it is made up for later."
TOO_OFTEN = "Every {} is too often: the shortest interval is {} (`[timed_prompts] shortest_interval_s`)."
TOO_RARE = "{} is longer than the session may be expected to stay open: put `agls run` into cron instead."
NO_TIME = "Say when, and then the prompt: /schedule 14:30 run the tests, or: /schedule in 20m run the tests"
PASSED = "{} has passed. Name a time that is still to come."
NO_PROMPT = "Say what the prompt is, as in: /{} {} check the build"
MAKES_NONE = "{} makes no prompt for the model, so there is nothing to {}."
TOO_MANY = "{} prompts wait already, and more may not (`[timed_prompts] max_waiting`). /{} stop ends one."
NO_SUCH = "There is no {} that runs under this name. There are: {}."
NEVER = {LOOP: "Nothing is repeated in this session.", SCHEDULE: "Nothing is scheduled in this session."}
VERBS = {LOOP: "repeat", SCHEDULE: "schedule"}


class Loop(Arguments):
    """Repeat a prompt while this session stays open, as in `/loop 5m check the build`.

    It is sent now, and then again this long after the end of each run. It waits while another run
    is active. `/loop` alone lists what is repeated; `/loop stop` ends it.
    """

    words: str = Field(
        default="", description="[interval] [prompt] | stop [task]", json_schema_extra={"format": RAW}
    )


class Schedule(Arguments):
    """Send a prompt at a time while this session stays open, as in `/schedule 14:30 run the tests`.

    Or after a while: `/schedule in 20m run the tests`. `/schedule` alone lists what waits;
    `/schedule stop` cancels it.
    """

    words: str = Field(
        default="", description="[time] [prompt] | stop [task]", json_schema_extra={"format": RAW}
    )


@frozen
class TimedPromptActions:
    """Do the actions of the room."""

    settings: Settings
    background: Background
    control: SessionControl
    record: SessionRecord
    offer: SessionOffer
    place: Surroundings

    def all(self) -> Sequence[Action]:
        """Return the actions."""
        return (
            TypedAction(
                LOOP,
                "Repeat a prompt",
                Loop,
                self.loop,
                group="Work",
                screened=True,
                choices={"words": self.stops(LOOP)},
            ),
            TypedAction(
                SCHEDULE,
                "Send a prompt at a time",
                Schedule,
                self.schedule,
                group="Work",
                screened=True,
                choices={"words": self.stops(SCHEDULE)},
            ),
        )

    async def loop(self, arguments: Loop, context: ActionContext) -> ActionOutcome:
        """Begin, list or end repetitions. **Raises** `ActionError`."""
        words = arguments.words.strip()
        if (done := await self._managed(LOOP, words)) is not None:
            return done
        said = interval_in(words) or Spoken(self.settings.interval_s, words)
        text = self._prompt(LOOP, "5m", said.rest)
        shortest = self.settings.shortest_interval_s
        if said.seconds < shortest:
            raise ActionError(TOO_OFTEN.format(duration(said.seconds), duration(shortest)))
        if said.seconds > DAY:
            raise ActionError(TOO_RARE.format(duration(said.seconds)))
        self._check_stays(cron_fields(said.seconds), text, context)
        title = f"/{LOOP} {duration(said.seconds)} {text}"
        task = self._begin(title, TimedPrompt(text, self.place.now(), said.seconds), context)
        most = f"{self.settings.max_runs} runs or {self.settings.max_hours:g} hours"
        told = f"Now and {duration(said.seconds)} after the end of each run, for {most} at most"
        stop = f"`/{LOOP} stop` ends it."
        data: JsonObject = {"taskId": task.task_id, "everySeconds": said.seconds, "prompt": text}
        return ActionOutcome(f"{told}: {brief(text, SHOWN)}\n\n{stop} {ENDS}", data)

    async def schedule(self, arguments: Schedule, context: ActionContext) -> ActionOutcome:
        """Let a prompt wait, list those that do, or take one back. **Raises** `ActionError`."""
        words = arguments.words.strip()
        if (done := await self._managed(SCHEDULE, words)) is not None:
            return done
        now = self.place.now()
        said = time_in(words, now)
        if said is None:
            raise ActionError(NO_TIME)
        text = self._prompt(SCHEDULE, "14:30", said.rest)
        when = clock_time(said.seconds, now)
        if said.seconds < now:
            raise ActionError(PASSED.format(when))
        if said.seconds - now > FARTHEST:
            raise ActionError(TOO_RARE.format(duration(round(said.seconds - now))))
        self._check_stays(cron_moment(said.seconds), text, context)
        task = self._begin(f"/{SCHEDULE} {when} {text}", TimedPrompt(text, said.seconds), context)
        left = duration(max(1, round(said.seconds - now)))
        told = f"At {when} (in {left}), as soon as no other run is on: {brief(text, SHOWN)}"
        stop = f"`/{SCHEDULE} stop {task.task_id}` takes it back."
        kept = "What must not depend on an open session belongs in cron, with `agls run`."
        data: JsonObject = {"taskId": task.task_id, "dueAt": said.seconds, "prompt": text}
        return ActionOutcome(f"{told}\n\n{stop} {ENDS} {kept}", data)

    def stops(self, kind: str) -> Callable[[ActionContext], Awaitable[Sequence[ActionValue]]]:
        """Return what finds the words that end something."""

        async def find(context: ActionContext) -> Sequence[ActionValue]:
            running = self._running(kind)
            return [ActionValue(f"stop {task.task_id}", task.title) for task in running]

        return find

    def _of(self, kind: str) -> Sequence[BackgroundTask]:
        mine = (task for task in self.background.tasks.values() if task.owner == ROOM)
        return [task for task in mine if task.title.startswith(f"/{kind} ")]

    def _running(self, kind: str) -> Sequence[BackgroundTask]:
        return [task for task in self._of(kind) if task.task_id in self.background.running]

    async def _managed(self, kind: str, words: str) -> ActionOutcome | None:
        """List or end. **Returns** `None` where the words are about a new one."""
        verb, _, name = words.partition(" ")
        name = name.strip()
        if words.lower() in {"", "list", "status"}:
            return self._listed(kind)
        if verb.lower() not in {"stop", "cancel", "off"} or (name and not _is_name(name)):
            return None
        running = self._running(kind)
        named = [task.task_id for task in running if name in {"", "all", task.task_id}]
        if name not in {"", "all"} and not named:
            there = ", ".join(task.task_id for task in running) or "none"
            raise ActionError(NO_SUCH.format(kind, there))
        await self.background.over(self.background.stop(BY_USER, named))
        said = f"Stopped: {', '.join(named)}. A run that was begun goes on." if named else NEVER[kind]
        return ActionOutcome(said, {"stopped": list(named)})

    def _listed(self, kind: str) -> ActionOutcome:
        tasks = sorted(self._of(kind), key=lambda task: task.outcome is not None)
        lines = [f"- {task.task_id}: `{_one_line(task.title)}` {self._state(task)}" for task in tasks]
        data = [
            {"taskId": task.task_id, "title": task.title, "running": task.outcome is None, "said": said}
            for task, said in ((task, self._state(task)) for task in tasks)
        ]
        return ActionOutcome("\n".join(lines) or f"{NEVER[kind]} {_example(kind)}", {"tasks": data})

    def _state(self, task: BackgroundTask) -> str:
        if task.outcome:
            return task.outcome.text.rstrip().rpartition("\n")[2]
        return " ".join(self.background.printed(task.task_id).splitlines()[-2:])

    def _prompt(self, kind: str, when: str, text: str) -> str:
        """Return the prompt, which may be a command that makes one. **Raises** `ActionError`."""
        if not text:
            raise ActionError(NO_PROMPT.format(kind, when))
        specs = self.offer.actions() if text.startswith("/") else ()
        if (command := command_in(text, specs)) and not command.spec.prompts:
            raise ActionError(MAKES_NONE.format(slash(command.spec), VERBS[kind]))
        if specs and (problem := unknown_command(text, specs)):
            raise ActionError(problem)
        return text

    def _check_stays(self, fields: str, text: str, context: ActionContext) -> None:
        """Refuse where nothing stays open. **Raises** `ActionError`."""
        if not self.place.attended:
            raise ActionError(NOT_HERE.format(fields, quote(context.state.cwd), quote(text)))

    def _begin(self, title: str, prompt: TimedPrompt, context: ActionContext) -> BackgroundTask:
        """Let a prompt wait. **Raises** `ActionError`, `WorkspaceError`."""
        if sum(len(self._running(kind)) for kind in NEVER) >= self.settings.max_waiting:
            raise ActionError(TOO_MANY.format(self.settings.max_waiting, title[1:].partition(" ")[0]))
        watch = SessionWatch(self.record, context.state)
        typist = MarkedPrompts(self.control, context, _one_line(title))
        keeper = Timekeeper(prompt, typist, watch, self.settings, self.place.now)
        return self.background.begin(title, "", Terminal("", context.state.cwd), keeper.work, ROOM)


def _is_name(word: str) -> bool:
    return word == "all" or word.startswith("task_")


def _one_line(text: str) -> str:
    return brief(text, SHOWN).replace("`", "'")


def _example(kind: str) -> str:
    return f"Write: /{kind} {'5m' if kind == LOOP else '14:30'} check the build"

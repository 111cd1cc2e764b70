"""Running hooks: programs, requests, questions and calls of servers, all of an event side by side."""

import json
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from posixpath import join
from typing import Any

from agls.engine.ports import Command, WorkspaceError
from agls.engine.state import State
from agls.engine.together import together
from agls.engine.vocabulary import JsonObject
from agls.features.hooks.answers import (
    BLOCKED,
    NOTHING,
    HookAnswer,
    HookFailed,
    after_failure,
    answer_of_json,
    answer_of_program,
    joined,
    without_permission,
)
from agls.features.hooks.hook import Hook
from agls.features.hooks.judging import judge
from agls.features.hooks.settings import OF_HELPERS, Event
from agls.features.hooks.spelling import MODE_NAMES, agent_names_of, with_whole_paths
from agls.features.hooks.transcripts import TranscriptFile
from agls.frozen import frozen
from agls.modes import Mode, is_mode
from agls.room.hook_ports import HookPorts
from agls.room.web_ports import ServiceCall, WebError

KEPT = 200_000  # bytes of a hook's output
CONTEXT = frozenset(
    {"SessionStart", "UserPromptSubmit", "Setup", "WorktreeCreate"}
)  # whose plain output counts
# The last word is the path of a file that becomes the report: what the program writes to standard error.
OF_SHELL = 'eval "$1" 2>"$2"'
OF_WORDS = 'exec "${@:1:$#-1}" 2>"${!#}"'
FOLDER_NAMES = ("AGLS_PROJECT_DIR", "CLAUDE_PROJECT_DIR")  # of variables with the folder
OK = range(200, 300)
REQUEST = "PermissionRequest"
SCREENING = "UserPromptSubmit"  # what its hook wrote may quote a prompt that is not kept


@frozen
class Printed:
    """What a hook wrote, and the exit code of its program (`None`: a signal ended it, or it is none)."""

    exit_code: int | None = None
    output: str = ""
    errors: str = ""


@frozen
class RanHook:
    """One hook that ran for an event: its answer, and how long it took (milliseconds).

    `given` is what it got, `printed` what it wrote, which its answer was read from.
    """

    hook: Hook
    answer: HookAnswer
    milliseconds: int
    problem: str = ""
    given: str = ""
    printed: Printed = Printed()

    def note(self, event: Event) -> JsonObject:
        """**Returns** the record of it."""
        return {
            "event": event,
            "hook": self.hook.digest,
            "name": self.hook.name,
            "origin": self.hook.origin,
            "ms": self.milliseconds,
            "decision": self.answer.decision,
            "problem": self.problem.partition(":")[0] if event == SCREENING else self.problem,
        }


class HookRunner:
    """Runs the hooks of one run."""

    def __init__(self, ports: HookPorts) -> None:
        self.ports = ports
        self._transcript = TranscriptFile(ports.files, ports.run.session_id)

    def is_wanted(self, hook: Hook, names: Sequence[str], data: JsonObject) -> bool:
        """**Returns** whether what happens fits the condition of a hook, by what links lead to as well.

        Where this run judges for a hook no further judge is asked, and it is no helper of the user.
        """
        if self.ports.judges and (hook.setting.agent or hook.setting.event in OF_HELPERS):
            return False
        return hook.wants(names, data, self.ports.works_in, self._leads_to)

    def _leads_to(self, path: str) -> str:
        try:
            return self.ports.workspace.place(join(self.ports.works_in, path)).path
        except WorkspaceError:
            return ""

    async def ran(
        self, hooks: Sequence[Hook], event: Event, data: JsonObject, state: State
    ) -> Sequence[RanHook]:
        """Run them side by side. **Returns** what each answered, in their order."""
        ours = await self.given(event, data, state)
        return await together(self._run(hook, event, ours, state) for hook in hooks)

    async def given(self, event: Event, data: JsonObject, state: State) -> JsonObject:
        """**Returns** what hooks of an event get."""
        path = await self._transcript.path(state.transcript)
        surroundings = self._surroundings(event, state)
        return {**surroundings, "transcript_path": path, **with_whole_paths(data, self.ports.works_in)}

    async def _run(self, hook: Hook, event: Event, ours: JsonObject, state: State) -> RanHook:
        began = time.monotonic()
        problem, printed = "", Printed()
        given = json.dumps(await self._in_its_form(hook, ours), ensure_ascii=False)
        try:
            if hook.setting.agent:
                from agls.features.hooks.reading_judge import judge_who_reads  # noqa: PLC0415 - few are one

                answer = await judge_who_reads(hook, given, ours, self.ports, state)
            elif hook.setting.prompt:
                answer = await judge(hook.setting, given, self.ports, state)
            elif hook.setting.server:
                from agls.features.hooks.server_hooks import called  # noqa: PLC0415 - few hooks are one

                printed = Printed(output=await called(hook.setting, ours, self.ports.servers))
                answer = answer_of_program(0, printed.output, "", texts=event in CONTEXT)
            elif hook.setting.url:
                content = await self._post(hook, given)
                printed = Printed(output="" if content is None else json.dumps(content, ensure_ascii=False))
                answer = NOTHING if content is None else answer_of_json(content)
            else:
                printed = await self._start(hook, given)
                answer = _answer(hook, event, printed, ours)
        except HookFailed as failure:
            problem = str(failure)
            answer = after_failure(hook, problem)
        answer = replace(answer, by=hook.name)
        if not hook.may_allow:
            answer = without_permission(answer)
        milliseconds = round((time.monotonic() - began) * 1000)
        return RanHook(hook, answer, milliseconds, problem, given, printed)

    async def _in_its_form(self, hook: Hook, ours: JsonObject) -> JsonObject:
        """Return what a hook gets; one that sees a file before it is read gets its text."""
        if not hook.form:
            return ours
        content = ""
        if hook.form.sees_content:
            with suppress(WorkspaceError):
                content = (await self.ports.workspace.read(hook.form.file(ours))).text
        return hook.form.given(ours, content)

    async def _start(self, hook: Hook, given: str) -> Printed:
        setting, folder = hook.setting, self.ports.workspace.root
        script = OF_WORDS if setting.args else OF_SHELL
        names = (*FOLDER_NAMES, *hook.form.folder_names) if hook.form else FOLDER_NAMES
        command = Command(
            ("bash", "-c", script, "hook", setting.command, *setting.args),
            timeout=setting.timeout,
            keep=KEPT,
            env={**dict.fromkeys(names, folder), **hook.environment},
            stdin=given,
            reports=True,
        )
        try:
            done = await self.ports.workspace.run(command, _keep_silent)
        except WorkspaceError as problem:
            raise HookFailed(str(problem)) from None
        if done.timed_out:
            raise HookFailed(f"it ran longer than {setting.timeout:g} s")
        return Printed(done.exit_code, done.output, done.report)

    async def _post(self, hook: Hook, given: str) -> Any:
        setting = hook.setting
        call = ServiceCall(
            url=setting.url, headers=setting.headers, body=json.loads(given), seconds=setting.timeout
        )
        try:
            answer = await self.ports.call_service(call)
        except WebError as problem:
            raise HookFailed(str(problem)) from None
        if answer.status not in OK:
            raise HookFailed(f"its address answered {answer.status}")
        return answer.content

    def _surroundings(self, event: Event, state: State) -> JsonObject:
        mode = self.ports.mode.of(state)
        agent: JsonObject = (
            {"agent_id": self.ports.run.session_id, "agent_type": agent_names_of(self.ports.run.agent)[0]}
            if self.ports.run.works_for
            else {}
        )
        return {
            "session_id": self.ports.run.works_for or self.ports.run.session_id,
            "cwd": self.ports.works_in,
            "permission_mode": _mode_name(mode),
            "hook_event_name": event,
            **agent,
            "agls": {"run_id": self.ports.run.run_id, "turn": state.run.turns, "mode": mode},
        }


def answer_of(ran: Sequence[RanHook]) -> HookAnswer:
    """**Returns** what all of them answered together."""
    return joined([each.answer for each in ran])


def _answer(hook: Hook, event: Event, printed: Printed, ours: JsonObject) -> HookAnswer:
    if hook.form:
        return hook.form.answer(printed.exit_code, printed.output, printed.errors, ours)
    if event == REQUEST and printed.exit_code == BLOCKED:
        return NOTHING  # it decides by its output alone
    return answer_of_program(printed.exit_code, printed.output, printed.errors, texts=event in CONTEXT)


def _mode_name(mode: str) -> str:
    known: Mode = mode if is_mode(mode) else "ask"
    return MODE_NAMES[known]


def _keep_silent(text: str) -> None:
    return None

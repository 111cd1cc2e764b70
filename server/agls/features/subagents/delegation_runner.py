"""The children of one call: each begins when what it depends on is done, and all end with the call."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from agls.engine.history import last_words
from agls.engine.limits import FIELDS
from agls.engine.ports import ToolContext, WorkspaceError
from agls.engine.spawning import Begin, ChildResult, ChildTask
from agls.engine.vocabulary import Limits, StopReason, Text
from agls.features.subagents.conversation import ASK_IT, Done, conversation_of, prompt_for
from agls.features.subagents.delegates import DelegateSpec, options_of
from agls.features.subagents.lineage import BEGUN, RETURNED, ROOM, Child, reason_of
from agls.features.subagents.plan import PlannedTask
from agls.features.subagents.settings import Settings
from agls.features.subagents.shares import Shares, is_enough
from agls.features.subagents.worktrees import WorktreesOfHelpers
from agls.room.delegation import chosen_for
from agls.toolkit import shorten

NO_TASKS = "nothing is left of the budget of delegated tasks"
Working = dict[asyncio.Future[ChildResult], Child]


class DelegationRunner:
    """Run the tasks of one call, by their labels. As many as `failures` may fail (`None`: all of them)."""

    def __init__(
        self,
        shares: Shares,
        settings: Settings,
        context: ToolContext,
        apart: WorktreesOfHelpers,
        *,
        share: bool,
        failures: int | None,
    ) -> None:
        self._shares = shares
        self._settings = settings
        self._context = context
        self._apart = apart
        self._spawner = spawner = shares.spawner
        self._conversation = conversation_of(spawner.state) if share else ""
        self._failures = failures
        self._done: dict[str, Done] = {}

    async def run(self, plan: dict[str, tuple[PlannedTask, DelegateSpec]]) -> Sequence[Done]:
        """Run every task that can be run.

        **Returns** how each ended, in the order of the plan.
        """
        working: Working = {}
        try:
            async with self._spawner.task_group() as begin:
                while not self._too_many():
                    known = len(self._done)
                    await self._begin_ready(plan, working, begin)
                    if not working and len(self._done) == known:
                        break
                    if not working:
                        continue
                    ended, _ = await asyncio.wait(working, return_when=asyncio.FIRST_COMPLETED)
                    for future in ended:
                        await self._take(working.pop(future), future)
        finally:  # whatever ended the call: those that still worked were cancelled with it
            for future, child in working.items():
                await self._take(child, future)
        return [self._done.get(label) or self._skipped(label, task) for label, (task, _) in plan.items()]

    def _too_many(self) -> bool:
        failed = sum(done.child.status == "failed" for done in self._done.values())
        return self._failures is not None and failed > self._failures

    async def _begin_ready(
        self, plan: dict[str, tuple[PlannedTask, DelegateSpec]], working: Working, begin: Begin
    ) -> None:
        """Begin those whose turn it is; where nothing is left for one, it waits for those that work."""
        begun = {*self._done, *(child.label for child in working.values())}
        ready = [label for label, (task, _) in plan.items() if label not in begun and self._may_begin(task)]
        ready = ready[: self._settings.parallel - len(working)]
        for place, label in enumerate(ready):
            if self._shares.free().max_delegated_tasks == 0:
                return
            waiting = len(plan) - len(begun) - place
            share = self._shares.share(len(ready) - place, waiting)
            if working and not is_enough(share):
                return
            child_task, child = self._child_task(label, *plan[label], share)
            try:
                apart = await self._apart.options(
                    plan[label][1], child.session_id, self._spawner.state.settings
                )
            except WorkspaceError as problem:
                never = self._child(label, plan[label][1].name)  # it has no session
                self._done[label] = Done(replace(never, status="failed", reason=str(problem)))
                continue
            self._shares.give(child, share)
            self._spawner.delegated(ROOM)
            self._spawner.note(ROOM, BEGUN, child.begun())
            self._context.show(f"{label}: begins (session {child.session_id})\n")
            working[begin(replace(child_task, options=child_task.options | apart))] = child

    def _may_begin(self, task: PlannedTask) -> bool:
        return all(
            other in self._done and self._done[other].child.status == "completed" for other in task.depends_on
        )

    def _child_task(
        self, label: str, task: PlannedTask, entry: DelegateSpec, share: Limits
    ) -> tuple[ChildTask, Child]:
        before = [self._done[other] for other in task.depends_on]
        limits = {field: most for field in FIELDS if (most := getattr(share, field)) is not None}
        if task.max_turns is not None:
            limits["max_turns"] = min(task.max_turns, limits.get("max_turns", task.max_turns))
        said = (Text(prompt_for(task, before, self._conversation)),)
        state = self._spawner.state
        options = options_of(entry, state, limits, self._shares.powers())
        options |= chosen_for(state, self._context.call_id)
        title = "" if task.resume else label
        child_task = ChildTask(self._context.call_id, label, said, title, options, task.resume)
        return child_task, self._child(label, entry.name, self._spawner.child_of(child_task))

    async def _take(self, child: Child, future: asyncio.Future[ChildResult]) -> None:
        self._shares.take_back(child)
        done = await self._apart.left(child, self._judged(child, future))
        self._done[child.label] = done
        self._spawner.note(ROOM, RETURNED, done.child.returned())
        self._context.show(f"{child.label}: {done.child.status}\n")

    def _judged(self, child: Child, future: asyncio.Future[ChildResult]) -> Done:
        if not future.done() or future.cancelled():
            return Done(replace(child, status="cancelled", reason="cancelled before its end"), worked=True)
        returned = future.result()
        answer, _ = shorten(last_words(returned.state.transcript), self._settings.answer_limit, ASK_IT)
        worked = returned.state.run.tool_calls > 0
        if returned.stop.reason is StopReason.END_TURN:
            return Done(replace(child, status="completed"), answer, worked)
        return Done(replace(child, status="failed", reason=reason_of(returned.stop)), answer, worked)

    def _skipped(self, label: str, task: PlannedTask) -> Done:
        missing = [
            n for n in task.depends_on if n in self._done and self._done[n].child.status != "completed"
        ]
        if missing:
            why = f"it depends on {missing[0]}, which did not complete"
        elif self._too_many():
            why = "too much failed before it"
        else:
            why = NO_TASKS if self._may_begin(task) else "what it depends on was skipped"
        return Done(replace(self._child(label), status="skipped", reason=why))

    def _child(self, label: str, agent: str = "", session_id: str = "") -> Child:
        return Child(session_id, self._context.call_id, self._spawner.state.run_id, label, agent)

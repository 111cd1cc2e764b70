"""What the user may do with checkpoints: see them, compare with them, go back to them."""

from collections.abc import Sequence

from agls.engine.actions import Action, ActionContext, ActionError, ActionOutcome, ActionValue
from agls.engine.ports import WorkspaceError
from agls.engine.vocabulary import JsonObject
from agls.frozen import frozen
from agls.room.process_ports import HeldKeys
from agls.toolkit import TypedAction

from .arguments import Changes, Diff, ListCheckpoints, RestoreFiles, Revert
from .comparison import (
    COMMANDS,
    TAKEN_BACK,
    Pair,
    change_line,
    net,
    pairs_of,
    patch_of,
    path_in,
    row,
    shown,
    standing,
)
from .points import position, prompts
from .recorder import SnapshotStore
from .restores import Restored, Restoring, Wish, back_to, undo
from .states import FileState
from .timeline import SessionSpan, Timeline


def actions_of(keeper: SnapshotStore, keys: HeldKeys) -> tuple[Action, ...]:
    """Return the actions of the room."""
    handlers = CheckpointActions(keeper, keys)
    return (
        TypedAction(
            "checkpoint.list",
            "List checkpoints",
            ListCheckpoints,
            handlers.points,
            aliases=("checkpoints",),
            group="Changes",
        ),
        TypedAction(
            "checkpoint.diff",
            "Compare with then",
            Diff,
            handlers.diff,
            aliases=("diff",),
            group="Changes",
            choices={"toItemId": items, "uri": handlers.changed_files},
        ),
        TypedAction(
            "checkpoint.restore",
            "Rewind files",
            RestoreFiles,
            handlers.restore,
            group="Changes",
            when="idle",
            choices={"toItemId": items, "checkpointId": handlers.restores},
        ),
        TypedAction(
            "changes", "Show changed files", Changes, handlers.changes, aliases=("files",), group="Changes"
        ),
        TypedAction(
            "changes.revert",
            "Undo all changes of a file",
            Revert,
            handlers.revert,
            group="Changes",
            when="idle",
            choices={"uri": handlers.changed_files},
        ),
    )


async def items(context: ActionContext) -> Sequence[ActionValue]:
    """The last item before each prompt, the latest prompt first: to go back there."""
    latest_first = reversed(prompts(context.state.transcript))
    return [ActionValue(prompt.before, f"before: {prompt.title}") for prompt in latest_first]


@frozen
class CheckpointActions:
    """Do the actions of the room."""

    keeper: SnapshotStore
    keys: HeldKeys

    async def changed_files(self, context: ActionContext) -> Sequence[ActionValue]:
        """The files that the agent changed."""
        known = self.keeper.timeline(context.state)
        paths = [path for path, _ in known.changed(SessionSpan())]
        return [ActionValue(context.workspace.place(path).shown) for path in paths]

    async def restores(self, context: ActionContext) -> Sequence[ActionValue]:
        """The restores that can be undone, the last one first."""
        restores = self.keeper.timeline(context.state).restores
        return [ActionValue(checkpoint_id) for checkpoint_id in reversed(restores)]

    async def points(self, arguments: ListCheckpoints, context: ActionContext) -> ActionOutcome:
        """Return the prompts with the changes after each, and the restores."""
        known, rows = self.keeper.timeline(context.state), list[JsonObject]()
        for prompt in prompts(context.state.transcript):
            span = SessionSpan(prompt.since, prompt.until)
            files = [net(found[0].before, found[-1].after) for _, found in known.changed(span)]
            point = {"itemId": prompt.item_id, "beforeItemId": prompt.before, "title": prompt.title}
            rows.append({**point, "files": files, "commandsRan": known.ran(span)})
        restores = [
            {
                "checkpointId": one.checkpoint_id,
                "toItemId": one.to_item,
                "undoes": one.undoes,
                "reverts": one.reverts,
                "files": [net(*pair) for pair in known.made_by(one.checkpoint_id)],
            }
            for one in known.restores.values()
        ]
        lines = [f"- {_count(point)} after: {point['title'] or '(no text)'}" for point in rows]
        lines += [f"- {_count(restore)} by the rewind `{restore['checkpointId']}`" for restore in restores]
        text = "\n".join(lines) or "This session has no prompts yet."
        return ActionOutcome(text, {"checkpoints": rows, "restores": restores})

    async def diff(self, arguments: Diff, context: ActionContext) -> ActionOutcome:
        """Return the changes of files, as unified diffs."""
        known, ran = self.keeper.timeline(context.state), False
        wanted = context.workspace.place(arguments.uri).path if arguments.uri else ""
        if arguments.call_id is not None:
            pairs = list(known.made_by(arguments.call_id))
        else:
            span = SessionSpan(position(context.state.transcript, arguments.to_item_id or ""))
            pairs, ran = await self._since(span, known), known.ran(span)
        chosen = [pair for pair in pairs if wanted in {"", pair[0].path} and not pair[0].same(pair[1])]
        rows = [await row(self.keeper, [pair]) for pair in chosen]
        return ActionOutcome(shown(rows, ran=ran), {"files": rows, "commandsRan": ran})

    async def restore(self, arguments: RestoreFiles, context: ActionContext) -> ActionOutcome:
        """Files as they were at a point, or before a restore."""
        known, ran = self.keeper.timeline(context.state), False
        to_item = arguments.to_item_id
        undone = arguments.checkpoint_id
        why = JsonObject()
        if (to_item is None) == (undone is None):
            raise ActionError(
                'Say where to go back to: `toItemId` ("" for the beginning), or the `checkpointId` of a '
                "restore to undo. checkpoint.list shows both."
            )
        if undone is not None:
            if undone not in known.restores:
                raise ActionError(
                    f"There is no rewind of files {undone[:100]!r} in this session. See checkpoint.list."
                )
            wishes, why["undoes"] = list(undo(known, undone)), undone
        else:
            span = SessionSpan(position(context.state.transcript, to_item or ""))
            wishes = list(back_to(known.changed(span)))
            why["toItemId"] = to_item or ""
            ran = known.ran(span)
        restoring = Restoring(self.keeper, context)
        done = await (restoring.preview(wishes) if arguments.dry_run else restoring.carry_out(wishes, why))
        text = _report(done, dry_run=arguments.dry_run, ran=ran)
        return ActionOutcome(text, {**done.to_json(), "commandsRan": ran})

    async def changes(self, arguments: Changes, context: ActionContext) -> ActionOutcome:
        """Return the net changes of a run or of the session."""
        known = self.keeper.timeline(context.state)
        span = _span(arguments, context)
        rows, standing_pairs = list[JsonObject](), list[Pair]()
        for path, stretches in known.changed(span):
            if pairs := pairs_of(stretches):
                now = standing(stretches, known, await self._now(path, known))
                rows.append({**await row(self.keeper, pairs), "standing": now})
                standing_pairs += pairs if now != TAKEN_BACK else ()
        ran = known.ran(span)
        data = {"runId": span.run_id, "files": rows, "commandsRan": ran}
        if not arguments.patch:
            return ActionOutcome(shown(rows, ran=ran), data)
        text, left_out = await patch_of(self.keeper, standing_pairs, context.state.cwd, self.keys)
        return ActionOutcome(text, {**data, "leftOut": left_out})

    async def revert(self, arguments: Revert, context: ActionContext) -> ActionOutcome:
        """Bring one file back to its state before a run."""
        known, place = self.keeper.timeline(context.state), context.workspace.place(arguments.uri)
        stretches = known.stretches(place.path, _span(arguments, context))
        if not stretches:
            raise ActionError(f"{place.shown} was not changed by the agent there. See the action changes.")
        wishes: list[Wish] = [*back_to([(place.path, stretches)])]
        done = await Restoring(self.keeper, context).carry_out(wishes, {"reverts": place.uri})
        if done.conflicts:
            raise ActionError(f"{place.shown} was left alone. {done.conflicts[0].reason}")
        return ActionOutcome(_report(done, dry_run=False, ran=False), done.to_json())

    async def _since(self, span: SessionSpan, known: Timeline) -> list[Pair]:
        """Return each file that we changed in this span: as it was before, and as it is now."""
        return [(found[0].before, await self._now(path, known)) for path, found in known.changed(span)]

    async def _now(self, path: str, known: Timeline) -> FileState:
        try:
            return (await self.keeper.look(path, known)).state
        except WorkspaceError as problem:
            return FileState(path, known.steps[path][-1].state.uri, "unread", lost=str(problem))


def _span(arguments: Changes | Revert, context: ActionContext) -> SessionSpan:
    if arguments.scope == "session" and not arguments.run_id:
        return SessionSpan()
    return SessionSpan(run_id=arguments.run_id or context.state.run_id or "none")


def _count(point: JsonObject) -> str:
    number = len(point["files"])
    return f"{number} file{'s' * (number != 1)} changed"


def _report(done: Restored, *, dry_run: bool, ran: bool) -> str:
    nothing = "No file would be changed." if dry_run else "No file was changed."
    lines = [change_line(file) for file in done.files] or [nothing]
    if done.files:
        lines.insert(0, "These files would be changed:" if dry_run else "These files were changed:")
    if done.conflicts:
        lines += ["", "Left alone:", *(f"- `{path_in(left.uri)}`: {left.reason}" for left in done.conflicts)]
    if any(change.via == "editor" for change in done.changes):
        lines += ["", "Files that are open in the editor are changed there and not saved."]
    if done.checkpoint_id and done.files:
        lines += ["", f"To undo this: `/checkpoint.restore checkpointId={done.checkpoint_id}`."]
    return "\n".join([*lines, "", COMMANDS] if ran else lines)

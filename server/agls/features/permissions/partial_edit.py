"""An edit of which the user took only some of the changes (`edits.confirm` of the protocol)."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from agls.diff import Hunk, made, numbered
from agls.engine.feature import Invocation
from agls.engine.ports import Preview, Stale, ToolContext, ToolSpec, Workspace, WorkspaceError
from agls.engine.vocabulary import Answer, Effects, FileChange, JsonObject, ToolCall, ToolOutcome
from agls.frozen import frozen

MOVED = "{} is not as it was when the user looked at it."
TOLD = (
    "The user looked at each change and took {} of {}. These were left out; do not make them again unless "
    "the user asks for it:\n{}\nThe file is not as you wrote it: read it before you change it again."
)


def select_hunks(invocation: Invocation, preview: Preview, answer: Answer) -> Invocation | None:
    """The call with only the changes that the answer names; `None` when it takes none of them.

    An answer that names none (no `hunks` in its content) means all of them.
    """
    named = answer.content.get("hunks")
    if named is None:
        return invocation
    changes: Sequence[JsonObject] = preview.subject.get("changes", ())
    shown = numbered(changes)
    taken = {hunk_id for hunk_id in shown if hunk_id in named}
    if not taken:
        return None
    if len(taken) == len(shown):
        return invocation
    files = tuple(
        File(
            change["uri"],
            change["base"]["hash"],
            tuple(h for i, (p, h) in shown.items() if p == place and i in taken),
        )
        for place, change in enumerate(changes)
    )
    left = [hunk for hunk_id, (_, hunk) in shown.items() if hunk_id not in taken]
    told = TOLD.format(len(taken), len(shown), _listed(left))
    return replace(invocation, tool=PartialEdit(invocation.tool.spec, preview, files, told))


@frozen
class File:
    """A file (its URI, and the SHA-256 it had, "" for none) and what of its changes is made."""

    uri: str
    base: str
    hunks: tuple[Hunk, ...]


@frozen
class PartialEdit:
    """Stands in for the tool: makes these changes and tells the model which were left out."""

    spec: ToolSpec
    shown: Preview
    files: tuple[File, ...]
    told: str

    async def preview(self, call: ToolCall, context: ToolContext) -> Preview:
        """What the user saw."""
        return self.shown

    async def __call__(self, call: ToolCall, context: ToolContext) -> ToolOutcome:
        """Change the files, each at once, as long as they are as the user saw them."""
        done: list[FileChange] = []
        try:
            for file in self.files:
                if file.hunks:
                    done.append(await _change(file, context.workspace, self.shown.title))
        except WorkspaceError as problem:
            effects: Effects = problem.effects if isinstance(problem, Stale) else "none"
            text = f"{problem} Read it again, then repeat what is still right."
            return ToolOutcome(text, "failed", "partial" if done else effects, changes=tuple(done))
        return ToolOutcome(self.told, effects="applied", changes=tuple(done))


async def _change(file: File, workspace: Workspace, label: str) -> FileChange:
    if not file.base:
        return await workspace.write(file.uri, made("", file.hunks), expected=None, label=label)
    now = await workspace.read(file.uri)
    if now.version.hash != file.base:
        raise Stale(MOVED.format(now.place.shown))
    return await workspace.write(file.uri, made(now.text, file.hunks), expected=now.version, label=label)


def _listed(hunks: Iterable[Hunk]) -> str:
    rows = [
        f"{sign}{line}"
        for hunk in hunks
        for sign, lines in (("-", hunk.old), ("+", hunk.new))
        for line in lines
    ]
    return "".join(row if row.endswith("\n") else f"{row}\n" for row in rows).rstrip("\n")

"""`/commit`: what is staged, or what the agent changed, is committed with a message that a model writes."""

import asyncio
import re
from collections.abc import Callable, Sequence
from contextlib import aclosing
from pathlib import Path, PurePath

from pydantic import Field

from agls.engine.actions import RAW, Action, ActionContext, ActionError, ActionOutcome
from agls.engine.facts import Replied, ToolFinished, Used
from agls.engine.ports import ModelError, ModelRequest, ModelResolver, Workspace, WorkspaceError, new_id
from agls.engine.vocabulary import Text, UserMessage
from agls.features.repository.commits import Committer
from agls.features.repository.differences import Difference, difference
from agls.frozen import frozen
from agls.regex import regex
from agls.room.folder_ports import GitCommands
from agls.room.metered_request import metered
from agls.room.session_ports import SessionFacts
from agls.toolkit import Arguments, TypedAction

ROOM = "repository"
PATIENCE = 120.0  # seconds for the message
LONGEST = 5_000  # characters of a message
STYLE = 12  # commits whose subjects show how messages are written here
SYSTEM = Path(__file__).with_name("commit.md").read_text("utf-8").strip()
NOTHING = (
    "Nothing is staged, and no file that the agent changed is uncommitted. Stage what you want: git add FILE"
)
NO_MESSAGE = "No message could be written: {} Nothing was committed."
_FENCE = regex(r"\A```\w*\n(.*?)\n?```\s*\Z", re.DOTALL)


class Commit(Arguments):
    """Commit what is staged, or else the files that the agent changed. Nothing is pushed.

    A model writes the message from the diff; git's hooks run as usual.
    """

    words: str = Field(
        default="",
        description="[what the message should say]",
        json_schema_extra={"format": RAW},
    )


@frozen
class CommitActions:
    """Does the action. `spend` records what the message cost."""

    git: GitCommands
    models: ModelResolver
    spend: Callable[[Used], None]
    facts: SessionFacts

    def action(self) -> Action:
        """Return the action."""
        return TypedAction(
            name="commit",
            title="Commit",
            arguments=Commit,
            work=self.commit,
            when="idle",
            group="Changes",
            screened=True,
            outside=True,
        )

    async def commit(self, arguments: Commit, context: ActionContext) -> ActionOutcome:
        """Commit; without a message, or when a hook refuses, all is as it was. **Raises** `ActionError`."""
        staged = await difference(self.git, "--cached")
        paths = () if staged.files or staged.hidden else await self._of_agent(context.workspace)
        if not (staged.files or staged.hidden or paths):
            raise ActionError(NOTHING)
        committer = Committer(self.git)
        async with committer.staged(paths):
            change = await difference(self.git, "--cached") if paths else staged
            message = await self._message(change, arguments.words, context)
            name = await committer.commit(message)
        subject, _, body = message.partition("\n")
        lines = [f"Committed `{name}`: {subject}", body.strip(), *(f"- {path}" for path in change.files)]
        text = "\n".join([*filter(None, lines), "", "Nothing was pushed."])
        return ActionOutcome(text, {"commit": name, "message": message, "files": list(change.files)})

    async def _of_agent(self, workspace: Workspace) -> Sequence[str]:
        """Return the files that the agent changed and that are not committed, below the work folder."""
        entries = await asyncio.to_thread(self.facts.entries)
        finished = [entry.fact.outcome for entry in entries if isinstance(entry.fact, ToolFinished)]
        changed = {workspace.place(change.uri).path for outcome in finished for change in outcome.changes}
        root = PurePath(workspace.root)
        below = {
            str(PurePath(path).relative_to(root)) for path in changed if PurePath(path).is_relative_to(root)
        }
        uncommitted = await Committer(self.git).uncommitted(sorted(below))
        return sorted(path for path in below & uncommitted.keys() if self.git.shows(path))

    async def _message(self, change: Difference, words: str, context: ActionContext) -> str:
        """Return the message. **Raises** `ActionError`."""
        try:
            earlier = await self.git.read("log", f"-{STYLE}", "--no-color", "--format=%s")
        except WorkspaceError:  # there is no commit yet
            earlier = ""
        wish = f"\n\nThe user says of it: {words}" if words else ""
        question = (
            f"<earlier>\n{earlier}</earlier>\n<change>\n{change.shown}</change>{wish}\n\nWrite the message."
        )
        try:
            with context.breakable():
                async with asyncio.timeout(PATIENCE):
                    text = await self._asked(question, context)
        except TimeoutError:
            raise ActionError(
                NO_MESSAGE.format(f"the model took longer than {PATIENCE:.0f} seconds.")
            ) from None
        except ModelError as problem:
            raise ActionError(NO_MESSAGE.format(f"{problem} {problem.hint}".strip())) from None
        if not text:
            raise ActionError(NO_MESSAGE.format("the model answered with nothing."))
        return text

    async def _asked(self, question: str, context: ActionContext) -> str:
        message = UserMessage(new_id("item"), (Text(question),))
        asked = ModelRequest(new_id("item"), SYSTEM, (message,))
        async with aclosing(metered(context.model(), asked, ROOM, self.spend)) as stream:
            async for part in stream:
                if isinstance(part, Replied):
                    return _plain(part.text)
        raise ModelError("The change does not fit into what the model can read.", kind="contextTooLong")


def _plain(text: str) -> str:
    """Return the message without a fence around it."""
    fenced = _FENCE.match(text.strip())
    return (fenced[1] if fenced else text).strip()[:LONGEST]

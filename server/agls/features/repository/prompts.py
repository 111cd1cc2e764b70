"""What is for the model: `/init`, `/review` and `/pr-comments` look at the repository and make a prompt."""

import re
from collections.abc import Sequence
from contextlib import suppress
from difflib import get_close_matches
from pathlib import Path

from pydantic import Field

from agls.engine.actions import RAW, Action, ActionContext, ActionError, ActionOutcome
from agls.engine.ports import Workspace, WorkspaceError
from agls.features.repository.differences import Difference, difference, lines, new_files
from agls.frozen import frozen
from agls.room.command_prompts import command_prompt
from agls.room.folder_ports import GitCommands
from agls.room.session_ports import NAMED_FILES, READ_ONLY
from agls.toolkit import Arguments, TypedAction

FILE = "AGENTS.md"
WRITE = "Write the file AGENTS.md at the root of this folder: every coding agent that works here reads it."
UPDATE = (
    "Bring the file AGENTS.md at the root of this folder up to date. Read it first, keep what is right and "
    "what people wrote on purpose, correct what the repository contradicts, add what is missing; change it "
    "by edits, and leave it alone if nothing is wrong."
)
KIN = (
    "CLAUDE.md",
    ".cursorrules",
    ".github/copilot-instructions.md",
    "GEMINI.md",
    "README.md",
    "CONTRIBUTING.md",
)
MOST_LISTED = 200
INIT, REVIEW, COMMENTS = (
    Path(__file__).with_name(f"{name}.md").read_text("utf-8").strip()
    for name in ("init", "review", "pr_comments")
)
ONE_WORD = "To review what is not committed, with a wish, write more than a word: /review look at {}"
NOTHING = "There is nothing to review: {}."


class Init(Arguments):
    """Let the model look at the repository and write or update its AGENTS.md."""

    words: str = Field(default="", description="[what matters]", json_schema_extra={"format": RAW})


class Review(Arguments):
    """Let the model review uncommitted changes, a branch, or a range of commits. It changes nothing."""

    words: str = Field(
        default="", description="[branch | from..to] [what matters]", json_schema_extra={"format": RAW}
    )


class PullRequestComments(Arguments):
    """Let the model fetch the comments on a pull request with `gh` and summarise what they ask for."""

    words: str = Field(default="", description="[number | address]", json_schema_extra={"format": RAW})


@frozen
class ReviewTarget:
    """What is reviewed: in words, and its difference."""

    what: str
    change: Difference
    words: str = ""


@frozen
class PromptActions:
    """Do the actions. A folder that nobody trusts has no git here, as git would read its settings."""

    git: GitCommands

    def actions(self) -> Sequence[Action]:
        """Return the actions."""
        return (
            TypedAction("review", "Review changes", Review, self.review, group="Changes", prompts=True),
            TypedAction("init", "Write AGENTS.md", Init, self.init, group="Work", prompts=True),
            TypedAction(
                name="pr-comments",
                title="Read comments on a pull request",
                arguments=PullRequestComments,
                work=self.comments,
                aliases=("pr_comments",),
                group="Changes",
                prompts=True,
            ),
        )

    async def init(self, arguments: Init, context: ActionContext) -> ActionOutcome:
        """Make the prompt."""
        names = await _top(context.workspace)
        there = [name for name in KIN if await _is_there(name, context.workspace)]
        task = UPDATE if FILE in names else WRITE
        text = INIT.format(
            task=task,
            names="\n".join(names[:MOST_LISTED]) or "(empty)",
            kin=", ".join(there) or "none",
            wish=_wish(arguments.words),
        )
        return ActionOutcome("", prompt=command_prompt("init", text, options={NAMED_FILES: [FILE]}))

    async def review(self, arguments: Review, context: ActionContext) -> ActionOutcome:
        """Make the prompt of a run that only reads. **Raises** `ActionError` when nothing differs."""
        target = await self._target(arguments.words.strip())
        if not (target.change.files or target.change.hidden):
            raise ActionError(NOTHING.format(target.what))
        text = REVIEW.format(what=target.what, change=target.change.shown, wish=_wish(target.words))
        return ActionOutcome("", prompt=command_prompt("review", text, options={READ_ONLY: True}))

    async def comments(self, arguments: PullRequestComments, context: ActionContext) -> ActionOutcome:
        """Make the prompt."""
        branch = ""
        with suppress(WorkspaceError):  # there may be no repository, or no trust: the model finds out
            branch = (await self.git.read("rev-parse", "--abbrev-ref", "HEAD")).strip()
        ref = arguments.words.strip() or (f"of the branch {branch}" if branch else "of the current branch")
        return ActionOutcome("", prompt=command_prompt("pr-comments", COMMENTS.format(ref=ref)))

    async def _target(self, words: str) -> ReviewTarget:
        """Return what these words name. **Raises** `WorkspaceError`."""
        first, _, rest = words.partition(" ")
        if ".." in first and not first.startswith("-"):
            await self._check_ends(first)
            return ReviewTarget(f"the difference {first}", await difference(self.git, first), rest)
        if first and await self._is_commit(first):
            return await self._branch(first, rest)
        if first and not rest:
            raise ActionError(f"{await self._no_commit(first)} {ONE_WORD.format(first)}")
        change, new = await difference(self.git, *await self._base()), await new_files(self.git)
        added = "".join(
            f"New file, read it: {name}\n" if is_text else f"New binary file: {name}\n"
            for name, is_text in new.items()
        )
        whole = Difference((*change.files, *new), change.text + added, change.hidden)
        return ReviewTarget("what is not committed", whole, words)

    async def _check_ends(self, span: str) -> None:
        """**Raises** `ActionError` for a range of which an end does not exist."""
        for end in filter(None, re.split(r"\.{2,3}", span, maxsplit=1)):
            if not await self._is_commit(end):
                raise ActionError(await self._no_commit(end))

    async def _no_commit(self, name: str) -> str:
        """Return the message that a name names nothing, with the one that may have been meant."""
        kinds = ("refs/heads", "refs/remotes", "refs/tags")
        known = lines(await self.git.read("for-each-ref", "--format=%(refname:short)", *kinds))
        near = get_close_matches(name, known, n=1)
        return f"There is no branch or commit {name!r}.{f' Did you mean {near[0]}?' if near else ''}"

    async def _branch(self, name: str, rest: str) -> ReviewTarget:
        """Return what a branch has that HEAD lacks; where that is nothing, what HEAD has that it lacks."""
        change = await difference(self.git, f"HEAD...{name}")
        if change.files or change.hidden:
            return ReviewTarget(f"what {name} changed since it left the current branch", change, rest)
        change = await difference(self.git, f"{name}...HEAD")
        return ReviewTarget(f"what the current branch changed since {name}", change, rest)

    async def _base(self) -> Sequence[str]:
        """Return what is compared with: HEAD, or what is staged where there is no commit yet."""
        return ("HEAD",) if await self._is_commit("HEAD") else ("--cached",)

    async def _is_commit(self, name: str) -> bool:
        if name.startswith("-"):
            return False
        try:
            return bool(await self.git.read("rev-parse", "--verify", "--quiet", f"{name}^{{commit}}"))
        except WorkspaceError as problem:
            if "rev-parse failed" in str(problem):
                return False
            raise


async def _top(workspace: Workspace) -> Sequence[str]:
    return [f"{entry.name}/" if entry.kind == "dir" else entry.name for entry in await workspace.list("")]


async def _is_there(path: str, workspace: Workspace) -> bool:
    folder, _, name = path.rpartition("/")
    try:
        return any(entry.name == name for entry in await workspace.list(folder))
    except WorkspaceError:
        return False


def _wish(words: str) -> str:
    return f"\n\nThe user says: {words.strip()}" if words.strip() else ""

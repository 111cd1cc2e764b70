"""Where and when: the facts that change, told as a message, so that the system prompt can stay as it is."""

import re
import sys
from collections.abc import Sequence
from datetime import datetime

from agls.engine.context import ENVIRONMENT
from agls.engine.ports import FileText, Workspace
from agls.engine.prefix_fold import PrefixFold
from agls.engine.state import State
from agls.engine.vocabulary import Focus, Message, Text, UserMessage
from agls.features.instructions.plain import plain
from agls.frozen import frozen
from agls.room.ports import Surroundings

MOST_NAMED = 20
HEAD = ".git/HEAD"  # read without running git
MOST_OF_HEAD = 1024
_BRANCH = re.compile(r"ref: refs/heads/([\w./@+-]{1,200})\s*")
_COMMIT = re.compile(r"([0-9a-f]{40}|[0-9a-f]{64})\s*")


@frozen
class Environment:
    """The world as it is at the start of a run. `now` is Unix time in seconds; "" is unknown or none."""

    now: float
    cwd: str
    head: str = ""
    mode: str = ""
    focus: Focus | None = None
    unsaved: Sequence[str] = ()
    scratch: str = ""


def around(place: Surroundings, workspace: Workspace, state: State, head: object) -> Environment:
    """Look at the environment of a session; `head` is what was read of git's, if it could be read."""
    branch = head_in(head.text) if isinstance(head, FileText) else ""
    mode = place.mode_of(state) if "mode" in state.settings else ""
    seen = workspace.focus(), workspace.unsaved()
    return Environment(place.now(), state.cwd, branch, mode, *seen, place.scratch)


def describe(environment: Environment) -> str:
    """The snapshot the model reads."""
    lines = [
        f"Date: {datetime.fromtimestamp(environment.now).astimezone():%Y-%m-%d (%A)}",
        f"Platform: {sys.platform}",
        f"Working folder: {environment.cwd}",
    ]
    if environment.scratch:
        lines.append(f"Scratch folder (for temporary files, not kept): {environment.scratch}")
    if environment.head:
        lines.append(f"Git: {environment.head}")
    if environment.mode:
        lines.append(f"Permission mode: {environment.mode}")
    if environment.focus:
        lines.append(f"The user looks at: {where(environment.focus)}")
    if names := [_line(name) for name in environment.unsaved[:MOST_NAMED]]:
        more = len(environment.unsaved) - len(names)
        rest = f" and {more} more" if more else ""
        lines.append(f"Unsaved in the editor (tools see the unsaved text): {', '.join(names)}{rest}")
    return "<environment>\n" + "\n".join(lines) + "\n</environment>"


def where(focus: Focus) -> str:
    """The file and the lines that the user looks at."""
    lines = _span(focus.lines)
    parts = [f"{lines} selected" if focus.selected else f"the cursor in {lines}"] if focus.lines else []
    parts += [f"{_span(focus.visible)} visible"] if focus.visible else []
    return f"{_line(focus.path)} ({', '.join(parts)})" if parts else _line(focus.path)


def _span(lines: tuple[int, int] | None) -> str:
    first, last = lines or (0, 0)
    return f"line {first}" if first == last else f"lines {first}-{last}"


def _line(name: str) -> str:
    return plain(name).replace("\n", " ")


def head_in(text: str) -> str:
    """The branch or commit that this text of `HEAD` names; "" for whatever is no plain name."""
    head = text if len(text) <= MOST_OF_HEAD else ""
    if branch := _BRANCH.fullmatch(head):
        return f"branch {branch[1]}"
    commit = _COMMIT.fullmatch(head)
    return f"commit {commit[1][:12]}, no branch" if commit else ""


def _with_snapshot(last: str, messages: Sequence[Message]) -> str:
    """Return the last snapshot in the messages, else the `last` before them."""
    for message in reversed(messages):
        if isinstance(message, UserMessage) and message.origin == ENVIRONMENT:
            return "".join(part.text for part in message.content if isinstance(part, Text))
    return last


snapshots = PrefixFold(str, _with_snapshot)
"""The snapshot that the model of a session still has before its eyes, "" when there is none."""

"""Where the commands of a session run: the folder and the variables that the last of them left behind.

A command is a fresh shell all the same. It reports its folder and its variables when it ends, and the next
one begins with them. Both are notes; what may be a secret is in none.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field
from itertools import chain

from agls.engine.feature import RunView
from agls.engine.ports import Finished, Workspace, WorkspaceError
from agls.engine.state import State
from agls.engine.vocabulary import JsonObject
from agls.frozen import frozen
from agls.redaction import is_secret, without
from agls.regex import regex
from agls.room.shell_folder import FOLDER, ROOM, folders_in

VARIABLES = "variables"
Changes = Mapping[str, str | None]
NOTHING: Changes = {}
END = "."  # the last character of a report that is whole
_RUNNING = "[ -r /proc/1/comm ] && read -r c </proc/1/comm && [ $c = bwrap ] && echo /proc/[0-9]*"
_STILL_RUNNING = _RUNNING.replace("$", "\\$")  # not before the report
REPORTING = (
    "agls_report=\"{{ {} -0; printf '@%s@%s\\\\0' "
    f"'$({_RUNNING})' \\\"\\$({_STILL_RUNNING})\\\"; "
    'pwd -P; printf {}; }} >$2 2>/dev/null"; '
    'trap "$agls_report" EXIT; '
    'agls_command=$1; shift 2; eval "$agls_command"; '
    '{{ set -- $?; set +x; eval "$agls_report"; }} 2>/dev/null; exit $1'
)
"""A script whose arguments are the command and the file for its report.

It reports when it exits and, for a command with a trap of its own, also before that. In a sandbox with
processes of its own it says which there were before the command, and which there are now.
"""
SHORTEST = 12  # characters: a shorter key is a word like "ollama", which stands in many values
_NAME = regex(r"[A-Za-z_][A-Za-z0-9_]*")
_PASSWORD = regex(r"://[^/@\s]*:[^/@\s]+@")
_SHELLS = "_ PWD OLDPWD SHLVL TERM PS1 PS2 PS4 IFS CDPATH ENV SHELLOPTS GLOBIGNORE POSIXLY_CORRECT"
_SHELLS_OWN = frozenset(_SHELLS.split())
_LOADER = ("LD_", "DYLD_", "BASH")  # they change every program, the supervisor of the command included

SECRET = "[Not kept for the next command, because they may be secret: {}. Set them where they are needed.]"
TOO_LONG = "[Not kept for the next command, because they are too long: {}]"
OUTSIDE = "[{} is outside of the workspace: the next command runs in {}]"
CHANGED = "[Kept for the next commands: {}]"
UNSET = "[No longer set for the next commands: {}]"
NOW = "[The next command runs in {}]"
LEFT = (
    "[What it left running was ended with it; number of processes: {}. What shall go on is run in the "
    "background.]"
)
GONE = "Nothing was run: {}, where commands ran, is gone. The next one runs in the root of the workspace."


@frozen
class ShellState:
    """The folder in which the next command begins ("": the root), and its variables (`None`: unset).

    `before` is the folder to which `cd -` leads (`None`: none).
    """

    folder: str = ""
    variables: Changes = field(default_factory=dict[str, str | None])
    before: str | None = None


@frozen
class ShellReport:
    """The folder in which a shell ended ("": not known), all its variables, and how many processes ran."""

    folder: str
    variables: Mapping[str, str]
    running: int = 0


def state_of(state: State) -> ShellState:
    """Return what the notes of a session say."""
    changes = [note.data["variables"] for note in state.notes.get(ROOM, ()) if note.kind == VARIABLES]
    *earlier, folder = folders_in(state)
    return ShellState(folder, changes[-1] if changes else NOTHING, earlier[-1] if earlier else None)


def report_of(text: str) -> ShellReport | None:
    """Read what a shell reported, `None` where it did not come to an end."""
    *entries, rest = text.split("\0")
    if not entries or not rest.endswith(END):
        return None
    running = max((_left(entry) for entry in entries if entry.startswith("@")), default=0)
    pairs = (entry.partition("=") for entry in entries)
    variables = {name: value for name, _, value in pairs if _NAME.fullmatch(name)}
    return ShellReport(rest.removesuffix(END).removesuffix("\n"), variables, running)


def _left(entry: str) -> int:
    """Return how many processes there are that were not there before, without the one that looked."""
    _, before, now = entry.split("@", 2)
    return max(0, len({*now.split()} - {*before.split()}) - 1)


def changes_between(usual: Mapping[str, str], left: Mapping[str, str]) -> Changes:
    """Return how the variables that were left differ from the usual ones, without those of the shell."""
    changed: dict[str, str | None] = {name: value for name, value in left.items() if usual.get(name) != value}
    changed |= dict.fromkeys(usual.keys() - left.keys())
    return {name: changed[name] for name in sorted(changed) if not _is_shells(name)}


class SessionShell:
    """What a session's commands begin with. It holds nothing but the way to the notes."""

    def __init__(self, secrets: Callable[[], Iterable[str]], most: int) -> None:
        self._known, self._most = secrets, most
        self._view: RunView | None = None

    def see(self, view: RunView) -> None:
        """Take the run whose commands these are."""
        self._view = view

    @property
    def secrets(self) -> Iterable[str]:
        """The user's keys that are no ordinary words."""
        return (secret for secret in self._known() if len(secret) >= SHORTEST)

    @property
    def now(self) -> ShellState:
        """The state for the next command."""
        return state_of(self._view.state) if self._view else ShellState()

    def take(self, finished: Finished, workspace: Workspace, *, with_folder: bool) -> Sequence[str]:
        """Note what a command left behind, unless it was ended. **Returns** that for the model."""
        report = report_of(finished.report) if finished.exit_code is not None else None
        if report is None:
            return ()
        unseen = report.running and not finished.left_over  # in a sandbox the processes are not counted
        remarks = [
            *([LEFT.format(report.running)] if unseen else ()),
            *self._take_variables(report, workspace),
        ]
        return (*remarks, *self._take_folder(report, workspace)) if with_folder and report.folder else remarks

    def forget_folder(self) -> None:
        """Note that commands run in the root again."""
        self._note(FOLDER, {"folder": ""})

    def _take_folder(self, report: ShellReport, workspace: Workspace) -> Sequence[str]:
        before, folder = self.now.folder, folder_named(report.folder, workspace)
        here = before or "the root of the workspace"
        if folder is None:
            return (OUTSIDE.format(report.folder, here),)
        if folder != before:
            self._note(FOLDER, {"folder": folder})
        return (
            (NOW.format(folder),) if folder else (NOW.format("the root of the workspace"),) if before else ()
        )

    def _take_variables(self, report: ShellReport, workspace: Workspace) -> Sequence[str]:
        before, left = self.now.variables, changes_between(workspace.environment, report.variables)
        secret = [
            name for name, value in left.items() if value is not None and self._may_be_secret(name, value)
        ]
        kept, long = self._fitting({name: value for name, value in left.items() if name not in secret})
        if kept != before:
            self._note(VARIABLES, {"variables": kept})
        new = [
            name for name in chain(kept, before.keys() - kept.keys()) if _of(kept, name) != _of(before, name)
        ]
        gone = [name for name in new if name not in report.variables]
        stay = [name for name in new if name in report.variables]
        remarks = ((CHANGED, stay), (UNSET, gone), (SECRET, secret), (TOO_LONG, long))
        return [text.format(", ".join(names)) for text, names in remarks if names]

    def _fitting(self, changes: Changes) -> tuple[dict[str, str | None], list[str]]:
        """Return the changes that are not too long together, and the names of the others."""
        kept = dict[str, str | None]()
        long, size = list[str](), 0
        for name, value in changes.items():
            size += (length := len(name) + len((value or "").encode("utf-8", "surrogatepass")))
            if size > self._most or "\udc80" <= max(value or "", default="") <= "\udcff":
                long.append(name)
                size -= length
            else:
                kept[name] = value
        return kept, long

    def _may_be_secret(self, name: str, value: str) -> bool:
        return is_secret(name) or bool(_PASSWORD.search(value)) or without(self.secrets, value) != value

    def _note(self, kind: str, data: JsonObject) -> None:
        if self._view:
            self._view.note(ROOM, kind, data)


def folder_named(path: str, workspace: Workspace) -> str | None:
    """Return a folder's name in notes ("": the root), `None` where no command may run in it."""
    try:
        place, root = workspace.place(path), workspace.place(".")
    except WorkspaceError:
        return None
    if not place.inside:
        return None
    return "" if place.path == root.path else place.shown


def _is_shells(name: str) -> bool:
    return name in _SHELLS_OWN or name.startswith(_LOADER)


def _of(changes: Changes, name: str) -> object:
    return changes.get(name, NOTHING)

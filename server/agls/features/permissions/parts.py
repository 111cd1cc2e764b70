"""The programs of a command, each judged by itself: whether it is known to read the workspace and no more."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from itertools import zip_longest
from posixpath import basename, join
from shlex import quote

from agls.engine.ports import Effect, PathInfo, Workspace, WorkspaceError
from agls.features.permissions.commands import UNKNOWN, known_only_when_run, touched
from agls.features.permissions.deep_readers import follows_links, secrets_read
from agls.features.permissions.printed_names import Names
from agls.features.permissions.readers import git_folder, read_by
from agls.features.permissions.rules import ResolvedTarget
from agls.features.permissions.starters import NameSources, started_by
from agls.features.permissions.syntax import Program, programs
from agls.features.permissions.version_readers import version_asked
from agls.regex import regex
from agls.room.process_ports import ShellFacts
from agls.room.shell_tree import A_NAME, NotUnderstood, Word
from agls.secret_names import may_hold_secrets

_PLAIN_NAME = regex(r"[\w.+@,=~#%][\w.+@,=~#%:-]*")
_BY_CLASS = regex(r"\[[^\]]*\[")  # `[[:alpha:]]`: the shell knows more classes than we do
# What every program of the machine may know: it says nothing of its user.
OF_THE_MACHINE = frozenset(
    [
        "/etc/debian_version",
        "/etc/issue",
        "/etc/lsb-release",
        "/etc/os-release",
        "/proc/cpuinfo",
        "/proc/loadavg",
        "/proc/meminfo",
        "/proc/uptime",
        "/proc/version",
        "/usr/lib/os-release",
    ]
)
NO_FILES = frozenset({"-", "/dev/null"})  # a terminal is one: reading it takes what the user types
# Of a file that they are given they say only that it is there, and what it is.
SHOW_NO_TEXT = frozenset(
    ["basename", "cd", "dirname", "du", "ls", "readlink", "realpath", "stat", "test", "tree"]
)
KEEP_HEADERS = frozenset(["head", "cat", "wc"])  # what they print of a patch still says of which file it is
PATCHES = frozenset(["diff", "show", "-p", "-u", "--patch", "whatchanged", "--cc", "-c"])
BUILTINS = frozenset(
    [
        ":",
        "cd",
        "command",
        "echo",
        "false",
        "printf",
        "pwd",
        "test",
        "true",
        "type",
        "exit",
        "set",
        "jobs",
        "alias",
        "ulimit",
    ]
)


def in_parts(
    whole: ResolvedTarget,
    command: str,
    cwd: str,
    workspace: Workspace,
    shell_facts: ShellFacts,
) -> ResolvedTarget:
    """Return the target with what is known of its programs; with the `doubt` when that is nothing."""
    try:
        root, here = workspace.place(".").path, workspace.place(cwd).path
        is_below = here.startswith(f"{root}/")  # links are resolved, so `..` leads to the folder above
        look = _Look(workspace, shell_facts, "." if is_below else cwd)
        found = programs(command, look.names, here, here.removeprefix(f"{root}/") if is_below else "")
    except (NotUnderstood, WorkspaceError) as problem:
        return replace(whole, doubt=str(problem))
    judged = [(program.again, look.part(whole.tool, program)) for program in found]
    if sifted := look.sifted_patches(found):
        return replace(whole, doubt=sifted)
    parts = tuple(part for again, part in judged if not again or part.doubt)
    doubt = next((part.doubt for part in parts if part.doubt), "")
    several = parts if len(parts) > 1 else ()
    return replace(whole, reads_only=bool(found) and not doubt, doubt=doubt, parts=several)


def from_root(command: str, cwd: str, workspace: Workspace) -> str:
    """Return the command as given in the root: a permission for the root is none for other folders."""
    try:
        folder, root = workspace.place(cwd), workspace.place(".")
    except WorkspaceError:
        return command
    return command if folder.path == root.path else f"cd {quote(folder.shown)} && {command}"


def _may_leave(pattern: str) -> bool:
    """Return whether a pattern may become `..`, as it does in older shells."""
    return any(part[:1] == "." and fnmatchcase("..", part) for part in pattern.split("/") if part != "..")


class _Look:
    """Looks at the programs of one command, which begins in `cwd`."""

    def __init__(self, workspace: Workspace, shell_facts: ShellFacts, cwd: str) -> None:
        self._workspace, self._shell_facts = workspace, shell_facts
        self._cwd = cwd
        self._roots = (workspace.place(".").path,)
        self._safe = set[str]()  # names that were looked at

    def part(self, tool: str, program: Program) -> ResolvedTarget:
        """Return what is known of one program."""
        folder = join(self._cwd, program.folder)
        doubt = ""
        try:
            self._check(program, folder)
        except (NotUnderstood, WorkspaceError) as problem:
            doubt = str(problem)
        return ResolvedTarget(
            tool,
            Effect.EXECUTES,
            from_root(program.text, folder, self._workspace),
            leads_out=self._leads_out(program.text, folder),
            reads_only=not doubt,
            doubt=doubt,
            fed=program.piped or bool(program.inputs) or bool(program.loops),
        )

    def names(self, pattern: str, folder: str) -> Sequence[str]:
        """Return the names that a loop over a pattern is for. **Raises** as `_check` does."""
        return self._expanded(Word(pattern, is_pattern=True), join(self._cwd, folder))

    def sifted_patches(self, found: Sequence[Program]) -> str:
        """Return why what git shows of files may show keys, "" when it does not.

        Of a patch that nothing sifts, the part about such a file is left out (`room/patch_secrets.py`);
        behind `grep` its lines are no longer told from others.
        """
        for program, after in zip_longest(found, found[1:]):
            words = [word.text for word in program.words]
            is_sifted = after is not None and after.piped and after.words[0].text not in KEEP_HEADERS
            if words[0] != "git" or not (
                "grep" in words[:4] or (is_sifted and PATCHES.intersection(words[1:]))
            ):
                continue
            if held := self._tracked_secret(join(self._cwd, program.folder, git_folder(words[1:]))):
                return f"it may show lines of {held}, which may hold keys"
        return ""

    def _tracked_secret(self, folder: str) -> str:
        try:
            names = self._shell_facts.tracked(folder)
        except WorkspaceError:  # too many, or no repository
            return ""
        return next(filter(may_hold_secrets, names), "")

    def _check(self, program: Program, folder: str) -> None:
        """**Raises** `NotUnderstood` or `WorkspaceError` unless it only reads in the workspace."""
        words = self._all_expanded(program.words, folder)
        self._check_path(".", folder)
        sources = NameSources(
            self._all_expanded(program.source, folder),
            [self._all_expanded(loop, folder) for loop in program.loops],
        )
        is_key_word = not program.piped and self._shell_facts.is_foreign("bash", folder)
        for each in (words, *(("cat", "--", path) for path in program.inputs if path not in NO_FILES)):
            for started in started_by(each, sources, is_key_word=is_key_word):
                self._check_programs(folder, *started.programs)
                self._check_words(started.words, folder)
                for names in started.names:
                    self._check_names(names, folder)

    def _check_words(self, words: Sequence[str], folder: str) -> None:
        name, paths = words[0], read_by(words)
        if name not in BUILTINS:
            self._check_programs(folder, name)
            self._check_obeyed(words, folder)
        for path in paths:
            if path != A_NAME:
                (self._check_place if name in SHOW_NO_TEXT else self._check_path)(path, folder)
        if name == "cd":
            self._check_path(words[1], folder)
        if name == "git":
            self._check_git(join(folder, git_folder(words[1:])))
        if is_meant := secrets_read(words):
            for below in paths:
                self._check_deep(join(folder, below), is_meant, follows=follows_links(words))
        elif name == "diff":  # of a folder it reads the files, and what links there lead to
            for below in filter(lambda path: path not in {*NO_FILES, A_NAME}, paths):
                self._check_names(Names((below,), are_words=True), folder)

    def _check_programs(self, folder: str, *names: str) -> None:
        for name in names:
            if not self._shell_facts.is_foreign(name, folder):
                raise NotUnderstood(f"{name} is not found, or the workspace decides what it is")

    def _check_obeyed(self, words: Sequence[str], folder: str) -> None:
        asked = version_asked(words)
        self._check_programs(folder, *asked.starts)
        if asked.obeys and (found := self._shell_facts.obeyed(folder, asked.obeys)):
            raise NotUnderstood(f"{words[0]} does what {found} says")

    def _check_names(self, names: Names, folder: str) -> None:
        """**Raises** unless each of these names is one that can only be taken for that file."""
        if (key := repr((names, folder))) in self._safe:
            return
        self._safe.add(key)
        for place in names.below:
            below = join(folder, place)
            if names.from_top and not self._shell_facts.is_top(below):
                raise NotUnderstood("git names files as seen from the top of the repository")
            if names.are_tracked:
                self._check_tracked(names, below)
            else:
                self._check_below(names, below)

    def _check_tracked(self, names: Names, folder: str) -> None:
        for path in self._shell_facts.tracked(folder):
            if not fnmatchcase(basename(path), names.name):
                continue
            is_plain = path.isascii() and all(map(_PLAIN_NAME.fullmatch, path.split("/")))
            if not is_plain and not names.are_words:  # git writes other letters in another way, too
                raise NotUnderstood(f"`{path}` may be taken for something else than one name")
            self._check_path(path, folder)

    def _check_below(self, names: Names, folder: str) -> None:
        for path, kind in self._shell_facts.below(folder):
            name = basename(path)
            is_meant = fnmatchcase(name, names.name) and not (names.only_files and kind != "file")
            if not names.are_words and (is_meant or kind != "file") and not _PLAIN_NAME.fullmatch(name):
                raise NotUnderstood(f"`{name}` may be taken for something else than one name")
            if not is_meant:
                continue
            if may_hold_secrets(f"{path}/" if kind == "folder" else path):
                raise NotUnderstood(f"it reads {path} too, which may hold keys")
            if kind == "link":
                self._check_path(join(folder, path), ".")

    def _check_git(self, folder: str) -> None:
        if danger := self._shell_facts.programs_of_git(folder):
            raise NotUnderstood(f"git may run another program here: {danger}")

    def _all_expanded(self, words: Iterable[Word], folder: str) -> Sequence[str]:
        return [text for word in words for text in self._expanded(word, folder)]

    def _expanded(self, word: Word, folder: str) -> Sequence[str]:
        if not word.is_pattern:
            return (word.text,)
        if "[^" in word.text or _BY_CLASS.search(word.text) or _may_leave(word.text):
            raise NotUnderstood(f"what `{word.text}` becomes is known only when it runs")
        names = self._shell_facts.expand(word.text, folder)
        for name in names:
            self._check_place(name, folder)
        return names

    def _check_path(self, path: str, folder: str) -> None:
        if path in NO_FILES:
            return
        place = self._check_place(path, folder)
        in_commit = path.rpartition(":")[2]  # `HEAD:.env`
        if any(may_hold_secrets(name, self._roots) for name in (path, in_commit, place.path)):
            raise NotUnderstood(f"{path} may hold keys")

    def _check_place(self, path: str, folder: str) -> PathInfo:
        place = self._workspace.place(join(folder, path))
        if not place.inside and place.path not in OF_THE_MACHINE:
            raise NotUnderstood(f"{path} is outside the workspace")
        return place

    def _check_deep(self, folder: str, is_meant: Callable[[str], bool], *, follows: bool) -> None:
        entries = self._shell_facts.below(folder) if follows else ()
        if link := next((path for path, kind in entries if kind == "link"), ""):
            raise NotUnderstood(f"it would follow the link {link}: write -r, or --no-dereference for diff")
        if held := self._shell_facts.held_below(folder, is_meant):
            raise NotUnderstood(f"it reads {held} too, which may hold keys")

    def _leads_out(self, text: str, folder: str) -> bool:
        for _, path in touched(text):
            if path == UNKNOWN:
                return True
            if known_only_when_run(path):
                continue
            try:
                if not self._workspace.place(join(folder, path)).inside:
                    return True
            except WorkspaceError:
                continue
        return False

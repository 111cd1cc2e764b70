"""The instruction files of a session, as rooms get them: looked for once, and again when anything changed."""

from collections import OrderedDict
from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import accumulate
from typing import Any, Protocol, TypeVar

from agls.frozen import frozen
from agls.instruction_files.survey import Collection, FolderReader
from agls.instruction_files.texts import InstructionText, Omitted, Survey
from agls.room.exposed import InstructionLimits

REMEMBERED = 32  # looks
MOST_TOUCHED = 200  # paths that are looked at in one go
UNTRUSTED = "the folder is not trusted; to trust it: agls trust"
DISABLED = "project_files is off in [instructions]"


class TextLook(FolderReader, Protocol):
    """A look at folders. `is_current` is whether everything that it saw is still as it was."""

    def is_current(self) -> bool: ...


@frozen
class OwnInstructions:
    """The paths of the administrator's file, of the user's, and of the one that may stand in for that.

    `home` is the user's folder, which their own files may call `~`.
    """

    managed: str = ""
    user: str = ""
    claude: str = ""
    home: str = ""

    @property
    def paths(self) -> tuple[str, ...]:
        """All of them."""
        return tuple(path for path in (self.managed, self.user, self.claude) if path)


@frozen
class Folders:
    """The folders that count, absolute.

    `all` are in the order in which the model reads them: from the root of the repository to the work folder,
    then those that were added. `roots` are those in which deeper folders count, `above` those above the work
    folder. All are empty where the folder is not trusted; `untrusted` are the roots that are not.
    """

    all: tuple[str, ...] = ()
    roots: tuple[str, ...] = ()
    above: tuple[str, ...] = ()
    untrusted: tuple[str, ...] = ()


class Glance(Protocol):
    """How the folders are looked at: `look` begins to, `present` names files without opening any."""

    def look(self, folders: Folders, own: Sequence[str]) -> TextLook: ...
    def present(self, folders: Sequence[str]) -> Sequence[str]: ...
    def matches(self, glob: str, path: str) -> bool: ...


Surveyed = tuple[Survey, TextLook]
Found = TypeVar("Found")


class Surveys:
    """What the last looks at the folders of each session found: a run works with it as long as it is so."""

    def __init__(self) -> None:
        self._known: OrderedDict[object, tuple[Any, TextLook]] = OrderedDict()

    def get(self, key: object, make: Callable[[], tuple[Found, TextLook]]) -> Found:
        """Return what is known under this key, looked at anew when something changed."""
        known = self._known.pop(key, None)
        if known is None or not known[1].is_current():
            known = make()
        self._known[key] = known
        if len(self._known) > REMEMBERED:
            self._known.popitem(last=False)
        return known[0]

    def clear(self) -> None:
        """Forget everything: the next looks find it anew."""
        self._known.clear()


class InstructionFiles:
    """The instruction files of one session."""

    def __init__(
        self,
        settings: InstructionLimits,
        own: OwnInstructions,
        folders: Callable[[], Folders],
        surveys: Surveys,
        glance: Glance,
    ) -> None:
        self.settings, self._own = settings, own
        self._find, self._surveys = folders, surveys
        self._glance = glance

    @cached_property
    def folders(self) -> Folders:
        """The folders that count."""
        return self._find()

    def survey(self) -> Survey:
        """Return what there is; it costs nearly nothing while nothing changed."""
        key = (self.settings.project_files, self.settings.claude_home, self._own, self.folders)
        return self._surveys.get(key, self._survey)

    def unread(self) -> Sequence[Omitted]:
        """Return the files that would count, but stay closed: nobody trusts their folder, or they are off."""
        closed = [Omitted(path, UNTRUSTED) for path in self._glance.present(self.folders.untrusted)]
        if not self.settings.project_files:
            closed += [Omitted(path, DISABLED) for path in self._glance.present(self.folders.all)]
        return closed

    def touched(self, paths: Sequence[str]) -> Survey:
        """Return the texts that count for these files besides those that always do. Paths are absolute."""
        if not (self.settings.project_files and self.folders.roots and paths):
            return Survey()
        folders = self._deeper(paths[:MOST_TOUCHED])
        deeper = (
            self._surveys.get((self.folders, *folders), lambda: self._in(folders)) if folders else Survey()
        )
        known = self.survey()
        rules = [text for text in known.texts if text.when == "touched"] + list(deeper.texts)
        seen = {text.real for text in known.always}
        fitting = (text for text in rules if text.real not in seen and self._fits(text, paths))
        return Survey(tuple(fitting), deeper.omitted)

    def _survey(self) -> Surveyed:
        look = self._glance.look(self.folders, self._own.paths)
        found, own = Collection(look, self._own.home), self._own
        if own.managed:
            found.add_own(own.managed, "managed")
        has_own = bool(own.user) and found.add_own(own.user, "user")
        if self.settings.claude_home and own.claude and not has_own:
            found.add_own(own.claude, "user")
        if self.settings.project_files:
            for folder in self.folders.all:
                found.add_folder(folder)
        return Survey(tuple(found.texts), tuple(found.omitted)), look

    def _in(self, folders: Sequence[str]) -> Surveyed:
        look = self._glance.look(self.folders, ())
        found = Collection(look)
        for folder in folders:
            found.add_folder(folder)
        return Survey(tuple(found.texts), tuple(found.omitted)), look

    def _deeper(self, paths: Sequence[str]) -> list[str]:
        """Return the folders between the roots and these files, each once, the outermost first."""
        found: set[str] = set()
        for path in paths:
            roots = [each for each in self.folders.roots if path.startswith(f"{each}/")]
            if roots:
                root = max(roots, key=len)
                _, *deeper = accumulate(path[len(root) + 1 :].split("/")[:-1], "{}/{}".format, initial=root)
                found.update(deeper)
        return sorted(found - set(self.folders.all))

    def _fits(self, text: InstructionText, paths: Sequence[str]) -> bool:
        """Return whether a text is for one of these files."""
        folder = f"{text.folder}/"
        below = [path.removeprefix(folder) for path in paths if path.startswith(folder)]
        return any(self._fits_path(text.globs, path) for path in below)

    def _fits_path(self, globs: Sequence[str], path: str) -> bool:
        """Return whether globs fit a path: those with a `!` say for which files of the others they do not."""
        wanted = [glob for glob in globs if not glob.startswith("!")]
        if wanted and not any(self._glance.matches(glob, path) for glob in wanted):
            return False
        return not any(self._glance.matches(glob[1:], path) for glob in globs if glob.startswith("!"))

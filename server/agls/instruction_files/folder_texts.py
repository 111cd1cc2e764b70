"""Small texts that people wrote for agents: in the folders of a session, and the user's own."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol, TypeVar

from agls.frozen import frozen
from agls.instruction_files.survey import FolderReader

if TYPE_CHECKING:
    from agls.plugin_files import PluginContent

Found = TypeVar("Found")


@frozen
class TextFolders:
    """The folders that count, absolute: those of the `project`, nearest first (none where nobody trusts it).

    `config` is the folder of the user's configuration, `home` the user's home ("": not known). Those that are
    `untrusted` are named, and nothing more. Of `plugins` the user installed all that they bring.
    """

    project: Sequence[str] = ()
    config: str = ""
    home: str = ""
    untrusted: Sequence[str] = ()
    plugins: Sequence["PluginContent"] = ()


class FolderTexts(Protocol):
    """Reads the texts, and remembers what they came to as long as nothing that was looked at changed.

    `get` **returns** what `make` finds, or what it found the last time under this key; `own` are the user's
    own folders that it may read in. What is looked at `once` is not looked at again for the same run, by whom
    ever it is asked for. `fits` **returns** whether a glob fits a path, which is relative.
    """

    @property
    def folders(self) -> TextFolders: ...
    def get(
        self, key: object, own: Sequence[str], make: Callable[[FolderReader], Found], *, once: bool = False
    ) -> Found: ...
    def fits(self, glob: str, path: str) -> bool: ...

"""Where command files are, and in which dialect they are written."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Literal

from agls.frozen import frozen
from agls.instruction_files.folder_texts import TextFolders
from agls.prompt_files.opencode_config import NAMES

if TYPE_CHECKING:
    from agls.plugin_files import PluginContent

Dialect = Literal["usual", "opencode", "github", "gemini", "codex", "skill"]
Origin = Literal["project", "user", "plugin", "agls"]


@frozen
class CommandPlace:
    """A folder of command files, below one of the project or the user's home.

    Their names have this `end`. `ours` is whether the folder is one of agls. A `configuration` is no folder,
    but a file that has commands in it.
    """

    folder: str
    end: str = ".md"
    dialect: Dialect = "usual"
    ours: bool = False
    configuration: bool = False


@frozen
class CommandFolder:
    """A folder that is looked at (or a file alone): its absolute path, whose it is, and its place.

    The commands of a `plugin` are `PLUGIN:NAME`.
    """

    path: str
    origin: Origin
    place: CommandPlace
    plugin: "PluginContent | None" = None


OURS = CommandPlace(".agls/commands", ours=True)
CLAUDE = CommandPlace(".claude/commands")
OPENCODE = tuple(
    CommandPlace(f"{folder}/{name}", dialect="opencode")
    for folder in (".opencode", ".kilo", ".config/opencode")
    for name in ("commands", "command")
)
PLAIN = tuple(
    CommandPlace(folder)
    for folder in (
        ".cursor/commands",
        ".roo/commands",
        ".factory/commands",
        ".junie/commands",
        ".kiro/prompts",
        ".qwen/commands",
        ".windsurf/workflows",
        ".clinerules/workflows",
        ".agent/workflows",
        ".kilocode/workflows",
    )
)
MOST_OF_HOME = 6  # the first ones of these are read below the user's home, too
CONFIGURED = tuple(
    CommandPlace(f"{folder}{name}", dialect="opencode", configuration=True)
    for folder in ("", ".opencode/", ".config/opencode/")
    for name in NAMES
)
GITHUB = CommandPlace(".github/prompts", ".prompt.md", "github")
CODEX = CommandPlace(".codex/prompts", dialect="codex")
GEMINI = tuple(CommandPlace(f"{folder}/commands", ".toml", "gemini") for folder in (".gemini", ".qwen"))
OF_PLUGINS = CommandPlace("commands", ours=True)  # of those that the user installed
OF_EXTENSIONS = CommandPlace("commands", ".toml", "gemini", ours=True)
OF_PROJECT = (OURS, CLAUDE, *OPENCODE[:4], *CONFIGURED[:4], GITHUB, *GEMINI, CODEX, *PLAIN)
OF_HOME = (CLAUDE, *OPENCODE[4:], *CONFIGURED[4:], *GEMINI, CODEX, *PLAIN[:MOST_OF_HOME])
PROJECT_FILES = tuple(place.folder for place in OF_PROJECT)


def command_folders(folders: TextFolders, *, other_tools: bool) -> Sequence[CommandFolder]:
    """Return the folders in which commands count: of two with the same name the first counts."""
    return [each for each in _folders(folders) if each.place.ours or other_tools]


def command_files(name: str) -> Sequence[str]:
    """Return the files of a project that would each make the command of this name."""
    path = name.replace(":", "/")
    return [f"{place.folder}/{path}{place.end}" for place in OF_PROJECT if not place.configuration]


def _folders(folders: TextFolders) -> Iterator[CommandFolder]:
    for root in folders.project:
        yield from (CommandFolder(f"{root}/{place.folder}", "project", place) for place in OF_PROJECT)
    if folders.config:
        yield CommandFolder(f"{folders.config}/commands", "user", OURS)
    if folders.home:
        yield from (CommandFolder(f"{folders.home}/{place.folder}", "user", place) for place in OF_HOME)
    for each in folders.plugins:
        kind = OF_EXTENSIONS if each.dialect == "gemini" else OF_PLUGINS
        yield from (CommandFolder(path, "plugin", kind, each) for path in each.commands)

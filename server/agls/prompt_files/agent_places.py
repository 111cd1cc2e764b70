"""Where the files of agents are, and in which order they count."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from agls.frozen import frozen
from agls.prompt_files.opencode_config import NAMES

if TYPE_CHECKING:
    from agls.plugin_files import PluginContent

Origin = Literal["project", "user", "plugin", "built in"]
OURS = ".agls/agents"
CODEX = "config.toml"  # has roles of Codex
BUILT_IN = str(Path(__file__).with_name("agents"))
# Each folder with the end of its files.
PROJECT = (
    (OURS, ".md"),
    (".claude/agents", ".md"),
    (".github/agents", ".md"),
    (".github/chatmodes", ".chatmode.md"),
    (".cursor/agents", ".md"),
    (".gemini/agents", ".md"),
    (".opencode/agents", ".md"),
    (".opencode/agent", ".md"),
    (".codex/agents", ".toml"),
    (".windsurf/agents", ".md"),
    (".factory/droids", ".md"),
    (".junie/agents", ".md"),
    (".kilo/agents", ".md"),
    (".kiro/agents", ".md"),
    (".qwen/agents", ".md"),
    (".agent/agents", ".md"),
)
HOME = (
    *PROJECT,
    (".config/opencode/agents", ".md"),
    (".config/opencode/agent", ".md"),
    (".copilot/agents", ".md"),
)
CONFIGURED = ("", ".opencode/")  # where OpenCode has a configuration, in which agents may stand
PROJECT_FILES = (
    *(folder for folder, _ in PROJECT),
    *(f"{at}{name}" for at in CONFIGURED for name in NAMES),
    f".codex/{CODEX}",
)


@frozen
class AgentFolder:
    """A folder of agents: its absolute path, the end of its files, whose it is; `root` may not be left.

    Of the agents of a `plugin` the names begin with its own. With `only` one file of the folder counts, which
    may be a `configuration` that has agents in it.
    """

    path: str
    end: str
    origin: Origin
    root: str = ""
    plugin: "PluginContent | None" = None
    only: str = ""
    configuration: bool = False


def plugin_folders(plugins: Sequence["PluginContent"]) -> Iterator[AgentFolder]:
    """Yield the folders of agents of plugins."""
    for each in plugins:
        for path in each.agents:
            folder, only = (path, "") if Path(path).is_dir() else path.rsplit("/", 1)
            yield AgentFolder(folder, ".md", "plugin", each.root, each, only)


def agent_folders(project: Sequence[str], config: str, home: str) -> Iterator[AgentFolder]:
    """Yield the folders. Of two agents of a name the first counts, of the `project` the nearest."""
    for root in project:
        yield from (AgentFolder(f"{root}/{place}", end, "project", root) for place, end in PROJECT)
        yield from (_configured(f"{root}/{at}", name, "project", root) for at in CONFIGURED for name in NAMES)
        yield _configured(f"{root}/.codex", CODEX, "project", root)
    yield AgentFolder(f"{config}/agents", ".md", "user")
    if home:
        yield from (AgentFolder(f"{home}/{place}", end, "user") for place, end in HOME)
        yield from (_configured(f"{home}/.config/opencode", name, "user") for name in NAMES)
        yield _configured(f"{home}/.codex", CODEX, "user")
    yield AgentFolder(BUILT_IN, ".md", "built in")


def _configured(folder: str, name: str, origin: Origin, root: str = "") -> AgentFolder:
    return AgentFolder(folder.rstrip("/"), "", origin, root, only=name, configuration=True)

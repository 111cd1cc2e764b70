"""Where skills are: in folders of the project, of the user, and in agls itself."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from agls.frozen import frozen
from agls.instruction_files.folder_texts import TextFolders

if TYPE_CHECKING:
    from agls.plugin_files import PluginContent

Origin = Literal["project", "user", "plugin", "bundled"]
OURS = ".agls/skills"
_OTHER_TOOLS = [
    "agents",
    "claude",
    "github",
    "codex",
    "cursor",
    "gemini",
    "opencode",
    "kimi",
    "windsurf",
    "roo",
    "cline",
    "agent",  # of Antigravity
    "factory",
    "junie",
    "kilo",
    "kilocode",
    "kiro",
    "qwen",
]
OTHERS = (*(f".{tool}/skills" for tool in _OTHER_TOOLS), ".opencode/skill")  # OpenCode reads both spellings
OF_HOME = (*OTHERS, ".config/agents/skills", ".config/opencode/skills", ".config/opencode/skill")
PROJECT_FILES = (OURS, *OTHERS)
BUNDLED = str(Path(__file__).with_name("bundled"))


@frozen
class SkillFolder:
    """A folder of skills: its absolute path, whose it is, and whether it is one of agls (`ours`).

    The skills of a `plugin` are `PLUGIN:NAME`; its folder may be a skill itself.
    """

    path: str
    origin: Origin
    ours: bool = False
    plugin: "PluginContent | None" = None


def skill_folders(folders: TextFolders, *, other_tools: bool) -> Sequence[SkillFolder]:
    """Return the folders in which skills count: of two with the same name the first counts."""
    return [each for each in _folders(folders) if each.ours or other_tools]


def command_files(name: str) -> Sequence[str]:
    """Return the files of a project that would each be the skill of this name."""
    return [f"{place}/{name}/SKILL.md" for place in PROJECT_FILES]


def own_paths(folders: Sequence[SkillFolder]) -> Sequence[str]:
    """Return those that are the user's, or part of agls."""
    return [each.path for each in folders if each.origin != "project"]


def _folders(folders: TextFolders) -> Iterator[SkillFolder]:
    for root in folders.project:
        yield SkillFolder(f"{root}/{OURS}", "project", ours=True)
        yield from (SkillFolder(f"{root}/{place}", "project") for place in OTHERS)
    if folders.config:
        yield SkillFolder(f"{folders.config}/skills", "user", ours=True)
    if folders.home:
        yield SkillFolder(f"{folders.home}/{OURS}", "user", ours=True)
        yield from (SkillFolder(f"{folders.home}/{place}", "user") for place in OF_HOME)
    for each in folders.plugins:
        for path in each.skills:
            yield SkillFolder(path, "plugin", ours=True, plugin=each)
    yield SkillFolder(BUNDLED, "bundled", ours=True)

"""What a skill says of how it is worked on: by whom, for which files, without which tools. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from typing import Any

from agls.front_matter import names, truth
from agls.frozen import frozen
from agls.json_values import object_in
from agls.prompt_files.agent_tools import tools_in
from agls.prompt_files.command_file import one_line, suggested_tools

FORK = "fork"
KEYS = frozenset(["context", "agent", "background", "paths", "hooks", "disallowed-tools"])
EVERY_FILE = frozenset({"**", "**/*", "*"})
NO_CONTEXT = "its context {!r} is not known here: write `context: fork`, or leave it out"
ALONE = "{} counts only with `context: fork`"
NO_HOOKS = "its hooks are no map of events: write them as in the settings, `PreToolUse:` with a list below"
NO_TOOLS = "it names tools in disallowed-tools that are not known here: {}"
WHOLE = "a skill cannot forbid some calls of a tool ({}): name the tool alone, or write a deny rule"


@frozen
class SkillConduct:
    """How a skill is worked on.

    One that `forks` is done by a helper, an `agent` of this name ("": one like the session itself), in the
    `background` if it says so. The model is told of one with `paths` when it works on such a file. Tools that
    it `denies` are not used in the run in which it is loaded. Its `hooks` are offers.
    """

    forks: bool = False
    agent: str = ""
    background: bool = False
    paths: tuple[str, ...] = ()
    denies: tuple[str, ...] = ()
    hooks: Mapping[str, Any] = field(default_factory=dict[str, Any])


PLAIN = SkillConduct()


def conduct_in(values: Mapping[str, Any]) -> SkillConduct:
    """Return what the front matter says of it."""
    if not KEYS.intersection(values):
        return PLAIN
    paths = tuple(each for each in names(values.get("paths")) if each)
    return SkillConduct(
        one_line(values.get("context")).lower() == FORK,
        one_line(values.get("agent")),
        truth(values.get("background")) is True,
        () if EVERY_FILE.intersection(paths) else paths,
        tuple(tools_in({"disallowedTools": _whole_tools(values)}).denied),
        object_in(values, "hooks"),
    )


def conduct_remarks(values: Mapping[str, Any]) -> Iterator[str]:
    """Yield what of it is not as it should be."""
    context = one_line(values.get("context"))
    forks = context.lower() == FORK
    if context and not forks:
        yield NO_CONTEXT.format(context[:40])
    if not forks and (alone := [key for key in ("agent", "background") if values.get(key)]):
        yield ALONE.format(" and ".join(alone))
    if values.get("hooks") and not object_in(values, "hooks"):
        yield NO_HOOKS
    if unknown := tools_in({"disallowedTools": _whole_tools(values)}).misnamed:
        yield NO_TOOLS.format(", ".join(unknown))
    if partly := [each for each in _denied(values) if "(" in each]:
        yield WHOLE.format(", ".join(partly)[:200])


def _whole_tools(values: Mapping[str, Any]) -> list[str]:
    return [each for each in _denied(values) if "(" not in each]


def _denied(values: Mapping[str, Any]) -> Sequence[str]:
    return suggested_tools(values.get("disallowed-tools"))

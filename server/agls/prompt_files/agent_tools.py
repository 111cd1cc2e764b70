"""The tools that the file of an agent names, in the words of agls. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from agls.front_matter import names, truth
from agls.frozen import frozen
from agls.json_values import is_object
from agls.other_tool_names import OTHER_TOOL_NAMES
from agls.regex import regex

_SEVERAL = {
    "search codebase usages searchresults": ("grep", "glob", "list_dir", "code_intelligence"),
    "web": ("web_fetch", "web_search"),
}
ALIASES: Mapping[str, Sequence[str]] = {
    **{alias: tools for words, tools in _SEVERAL.items() for alias in words.split()},
    **{
        alias: row.group or (tool,)
        for tool, row in OTHER_TOOL_NAMES.items()
        for alias in f"{row.called} {row.named}".split()
    },
}
OWN = (
    OTHER_TOOL_NAMES.keys()
    | {tool for tools in ALIASES.values() for tool in tools}
    | {
        "move_file",
        "delete_file",
        "rename_symbol",
        "git_commit",
        "find_tools",
        "helper_task",
        "run_status",
        "save_attachment",
        "write_own_memory",
    }
)
_ELSEWHERE = """
    exitplanmode enterplanmode githubrepo terminallastcommand terminalselection getterminaloutput killterminal
    vscodeapi extensions installextension opensimplebrowser changes runvscodecommand newworkspace selection
    createandrunnotebook getprojectsetupinfo structuredoutput taskoutput taskstop listmcpresources
    readmcpresource listmcpresourcestool readmcpresourcetool
    powershell"""
ELSEWHERE = frozenset(_ELSEWHERE.split())  # tools of editors and other agents that nothing here stands for
ALIKE = (
    (frozenset({"edit_file", "write_file"}), ("move_file", "delete_file", "rename_symbol")),
    (frozenset({"shell"}), ("git_commit",)),
)
READ_SANDBOX = "read-only"
ALL = frozenset({"*", "all", "all tools"})
_ENTRY = regex(r"([^\s,()]+)(?:\(([^()]*)\))?")


@frozen
class ToolWishes:
    """The tools that a file allows (`None`: says nothing of them) and denies, and what of it nothing fits.

    `agents` are those that it may delegate to; with `only_reads` it may read, and nothing else. `narrowed`
    are tools that are denied whole where the file has exceptions.
    """

    allowed: Sequence[str] | None = None
    denied: Sequence[str] = ()
    agents: Sequence[str] = ()
    unknown: Sequence[str] = ()
    only_reads: bool = False
    narrowed: Sequence[str] = ()

    @property
    def misnamed(self) -> Sequence[str]:
        """Those that nothing fits, without the known ones of other products."""
        return [name for name in self.unknown if name.rpartition("/")[2].lower() not in ELSEWHERE]


def tools_in(values: Mapping[str, Any]) -> ToolWishes:
    """Return what the front matter of a file says of tools."""
    said = values.get("tools")
    if isinstance(said, str) and said.strip().lower() in ALL:
        said = ["*"]
    switched = {name: truth(on) for name, on in _items(said)} if is_object(said) else {}
    permission = {name: _decision(on) for name, on in _items(values.get("permission"))}
    narrowed = [name for name, on in _items(values.get("permission")) if is_object(on) and permission[name]]
    off = [name for name, on in switched.items() if on is False]
    denied = [*off, *(name for name, is_denied in permission.items() if is_denied and name != "*")]
    wanted = None if said is None or is_object(said) else [*_entries(said)]
    if permission.get("*"):  # all but what it names
        wanted = [(name, "") for name, is_denied in permission.items() if not is_denied]
    unknown: list[str] = []
    allowed = None if wanted is None else _known([name for name, _ in wanted], unknown)
    agents = [each.strip() for _, words in wanted or () for each in words.split(",") if each.strip()]
    agents = agents or [each for each in names(values.get("agents")) if each != "*"]
    only_reads = truth(values.get("readonly")) is True or values.get("sandbox_mode") == READ_SANDBOX
    if permission.get("edit"):  # there it stands for all that changes files
        denied.append("write")
    return ToolWishes(
        None if allowed is None or "*" in allowed else allowed,
        _with_alike(
            _known([*denied, *(name for name, _ in _entries(values.get("disallowedTools")))], unknown)
        ),
        tuple(agents),
        tuple(dict.fromkeys(unknown)),
        only_reads,
        tuple(narrowed),
    )


def _with_alike(denied: tuple[str, ...]) -> tuple[str, ...]:
    """Return what is denied with what other products do by the same tools."""
    more = [alike for tools, alike in ALIKE if tools <= {*denied}]
    return tuple(dict.fromkeys((*denied, *(name for names in more for name in names))))


def _decision(value: object) -> bool:
    """Return whether a permission denies a tool; of patterns the one that fits everything says so."""
    if is_object(value):
        value = value.get("*")
    return value == "deny"


def _known(wanted: Sequence[str], unknown: list[str]) -> tuple[str, ...]:
    """Return our names of these tools; those that nothing fits are added to `unknown`."""
    found: list[str] = []
    for name in wanted:
        last = name.rpartition("/")[2].lower()
        if name == "*" or name in OWN:
            found.append(name)
        elif name.startswith("mcp__"):
            found.append(name if name.count("__") > 1 or name.endswith("*") else f"{name}*")
        elif server := _server(name):
            found.append(f"mcp__{server}")
        elif ours := ALIASES.get(last):
            found += ours
        else:
            unknown.append(name[:60])
    return tuple(dict.fromkeys(found))


def _server(name: str) -> str:
    """Return the tools of servers that `github/*`, `mcp_github_*` or `github_*` are ("": none)."""
    if not name.endswith("*"):
        return ""
    server = name[:-1].removeprefix("mcp_").rstrip("/_")
    return f"{server}__*" if server else "*"


def _entries(value: object) -> Iterator[tuple[str, str]]:
    """Yield the entries of a list or a text, `Bash, Agent(a, b)`: each with the names of agents in it."""
    texts = [value] if isinstance(value, str) else names(value)
    for text in texts:
        for found in _ENTRY.finditer(text.removeprefix("- ")):  # of a list that was written as a text
            is_agent = found[1].lower() in {"agent", "task"}
            yield found[1], (found[2] or "") if is_agent else ""


def _items(value: object) -> Iterator[tuple[str, object]]:
    if is_object(value):
        yield from cast("dict[str, object]", value).items()

"""The tools that the file of an agent names, in the words of agls. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from agls.front_matter import names, truth
from agls.frozen import frozen
from agls.json_values import is_object
from agls.regex import regex

_ALIASES = {
    "shell shell_task": """
        bash shell run_shell_command runcommands execute runinterminal bashoutput killshell killbash""",
    "read_file": "read read_many_files readfile notebookread view",
    "edit_file apply_patch edit_notebook": "edit multiedit replace patch notebookedit editfiles",
    "write_file": "write create createfile",
    "grep": "grep grep_search search_file_content textsearch",
    "glob": "glob filesearch",
    "list_dir": "ls list list_directory listdirectory",
    "grep glob list_dir code_intelligence": "search codebase usages",
    "web_fetch": "webfetch fetch web_fetch",
    "web_search": "websearch google_web_search",
    "web_fetch web_search": "web",
    "plan": "todowrite todoread todo todos write_todos",
    "delegate": "task agent runsubagent delegate_to_agent",
    "skill": "skill activate_skill slashcommand",
    "ask_user": "askuserquestion question ask",
    "code_intelligence": "lsp problems",
    "remember": "save_memory memory",
}
ALIASES: Mapping[str, Sequence[str]] = {
    alias: tuple(tools.split()) for tools, words in _ALIASES.items() for alias in words.split()
}
OWN = frozenset(tool for tools in ALIASES.values() for tool in tools) | {
    "move_file",
    "delete_file",
    "rename_symbol",
    "git_commit",
    "remember",
    "find_tools",
}
READ_SANDBOX = "read-only"
_ENTRY = regex(r"([^\s,()]+)(?:\(([^()]*)\))?")


@frozen
class ToolWishes:
    """The tools that a file allows (`None`: says nothing of them) and denies, and what of it nothing fits.

    `agents` are those that it may delegate to; with `only_reads` it may read, and nothing else.
    """

    allowed: Sequence[str] | None = None
    denied: Sequence[str] = ()
    agents: Sequence[str] = ()
    unknown: Sequence[str] = ()
    only_reads: bool = False


def tools_in(values: Mapping[str, Any]) -> ToolWishes:
    """Return what the front matter of a file says of tools."""
    said = values.get("tools")
    switched = {name: truth(on) for name, on in _items(said)} if is_object(said) else {}
    permission = {name: on for name, on in _items(values.get("permission")) if isinstance(on, str)}
    off = [name for name, on in switched.items() if on is False]
    denied = [*off, *(name for name, on in permission.items() if on == "deny")]
    wanted = None if said is None or is_object(said) else [*_entries(said)]
    unknown: list[str] = []
    allowed = None if wanted is None else _known([name for name, _ in wanted], unknown)
    agents = [each.strip() for _, words in wanted or () for each in words.split(",") if each.strip()]
    only_reads = truth(values.get("readonly")) is True or values.get("sandbox_mode") == READ_SANDBOX
    return ToolWishes(
        None if allowed is None or "*" in allowed else allowed,
        _known([*denied, *(name for name, _ in _entries(values.get("disallowedTools")))], unknown),
        tuple(agents),
        tuple(dict.fromkeys(unknown)),
        only_reads,
    )


def _known(wanted: Sequence[str], unknown: list[str]) -> tuple[str, ...]:
    """Return our names of these tools; those that nothing fits are added to `unknown`."""
    found: list[str] = []
    for name in wanted:
        last = name.rpartition("/")[2].lower()
        if name == "*" or name in OWN:
            found.append(name)
        elif name.startswith(("mcp__", "mcp_")):
            found.append(name if name.count("__") > 1 or name.endswith("*") else f"{name}*")
        elif ours := ALIASES.get(last):
            found += ours
        else:
            unknown.append(name[:60])
    return tuple(dict.fromkeys(found))


def _entries(value: object) -> Iterator[tuple[str, str]]:
    """Yield the entries of a list or a text, `Bash, Agent(a, b)`: each with the names of agents in it."""
    texts = [value] if isinstance(value, str) else names(value)
    for text in texts:
        for found in _ENTRY.finditer(text):
            is_agent = found[1].lower() in {"agent", "task"}
            yield found[1], (found[2] or "") if is_agent else ""


def _items(value: object) -> Iterator[tuple[str, object]]:
    if is_object(value):
        yield from cast("dict[str, object]", value).items()

"""An agent as a file describes it, in the words of any of the agents that have such files. Pure."""

import tomllib
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from functools import lru_cache
from typing import Any

from agls.front_matter import key_remarks, names, truth
from agls.frozen import frozen
from agls.instruction_files.plain import plain_front, plain_value
from agls.json_values import is_list, is_object, object_in
from agls.modes import Mode
from agls.prompt_files.agent_tools import ToolWishes, tools_in
from agls.prompt_files.command_file import one_line
from agls.prompt_files.model_names import model_in
from agls.regex import regex

NAME = regex(r"[A-Za-z0-9_-]{1,50}")
_NOT_IN_NAMES = regex(r"[^A-Za-z0-9_]+")
LARGEST = 40_000  # characters of a prompt
LONGEST = 1_024  # characters of a description
LONGEST_LABEL = 100  # characters
SAMPLING = {"temperature": 2, "top_p": 1}  # the most of each
WRONG_NUMBERS = "these are no numbers in their range: write {}"
NO_COLLECTION = "this is not written as it should be, and has no effect: {}"
WORKTREE = "worktree"
SCOPES = ("user", "project", "local")
NO_MEMORY = "there is no memory {!r}, so it has none of its own: write one of {}"
NO_ISOLATION = "there is no isolation {!r}, so it works in the folder of the session: write {}"
MOST_MINUTES = 100_000
MODES: Mapping[str, Mode] = {
    "plan": "plan",
    "default": "ask",
    "ask": "ask",
    "dontAsk": "ask",
    "acceptEdits": "acceptEdits",
    "bypassPermissions": "allowAll",
    "allowAll": "allowAll",
}
_KEYS = """
    name description tools disallowedTools model permissionMode maxTurns max_turns maxSteps steps timeout_mins
    skills effort background is_background prompt developer_instructions permission readonly sandbox_mode
    color mcpServers mcp_servers mcp-servers model_reasoning_effort temperature top_p initialPrompt
    isolation memory hooks handoffs agents disable argument-hint user-invocable user-invokable"""
KNOWN = frozenset(_KEYS.split())
SWITCHED_OFF = "it is switched off by its key disable"
FAR_AWAY = "it is an agent of another machine (kind: remote), and agls does not call such"
NO_SERVER = "these servers that it defines have neither a command nor a url: {}"
BAD_NAME = "{!r} is no name of an agent: use up to 50 letters, digits, - and _"
WRITTEN = "its name {!r} is written {} here"
NO_DESCRIPTION = "it has no description, by which a model decides: write `description: ...`"
NO_TOOLS = "none of its tools exists here: {}"
NO_PROMPT = "it has no text that says what the agent does"
UNKNOWN_TOOLS = "there are no such tools here: {}"
NARROWED = "agls denies a whole tool, so that these are denied with their exceptions: {}"
REACHED_BY = ("command", "url", "serverUrl", "httpUrl", "transport")
MEANT: Mapping[str, str] = dict.fromkeys(("allowed-tools", "allowed_tools", "allowedTools"), "tools")
BAD_MODE = "there is no permissionMode {!r}: write one of {}"


@frozen
class AgentFile:
    """What a file says of an agent. `tools` are `None` where it says nothing of them.

    `agents` are those it may delegate to (`None`: all that there are), `mode` and `only_reads` narrow what
    runs unasked; where it never `asks`, what needs a question is refused. Of servers it has the tools of
    these `servers` only (`None`: of all); `own_servers` are those that it defines. With `initial_prompt`
    begins what it is asked as the session's own agent. `problem` says why it cannot be used, `remarks` what
    of it has no effect.
    """

    name: str
    description: str = ""
    prompt: str = ""
    tools: Sequence[str] | None = None
    denied: Sequence[str] = ()
    agents: Sequence[str] = ()
    model: str = ""
    effort: str = ""
    mode: str = ""
    only_reads: bool = False
    asks: bool = True
    skills: Sequence[str] = ()
    max_turns: int | None = None
    max_seconds: int | None = None
    background: bool = False
    is_isolated: bool = False
    memory: str = ""
    hooks: Mapping[str, Any] = field(default_factory=dict[str, Any])
    handoffs: Sequence[Mapping[str, str]] = ()
    color: str = ""
    servers: Sequence[str] | None = None
    own_servers: Mapping[str, Any] = field(default_factory=dict[str, Any])
    temperature: float | None = None
    top_p: float | None = None
    initial_prompt: str = ""
    problem: str = ""
    remarks: Sequence[str] = ()


@lru_cache(maxsize=512)  # every run asks
def read_agent(text: str, base: str, *, toml: bool = False) -> AgentFile:
    """Return the agent in the text of a file; `base` is the name of the file, without its end."""
    values, body, problem = _parts(text, toml=toml)
    said = one_line(values.get("name"))
    name = name_of(said) or said or name_of(base) or base
    tools = tools_in(values)
    description = one_line_of(values.get("description"))
    prompt = body.strip()[:LARGEST]
    if not problem:
        problem = next(_problems(values, name, description, prompt), "")
    if not problem and tools.allowed == () and tools.unknown:
        problem = NO_TOOLS.format(", ".join(tools.unknown))
    mode = one_line(values.get("permissionMode"))
    servers, own_servers = _servers(values)
    isolation, memory = one_line(values.get("isolation")), one_line(values.get("memory"))
    return AgentFile(
        name=name,
        description=description,
        prompt=prompt,
        tools=tools.allowed,
        denied=tools.denied,
        agents=tuple(name_of(each) or each for each in tools.agents),
        model=model_in(values.get("model")),
        effort=one_line(values.get("effort") or values.get("model_reasoning_effort")),
        mode=MODES.get(mode, ""),
        only_reads=tools.only_reads or mode == "plan",
        asks=mode != "dontAsk",
        skills=names(values.get("skills")),
        max_turns=_number(values, "maxTurns", "max_turns", "maxSteps", "steps"),
        max_seconds=_seconds(values),
        background=any(truth(values.get(key)) is True for key in ("background", "is_background")),
        is_isolated=isolation == WORKTREE,
        memory=memory if memory in SCOPES else "",
        hooks=object_in(values, "hooks"),
        handoffs=tuple(handoffs_in(values)),
        color=one_line(values.get("color")),
        servers=servers,
        own_servers=own_servers,
        temperature=number_between(values, "temperature", 2),
        top_p=number_between(values, "top_p", 1),
        initial_prompt=long_text(values.get("initialPrompt")),
        problem=problem,
        remarks=() if problem else tuple(_remarks(values, tools, mode, name)),
    )


def name_of(text: str) -> str:
    """Return the name that calls an agent which people name so, "" where it has no letters for one.

    `UI Designer` is `ui-designer`; one that can be written stays as it is.
    """
    if ":" in text or NAME.fullmatch(text):
        return text if ":" not in text else ""
    folded = unicodedata.normalize("NFKD", text).lower()
    plain_letters = "".join(each for each in folded if not unicodedata.combining(each))
    return _NOT_IN_NAMES.sub("-", plain_letters).strip("-")[:50].strip("-")


def number_between(values: Mapping[str, Any], key: str, most: float) -> float | None:
    """Return a number from 0 to the most, `None` for anything else; people write some as text."""
    said = values.get(key)
    try:
        number = float(said) if isinstance(said, int | float | str) and not isinstance(said, bool) else -1.0
    except ValueError:
        return None
    return number if 0 <= number <= most else None


def long_text(value: object) -> str:
    """Return a text of a file, not longer than a prompt; "" for anything else."""
    return value.strip()[:LARGEST] if isinstance(value, str) else ""


def one_line_of(value: object) -> str:
    """Return a description as one line of text; some are written with `\\n` where YAML reads no escapes."""
    return " ".join(value.replace("\\n", " ").split())[:LONGEST] if isinstance(value, str) else ""


def handoffs_in(values: Mapping[str, Any]) -> Iterator[Mapping[str, str]]:
    """Yield the agents that are suggested for what comes next, each with a label."""
    said = values.get("handoffs")
    for each in said if is_list(said) else ():
        if is_object(each) and (agent := one_line(each.get("agent"))):
            label = one_line_of(each.get("label"))[:LONGEST_LABEL] or agent
            yield {"label": label, "agent": name_of(agent) or agent, "prompt": long_text(each.get("prompt"))}


def remarks_on(values: Mapping[str, Any]) -> Iterator[str]:
    """Yield what is wrong with these keys, and what holds instead."""
    if (isolation := one_line(values.get("isolation"))) not in {"", WORKTREE}:
        yield NO_ISOLATION.format(isolation[:40], WORKTREE)
    if (memory := one_line(values.get("memory"))) and memory not in SCOPES:
        yield NO_MEMORY.format(memory[:40], ", ".join(SCOPES))
    if wrong := [
        key for key, most in SAMPLING.items() if key in values and number_between(values, key, most) is None
    ]:
        yield WRONG_NUMBERS.format(" and ".join(f"{key} from 0 to {SAMPLING[key]}" for key in wrong))
    if wrong := [
        key
        for key, kind in (("hooks", is_object), ("handoffs", is_list))
        if values.get(key) and not kind(values[key])
    ]:
        yield NO_COLLECTION.format(" and ".join(wrong))


def _parts(text: str, *, toml: bool) -> tuple[Mapping[str, Any], str, str]:
    if not toml:
        values, body, problem = plain_front(text)
        said = values.get("prompt")
        return values, body if body.strip() or not isinstance(said, str) else said, problem
    try:
        values = plain_value(tomllib.loads(text))
    except (tomllib.TOMLDecodeError, RecursionError) as problem:
        return {}, "", f"it is not valid TOML: {problem}"
    body = values.get("developer_instructions")
    return values, body if isinstance(body, str) else "", ""


def _problems(values: Mapping[str, Any], name: str, description: str, prompt: str) -> Iterator[str]:
    if truth(values.get("disable")) is True:
        yield SWITCHED_OFF
    if values.get("kind") == "remote":
        yield FAR_AWAY
    if not NAME.fullmatch(name):
        yield BAD_NAME.format(name[:100])
    if not description:
        yield NO_DESCRIPTION
    if not prompt:
        yield NO_PROMPT


def _remarks(values: Mapping[str, Any], tools: ToolWishes, mode: str, name: str) -> Iterator[str]:
    if (said := one_line(values.get("name"))) and said != name:
        yield WRITTEN.format(said[:100], name)
    if tools.misnamed:
        yield UNKNOWN_TOOLS.format(", ".join(tools.misnamed))
    if tools.narrowed:
        yield NARROWED.format(", ".join(tools.narrowed))
    if mode and mode not in MODES:
        yield BAD_MODE.format(mode, ", ".join(MODES))
    yield from remarks_on(values)
    own = _servers(values)[1].items()
    if broken := [each for each, entry in own if not any(entry.get(key) for key in REACHED_BY)]:
        yield NO_SERVER.format(", ".join(broken))
    yield from key_remarks(values, KNOWN, MEANT)


def _number(values: Mapping[str, Any], *keys: str) -> int | None:
    """Return the first whole number above 0 of these keys; people write some as text."""
    for said in (values.get(key) for key in keys):
        text = "" if isinstance(said, bool) else str(said).strip()
        if text.isascii() and text.isdigit() and int(text) > 0:
            return int(text)
    return None


def _seconds(values: Mapping[str, Any]) -> int | None:
    try:
        minutes = float(str(values.get("timeout_mins")))
    except ValueError:
        return None
    return int(minutes * 60) if 0 < minutes < MOST_MINUTES else None


def _servers(values: Mapping[str, Any]) -> tuple[Sequence[str] | None, Mapping[str, Any]]:
    """Return the names of the servers that a file wants, and those of them that it defines itself."""
    said = next((values[key] for key in ("mcpServers", "mcp-servers", "mcp_servers") if key in values), None)
    if said is None:
        return None, {}
    if is_object(said):
        return [*said], {name: each for name, each in said.items() if is_object(each) and each}
    entries = said if is_list(said) else names(said)
    named = [each for each in entries if isinstance(each, str)]
    defined = [pair for each in entries if is_object(each) for pair in each.items()]
    return (
        [*named, *(name for name, _ in defined)],
        {name: each for name, each in defined if is_object(each) and each},
    )


def as_settings(agent: AgentFile) -> dict[str, Any]:
    """Return the agent as a table `[agents.NAME]`. It has at most the tools of whoever delegates to it."""
    limits = {"max_turns": agent.max_turns, "max_seconds": agent.max_seconds}
    sampling = {"temperature": agent.temperature, "top_p": agent.top_p}
    said: dict[str, Any] = {
        "description": agent.description,
        "prompt": agent.prompt,
        "tier": agent.model,
        "disallowed_tools": list(agent.denied),
        "agents": list(agent.agents),
        "effort": agent.effort,
        "mode": agent.mode,
        "limits": {name: most for name, most in limits.items() if most},
        "permissions": {
            **({"read_only": True} if agent.only_reads else {}),
            **({} if agent.asks else {"asks": False}),
        },
        "skills": {"preload": list(agent.skills)} if agent.skills else {},
        "background": agent.background,
        "memory": agent.memory,
        "hooks": dict(agent.hooks),
        "own_servers": dict(agent.own_servers),
        "handoffs": [dict(each) for each in agent.handoffs],
        "isolation": WORKTREE if agent.is_isolated else "",
        "initial_prompt": agent.initial_prompt,
        "sampling": {name: value for name, value in sampling.items() if value is not None},
        "within_caller": True,
    }
    tools = {} if agent.tools is None else {"tools": list(agent.tools)}
    servers = {} if agent.servers is None else {"servers": list(agent.servers)}
    return {name: value for name, value in said.items() if value} | tools | servers

"""Files of agents in the words of each program that has them."""

import pytest

from agls.config import AgentDefinition
from agls.features.agents.edited_file import changed_text, new_text
from agls.prompt_files.agent_file import (
    NO_COLLECTION,
    NO_ISOLATION,
    NO_MEMORY,
    UNKNOWN_TOOLS,
    WRONG_NUMBERS,
    AgentFile,
    as_settings,
    read_agent,
)


def agent(*lines: str, body: str = "Do it.") -> AgentFile:
    head = "\n".join(("name: one", "description: Does it.", *lines))
    return read_agent(f"---\n{head}\n---\n{body}\n", "file")


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("tools: Read, Grep", ("read_file", "grep")),
        (
            "tools: [Bash, Edit]",
            ("shell", "shell_task", "edit_file", "multi_edit", "apply_patch", "edit_notebook"),
        ),
        ("tools: [run_shell_command, read_many_files]", ("shell", "shell_task", "read_file")),
        ("tools: ['search/codebase']", ("grep", "glob", "list_dir", "code_intelligence")),
        ("tools: ['- read']", ("read_file",)),
        ("tools: helper_task, save_attachment", ("helper_task", "save_attachment")),
        ("tools: mcp__github, mcp__db__query", ("mcp__github*", "mcp__db__query")),
        ("tools: ['*']", None),
        ("tools: '*'", None),
        ("color: red", None),
    ],
)
def test_tools_of_other_programs_have_our_names(line: str, expected: tuple[str, ...] | None) -> None:
    found = agent(line).tools
    assert (found if found is None else tuple(found)) == expected


@pytest.mark.parametrize(
    "line", ["disallowedTools: Write", "tools:\n  write: false", "permission:\n  write: deny"]
)
def test_tools_that_are_denied(line: str) -> None:
    assert tuple(agent(line).denied) == ("write_file",)


@pytest.mark.parametrize(
    "lines",
    [
        "disallowedTools: Write, Edit, Bash",
        "tools:\n  write: false\n  edit: false\n  bash: false",
        "permission:\n  edit: deny\n  bash: deny",
    ],
)
def test_agent_that_may_neither_edit_nor_write_changes_files_by_no_other_tool(lines: str) -> None:
    denied = {*agent(lines).denied}
    assert {"edit_file", "write_file", "apply_patch", "move_file", "delete_file", "rename_symbol"} <= denied
    assert {"shell", "git_commit"} <= denied


def test_keys_of_each_program_have_their_effect() -> None:
    whole = agent(
        "model: opus",
        "maxTurns: 7",
        "skills: pdf, sql",
        "effort: high",
        "tools: Read, Agent(a, b)",
        "timeout_mins: 2",
    )
    assert (whole.model, whole.max_turns, tuple(whole.skills), whole.effort) == (
        "strong",
        7,
        ("pdf", "sql"),
        "high",
    )
    assert (tuple(whole.agents), whole.max_seconds) == (("a", "b"), 120)
    assert [
        agent(f"permissionMode: {mode}").mode for mode in ("acceptEdits", "bypassPermissions", "default")
    ] == [
        "acceptEdits",
        "allowAll",
        "ask",
    ]
    assert agent("permissionMode: plan").only_reads
    never = agent("permissionMode: dontAsk")
    assert (never.mode, never.asks, never.remarks) == ("ask", False, ())
    assert as_settings(never)["permissions"] == {"asks": False}
    assert agent("readonly: true").only_reads
    assert agent("model: inherit").model == ""
    codex = read_agent('name = "c"\ndescription = "Does."\ndeveloper_instructions = "Do."\n', "c", toml=True)
    assert (codex.name, codex.prompt, codex.problem) == ("c", "Do.", "")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("---\nname: a:b\ndescription: Does it.\n---\nDo.", "'a:b' is no name of an agent"),
        ("Do.", "it has no description"),
        ("---\ndescription: Does it.\n---\n", "it has no text"),
        ("---\ndescription: 'x\n---\nDo.", "line "),
        ("---\ndescription: Does it.\ntools: Computer\n---\nDo.", "none of its tools exists here: Computer"),
    ],
)
def test_file_that_cannot_be_used_says_why(text: str, problem: str) -> None:
    assert problem in read_agent(text, "file").problem


def test_what_has_no_effect_is_a_remark_and_the_name_is_that_of_the_file() -> None:
    found = read_agent("---\ndescription: x y\ntools: Read, Computer\nhooks: none\n---\nDo.", "file")
    assert (found.name, list(found.remarks)) == (
        "file",
        ["there are no such tools here: Computer", NO_COLLECTION.format("hooks")],
    )


@pytest.mark.parametrize(
    ("line", "remark"),
    [
        ("temperature: hot", WRONG_NUMBERS.format("temperature from 0 to 2")),
        ("top_p: 1.5", WRONG_NUMBERS.format("top_p from 0 to 1")),
        ("isolation: container", NO_ISOLATION.format("container", "worktree")),
        ("memory: global", NO_MEMORY.format("global", "user, project, local")),
        ("handoffs: reviewer", NO_COLLECTION.format("handoffs")),
    ],
)
def test_value_that_has_no_effect_is_named_with_what_to_write(line: str, remark: str) -> None:
    assert list(agent(line).remarks) == [remark]


@pytest.mark.parametrize(
    "line",
    ["mode: subagent", "kind: local", "target: vscode", "title: T", "tags: [a]", "emoji: x", "author: me"],
)
def test_key_that_only_says_something_about_the_file_is_no_mistake(line: str) -> None:
    assert list(agent(line).remarks) == []


def test_tools_and_keys_of_an_editor_are_no_mistake_and_its_agents_count() -> None:
    tools = "tools: ['codebase', 'vscodeAPI', 'githubRepo', 'terminalSelection', 'ExitPlanMode', 'Raed']"
    found = agent(tools, "agents: [Reviewer]", "argument-hint: what to plan", "user-invocable: true")
    assert (list(found.remarks), list(found.agents)) == ([UNKNOWN_TOOLS.format("Raed")], ["Reviewer"])
    assert list(agent("agents: ['*']").agents) == []


def test_line_breaks_that_a_description_writes_out_are_blanks() -> None:
    text = "---\nname: a\ndescription: Use it.\\n\\n<example>\\nuser: x</example>\n---\nDo.\n"
    assert read_agent(text, "a").description == "Use it. <example> user: x</example>"


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("modle: opus", "modle is not known here, and has no effect: write model"),
        (
            "permission-mode: plan",
            "permission-mode is not known here, and has no effect: write permissionMode",
        ),
        (
            "disallowed_tools: Bash",
            "disallowed_tools is not known here, and has no effect: write disallowedTools",
        ),
        ("allowed-tools: Read", "allowed-tools is not known here, and has no effect: write tools"),
        ("shade: blue", "these keys have no effect here: shade"),
    ],
)
def test_mistyped_key_is_named_with_the_one_that_is_meant(line: str, meant: str) -> None:
    assert list(agent(line).remarks) == [meant]


def test_keys_of_several_products_become_settings() -> None:
    handoff = "handoffs: [{label: Build it, agent: Lead Builder, prompt: Go., send: false}, {label: Nobody}]"
    hooks = 'hooks: {Stop: [{hooks: [{type: command, command: "true"}]}]}'
    found = agent("temperature: '0.2'", "isolation: worktree", "memory: local", handoff, hooks)
    assert list(found.remarks) == []
    settings = as_settings(found)
    assert settings["sampling"] == {"temperature": 0.2}
    assert (settings["isolation"], settings["memory"]) == ("worktree", "local")
    assert settings["handoffs"] == [{"label": "Build it", "agent": "lead-builder", "prompt": "Go."}]
    assert settings["hooks"]["Stop"][0]["hooks"][0]["command"] == "true"


def test_numbers_and_switches_may_be_text_and_efforts_have_two_names() -> None:
    found = agent('maxTurns: "12"', 'timeout_mins: "1.5"', 'background: "yes"', "color: red")
    assert (found.max_turns, found.max_seconds, found.background, found.color) == (12, 90, True, "red")
    assert list(found.remarks) == []
    assert agent("maxTurns: many").max_turns is None
    said = 'name = "c"\ndescription = "D."\ndeveloper_instructions = "Do."\nmodel_reasoning_effort = "high"\n'
    assert read_agent(said, "c", toml=True).effort == "high"


@pytest.mark.parametrize(
    ("line", "servers", "own"),
    [
        ("mcpServers: [docs, db]", ["docs", "db"], []),
        ("mcpServers: docs", ["docs"], []),
        ("mcpServers:\n  - docs\n  - own:\n      command: x", ["docs", "own"], ["own"]),
        ("mcpServers:\n  own:\n    command: x", ["own"], ["own"]),
        ("color: red", None, []),
    ],
)
def test_servers_of_an_agent_narrow_its_tools(line: str, servers: list[str] | None, own: list[str]) -> None:
    found = agent(line)
    assert (found.servers, [*found.own_servers], found.remarks) == (servers, own, ())
    made = AgentDefinition.model_validate(as_settings(found))
    assert made.own_servers == {name: {"command": "x"} for name in own}
    assert made.allows("mcp__docs__find") == (servers is None or "docs" in servers)
    assert made.allows("read_file")
    assert made.is_narrow == (servers is not None)


def test_changing_one_key_leaves_the_others_and_their_comments() -> None:
    text = "---\nname: one\n# mine\ntools:\n  - Read\n  - Grep\ndescription: Does it.\n---\nDo it.\n"
    changed = changed_text(text, {"tools": "Read", "model": "fast: now"})
    assert (
        changed
        == '---\nname: one\n# mine\ntools: Read\ndescription: Does it.\nmodel: "fast: now"\n---\nDo it.\n'
    )
    assert changed_text(text, {"prompt": "Do that."}).endswith("---\nDo that.\n")
    made = new_text({"name": "one", "description": 'Says "no": always', "prompt": "Do."})
    assert read_agent(made, "x").description == 'Says "no": always'


def test_description_over_several_lines_with_colons_is_words_and_the_other_keys_count() -> None:
    """As many published agents have it, which is no YAML."""
    text = """---
name: creator
description: Use this agent when the user asks to "create an agent". Examples:

<example>
Context: a change
user: "Make one"
assistant: "I will."
</example>

model: sonnet
tools: ["Write", "Read"]
---
You create.
"""
    agent = read_agent(text, "base")
    assert (agent.problem, agent.name, agent.model) == ("", "creator", "default")
    assert agent.tools == ("write_file", "read_file")
    assert agent.description.endswith('assistant: "I will." </example>')


def test_quote_that_never_ends_is_named_with_its_line() -> None:
    agent = read_agent('---\nname: x\ndescription: "open\ntools: Read\n---\nText.', "base")
    assert agent.problem == "line 3: a quote begins here and never ends. Close it, or leave it out"


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("tools: ['github/*', 'mcp_db_*']", ("mcp__github__*", "mcp__db__*")),
        ("tools: All tools", None),
        ("permission:\n  '*': deny\n  read: allow", ("read_file",)),
    ],
)
def test_tools_of_servers_and_all_tools(line: str, expected: tuple[str, ...] | None) -> None:
    found = agent(line).tools
    assert (found if found is None else tuple(found)) == expected


def test_permission_with_exceptions_denies_the_whole_tool() -> None:
    narrowed = agent("permission:\n  bash:\n    '*': deny\n    'git diff*': allow\n  edit:\n    '*': allow")
    assert "shell" in narrowed.denied
    assert "edit_file" not in narrowed.denied
    assert list(narrowed.remarks) == [
        "agls denies a whole tool, so that these are denied with their exceptions: bash"
    ]

"""The table of the reference's capabilities, and the tests here that name them.

A test names a row in its docstring: `Row 16: …`, `Rows 6, 7: …`, and a port of a run: `Port Audit: …`.
`scripts/parity.py` writes `docs/parity.md`; with `--check` it says whether that page is fresh. A row or a
port without a test is shown as missing.
"""

import ast
import re
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "parity.md"
NAMED = re.compile(r"\bRows? (\d+(?:(?:, | and )\d+)*)\b")
NAMED_PORT = re.compile(r"\bPort ([A-Z][a-z ]+):")
HEAD = """\
# What the reference project can do, and the tests that show it here

Made by `scripts/parity.py` from the docstrings of the tests (`Row 16: …`, `Port Audit: …`); do not edit it.
A row counts as far as its tests go: they say what was tried. A row without a test is **missing**: it may be
there in part, but nothing shows it.

"""
PORTS = {
    "Budget gate": "refuses before anything is spent; a cancelled run is charged once",
    "Model resolver": "alias, concrete name, unknown name, nothing to resolve",
    "Audit": "one record for each way to end; its rows are the transcript's; readable live",
    "Checkpointer": "kill -9 anywhere, then go on; a store that refuses is a notice",
    "Critic": "stalled and killed, slow and extended, nudged, crashed",
    "Steer mailbox": "any interleaving: in order, nothing lost",
    "Palette": "skills and agents as tools; the whole tree cancelled and counted",
    "Extra tools": "a tool, an artifact, clean-up; a crash leaves end_turn",
    "Input files": "image only, another file, both, nothing",
    "Delivery": "a target that fails changes nothing and is on the record",
    "Compaction": "at a ratio of the model's window; every firing on the record",
    "System header": "in front of every system prompt",
    "Phases": "in sequence, with their own tiers; finished ones are not run again",
}
ROWS = {
    "Loop and model": [
        (1, "one-shot run with tool calls"),
        (2, "the limit of turns ends a run"),
        (3, "tokens are shown as they come"),
        (4, "output of tools is shown as it comes"),
        (5, "a cut answer is continued"),
        (6, "context overflow before a text answer"),
        (7, "context overflow before a tool call"),
        (8, "bad tool arguments are corrected by the model"),
        (9, "retry with back-off"),
        (10, "usage and finish spellings of many servers"),
        (11, "cancel in a stream and in a tool; the session can be resumed"),
        (12, "unknown tool, tool that raises"),
    ],
    "Budgets, cost, output schema": [
        (13, "nine budgets"),
        (14, "budgets are checked before spending"),
        (15, "children spend from their parent"),
        (16, "counters exact across resumes"),
        (17, "four rates per model; the past is not priced again"),
        (18, "structured output: sent, validated, retried"),
        (19, "budgets from a policy fill and tighten"),
    ],
    "Context": [
        (20, "system prompt: custom, append, override"),
        (21, "instruction files: home, walk-up, local, rules, extra folders"),
        (22, "snapshot of git, date, system, refreshed on resume"),
        (23, "context usage by category"),
        (24, "which token counter, and whether it is exact"),
        (25, "token budget report"),
        (26, "old results cleared after idleness"),
        (27, "oldest results cut when a threshold is crossed"),
        (28, "compaction; every result keeps its call"),
        (29, "warning over the soft limit, stop over the hard one"),
        (30, "report of the raw environment"),
    ],
    "Tools": [
        (31, "list, read, write, edit, glob, grep"),
        (32, "encodings survive an edit"),
        (33, "confinement to the workspace"),
        (34, "notebooks"),
        (35, "shell: streaming, timeout, whole tree, cap, exit code"),
        (36, "dangerous commands are held"),
        (37, "web fetch and search"),
        (38, "tools found and loaded on demand"),
        (39, "questions to the user"),
        (40, "waiting can be cancelled"),
        (41, "code intelligence"),
        (42, "every output bounded, the whole kept"),
    ],
    "Permissions, hooks, policy": [
        (43, "tiers of permission; a denial is a result"),
        (44, "approval: once, session, always, no with a reason"),
        (45, "policy manifest"),
        (46, "hook texts keep calls and results in order"),
        (47, "a bad manifest is reported"),
        (48, "secrets nowhere; session files are private"),
    ],
    "Plugins, skills, agents": [
        (49, "plugin manifest"),
        (50, "hooks that are programs"),
        (51, "plugins listed and reloaded"),
        (52, "agent definitions from folders"),
        (53, "every key of their front matter"),
        (54, "built-in agent types"),
        (55, "skills"),
    ],
    "Delegation": [
        (56, "subtasks with a failure policy"),
        (57, "dependencies between subtasks"),
        (58, "children really side by side"),
        (59, "children resumed; lineage"),
        (60, "children in the background, in a worktree"),
    ],
    "MCP": [
        (61, "manifests, resources, stdio servers"),
        (62, "one connection per server"),
        (63, "streamable HTTP"),
        (64, "servers' tools offered as tools"),
    ],
    "Tasks, plans, config, accounts, teams, workflows, triggers, remote, worktree": [
        (65, "tasks"),
        (66, "plans, and a mode that cannot write"),
        (67, "layers of configuration, honoured"),
        (68, "accounts"),
        (69, "teams"),
        (70, "workflows that run"),
        (71, "triggers that fire"),
        (72, "remote profiles"),
        (73, "worktrees"),
    ],
    "Sessions and processes": [
        (74, "append-only log; kill -9 anywhere"),
        (75, "import of the reference's session files"),
        (76, "resume replays everything"),
        (77, "files and talk rewound to any turn"),
        (78, "branch, rename, tag, list, search, export, delete"),
        (79, "two writers on one session"),
        (80, "background processes that are really controlled"),
        (81, "scratchpad per session"),
    ],
    "Surface": [
        (82, "slash commands"),
        (83, "subcommands and flags"),
        (84, "exit status by outcome, JSON output"),
        (85, "catalogue of typed events"),
        (86, "one event stream, many front ends"),
        (87, "doctor"),
        (88, "library API"),
    ],
}


def main(arguments: list[str]) -> int:
    """Write the page, or say whether it is fresh."""
    page = made()
    if arguments == ["--check"]:
        fresh = PAGE.exists() and PAGE.read_text(encoding="utf-8") == page
        if not fresh:
            print("docs/parity.md is stale: run scripts/parity.py", file=sys.stderr)
        return 0 if fresh else 1
    PAGE.write_text(page, encoding="utf-8")
    return 0


def made() -> str:
    """The page as it must be now. Raises `ValueError` for a row that does not exist."""
    tests = tests_by_row()
    known = {number for rows in ROWS.values() for number, _ in rows}
    if wrong := tests.keys() - known:
        raise ValueError(f"there is no row {sorted(wrong)}: {[tests[number] for number in wrong]}")
    shown = len(tests)
    parts = [HEAD, f"{shown} of {len(known)} rows have tests.\n"]
    for title, rows in ROWS.items():
        parts.append(f"\n## {title}\n\n| Row | What | Tests |\n|--:|---|---|\n")
        parts += [
            f"| {n} | {what} | {'<br>'.join(tests.get(n, ())) or '**missing**'} |\n" for n, what in rows
        ]
    parts.append("\n## Ports of a run\n\n| Port | What its tests show | Tests |\n|---|---|---|\n")
    parts += _ports()
    return "".join(parts)


def _ports() -> Iterable[str]:
    tests = tests_by_port()
    if wrong := tests.keys() - PORTS:
        raise ValueError(f"there is no port {sorted(wrong)}: {[tests[name] for name in wrong]}")
    for name, what in PORTS.items():
        yield f"| {name} | {what} | {'<br>'.join(tests.get(name, ())) or '**missing**'} |\n"


def tests_by_port() -> dict[str, list[str]]:
    """The tests that name each port, as `file::test`, in order."""
    found: dict[str, list[str]] = {}
    for where, said in _tests():
        for name in NAMED_PORT.findall(said):
            found.setdefault(name, []).append(where)
    return found


def tests_by_row() -> dict[int, list[str]]:
    """The tests that name each row, as `file::test`, in order."""
    found: dict[int, list[str]] = {}
    for where, said in _tests():
        for rows in NAMED.findall(said):
            for number in re.findall(r"\d+", rows):
                found.setdefault(int(number), []).append(where)
    return found


@cache
def _tests() -> list[tuple[str, str]]:
    """Every test that says something, and what."""
    return [found for path in sorted((ROOT / "tests").rglob("test_*.py")) for found in _said(path)]


def _said(path: Path) -> Iterator[tuple[str, str]]:
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        is_test = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_")
        if is_test and (said := ast.get_docstring(node)):
            yield f"`{path.relative_to(ROOT)}::{node.name}`", " ".join(said.split())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""The pages that say which tests prove what, made from the marks of the tests.

| Mark | Page |
|---|---|
| `@pytest.mark.row(16)`, `@pytest.mark.port("Audit")` | `docs/parity.md`: what the reference project can do |
| `@pytest.mark.item(27)` | `tests/README.md`, "The conformance list": the items of the protocol |
| `pytestmark = pytest.mark.promise("P7")` | `SECURITY.md`, "Tests of the promises" |

`scripts/parity.py` writes them; with `--check` it says which is stale. What has no test is shown as missing.
"""

import ast
import sys
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
PARITY, CONFORMANCE, SECURITY = ROOT / "docs/parity.md", ROOT / "tests/README.md", ROOT / "SECURITY.md"
BEGIN, END = "<!-- generated: {} -->\n", "<!-- end -->"
HEAD = """\
# What the reference project can do, and the tests that show it here

Made by `scripts/parity.py` from the marks of the tests (`row`, `port`); do not edit it.
A row counts as far as its tests go: they say what was tried. A row without a test is **missing**: it may be
there in part, but nothing shows it.

"""
ITEMS = {
    23: "life cycle",
    24: "negotiation",
    25: "the traps of pygls",
    26: "plain mode with recorded clients",
    27: "cancel by request, by progress, both",
    28: "slow reader",
    29: "edits; see the table at the head of `doors/lsp/test_editor_truth.py`, too",
    30: "buffer and disk",
    31: "reconnect, and two subscribers",
    32: "permission across reconnect",
    33: "idempotency",
    34: "admission",
    35: "ordering rules on every log",
    36: "crash",
    37: "error table",
    38: "subagents",
    39: "background tasks",
    40: "rewind",
    41: "lines",
    42: "control on standard input",
    43: "generated files, golden logs",
    44: "soak (some only with `--slow`) and floods; rates and latencies: `benchmarks/run`",
    45: "secrets",
}
PROMISES = tuple(f"P{number}" for number in range(1, 16))
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
        (50, "hooks that are programs; without `TeammateIdle`, as there are no teams"),
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
        (60, "children in the background, stopped and read, and in a worktree"),
    ],
    "MCP": [
        (61, "manifests, resources, stdio servers; published ones where they are installed"),
        (62, "one connection per server: floods, many messages at once, restart after a crash"),
        (63, "streamable HTTP"),
        (64, "servers' tools offered as tools, under the rules"),
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
        (82, "slash commands, in part: without those for what rows 69 to 73 name"),
        (83, "subcommands and flags"),
        (84, "exit status by outcome, JSON output"),
        (85, "catalogue of typed events"),
        (86, "one event stream, many front ends"),
        (87, "doctor"),
        (88, "library API"),
    ],
}


class Marked(NamedTuple):
    """A test, or a whole file of them, with one of its marks."""

    where: str
    mark: str
    value: object


def main(arguments: list[str]) -> int:
    """Write the pages, or say which are stale. **Returns** the exit code."""
    stale = {page: text for page, text in pages().items() if page.read_text(encoding="utf-8") != text}
    if arguments == ["--check"]:
        for page in stale:
            print(
                f"{page.relative_to(ROOT)} is stale: run .venv/bin/python scripts/parity.py", file=sys.stderr
            )
        return bool(stale)
    for page, text in stale.items():
        page.write_text(text, encoding="utf-8")
    return 0


def pages() -> Mapping[Path, str]:
    """Return each page as it must be now. **Raises** `ValueError` for a mark of what does not exist."""
    security = "| Promise | Tests |\n|---|---|\n" + "".join(_rows("promise", PROMISES))
    items = "| # | Item | Tests |\n|--:|---|---|\n" + "".join(_rows("item", ITEMS))
    return {
        PARITY: parity(),
        CONFORMANCE: _filled(CONFORMANCE, "conformance", items),
        SECURITY: _filled(SECURITY, "promises", security),
    }


def parity() -> str:
    """Return the page of the rows and the ports."""
    rows = {number: what for part in ROWS.values() for number, what in part}
    parts = [HEAD, f"{len(tests_of('row', rows))} of {len(rows)} rows have tests.\n"]
    for title, part in ROWS.items():
        parts.append(f"\n## {title}\n\n| Row | What | Tests |\n|--:|---|---|\n")
        found = tests_of("row", rows)
        parts += [f"| {number} | {what} | {_shown(found.get(number, []))} |\n" for number, what in part]
    parts.append("\n## Ports of a run\n\n| Port | What its tests show | Tests |\n|---|---|---|\n")
    return "".join((*parts, *_rows("port", PORTS)))


def tests_of(mark: str, known: Iterable[object]) -> dict[object, list[str]]:
    """Return the tests of each value of a mark. **Raises** `ValueError` for a value that is not known."""
    found: dict[object, list[str]] = {}
    for test in marked():
        if test.mark == mark:
            found.setdefault(test.value, []).append(test.where)
    if wrong := found.keys() - set(known):
        raise ValueError(f"there is no {mark} {[*wrong]}: {[found[value] for value in wrong]}")
    return found


def _rows(mark: str, known: Iterable[object]) -> Iterator[str]:
    """Return the rows of a table: each value, what it is where that is known, and its tests."""
    found = tests_of(mark, known)
    for value in known:
        what = f" {known[value]} |" if isinstance(known, Mapping) else ""
        yield f"| {value} |{what} {_shown(found.get(value, []))} |\n"


def _shown(tests: list[str]) -> str:
    return "<br>".join(tests) or "**missing**"


def _filled(page: Path, name: str, table: str) -> str:
    """Return the page with this table between its marks."""
    before, begin, rest = page.read_text(encoding="utf-8").partition(BEGIN.format(name))
    _, end, after = rest.partition(END)
    if not (begin and end):
        raise ValueError(f"{page.name} has no place for {name!r}")
    return f"{before}{begin}\n{table}\n{end}{after}"


MARKS = ("row", "port", "item", "promise")


@cache
def marked() -> tuple[Marked, ...]:
    """Return every test and every file of tests with each value of its marks."""
    return tuple(found for path in sorted((ROOT / "tests").rglob("test_*.py")) for found in marks_in(path))


def marks_in(path: Path) -> Iterator[Marked]:
    """Return the marks of a file, in order."""
    name, text = path.relative_to(ROOT), path.read_text(encoding="utf-8")
    if not any(f"mark.{mark}(" in text for mark in MARKS):
        return  # to parse a file takes longest
    for node in ast.parse(text).body:
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                yield from _values(f"`{name}::{node.name}`", node.decorator_list)
            case ast.Assign(targets=[ast.Name("pytestmark")], value=ast.List(marks)):
                yield from _values(f"`{name}`", marks)
            case ast.Assign(targets=[ast.Name("pytestmark")], value=mark):
                yield from _values(f"`{name}`", [mark])
            case _:
                pass


def _values(where: str, marks: Iterable[ast.expr]) -> Iterator[Marked]:
    for mark in marks:
        match mark:
            case ast.Call(func=ast.Attribute(value=ast.Attribute(attr="mark"), attr=name), args=values):
                if name in MARKS:
                    yield from (Marked(where, name, ast.literal_eval(value)) for value in values)
            case _:
                pass


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

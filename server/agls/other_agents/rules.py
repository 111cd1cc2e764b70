"""Permission rules of other agents in the words of agls. Pure.

A rule that cannot be said exactly is `None`: a rule that means something else would be worse than none.
"""

import ast
import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from agls.json_values import is_list, is_object, list_in, text_in
from agls.other_agents.findings import RuleKind
from agls.regex import regex

DECISIONS: Mapping[str, RuleKind] = {
    "deny": "deny",
    "forbidden": "deny",
    "ask": "ask",
    "ask_user": "ask",
    "prompt": "ask",
    "allow": "allow",
}
KINDS = {
    **dict.fromkeys(("Bash", "Shell", "bash", "run_shell_command"), "shell"),
    **dict.fromkeys(("Read", "read", "read_file"), "read"),
    **dict.fromkeys(("Edit", "Write", "MultiEdit", "NotebookEdit", "edit", "write_file", "replace"), "edit"),
    **dict.fromkeys(("WebFetch", "webfetch", "web_fetch"), "web_fetch"),
    **dict.fromkeys(("WebSearch", "websearch", "google_web_search"), "web_search"),
}
STRICTNESS: Mapping[RuleKind, int] = {"allow": 0, "ask": 1, "deny": 2}
MOST_ALTERNATIVES = 20
_CALL = regex(r"([A-Za-z_]+)(?:\((.*)\))?", re.DOTALL)


def claude_rule(text: str, kind: RuleKind, home: str) -> str | None:
    """**Returns** a rule such as `Bash(npm run *)` in our words, `None` where there are none."""
    found = _CALL.fullmatch(text.strip())
    name = KINDS.get(found[1]) if found else None
    if not found or name is None:
        return None
    what = (found[2] or "").strip()
    if what in {"", "*", "**"}:
        return name
    if name == "shell":
        command = re.sub(r":\*$", " *", what)
        return _shell(command) or (_wild(command) if kind != "allow" else None)
    if name in {"web_fetch", "web_search"}:
        return f"{name}({what})" if what.startswith("domain:") else None
    path = _path(what, home, narrows=kind != "allow")
    return f"{name}({path})" if path else None


def cursor_rule(text: str, kind: RuleKind, home: str) -> str | None:
    """**Returns** a rule of Cursor: its `Shell(git)` is the program with any words."""
    found = _CALL.fullmatch(text.strip())
    if found and found[1] == "Shell" and found[2]:
        program, colon, words = found[2].partition(":")
        words = words if colon else "*"
        return _shell(f"{program} {words}".strip()) if program.strip("*") else "shell"
    if found and found[1] == "WebFetch" and found[2] and found[2] != "*":
        return f"web_fetch(domain:{found[2]})"
    return claude_rule(text, kind, home)


def gemini_rules(rule: Mapping[str, Any]) -> Sequence[str]:
    """**Returns** what a rule of Gemini's policies says in our words, nothing where it cannot be said."""
    limited = {
        "argsPattern",
        "commandRegex",
        "mcpName",
        "subagent",
        "toolAnnotations",
        "modes",
        "interactive",
    }
    if limited & set(rule):
        return ()
    prefixes = _texts(rule.get("commandPrefix"))
    if prefixes:
        return _all(_shell(f"{prefix.strip()} *") for prefix in prefixes)
    return _all(KINDS.get(name) for name in _texts(rule.get("toolName")))


def gemini_tool(text: str) -> str | None:
    """**Returns** a tool of Gemini's settings: `run_shell_command(git)` is that program with any words."""
    found = _CALL.fullmatch(text.strip())
    name = KINDS.get(found[1]) if found else None
    if not found or not name:
        return None
    if not found[2]:
        return name
    return _shell(f"{found[2].strip()} *") if name == "shell" else None


def codex_rules(text: str) -> Iterator[tuple[str, RuleKind, Sequence[str]]]:
    """Yield each `prefix_rule` of a file in Starlark: as written, what it decides, and our rules.

    **Raises** `SyntaxError` for a text that is none.
    """
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "prefix_rule":
            given = {each.arg: _literal(each.value) for each in node.keywords if each.arg}
            decision = DECISIONS.get(str(given.get("decision") or "allow"), "ask")
            pattern = given.get("pattern")
            choices = [_texts(part) for part in pattern] if is_list(pattern) else []
            shown = f"prefix_rule({' '.join('|'.join(part) for part in choices)})"
            yield shown, decision, _prefixes(choices)


def opencode_rules(permission: object, home: str) -> Iterator[tuple[str, RuleKind, str | None]]:
    """Yield each entry of OpenCode's `permission`: as written, what it decides, and our rule.

    There the last one that fits counts, here the strictest: one with later exceptions is not taken.
    """
    if isinstance(permission, str):
        permission = {"*": permission}
    for tool, value in permission.items() if is_object(permission) else ():
        entries = {"*": value} if isinstance(value, str) else value if is_object(value) else {}
        rows: list[tuple[str, RuleKind]] = []
        for glob, each in entries.items():
            if kind := DECISIONS.get(text_in(each)):
                rows.append((glob, kind))
        for place, (glob, kind) in enumerate(rows):
            has_exceptions = any(STRICTNESS[later] < STRICTNESS[kind] for _, later in rows[place + 1 :])
            rule = None if has_exceptions else _opencode_rule(tool, glob, kind, home)
            yield f"{tool}: {glob}", kind, rule


def _opencode_rule(tool: str, glob: str, kind: RuleKind, home: str) -> str | None:
    if tool == "*":
        return "*" if glob == "*" else None
    return claude_rule(f"{tool}({glob})", kind, home) if tool in KINDS else None


def _shell(command: str) -> str | None:
    """**Returns** the rule for a command; `*` stands only for its last words."""
    rest = command.removesuffix(" *")
    return f"shell({command})" if rest and not re.search(r"[*?\n]", rest) else None


def _wild(command: str) -> str | None:
    """**Returns** the rule for a command with `*` anywhere, which may only make things stricter."""
    return None if "\n" in command or not command.strip("* ") else f"shell({command})"


def _path(glob: str, home: str, *, narrows: bool) -> str | None:
    """**Returns** a path in gitignore syntax as ours; a single name that forbids does so at any depth."""
    if glob.startswith("~/"):
        return f"{home}/{glob[2:]}"
    if glob.startswith("//"):
        return glob[1:]
    if glob.startswith(("/", "!")):
        return None  # it is meant from where those settings are
    glob = glob.removeprefix("./").rstrip("/")
    return f"**/{glob}" if narrows and "/" not in glob else glob


def _prefixes(choices: Sequence[Sequence[str]]) -> Sequence[str]:
    if not choices or not all(choices):
        return ()
    combined = list(itertools.islice(itertools.product(*choices), MOST_ALTERNATIVES + 1))
    if len(combined) > MOST_ALTERNATIVES:
        return ()
    return _all(
        None if any(" " in word for word in words) else _shell(f"{' '.join(words)} *") for words in combined
    )


def _all(rules: Iterator[str | None]) -> Sequence[str]:
    """**Returns** the rules when each could be said, else none."""
    found = list(rules)
    return [rule for rule in found if rule] if all(found) else ()


def _texts(value: object) -> list[str]:
    return [value] if isinstance(value, str) else [each for each in list_in(value) if isinstance(each, str)]


def _literal(node: ast.expr) -> object:
    try:
        return ast.literal_eval(node)
    except ValueError:
        return None

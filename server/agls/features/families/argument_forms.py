"""Arguments of other products that say the same as ours in another form: one function for each of our tools.

What is not of the form that is expected here stays as it is: then the tool says what is wrong.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from shlex import join
from typing import Any, cast

from agls.engine.ports import ToolSpec
from agls.engine.vocabulary import JsonObject, ToolCall
from agls.regex import regex

SHELLS = frozenset({"bash", "sh", "zsh", "/bin/bash", "/bin/sh", "/usr/bin/bash"})
SCRIPTS = frozenset({"-c", "-lc", "-cl"})
MILLISECONDS = 1000
_CELL = regex(r"(?:cell-)?(\d{1,6})")  # an id that is a number, as Claude Code writes it
_NUMBER = regex(r"-?\d{1,9}")
LONGEST_LABEL = 60
TO_THE_END = -1  # as the last line of a range
OUTPUTS = {"content": "content", "files_with_matches": "files", "count": "count"}
WHOLE = frozenset({"", "general-purpose", "default"})  # agents that are a helper without a role
OFFERS = frozenset({"options", "follow_up"})
SEVERAL = ("multiSelect", "multi_select", "allow_multiple")
ALLOWED = frozenset({"allowedPrompts", "allowed_prompts"})
ENTRY_TEXTS = ("content", "step", "description", "title")
ENTRY_MORE = frozenset({"activeForm", "active_form", "priority"})
READ_NAMES = (
    ("start_line", "end_line"),
    ("start_line_one_indexed", "end_line_one_indexed_inclusive"),
)


def _read(given: JsonObject) -> JsonObject:
    """Read a range of lines: `view_range`, `start_line` and `end_line`."""
    made = {**given}
    if made.get("should_read_entire_file") is True:
        made = {name: made[name] for name in made if "_one_indexed" not in name}
    made.pop("should_read_entire_file", None)
    first, last = None, None
    match made.get("view_range"):
        case [int(first), int(last)]:
            del made["view_range"]
        case _:
            pass
    for begin, end in READ_NAMES:
        if (start := _whole(made.get(begin))) is not None and (stop := _whole(made.get(end, -1))) is not None:
            first, last = start, stop
            made.pop(begin)
            made.pop(end, None)
    if first is None or {"offset", "limit"} & made.keys():
        return made if first is None else given
    made["offset"] = max(first, 1)
    if last is not None and last != TO_THE_END:
        made["limit"] = last - made["offset"] + 1
    return made


def _whole(value: object) -> int | None:
    """Return a whole number, also of one written as a text or with a point; `None` for anything else."""
    match value:
        case bool():
            return None
        case int():
            return value
        case float() if value.is_integer():
            return int(value)
        case str() if _NUMBER.fullmatch(value):
            return int(value)
        case _:
            return None


def _grep(given: JsonObject) -> JsonObject:
    """Read what grep's own options are called."""
    made = {**given}
    made.pop("-n", None)  # lines have their numbers
    around = [made.pop(name) for name in ("-A", "-B") if isinstance(made.get(name), int)]
    if around and not {"-C", "context"} & made.keys():
        made["context"] = max(around)
    if isinstance(mode := made.get("output_mode"), str) and mode in OUTPUTS and "output" not in made:
        del made["output_mode"]
        made["output"] = OUTPUTS[mode]
    return made


def _shell(given: JsonObject) -> JsonObject:
    """Read a command as a list of words, and a time in milliseconds."""
    made = {**given}
    words: object = made.get("command")
    if isinstance(words, list) and words and all(isinstance(word, str) for word in cast("list[Any]", words)):
        said = cast("list[str]", words)
        is_script = len(said) == 3 and said[0] in SHELLS and said[1] in SCRIPTS
        made["command"] = said[2] if is_script else join(said)
    if type(made.get("timeout_ms")) is int and "timeout_s" not in made:
        made["timeout_s"] = -(-made.pop("timeout_ms") // MILLISECONDS)
    return made


def _plan(given: JsonObject) -> JsonObject:
    """Read a list of things to do, by the names of several products."""
    name = next((name for name in ("todos", "plan", "items") if isinstance(given.get(name), list)), "")
    if isinstance(own := given.get("entries"), list):
        return {**given, "entries": [_renamed(each) for each in cast("Sequence[object]", own)]}
    if "entries" in given or not name:
        return given
    entries = [_entry(each) for each in cast("Sequence[object]", given[name])]
    return given if None in entries else {"entries": entries}


def _renamed(item: object) -> object:
    """Return an entry with our names of its members, and without those that an entry does not have here."""
    if not isinstance(item, dict):
        return item
    said = cast("Mapping[str, object]", item)
    made = {name: value for name, value in said.items() if name not in ENTRY_MORE}
    for ours, theirs in (("text", ENTRY_TEXTS), ("state", ("status",))):
        called = next((name for name in theirs if name in made), "")
        if called and ours not in made:
            made[ours] = made.pop(called)
    return made


def _entry(item: object) -> JsonObject | None:
    if isinstance(item, str):
        return {"text": item}
    if not isinstance(item, dict):
        return None
    said = cast("Mapping[str, object]", item)
    text = next((said[name] for name in ENTRY_TEXTS if name in said), "")
    state = said.get("status", "pending")
    if not isinstance(text, str) or not text or not isinstance(state, str):
        return None
    return {"text": text, "state": state}


def _delegate(given: JsonObject) -> JsonObject:
    """Read a single task with the kind of its helper."""
    if "tasks" in given or not isinstance(given.get("prompt"), str):
        return given
    kind, label = given.get("subagent_type", ""), given.get("description", "")
    others = given.keys() - {"prompt", "subagent_type", "description", "run_in_background"}
    if others or not (isinstance(kind, str) and isinstance(label, str)):
        return given
    task: JsonObject = {"prompt": given["prompt"], "label": label[:LONGEST_LABEL]}
    if kind.casefold() not in WHOLE:
        task["agent"] = kind
    return {"tasks": [task], **({"background": True} if given.get("run_in_background") is True else {})}


def _web_fetch(given: JsonObject) -> JsonObject:
    """Leave out what a model of its own would be asked about the page: the page itself is the answer."""
    return {name: value for name, value in given.items() if name != "prompt"}


def _edits(given: JsonObject) -> JsonObject:
    """Read the names of the texts in each of several edits."""
    if not isinstance(given.get("edits"), list):
        return given
    names = {"old_string": "old_text", "oldText": "old_text", "old_str": "old_text"}
    names |= {
        "new_string": "new_text",
        "newText": "new_text",
        "new_str": "new_text",
        "replaceAll": "replace_all",
    }
    edits = [
        {names.get(name, name): value for name, value in cast("JsonObject", each).items()}
        if isinstance(each, dict)
        else each
        for each in cast("Sequence[object]", given["edits"])
    ]
    return {**given, "edits": edits}


def _ask_user(given: JsonObject) -> JsonObject:
    """Read questions with their options; several become one, which the user answers in their own words."""
    if "questions" not in given:
        made = _one_question(given) if OFFERS & given.keys() and "choices" not in given else None
        others = {name: given[name] for name in given if name not in OFFERS | {"header", *SEVERAL}}
        return {**others, **made} if made else given
    listed = given["questions"]
    asked = (
        [_one_question(each) for each in cast("Sequence[object]", listed)] if isinstance(listed, list) else []
    )
    if not asked or None in asked:
        return given
    if len(asked) == 1:
        return asked[0] or given
    texts = (
        f"{number}. {each['question']}{_offered(each)}" for number, each in enumerate(filter(None, asked), 1)
    )
    return {"question": "\n".join(texts)}


def _offered(question: JsonObject) -> str:
    choices = question.get("choices", ())
    return f" ({' / '.join(choices)})" if choices else ""


def _one_question(item: object) -> JsonObject | None:
    """Return a question with the texts of its options as choices, `None` where it has another form."""
    if not isinstance(item, dict):
        return None
    said = cast("Mapping[str, object]", item)
    text = said.get("question")
    options: object = next((said[name] for name in (*OFFERS, "choices") if name in said), None) or []
    if not isinstance(text, str) or not text or not isinstance(options, list):
        return None
    choices = [_choice(each) for each in cast("Sequence[object]", options)]
    if not all(choices):
        return None
    made: JsonObject = {"question": text}
    if choices:
        made["choices"] = list(dict.fromkeys(choices))
        made["several"] = any(said.get(name) is True for name in SEVERAL)
    return made


def _choice(option: object) -> str:
    """Return what the user reads of an option, "" where it has another form."""
    if isinstance(option, str):
        return option
    if not isinstance(option, dict):
        return ""
    said = cast("Mapping[str, object]", option)
    label, more = said.get("label", said.get("text")), said.get("description", "")
    if not isinstance(label, str) or not isinstance(more, str):
        return ""
    return f"{label}: {more}" if more else label


def _present_plan(given: JsonObject) -> JsonObject:
    """Leave out what other products have a plan allow: permissions come from the user alone."""
    return {name: value for name, value in given.items() if name not in ALLOWED}


def _edit_notebook(given: JsonObject) -> JsonObject:
    """Read a cell by its id, which is its number here; a new one comes behind it, or first without one."""
    if "edit_mode" not in given and "cell_id" not in given:
        return given
    is_new = given.get("edit_mode") == "insert"
    if given.get("cell_id") is None:
        others = {name: value for name, value in given.items() if name != "cell_id"}
        has_place = {"cell", "cell_number", "cell_index"} & given.keys()
        return {**others, "cell": 0} if is_new and not has_place else given
    found = _CELL.fullmatch(str(given["cell_id"]))
    others = {name: value for name, value in given.items() if name != "cell_id"}
    return {**others, "cell": int(found[1]) + is_new} if found else given


FORMS: Mapping[str, Callable[[JsonObject], JsonObject]] = {
    "read_file": _read,
    "grep": _grep,
    "shell": _shell,
    "plan": _plan,
    "delegate": _delegate,
    "web_fetch": _web_fetch,
    "multi_edit": _edits,
    "ask_user": _ask_user,
    "edit_notebook": _edit_notebook,
    "present_plan": _present_plan,
}


def with_our_forms(call: ToolCall, shown: Mapping[str, ToolSpec]) -> ToolCall:
    """Return the call with what it says in another form as our tool wants it."""
    form = FORMS.get(call.name)
    if form is None or call.malformed:
        return call
    spec = shown.get(call.name)
    arguments = form(call.arguments)
    if spec and not arguments.keys() <= spec.schema.get("properties", {}).keys() | call.arguments.keys():
        return call  # another tool of this name
    return replace(call, arguments=arguments) if arguments != call.arguments else call

"""Arguments in the form of another product are read as ours; what is not of that form stays."""

import pytest

from agls.engine.vocabulary import JsonObject, ToolCall
from agls.features.families.argument_forms import with_our_forms


@pytest.mark.parametrize(
    ("tool", "given", "read_as"),
    [
        ("read_file", {"view_range": [3, 5]}, {"offset": 3, "limit": 3}),
        ("read_file", {"view_range": [3, -1]}, {"offset": 3}),
        ("read_file", {"start_line": 2, "end_line": 2}, {"offset": 2, "limit": 1}),
        ("read_file", {"start_line": 0}, {"offset": 1}),
        ("read_file", {"start_line": "2", "end_line": 3.0}, {"offset": 2, "limit": 2}),
        ("read_file", {"start_line": 5, "end_line": 2}, {"offset": 5, "limit": -2}),  # which is refused
        ("read_file", {"should_read_entire_file": True, "start_line_one_indexed": 9}, {}),
        ("grep", {"-B": 1, "-A": 4, "-n": True}, {"context": 4}),
        ("grep", {"output_mode": "files_with_matches"}, {"output": "files"}),
        ("shell", {"command": ["ls", "my file"]}, {"command": "ls 'my file'"}),
        ("shell", {"command": ["sh", "-c", "a|b"], "timeout_ms": 1500}, {"command": "a|b", "timeout_s": 2}),
        ("plan", {"todos": ["One"]}, {"entries": [{"text": "One"}]}),
        (
            "plan",
            {"entries": [{"content": "One", "activeForm": "x"}, {"id": "1", "status": "done"}]},
            {"entries": [{"text": "One"}, {"id": "1", "state": "done"}]},
        ),
        (
            "delegate",
            {"prompt": "p", "subagent_type": "explore"},
            {"tasks": [{"prompt": "p", "label": "", "agent": "explore"}]},
        ),
        ("web_fetch", {"url": "u", "prompt": "What?"}, {"url": "u"}),
        ("edit_notebook", {"cell_id": "cell-2", "new_source": "x"}, {"cell": 2, "new_source": "x"}),
        ("edit_notebook", {"cell_id": "2", "edit_mode": "insert"}, {"cell": 3, "edit_mode": "insert"}),
        ("edit_notebook", {"edit_mode": "insert"}, {"cell": 0, "edit_mode": "insert"}),
        (
            "ask_user",
            {"questions": [{"question": "Q?", "options": [{"label": "A", "description": "a"}, "B"]}]},
            {"question": "Q?", "choices": ["A: a", "B"], "several": False},
        ),
        (
            "ask_user",
            {"questions": [{"question": "Q?", "options": ["A", "B"]}, {"question": "R?"}]},
            {"question": "1. Q? (A / B)\n2. R?"},
        ),
        (
            "ask_user",
            {"question": "Q?", "follow_up": [{"text": "A"}, {"text": "B"}], "timeout_s": 3},
            {"question": "Q?", "choices": ["A", "B"], "several": False, "timeout_s": 3},
        ),
        (
            "ask_user",
            {"questions": [{"question": "Q?", "options": ["A"], "multiSelect": True}]},
            {"question": "Q?", "choices": ["A"], "several": True},
        ),
        ("ask_user", {"question": "Q?", "default": "A"}, {"question": "Q?", "default": "A"}),
        ("present_plan", {"plan": "P", "allowedPrompts": [{"tool": "Bash"}]}, {"plan": "P"}),
    ],
)  # fmt: skip
def test_form_of_another_product_is_read_as_ours(tool: str, given: JsonObject, read_as: JsonObject) -> None:
    assert with_our_forms(ToolCall("c1", tool, given), {}).arguments == read_as


@pytest.mark.parametrize(
    ("tool", "given"),
    [
        ("read_file", {"view_range": "3-5"}),
        ("read_file", {"view_range": [3, 5], "offset": 1}),
        ("grep", {"output_mode": "other"}),
        ("ask_user", {"questions": []}),
        ("edit_notebook", {"cell_id": "a1b2", "new_source": "x"}),
        ("edit_notebook", {"action": "insert", "source": "x"}),
        ("edit_notebook", {"edit_mode": "insert", "cell_number": 1}),
        ("ask_user", {"questions": [{"text": "Q?"}]}),
        ("ask_user", {"question": "Q?", "options": [{"name": "A"}]}),
        ("shell", {"command": ["ls", 3]}),
        ("plan", {"todos": [{"status": "pending"}]}),
        ("plan", {"todos": "one"}),
        ("plan", {"entries": "one"}),
        ("plan", {"entries": ["one", {"text": "One", "content": "Two", "state": "done", "status": "x"}]}),
        ("delegate", {"prompt": "p", "model": "large"}),
        ("multi_edit", {"edits": "one"}),
        ("mcp__files__read", {"view_range": [3, 5]}),
    ],
)
def test_arguments_in_an_unknown_form_stay_unchanged(tool: str, given: JsonObject) -> None:
    assert with_our_forms(ToolCall("c1", tool, given), {}).arguments == given

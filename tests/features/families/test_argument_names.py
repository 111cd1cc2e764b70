"""Names of arguments from other products are read as ours, and nothing else is."""

import json
from pathlib import Path

import pytest

from agls.engine.ports import Effect, ToolSpec
from agls.engine.vocabulary import JsonObject, ToolCall
from agls.features.families.argument_names import OTHER_NAMES, OURS, with_our_names
from agls.order import TOOLS
from agls.toolkit import shipped_schemas
from doors.headless.conftest import Agls

SHOWN = {
    "grep": ToolSpec(
        "grep", "", {"properties": {"pattern": {}, "path": {}, "glob": {}}}, frozenset({Effect.READS})
    )
}


def named(tool: str, **arguments: object) -> JsonObject:
    """Return the arguments of a call as they are read."""
    return with_our_names(ToolCall("call_1", tool, arguments), SHOWN).arguments


def test_names_of_other_products_are_read_as_ours() -> None:
    assert named("grep", query="x", include="*.py") == {"pattern": "x", "glob": "*.py"}
    assert named("apply_patch", input="*** Begin Patch") == {"patch": "*** Begin Patch"}
    assert named("edit_file", filePath="a", oldString="x", newString="y") == {
        "path": "a", "old_text": "x", "new_text": "y",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("read_file", {"path": "a", "file_path": "b"}),
        ("read_file", {"file_path": "a", "filePath": "b"}),
        ("read_file", {"path": "a", "colour": "b"}),
        ("shell", {"command": "true", "timeout": 5}),
        ("grep", {"pattern": "x", "head_limit": 3}),  # this grep has no limit
        ("mcp__files__read_file", {"file_path": "a"}),
    ],
)
def test_conflicts_and_unknown_names_stay_as_they_are(tool: str, arguments: JsonObject) -> None:
    assert named(tool, **arguments) == arguments


def test_table_has_only_tools_and_arguments_that_exist_and_each_name_once() -> None:
    assert OTHER_NAMES.keys() <= TOOLS
    ours = {name for schema in shipped_schemas().values() for name in schema.get("properties", {})}
    for tool, row in OTHER_NAMES.items():
        assert row.keys() <= ours
        assert len(OURS[tool]) == sum(map(len, row.values())), f"{tool}: a name with two meanings"


def test_model_of_another_product_works_at_once(tmp_path: Path) -> None:
    agls = Agls(tmp_path)
    (agls.workspace / "a.txt").write_text("one\n")
    calls = [
        ("read_file", {"file_path": "a.txt"}),
        ("edit_file", {"file_path": "a.txt", "old_string": "one", "new_string": "two"}),
        ("shell", {"cmd": "cat a.txt"}),
        ("read_file", {"path": "a.txt", "file_path": "b.txt"}),
    ]
    agls.script(
        *[{"calls": [{"name": name, "arguments": given}]} for name, given in calls], {"text": "Done."}
    )
    done = agls.run("run", "go", "--yolo", "--output", "jsonl")
    items = [event["data"]["item"] for event in done.events if event["type"] == "itemCompleted"]
    called = [item for item in items if item["kind"] == "toolCall"]
    assert [item["status"] for item in called] == ["completed", "completed", "completed", "failed"]
    assert called[1]["input"] == {"path": "a.txt", "old_text": "one", "new_text": "two"}
    assert "two" in json.dumps(called[2])
    assert "file_path: there is no such argument" in json.dumps(called[3])

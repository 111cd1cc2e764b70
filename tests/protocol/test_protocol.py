"""The protocol package: fresh schema, documented methods, lenient reading, exact writing."""

import hashlib
import importlib.util
import json
import re
from pathlib import Path
from typing import Any

import pytest
from cattrs import BaseValidationError
from jsonschema_rs import meta

import agls_protocol
from agls.doors.agent.methods import HANDLERS
from agls.doors.lsp.capabilities import document, pygls_capabilities
from agls.doors.lsp.client import ENCODINGS
from agls.doors.lsp.initialize import DOCUMENT
from agls_protocol import documents, events, hello, items, resuming, sessions, types
from agls_protocol.converter import explain, make_converter
from agls_protocol.events import DURABLE, EVENTS
from agls_protocol.events import RESERVED as LATER
from agls_protocol.members import has_members
from agls_protocol.methods import METHODS, RESERVED

PROTOCOL = Path(__file__).parents[2] / "protocol"
PACKAGE = Path(agls_protocol.__file__).parent
README = (PROTOCOL / "README.md").read_text()
SCHEMA = json.loads((PACKAGE / "schema.json").read_text())
MAKERS = {
    "__init__",
    "converter",
    "luacats",
    "members",
    "names",
    "record",
    "typescript",
}  # they have no types


def generator() -> Any:
    spec = importlib.util.spec_from_file_location("generate", PROTOCOL / "generate.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.item(43)
def test_the_schema_is_fresh_and_valid(capsys: pytest.CaptureFixture[str]) -> None:
    assert generator().main(["--check"]) == 0
    schema = json.loads((PACKAGE / "schema.json").read_text())
    meta.validate(schema)
    for definition in schema["$defs"].values():
        meta.validate({**definition, "$schema": schema["$schema"]})


@pytest.mark.item(43)
def test_stale_files_are_noticed_and_rewritten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = generator()
    assert made.main([], tmp_path) == 0
    assert made.main(["--check"], tmp_path) == 0
    for name in made.files():
        (tmp_path / name).write_text("old")
        assert made.main(["--check"], tmp_path) == 1
        assert f"{name} is stale" in capsys.readouterr().err
        assert made.main([], tmp_path) == 0
        assert made.main(["--check"], tmp_path) == 0


def test_the_readme_was_read_again_when_the_types_changed() -> None:
    sources = [path for path in sorted(PACKAGE.glob("*.py")) if path.stem not in MAKERS]
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()
    assert digest in README, f"read protocol/README.md again, then set its hash to {digest}"


@pytest.mark.row(85)
@pytest.mark.parametrize("name", [*METHODS, *EVENTS])
def test_every_method_and_event_is_documented(name: str) -> None:
    """None is left out of the page."""
    assert f"`{name}`" in README


def members(rule: Any) -> set[str]:
    """The members of what a rule of the schema names."""
    return set(SCHEMA["$defs"][rule["$ref"].rpartition("/")[2]].get("properties", ())) if rule else set()


PARTS = {"Change", "FileVersion", "FileChanged", "Terminal", "Usage", "RunError", "Option", "ShownHunk"}


@pytest.mark.parametrize("name", [*METHODS, *sorted(EVENTS.keys() - LATER)])
def test_every_member_of_methods_and_events_is_on_the_page(name: str) -> None:
    """Who writes a client has only the page and the schema."""
    rule = SCHEMA["methods"].get(name)
    parts = (rule["params"], rule.get("result")) if rule else (SCHEMA["events"][name],)
    named = {member for part in parts for member in members(part)}
    assert not {member for member in named if not re.search(rf"[`\"]{member}\b", README)}


def test_every_member_of_items_and_content_is_on_the_page() -> None:
    kinds = {name for name in SCHEMA["$defs"] if name.endswith(("Item", "Content"))} | PARTS
    named = {(kind, member) for kind in kinds for member in members({"$ref": kind})}
    assert not {(kind, member) for kind, member in named if f"`{member}`" not in README}


def test_every_method_of_the_client_has_a_handler_and_no_other() -> None:
    asked = {name for name, method in METHODS.items() if method.direction == "toServer" and method.result}
    assert set(HANDLERS) == asked - RESERVED


def test_durable_types_are_event_types() -> None:
    assert set(EVENTS) >= DURABLE


def test_server_block_lists_every_kind_of_item() -> None:
    names = [rule["$ref"].rpartition("/")[2] for rule in SCHEMA["$defs"]["Item"]["anyOf"]]
    kinds = {SCHEMA["$defs"][name]["properties"]["kind"]["enum"][0] for name in names}
    assert "sideAnswer" in kinds
    assert set(json.loads(Path(DOCUMENT).read_text())["agent"]["itemKinds"]) == kinds


def test_the_shipped_answer_is_what_pygls_would_say() -> None:
    shipped = json.loads(Path(DOCUMENT).read_text())
    assert shipped == document(), "run: python -m agls.doors.lsp.capabilities"


@pytest.mark.parametrize("offered", [["utf-8"], ["utf-32", "utf-8"], ["x", "utf-16"], [], ["x"], None])
def test_pygls_would_choose_the_same_position_encoding(offered: list[str] | None) -> None:
    from agls.doors.lsp.client import chosen_encoding  # noqa: PLC0415 - beside its counterpart

    client = {} if offered is None else {"general": {"positionEncodings": offered}}
    chosen = pygls_capabilities(client)["positionEncoding"]
    assert chosen_encoding(offered) == chosen
    assert chosen in ENCODINGS


converter = make_converter()


def test_reading_ignores_what_it_does_not_know_and_takes_null_for_absent() -> None:
    given = {"sessionId": "s", "input": "x", "wait": None, "options": {"jsonrpc": 1}, "new": {"a": 1}}
    params = converter.structure(given, types.RunParams)
    assert params == types.RunParams("s", "x", options={"jsonrpc": 1})


@pytest.mark.parametrize(
    ("given", "kind", "problem"),
    [
        ({}, types.RunParams, "params.sessionId is missing"),
        ({"sessionId": 1}, types.RunParams, "params.sessionId must be a string"),
        ({"sessionId": "s", "wait": 1}, types.RunParams, "params.wait must be true or false"),
        ({"limit": True}, types.SessionListParams, "params.limit must be a whole number"),
        ({"limit": 1.5}, types.SessionListParams, "params.limit must be a whole number"),
        ({"runId": "r", "outcome": "x", "cost": "x"}, types.RunAnswer, "params.cost must be a number"),
        (
            {"sessionId": "s", "after": {"epoch": "e"}},
            resuming.ResumeParams,
            "params.after.seq is missing",
        ),
        ({"sessionId": "s", "after": 1}, resuming.ResumeParams, "params.after must be an object"),
        (
            {"sessionId": "s", "types": "runEnded"},
            sessions.EventsParams,
            "params.types must be a list",
        ),
        (
            {"sessionId": "s", "types": ["a", 1, 2]},
            sessions.EventsParams,
            "params.types[1] must be a string",
        ),
        ({"sessionId": "s", "types": [1]}, sessions.EventsParams, "params.types[0] must be a string"),
        ({"sessionId": "s", "options": []}, types.RunParams, "params.options must be an object"),
        ({"sessionId": "s", "queued": "x"}, types.CancelParams, "params.queued must be one of keep, drop"),
    ],
)
def test_a_wrong_value_is_refused_by_its_wire_name(given: Any, kind: Any, problem: str) -> None:
    with pytest.raises(BaseValidationError) as caught:
        converter.structure(given, kind)
    assert explain(caught.value) == problem


def test_numbers_may_be_whole() -> None:
    assert converter.structure({"runId": "r", "outcome": "x", "cost": 2}, types.RunAnswer).cost == 2


def test_writing_leaves_out_what_is_not_there() -> None:
    assert converter.unstructure(types.RunAnswer("r", "started")) == {"runId": "r", "outcome": "started"}
    assert converter.unstructure(types.CancelResult("notRunning", [], [])) == {
        "state": "notRunning", "kept": [], "dropped": [],
    }  # fmt: skip


@pytest.mark.parametrize(
    "kind",
    [
        kind
        for kind in {
            **vars(items),
            **vars(events),
            **vars(types),
            **vars(documents),
            **vars(sessions),
            **vars(resuming),
            **vars(hello),
        }.values()
        if has_members(kind)
    ],
)
def test_every_type_says_what_it_is(kind: Any) -> None:
    assert kind.__doc__
    assert not kind.__doc__.startswith("Method generated")


def test_reserved_names_are_in_no_list_and_not_used_by_the_server() -> None:
    block = json.loads(Path(DOCUMENT).read_text())["agent"]
    reserved = {*events.RESERVED, *hello.RESERVED, *RESERVED}
    assert not reserved & {*block["eventTypes"], *block["methods"]}
    written = "".join(path.read_text() for path in (PROTOCOL.parent / "server").rglob("*.py"))
    _, _, page = README.partition("Types that stand in the schema under `reserved`")
    for name in reserved:
        assert f'"{name}"' not in written, f"{name} is used: it is reserved no more"
        assert f"`{name}`" in page.split("\n\n")[0], "the page says so"

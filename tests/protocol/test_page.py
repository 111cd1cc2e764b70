"""What the protocol page says is what the server has, and every method has its section."""

import json
import re
from dataclasses import asdict
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

import agls_protocol
from agls.config.bounds import EDITOR
from agls.features.permissions.questions import ONCE, REJECT
from agls_protocol.methods import METHODS

PAGE = (Path(agls_protocol.__file__).parents[1] / "README.md").read_text()
SCHEMA = json.loads(Path(agls_protocol.__file__).with_name("schema.json").read_text())
WIDEST = 160  # characters of one cell of a table: it holds a fact, not a contract
OWN_SECTION = sorted(METHODS.keys() - {"agent/event"})  # that one is the section "Events"


def section(name: str) -> str:
    """The section of a method."""
    _, found, rest = PAGE.partition(f"\n### `{name}`\n")
    assert found, f"{name} has no section"
    return re.split(r"^##", rest, maxsplit=1, flags=re.MULTILINE)[0]


def example(name: str) -> dict[str, Any]:
    """The example of a method."""
    text = section(name).partition("```json\n")[2].partition("```")[0]
    try:
        return json.loads(text)
    except ValueError as problem:
        raise AssertionError(
            f'{name} needs one example: a ```json block with {{"params": …, "result": …}} ({problem})'
        ) from problem


def sides(name: str) -> dict[str, Any]:
    """The rules of the schema for params and result, where it has them."""
    rule = SCHEMA["methods"][name]
    return {side: rule[side] for side in ("params", "result") if rule.get(side)}


def members_of(name: str) -> set[str]:
    """The members of params and result."""
    types = [SCHEMA["$defs"][rule["$ref"].rpartition("/")[2]] for rule in sides(name).values()]
    return {member for kind in types for member in kind.get("properties", ())}


@pytest.mark.parametrize("name", OWN_SECTION)
def test_section_of_a_method_names_every_member(name: str) -> None:
    text = section(name)
    missing = {member for member in members_of(name) if f"`{member}`" not in text}
    assert not missing, f"name these members in the section of {name}"


@pytest.mark.parametrize("name", OWN_SECTION)
def test_example_of_a_method_is_what_the_schema_says(name: str) -> None:
    given, rules = example(name), sides(name)
    assert given.keys() == rules.keys(), "an example shows exactly these"
    for side, rule in rules.items():
        jsonschema_rs.validate({**rule, "$defs": SCHEMA["$defs"]}, given[side])
        known = SCHEMA["$defs"][rule["$ref"].rpartition("/")[2]].get("properties", {})
        assert given[side].keys() <= known.keys(), "an example shows nothing that does not exist"


@pytest.mark.parametrize("name", [name for name in OWN_SECTION if METHODS[name].result])
def test_section_of_a_request_says_its_errors_and_its_order(name: str) -> None:
    wanted = {"**Order:**"} if METHODS[name].direction == "toClient" else {"**Order:**", "**Errors:**"}
    missing = {mark for mark in wanted if mark not in section(name)}
    assert not missing, f"say it behind this mark in the section of {name}, as its neighbours do"


def test_errors_that_sections_name_are_in_the_table() -> None:
    known = {error["kind"] for error in SCHEMA["errors"]}
    for name in OWN_SECTION:
        told = section(name).partition("**Errors:**")[2].partition("**Order:**")[0]
        kinds = {word for word in re.findall(r"`(\w+)`", told) if word not in members_of(name)}
        assert kinds <= known, name


def test_no_cell_of_a_table_is_wider_than_a_fact() -> None:
    cells = [cell for line in PAGE.splitlines() if line.startswith("|") for cell in line.split("|")]
    wide = [cell for cell in cells if len(cell) > WIDEST]
    assert not wide, f"shorten or split these cells: a cell has at most {WIDEST} characters"


def test_page_names_the_titles_of_the_buttons_of_a_permission_question() -> None:
    text = PAGE.partition("A question of `window/showMessageRequest` has")[2].partition("\n\n")[0]
    for title in (ONCE.label, "Allow for this session", "Allow for this project", REJECT.label):
        assert f"`{title}`" in text


def test_page_states_the_default_limits_of_a_run() -> None:
    limits = {name: value for name, value in asdict(EDITOR.limits).items() if value is not None}
    assert limits == {"max_turns": 100}
    assert "has 100 turns here, and no limit of time" in PAGE

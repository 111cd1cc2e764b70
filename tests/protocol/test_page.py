"""What the protocol page says of names is what the server has."""

from dataclasses import asdict
from pathlib import Path

import attrs
import pytest

import agls_protocol
from agls.config.bounds import EDITOR
from agls.features.permissions.questions import ONCE, REJECT
from agls_protocol.converter import camel
from agls_protocol.types import AskUserParams, SessionNewResult

PAGE = (Path(agls_protocol.__file__).parents[1] / "README.md").read_text()


def row_of(name: str) -> str:
    """The row of a table that begins with this name."""
    return next(line for line in PAGE.splitlines() if line.startswith(f"| `{name}` |"))


@pytest.mark.parametrize(
    ("method", "kind"), [("agent/askUser", AskUserParams), ("agent/session/new", SessionNewResult)]
)
def test_page_names_every_member_of_what_is_sent(method: str, kind: type) -> None:
    row = row_of(method)
    assert [m for m in map(camel, attrs.fields_dict(kind)) if f"`{m}`" not in row] == []


def test_page_names_the_titles_of_the_buttons_of_a_permission_question() -> None:
    row = next(line for line in PAGE.splitlines() if "`window/showMessageRequest`" in line)
    for title in (ONCE.label, "Allow for this session", "Allow for this project", REJECT.label):
        assert f"`{title}`" in row


def test_page_says_what_limits_a_run_that_nobody_limited() -> None:
    limits = {name: value for name, value in asdict(EDITOR.limits).items() if value is not None}
    assert limits == {"max_turns": 100}
    assert "has 100 turns here, and no limit of time" in PAGE

"""The list of commands is whole, and no name means two things."""

from collections import Counter
from pathlib import Path

import pytest

from support.wire import Wire, script, turns

pytestmark = pytest.mark.row(82)


def test_help_lists_every_action_once_and_no_name_twice(tmp_path: Path) -> None:
    with Wire(tmp_path, script(tmp_path, turns("Hello."))) as wire:
        wire.initialize()
        session = wire.session()
        listed = {one["name"] for one in wire.call("agent/action/list", {"sessionId": session})["actions"]}
        told = wire.call("agent/action/invoke", {"sessionId": session, "name": "help", "input": {}})
        rows, page = told["data"]["commands"], told["output"][0]["text"]
        assert {row["name"] for row in rows} == listed
        lines = Counter(line.split("`")[1] for line in page.splitlines() if line.startswith("- `/"))
        assert lines == Counter(f"/{name}" for name in listed)
        names = Counter(name for row in rows for name in (row["name"], *row["aliases"]))
        assert [name for name, count in names.items() if count > 1] == []

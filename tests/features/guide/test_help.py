"""The list of commands is whole, and no name means two things."""

from collections import Counter
from pathlib import Path
from textwrap import wrap

import pytest

from support.wire import Message, Wire, script, turns

pytestmark = pytest.mark.row(82)


def test_help_lists_every_action_once_and_no_name_twice(tmp_path: Path) -> None:
    with Wire(tmp_path, script(tmp_path, turns("Hello."))) as wire:
        wire.initialize()
        session = wire.session()
        listed = {one["name"] for one in wire.call("agent/action/list", {"sessionId": session})["actions"]}
        whole: Message = {"sessionId": session, "name": "help", "input": {"command": "all"}}
        told = wire.call("agent/action/invoke", whole)
        rows, page = told["data"]["commands"], told["output"][0]["text"]
        assert {row["name"] for row in rows} == listed
        lines = Counter(line.split("`")[1] for line in page.splitlines() if line.startswith("- `/"))
        assert lines == Counter(f"/{name}" for name in listed)
        names = Counter(name for row in rows for name in (row["name"], *row["aliases"]))
        assert [name for name, count in names.items() if count > 1] == []


def test_help_alone_fits_a_small_terminal_and_leads_to_every_command(tmp_path: Path) -> None:
    """Each command is there by one of its names, or on the page of one that is."""
    with Wire(tmp_path, script(tmp_path, turns("Hello."))) as wire:
        wire.initialize()
        session = wire.session()

        def told(name: str) -> Message:
            given: Message = {"sessionId": session, "name": "help", "input": {"command": name}}
            return wire.call("agent/action/invoke", given)

        overview = told("")
        page, rows = overview["output"][0]["text"], overview["data"]["commands"]
        lines = [line.replace("`", "").replace("**", "") for line in page.splitlines()]
        assert sum(len(wrap(line, 78)) or 1 for line in lines) <= 20
        shown = {word for part in page.split("`") if (word := part.removeprefix("/")) != part}
        left = [row for row in rows if shown.isdisjoint({row["name"], *row["aliases"]})]
        assert left
        for row in left:
            part = row["name"].partition(".")[0]
            assert f"- `/{row['name']}`" in told(part)["output"][0]["text"]
        assert "`/changes`" in page and "`/changes.keep`" not in page
        assert "- `/compaction.undo`: Undo the last summary" in told("compaction")["output"][0]["text"]

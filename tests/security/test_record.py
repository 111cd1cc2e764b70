"""P15: each effect is on the record with what allowed it, and a changed record is noticed."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest

from .attacker import House, Json, call
from .effects import Effects
from .watching import needs_strace

pytestmark = pytest.mark.promise("P15")

TURNS = [
    [
        call("write_file", path="note.txt", content="Hello.\n"),
        call("write_file", path="gone.txt", content="x\n"),
    ],
    [call("edit_file", path="note.txt", old_text="Hello", new_text="Bye")],
    [call("shell", command="cp note.txt copy.txt; cat copy.txt > again.txt")],
    [call("shell", command="rm again.txt; sleep 1"), call("read_file", path="copy.txt")],
    [call("shell", command="cat copy.txt > forked.txt")],
    [call("move_file", path="note.txt", new_path="sub/moved.txt"), call("delete_file", path="gone.txt")],
    [call("write_file", path="../elsewhere/canary.txt", content="stolen\n")],
    [call("shell", command="touch never.txt")],
]
DENIED = '[permissions]\ndeny = ["shell(touch *)"]\n[audit]\nfile = true\n'


def recorded(house: House) -> list[Json]:
    """The calls of the file of records."""
    lines = (house.state / "audit" / "audit.jsonl").read_text().splitlines()
    return [row for line in lines for step in json.loads(line)["steps"] for row in step["toolCalls"]]


def named(rows: Sequence[Json]) -> set[str]:
    """The files that the record says were changed by tools."""
    return {
        unquote(urlsplit(str(uri)).path) for row in rows for uri in row["changed"] if row["name"] != "shell"
    }


def unaccounted(seen: Effects, rows: Sequence[Json], house: House) -> Iterator[Any]:
    """What really happened and is not in these rows."""
    run = [
        row["arguments"]["command"] for row in rows if row["name"] == "shell" and row["status"] == "completed"
    ]
    for started in seen.commands:
        command = next((each for each in run if json.dumps(each)[1:-1] in started), None)
        if command is None:
            yield started
        else:
            run.remove(command)
    yield from seen.other_programs
    expected = named(rows)
    kept = (str(house.state), str(house.home / ".cache"))
    for path in seen.changed:
        is_folder = any(each.startswith(f"{path}/") for each in expected)
        if path not in expected and not path.startswith(kept) and not is_folder:
            yield path


@pytest.fixture
def witnessed(house: House) -> Effects:
    needs_strace()
    house.configure(DENIED)
    seen = Effects(house.folder / "seen")
    loot = house.attacks(TURNS, mode="allowAll", before=seen.prefix)
    assert loot.code in {0, 3}, loot.errors
    return seen


def test_every_program_and_every_changed_file_is_on_the_record(house: House, witnessed: Effects) -> None:
    """What strace saw against the file of records: nothing is missing, and each row says who allowed it."""
    rows = recorded(house)
    assert list(unaccounted(witnessed, rows, house)) == []
    assert len(witnessed.commands) == 3
    assert {Path(path).name for path in witnessed.changed} >= {"note.txt", "gone.txt", "moved.txt"}
    done = [row for row in rows if row["effects"] != "none"]
    assert len(done) == 8
    assert [row["name"] for row in done if not row["allowedBy"]] == []
    refused = {row["name"]: row["refusedBy"] for row in rows if row["status"] == "rejected"}
    assert refused == {"shell": "rule", "write_file": "nobody"}


def test_the_witness_misses_what_is_taken_out_of_the_record(house: House, witnessed: Effects) -> None:
    """So silence above means that nothing was missing."""
    rows = recorded(house)
    for file in named(rows):
        less = [row for row in rows if file not in named([row])]
        assert file in list(unaccounted(witnessed, less, house))
    for command in [row for row in rows if row["name"] == "shell" and row["status"] == "completed"]:
        less = [row for row in rows if row is not command]
        assert len(list(unaccounted(witnessed, less, house))) == 1


def test_changed_record_is_noticed_and_named(house: House) -> None:
    house.configure(DENIED)
    for number in range(4):
        house.attack(call("write_file", path=f"{number}.txt", content="x\n"), mode="acceptEdits")
    records = house.state / "audit" / "audit.jsonl"
    whole = records.read_text()
    sound = house.run("sessions", "verify", "--json")
    head = json.loads(sound.stdout)["head"]
    assert (sound.returncode, json.loads(sound.stdout)["records"]) == (0, 4)

    lines = whole.splitlines(keepends=True)
    forged = lines[1].replace("1.txt", "9.txt")
    for changed in (
        [lines[0], forged, *lines[2:]],
        [lines[0], *lines[2:]],
        [lines[0], lines[2], lines[1], lines[3]],
        [*lines[:2], lines[1], *lines[2:]],
        [*lines[:2], "not a record\n", *lines[2:]],
    ):
        records.write_text("".join(changed))
        found = house.run("sessions", "verify")
        assert found.returncode == 1
        assert f"{records}, line " in found.stderr
    for changed in (lines[:3], [*lines[:3], lines[3].replace("3.txt", "9.txt")], []):
        records.write_text("".join(changed))
        assert house.run("sessions", "verify", "--head", head).returncode == 1, (
            "the end shows by what was kept"
        )
    records.write_text(whole)
    house.attack(call("write_file", path="4.txt", content="x\n"), mode="acceptEdits")
    assert house.run("sessions", "verify", "--head", head).returncode == 0
